// Division of words: Knuth's algorithm D on 32-bit digits, and what is made of it. Division by zero gives zero.
import { SCRATCH } from '../src/evm/engine/layout'
import { bitLength, copy, isNegative, isSmall, isZero, less, mul, multiplyWide, negate, setSmall } from './word'

/** The dividend, up to 16 digits and one for the algorithm. */
const DIVIDEND: usize = SCRATCH
const QUOTIENT: usize = SCRATCH + 80
const DIVISOR: usize = SCRATCH + 160
const REMAINDER: usize = SCRATCH + 200
const LEFT: usize = SCRATCH + 232
const RIGHT: usize = SCRATCH + 264

// @ts-expect-error: decorator
@inline
function digit(at: usize, index: i32): u64 {
  return u64(load<u32>(at + (usize(index) << 2)))
}

// @ts-expect-error: decorator
@inline
function setDigit(at: usize, index: i32, value: u64): void {
  store<u32>(at + (usize(index) << 2), u32(value))
}

function used(at: usize, digits: i32): i32 {
  while (digits > 0 && digit(at, digits - 1) == 0) digits--
  return digits
}

/** DIVIDEND of so many digits by the word `divisor`, not zero: quotient (of as many digits) and REMAINDER. */
function divide(digits: i32, divisor: usize): void {
  memory.fill(QUOTIENT, 0, usize(digits) << 2)
  setSmall(REMAINDER, 0)
  const n = used(divisor, 8)
  const m = used(DIVIDEND, digits)
  if (m < n) {
    for (let i = 0; i < m; i++) setDigit(REMAINDER, i, digit(DIVIDEND, i))
    return
  }
  if (n == 1) {
    const by = digit(divisor, 0)
    let rest: u64 = 0
    for (let i = m - 1; i >= 0; i--) {
      const part = (rest << 32) | digit(DIVIDEND, i)
      const q = part / by
      setDigit(QUOTIENT, i, q)
      rest = part - q * by
    }
    setDigit(REMAINDER, 0, rest)
    return
  }
  // The divisor's top digit gets its highest bit set, so that guesses are at most two too great.
  const shift = u64(clz(u32(digit(divisor, n - 1))))
  let carry: u64 = 0
  for (let i = 0; i < n; i++) {
    const wide = (digit(divisor, i) << shift) | carry
    setDigit(DIVISOR, i, wide)
    carry = wide >> 32
  }
  carry = 0
  for (let i = 0; i < m; i++) {
    const wide = (digit(DIVIDEND, i) << shift) | carry
    setDigit(DIVIDEND, i, wide)
    carry = wide >> 32
  }
  setDigit(DIVIDEND, m, carry)
  const first = digit(DIVISOR, n - 1)
  const second = digit(DIVISOR, n - 2)
  for (let j = m - n; j >= 0; j--) {
    const top = (digit(DIVIDEND, j + n) << 32) | digit(DIVIDEND, j + n - 1)
    let guess = top / first
    let rest = top - guess * first
    while (guess > 0xffffffff || guess * second > ((rest << 32) | digit(DIVIDEND, j + n - 2))) {
      guess--
      rest += first
      if (rest > 0xffffffff) break
    }
    let product: u64 = 0
    let borrow: u64 = 0
    for (let i = 0; i < n; i++) {
      product += guess * digit(DIVISOR, i)
      const difference = digit(DIVIDEND, i + j) - (product & 0xffffffff) - borrow
      setDigit(DIVIDEND, i + j, difference)
      borrow = (difference >> 32) & 1
      product >>= 32
    }
    const difference = digit(DIVIDEND, j + n) - product - borrow
    setDigit(DIVIDEND, j + n, difference)
    if (((difference >> 32) & 1) != 0) {
      guess--
      let sum: u64 = 0
      for (let i = 0; i < n; i++) {
        sum += digit(DIVIDEND, i + j) + digit(DIVISOR, i)
        setDigit(DIVIDEND, i + j, sum)
        sum >>= 32
      }
      setDigit(DIVIDEND, j + n, digit(DIVIDEND, j + n) + sum)
    }
    setDigit(QUOTIENT, j, guess)
  }
  for (let i = 0; i < n; i++) {
    const wide = digit(DIVIDEND, i) | (digit(DIVIDEND, i + 1) << 32)
    setDigit(REMAINDER, i, wide >> shift)
  }
}

export function div(to: usize, a: usize, b: usize): void {
  if (isSmall(b)) {
    const by = load<u64>(b)
    if (by == 0) {
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
  divide(8, b)
  copy(to, QUOTIENT)
}

export function mod(to: usize, a: usize, b: usize): void {
  if (isSmall(b)) {
    const by = load<u64>(b)
    if (by == 0) {
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
  divide(8, b)
  copy(to, REMAINDER)
}

/** Rounds towards zero. */
export function divSigned(to: usize, a: usize, b: usize): void {
  const isOpposite = isNegative(a) != isNegative(b)
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

/** (a + b) mod n, the sum not cut. */
export function addMod(to: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    setSmall(to, 0)
    return
  }
  let carry: u64 = 0
  for (let i = 0; i < 8; i++) {
    const sum = digit(a, i) + digit(b, i) + carry
    setDigit(DIVIDEND, i, sum)
    carry = sum >> 32
  }
  setDigit(DIVIDEND, 8, carry)
  divide(9, n)
  copy(to, REMAINDER)
}

/** (a * b) mod n, the product not cut. */
export function mulMod(to: usize, a: usize, b: usize, n: usize): void {
  if (isZero(n)) {
    setSmall(to, 0)
    return
  }
  multiplyWide(DIVIDEND, a, b)
  divide(16, n)
  copy(to, REMAINDER)
}

/** Squares and multiplies from the exponent's highest bit down. */
export function exp(to: usize, base: usize, exponent: usize): void {
  copy(LEFT, base)
  copy(RIGHT, exponent)
  setSmall(to, 1)
  for (let bit = bitLength(RIGHT) - 1; bit >= 0; bit--) {
    mul(to, to, to)
    if (((load<u64>(RIGHT + ((usize(bit) >> 6) << 3)) >> (u64(bit) & 63)) & 1) != 0) mul(to, to, LEFT)
  }
}
