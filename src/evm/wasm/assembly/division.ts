// Opcodes that divide, and EXP. Division by zero gives zero. A result may be written over an operand.
import { SCRATCH } from '../layout'
import { add, mul, multiplyWide, negate, sub } from './arithmetic'
import { bitLength, less } from './bits'
import { DIVIDEND, divide, QUOTIENT, REMAINDER, setLimb } from './divide'
import { copy, isNegative, isSmall, isZero, setSmall } from './word'

const LEFT: usize = SCRATCH + 208
const RIGHT: usize = SCRATCH + 240

export function div(to: usize, a: usize, b: usize): void {
  if (isSmall(b)) {
    const by = load<u64>(b)
    if (by === 0) {
      setSmall(to, 0)
      return
    }
    if (isSmall(a)) {
      setSmall(to, load<u64>(a) / by)
      return
    }
  }
  if (less(a, b)) {
    setSmall(to, 0)
    return
  }
  copy(DIVIDEND, a)
  divide(4, b)
  copy(to, QUOTIENT)
}

export function mod(to: usize, a: usize, b: usize): void {
  if (isSmall(b)) {
    const by = load<u64>(b)
    if (by === 0) {
      setSmall(to, 0)
      return
    }
    if (isSmall(a)) {
      setSmall(to, load<u64>(a) % by)
      return
    }
  }
  if (less(a, b)) {
    copy(to, a)
    return
  }
  copy(DIVIDEND, a)
  divide(4, b)
  copy(to, REMAINDER)
}

/** Rounds towards zero. */
export function divSigned(to: usize, a: usize, b: usize): void {
  const isOpposite = isNegative(a) !== isNegative(b)
  absolutes(a, b)
  div(to, LEFT, RIGHT)
  if (isOpposite) negate(to, to)
}

/** With the sign of the dividend. */
export function modSigned(to: usize, a: usize, b: usize): void {
  const isBelow = isNegative(a)
  absolutes(a, b)
  mod(to, LEFT, RIGHT)
  if (isBelow) negate(to, to)
}

function absolutes(a: usize, b: usize): void {
  if (isNegative(a)) negate(LEFT, a)
  else copy(LEFT, a)
  if (isNegative(b)) negate(RIGHT, b)
  else copy(RIGHT, b)
}

/** (a + b) mod n, where the sum does not wrap. */
export function addMod(to: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    setSmall(to, 0)
    return
  }
  if (less(a, n) && less(b, n)) {
    // The sum is less than twice the modulus, so one subtraction is enough.
    add(LEFT, a, b)
    if (less(LEFT, a) || !less(LEFT, n)) sub(LEFT, LEFT, n)
    copy(to, LEFT)
    return
  }
  add(DIVIDEND, a, b)
  // The sum has wrapped if it is less than an operand.
  setLimb(DIVIDEND, 4, u64(less(DIVIDEND, b)))
  divide(5, n)
  copy(to, REMAINDER)
}

/** (a * b) mod n, where the product does not wrap. */
export function mulMod(to: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    setSmall(to, 0)
    return
  }
  multiplyWide(DIVIDEND, a, b)
  divide(8, n)
  copy(to, REMAINDER)
}

/** Squares and multiplies from the exponent's highest bit down. */
export function exp(to: usize, base: usize, exponent: usize): void {
  copy(LEFT, base)
  copy(RIGHT, exponent)
  setSmall(to, 1)
  for (let bit = bitLength(RIGHT) - 1; bit >= 0; bit--) {
    mul(to, to, to)
    if (((load<u64>(RIGHT + ((usize(bit) >> 6) << 3)) >> (u64(bit) & 63)) & 1) !== 0) mul(to, to, LEFT)
  }
}
