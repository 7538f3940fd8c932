// Long division of words by limbs of 64 bits, with the algorithms of Möller and Granlund (see inverse.ts). The dividend may have
// eight limbs; callers exclude a divisor of zero.
import { SCRATCH } from '../layout'
import { shiftLeft, shiftRight } from './bits'
import { inverseOf, inverseOfTwo } from './inverse'
import { copy, set, setSmall } from './word'

/** The dividend, up to 8 limbs and 4 more for the algorithm. */
export const DIVIDEND: usize = SCRATCH
export const QUOTIENT: usize = SCRATCH + 96
export const REMAINDER: usize = SCRATCH + 176
const NORMAL: usize = SCRATCH + 272

const LOW: u64 = 0xffffffff

// @inline
function limb(at: usize, index: i32): u64 {
  return load<u64>(at + (usize(index) << 3))
}

// @inline
export function setLimb(at: usize, index: i32, value: u64): void {
  store<u64>(at + (usize(index) << 3), value)
}

function used(at: usize, limbs: i32): i32 {
  while (limbs > 0 && limb(at, limbs - 1) === 0) limbs--
  return limbs
}

/** The upper half of a product of numbers given by their halves. */
// @inline
function highOf(a0: u64, a1: u64, b0: u64, b1: u64): u64 {
  const left = a1 * b0 + ((a0 * b0) >> 32)
  return a1 * b1 + (left >> 32) + ((a0 * b1 + (left & LOW)) >> 32)
}

/** The divisor of which the inverse is cached: the same divisor is often used again. */
let latest3: u64 = 0
let latest2: u64 = 0
let latestInverse: u64 = 0

/**
 * Divides DIVIDEND, of `limbs` limbs, by the word `divisor`, not zero, into QUOTIENT (its lower four limbs) and REMAINDER. Both are
 * shifted left until the divisor's highest bit is set. Each limb of the quotient is estimated from the upper three limbs of
 * the rest and the upper two of the divisor (algorithm 5 of the paper), and corrected by the lower two.
 */
export function divide(limbs: i32, divisor: usize): void {
  set(QUOTIENT, 0, 0, 0, 0)
  const n = used(divisor, 4)
  const m = used(DIVIDEND, limbs)
  if (m < n) {
    copy(REMAINDER, DIVIDEND)
    return
  }
  const bits = clz(limb(divisor, n - 1))
  if (n === 1) {
    divideByLimb(m, load<u64>(divisor) << bits, bits)
    return
  }
  const shift = (u64(4 - n) << 6) + bits
  shiftLeft(NORMAL, divisor, shift)
  const d3 = load<u64>(NORMAL, 24)
  const d2 = load<u64>(NORMAL, 16)
  const d1 = load<u64>(NORMAL, 8)
  const d0 = load<u64>(NORMAL)
  if (d3 !== latest3 || d2 !== latest2) {
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
  const isShort = (d1 | d0) === 0

  // The dividend's upper limbs, shifted by less than a limb, with zeros shifted in below its lowest limb.
  let j = m - n
  let r3 = bits === 0 ? 0 : limb(DIVIDEND, m - 1) >> (64 - bits)
  // Often it is clear that the first limb of the quotient is zero.
  if (r3 === 0 && j > 0 && next(m - 1, bits) < d3) {
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
    if (r3 === d3 && r2 === d2) {
      // The estimate is 2^64 - 1, so the rest is (r - d) 2^64 + x + d; d is added until it is not negative.
      q = 0
      const borrow = u64(r0 < d0)
      r0 -= d0
      const t1 = r1 - d1
      const over = u64(r1 < d1) | u64(t1 < borrow)
      r1 = t1 - borrow
      r2 = 0 - over
      r3 = r2
      let top = r3
      let low = x
      while (top !== 0) {
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
    if (t1 > d3 || (t1 === d3 && t0 >= d2)) {
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
      while (over !== 0) {
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
  if (d !== latest3 || latest2 !== 0) {
    latestInverse = inverseOf(d)
    latest3 = d
    latest2 = 0
  }
  const v = latestInverse
  const v0 = v & LOW
  const v1 = v >> 32
  let r = bits === 0 ? 0 : limb(DIVIDEND, m - 1) >> (64 - bits)
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
// @inline
function next(index: i32, bits: u64): u64 {
  if (index < 0) return 0
  const upper = limb(DIVIDEND, index) << bits
  return bits === 0 || index === 0 ? upper : upper | (limb(DIVIDEND, index - 1) >> (64 - bits))
}
