// Division of words: Knuth's algorithm D on 64-bit limbs, and what is made of it. Division by zero gives zero.
import { SCRATCH } from '../src/evm/engine/layout'
import {
  add,
  bitLength,
  copy,
  high,
  isNegative,
  isSmall,
  isZero,
  less,
  mul,
  multiplyWide,
  negate,
  setSmall,
  sub,
} from './word'

/** The dividend, up to 8 limbs and one for the algorithm. */
const DIVIDEND: usize = SCRATCH
const QUOTIENT: usize = SCRATCH + 80
const DIVISOR: usize = SCRATCH + 160
const REMAINDER: usize = SCRATCH + 192
const LEFT: usize = SCRATCH + 224
const RIGHT: usize = SCRATCH + 256

const HALF: u64 = 0x100000000

// @ts-expect-error: decorator
@inline
function limb(at: usize, index: i32): u64 {
  return load<u64>(at + (usize(index) << 3))
}

// @ts-expect-error: decorator
@inline
function setLimb(at: usize, index: i32, value: u64): void {
  store<u64>(at + (usize(index) << 3), value)
}

function used(at: usize, limbs: i32): i32 {
  while (limbs > 0 && limb(at, limbs - 1) == 0) limbs--
  return limbs
}

let rest: u64 = 0

/** What `divideBy` needs of a divisor: its inverse, scaled and rounded down. */
let inverse: u64 = 0

/**
 * Two limbs by one whose highest bit is set and that is greater than the upper one; the remainder in `rest`. With the
 * inverse at hand there is nothing to divide (Möller and Granlund, "Improved division by invariant integers").
 */
function divideBy(upper: u64, lower: u64, by: u64): u64 {
  const low = inverse * upper
  const sum = low + lower
  let q = high(inverse, upper) + upper + u64(sum < low) + 1
  let r = lower - q * by
  if (r > sum) {
    q--
    r += by
  }
  if (r >= by) {
    q++
    r -= by
  }
  rest = r
  return q
}

/** The same without. */
function divideLimbs(upper: u64, lower: u64, by: u64): u64 {
  const by1 = by >> 32
  const by0 = by & 0xffffffff
  const lower1 = lower >> 32
  let q1 = upper / by1
  let r = upper - q1 * by1
  while (q1 >= HALF || q1 * by0 > ((r << 32) | lower1)) {
    q1--
    r += by1
    if (r >= HALF) break
  }
  const middle = ((upper << 32) | lower1) - q1 * by
  let q0 = middle / by1
  r = middle - q0 * by1
  while (q0 >= HALF || q0 * by0 > ((r << 32) | (lower & 0xffffffff))) {
    q0--
    r += by1
    if (r >= HALF) break
  }
  rest = ((middle << 32) | (lower & 0xffffffff)) - q0 * by
  return (q1 << 32) + q0
}

/** Shifts limbs to the left by less than 64 bits; what comes out on the left. */
function shiftUp(to: usize, from: usize, limbs: i32, bits: u64): u64 {
  let carry: u64 = 0
  for (let i = 0; i < limbs; i++) {
    const word = limb(from, i)
    setLimb(to, i, (word << bits) | carry)
    carry = bits == 0 ? 0 : word >> (64 - bits)
  }
  return carry
}

/** DIVIDEND of so many limbs by the word `divisor`, not zero: QUOTIENT (of as many limbs) and REMAINDER. */
function divide(limbs: i32, divisor: usize): void {
  memory.fill(QUOTIENT, 0, usize(limbs) << 3)
  setSmall(REMAINDER, 0)
  const n = used(divisor, 4)
  const m = used(DIVIDEND, limbs)
  if (m < n) {
    for (let i = 0; i < m; i++) setLimb(REMAINDER, i, limb(DIVIDEND, i))
    return
  }
  // The divisor's top limb gets its highest bit set, so that guesses are at most two too great.
  const shift = clz(limb(divisor, n - 1))
  shiftUp(DIVISOR, divisor, n, shift)
  setLimb(DIVIDEND, m, shiftUp(DIVIDEND, DIVIDEND, m, shift))
  const first = limb(DIVISOR, n - 1)
  inverse = divideLimbs(~first, u64.MAX_VALUE, first)
  if (n == 1) {
    rest = limb(DIVIDEND, m)
    for (let i = m - 1; i >= 0; i--) setLimb(QUOTIENT, i, divideBy(rest, limb(DIVIDEND, i), first))
    setLimb(REMAINDER, 0, rest >> shift)
    return
  }
  const second = limb(DIVISOR, n - 2)
  for (let j = m - n; j >= 0; j--) setLimb(QUOTIENT, j, step(j, n, first, second))
  for (let i = 0; i < n; i++) {
    const upper = shift == 0 ? 0 : limb(DIVIDEND, i + 1) << (64 - shift)
    setLimb(REMAINDER, i, (limb(DIVIDEND, i) >> shift) | (i + 1 < n ? upper : 0))
  }
}

/** One limb of the quotient: guessed from the top limbs, set right by what is left. */
function step(j: i32, n: i32, first: u64, second: u64): u64 {
  const top = limb(DIVIDEND, j + n)
  const next = limb(DIVIDEND, j + n - 1)
  let guess: u64 = u64.MAX_VALUE
  let left: u64
  let fits = true
  if (top < first) {
    guess = divideBy(top, next, first)
    left = rest
  } else {
    // top == first: the guess is all ones, and first * 2^64 - guess * first is first.
    left = next + first
    fits = left >= first
  }
  const third = limb(DIVIDEND, j + n - 2)
  while (fits) {
    const upper = high(guess, second)
    if (upper < left || (upper == left && guess * second <= third)) break
    guess--
    left += first
    fits = left >= first
  }
  let carry: u64 = 0
  let borrow: u64 = 0
  for (let i = 0; i < n; i++) {
    const by = limb(DIVISOR, i)
    const low = guess * by
    const product = low + carry
    carry = high(guess, by) + u64(product < low)
    const from = limb(DIVIDEND, i + j)
    const difference = from - product
    const result = difference - borrow
    borrow = u64(from < product) | u64(difference < borrow)
    setLimb(DIVIDEND, i + j, result)
  }
  const difference = top - carry
  setLimb(DIVIDEND, j + n, difference - borrow)
  if (top >= carry && difference >= borrow) return guess
  let more: u64 = 0
  for (let i = 0; i < n; i++) {
    const by = limb(DIVISOR, i)
    const sum = limb(DIVIDEND, i + j) + by
    const result = sum + more
    more = u64(sum < by) | u64(result < sum)
    setLimb(DIVIDEND, i + j, result)
  }
  setLimb(DIVIDEND, j + n, limb(DIVIDEND, j + n) + more)
  return guess - 1
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
  divide(4, b)
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
  divide(4, b)
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
  if (less(a, n) && less(b, n)) {
    // Less than twice the modulus: it is taken off at most once.
    add(LEFT, a, b)
    if (less(LEFT, a) || !less(LEFT, n)) sub(LEFT, LEFT, n)
    copy(to, LEFT)
    return
  }
  add(DIVIDEND, a, b)
  // A sum that was cut is less than what was added.
  setLimb(DIVIDEND, 4, u64(less(DIVIDEND, b)))
  divide(5, n)
  copy(to, REMAINDER)
}

/** (a * b) mod n, the product not cut. */
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
    if (((load<u64>(RIGHT + ((usize(bit) >> 6) << 3)) >> (u64(bit) & 63)) & 1) != 0) mul(to, to, LEFT)
  }
}
