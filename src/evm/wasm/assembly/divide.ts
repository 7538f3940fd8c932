// Division of words, limb by limb of 64 bits, and what is made of it. Division by zero gives zero.
import { SCRATCH } from '../layout'
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
  set,
  setSmall,
  shiftLeft,
  shiftRight,
  sub,
} from './word'

/** The dividend, up to 8 limbs and 4 more for the algorithm. */
const DIVIDEND: usize = SCRATCH
const QUOTIENT: usize = SCRATCH + 96
const REMAINDER: usize = SCRATCH + 176
const LEFT: usize = SCRATCH + 208
const RIGHT: usize = SCRATCH + 240
const NORMAL: usize = SCRATCH + 272

const HALF: u64 = 0x100000000
const LOW: u64 = 0xffffffff

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

/** The upper half of a product of numbers given by their halves. */
// @ts-expect-error: decorator
@inline
function highOf(a0: u64, a1: u64, b0: u64, b1: u64): u64 {
  const left = a1 * b0 + ((a0 * b0) >> 32)
  return a1 * b1 + (left >> 32) + ((a0 * b1 + (left & LOW)) >> 32)
}

/** floor((2^128 - 1) / d) - 2^64 for a `d` whose highest bit is set, by halves: (2^64 - 1 - d, 2^64 - 1) / d. */
function inverseOf(d: u64): u64 {
  const by1 = d >> 32
  const by0 = d & LOW
  const upper = ~d
  let q1 = upper / by1
  let r = upper - q1 * by1
  while (q1 >= HALF || q1 * by0 > ((r << 32) | LOW)) {
    q1--
    r += by1
    if (r >= HALF) break
  }
  const middle = ((upper << 32) | LOW) - q1 * d
  let q0 = middle / by1
  r = middle - q0 * by1
  while (q0 >= HALF || q0 * by0 > ((r << 32) | LOW)) {
    q0--
    r += by1
    if (r >= HALF) break
  }
  return (q1 << 32) + q0
}

/** The same for two limbs (Möller and Granlund, "Improved division by invariant integers", algorithm 6). */
function inverseOfTwo(d1: u64, d0: u64): u64 {
  let v = inverseOf(d1)
  let p = d1 * v + d0
  if (p < d0) {
    v--
    if (p >= d1) {
      v--
      p -= d1
    }
    p -= d1
  }
  const upper = high(v, d0)
  p += upper
  if (p < upper) {
    v--
    if (p > d1 || (p == d1 && v * d0 + d0 >= d0)) v--
  }
  return v
}

/** Whose inverse is at hand: a divisor often comes again. */
let latest3: u64 = 0
let latest2: u64 = 0
let latestInverse: u64 = 0

/**
 * DIVIDEND of so many limbs by the word `divisor`, not zero: QUOTIENT (four limbs of it count) and REMAINDER. Divisor and dividend
 * are shifted until the divisor has its 256th bit set; each limb of the quotient is worked out from the upper three limbs
 * of what is left and the upper two of the divisor (algorithm 4 there), and set right by the lower two.
 */
function divide(limbs: i32, divisor: usize): void {
  set(QUOTIENT, 0, 0, 0, 0)
  const n = used(divisor, 4)
  const m = used(DIVIDEND, limbs)
  if (m < n) {
    copy(REMAINDER, DIVIDEND)
    return
  }
  const bits = clz(limb(divisor, n - 1))
  if (n == 1) {
    divideByLimb(m, load<u64>(divisor) << bits, bits)
    return
  }
  const shift = (u64(4 - n) << 6) + bits
  shiftLeft(NORMAL, divisor, shift)
  const d3 = load<u64>(NORMAL, 24)
  const d2 = load<u64>(NORMAL, 16)
  const d1 = load<u64>(NORMAL, 8)
  const d0 = load<u64>(NORMAL)
  if (d3 != latest3 || d2 != latest2) {
    latestInverse = inverseOfTwo(d3, d2)
    latest3 = d3
    latest2 = d2
  }
  const v = latestInverse
  const v0 = v & LOW
  const v1 = v >> 32
  const d20 = d2 & LOW
  const d21 = d2 >> 32
  const d10 = d1 & LOW
  const d11 = d1 >> 32
  const d00 = d0 & LOW
  const d01 = d0 >> 32
  const isShort = (d1 | d0) == 0

  // The dividend's upper limbs, shifted by less than a limb; where its lowest limbs would be there are zeros.
  let j = m - n
  let r3 = bits == 0 ? 0 : limb(DIVIDEND, m - 1) >> (64 - bits)
  // Often it is clear that the first limb of the quotient is zero.
  if (r3 == 0 && j > 0 && next(m - 1, bits) < d3) {
    r3 = next(m - 1, bits)
    j--
  }
  const at = n + j
  let r2 = next(at - 1, bits)
  let r1 = next(at - 2, bits)
  let r0 = next(at - 3, bits)
  for (; j >= 0; j--) {
    const x = next(j + n - 4, bits)
    let q: u64
    if (r3 == d3 && r2 == d2) {
      // The guess is all ones: (r - d) 2^64 + d, and d once more if that is below zero.
      q = 0
      let borrow = u64(r0 < d0)
      r0 -= d0
      const t1 = r1 - d1
      const over = u64(r1 < d1) | u64(t1 < borrow)
      r1 = t1 - borrow
      r2 = 0 - over
      r3 = r2
      let top = r3
      let low = x
      while (top != 0) {
        q--
        low += d0
        let carry = u64(low < d0)
        let sum = r0 + d1
        let more = u64(sum < d1)
        r0 = sum + carry
        carry = more | u64(r0 < carry)
        sum = r1 + d2
        more = u64(sum < d2)
        r1 = sum + carry
        carry = more | u64(r1 < carry)
        sum = r2 + d3
        more = u64(sum < d3)
        r2 = sum + carry
        carry = more | u64(r2 < carry)
        top += carry
      }
      r3 = r2
      r2 = r1
      r1 = r0
      r0 = low
      setLimb(QUOTIENT, j, q)
      continue
    }
    // (r3, r2, r1) / (d3, d2)
    const lowV = v * r3
    q = highOf(v0, v1, r3 & LOW, r3 >> 32)
    const q0 = lowV + r2
    q += r3 + u64(q0 < lowV)
    let t1 = r2 - q * d3
    const low2 = d2 * q
    const high2 = highOf(d20, d21, q & LOW, q >> 32)
    let t0 = r1 - low2
    t1 -= high2 + u64(r1 < low2)
    const s0 = t0 - d2
    t1 -= d3 + u64(t0 < d2)
    t0 = s0
    q++
    if (t1 >= q0) {
      q--
      const sum = t0 + d2
      t1 += d3 + u64(sum < d2)
      t0 = sum
    }
    if (t1 > d3 || (t1 == d3 && t0 >= d2)) {
      q++
      t1 -= d3 + u64(t0 < d2)
      t0 -= d2
    }
    r3 = t1
    r2 = t0
    r1 = r0
    r0 = x
    if (!isShort) {
      const qa = q & LOW
      const qb = q >> 32
      const p0 = q * d0
      const low1 = q * d1
      const p1 = highOf(qa, qb, d00, d01) + low1
      const p2 = highOf(qa, qb, d10, d11) + u64(p1 < low1)
      let borrow = u64(r0 < p0)
      r0 -= p0
      let t = r1 - p1
      let over = u64(r1 < p1)
      r1 = t - borrow
      borrow = over | u64(t < borrow)
      t = r2 - p2
      over = u64(r2 < p2)
      r2 = t - borrow
      borrow = over | u64(t < borrow)
      t = r3 - borrow
      over = u64(r3 < borrow)
      r3 = t
      while (over != 0) {
        q--
        r0 += d0
        let carry = u64(r0 < d0)
        let sum = r1 + d1
        let more = u64(sum < d1)
        r1 = sum + carry
        carry = more | u64(r1 < carry)
        sum = r2 + d2
        more = u64(sum < d2)
        r2 = sum + carry
        carry = more | u64(r2 < carry)
        sum = r3 + d3
        more = u64(sum < d3)
        r3 = sum + carry
        over -= more | u64(r3 < carry)
      }
    }
    setLimb(QUOTIENT, j, q)
  }
  set(REMAINDER, r0, r1, r2, r3)
  shiftRight(REMAINDER, REMAINDER, shift, 0)
}

/** The same by a limb whose highest bit was set by a shift (algorithm 4 of the same paper for two limbs by one). */
function divideByLimb(m: i32, d: u64, bits: u64): void {
  if (d != latest3 || latest2 != 0) {
    latestInverse = inverseOf(d)
    latest3 = d
    latest2 = 0
  }
  const v = latestInverse
  const v0 = v & LOW
  const v1 = v >> 32
  let r = bits == 0 ? 0 : limb(DIVIDEND, m - 1) >> (64 - bits)
  for (let i = m - 1; i >= 0; i--) {
    const x = next(i, bits)
    const low = v * r
    const sum = low + x
    let q = highOf(v0, v1, r & LOW, r >> 32) + r + u64(sum < low) + 1
    r = x - q * d
    if (r > sum) {
      q--
      r += d
    }
    if (r >= d) {
      q++
      r -= d
    }
    setLimb(QUOTIENT, i, q)
  }
  setSmall(REMAINDER, r >> bits)
}

/** A limb of the dividend, shifted; zero below its lowest. */
// @ts-expect-error: decorator
@inline
function next(index: i32, bits: u64): u64 {
  if (index < 0) return 0
  const upper = limb(DIVIDEND, index) << bits
  return bits == 0 || index == 0 ? upper : upper | (limb(DIVIDEND, index - 1) >> (64 - bits))
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
