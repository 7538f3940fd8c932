// Sums, differences and products of words. Everything wraps at 2^256, and a result may be written over an operand, except
// for `multiplyWide`.
import { set } from './word'

// @inline
export function add(to: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const r0 = a0 + load<u64>(b)
  const c0 = u64(r0 < a0)
  const a1 = load<u64>(a, 8)
  const s1 = a1 + load<u64>(b, 8)
  const r1 = s1 + c0
  const c1 = u64(s1 < a1) | u64(r1 < s1)
  const a2 = load<u64>(a, 16)
  const s2 = a2 + load<u64>(b, 16)
  const r2 = s2 + c1
  const c2 = u64(s2 < a2) | u64(r2 < s2)
  set(to, r0, r1, r2, load<u64>(a, 24) + load<u64>(b, 24) + c2)
}

/** Adds a number below 2^64 in place. */
// @inline
export function addSmall(at: usize, value: u64): void {
  const w0 = load<u64>(at)
  const r0 = w0 + value
  store<u64>(at, r0)
  if (r0 >= w0) return
  const r1 = load<u64>(at, 8) + 1
  store<u64>(at, r1, 8)
  if (r1 !== 0) return
  const r2 = load<u64>(at, 16) + 1
  store<u64>(at, r2, 16)
  if (r2 === 0) store<u64>(at, load<u64>(at, 24) + 1, 24)
}

/** a - b */
// @inline
export function sub(to: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const b0 = load<u64>(b)
  const r0 = a0 - b0
  const c0 = u64(a0 < b0)
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  const s1 = a1 - b1
  const r1 = s1 - c0
  const c1 = u64(a1 < b1) | u64(s1 < c0)
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  const s2 = a2 - b2
  const r2 = s2 - c1
  const c2 = u64(a2 < b2) | u64(s2 < c1)
  set(to, r0, r1, r2, load<u64>(a, 24) - load<u64>(b, 24) - c2)
}

/** The upper half of a product. */
// @inline
export function high(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff
  const a1 = a >> 32
  const b0 = b & 0xffffffff
  const b1 = b >> 32
  const low = (a0 * b0) >> 32
  const left = a1 * b0 + low
  const right = a0 * b1 + (left & 0xffffffff)
  return a1 * b1 + (left >> 32) + (right >> 32)
}

export function mul(to: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  const a3 = load<u64>(a, 24)
  const b0 = load<u64>(b)
  const b1 = load<u64>(b, 8)
  const b2 = load<u64>(b, 16)
  const b3 = load<u64>(b, 24)
  const r0 = a0 * b0
  let r1 = high(a0, b0)
  if ((a1 | a2 | a3 | b1 | b2 | b3) === 0) {
    set(to, r0, r1, 0, 0)
    return
  }
  let r2: u64 = 0
  let r3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0
  let low = a0 * b1
  r1 += low
  let up = high(a0, b1) + u64(r1 < low)
  r2 += up
  r3 += u64(r2 < up)
  low = a1 * b0
  r1 += low
  up = high(a1, b0) + u64(r1 < low)
  r2 += up
  r3 += u64(r2 < up)
  if ((a1 | b1 | a2 | b2) !== 0) {
    low = a0 * b2
    r2 += low
    r3 += high(a0, b2) + u64(r2 < low)
    low = a1 * b1
    r2 += low
    r3 += high(a1, b1) + u64(r2 < low)
    low = a2 * b0
    r2 += low
    r3 += high(a2, b0) + u64(r2 < low)
  }
  set(to, r0, r1, r2, r3)
}

/** All 512 bits, as eight limbs that no operand overlaps. */
export function multiplyWide(to: usize, a: usize, b: usize): void {
  const y0 = load<u64>(b)
  const y1 = load<u64>(b, 8)
  const y2 = load<u64>(b, 16)
  const y3 = load<u64>(b, 24)
  // Limbs of the partial sum, from the limb at which the current row starts.
  let s0: u64 = 0
  let s1: u64 = 0
  let s2: u64 = 0
  let s3: u64 = 0
  for (let i: usize = 0; i < 32; i += 8) {
    const x = load<u64>(a + i)
    let low = x * y0
    let sum = s0 + low
    let carry = high(x, y0) + u64(sum < low)
    store<u64>(to + i, sum)
    low = x * y1
    sum = s1 + low
    let up = high(x, y1) + u64(sum < low)
    s0 = sum + carry
    carry = up + u64(s0 < carry)
    low = x * y2
    sum = s2 + low
    up = high(x, y2) + u64(sum < low)
    s1 = sum + carry
    carry = up + u64(s1 < carry)
    low = x * y3
    sum = s3 + low
    up = high(x, y3) + u64(sum < low)
    s2 = sum + carry
    s3 = up + u64(s2 < carry)
  }
  set(to + 32, s0, s1, s2, s3)
}

export function negate(to: usize, from: usize): void {
  const r0 = 0 - load<u64>(from)
  const w1 = load<u64>(from, 8)
  const w2 = load<u64>(from, 16)
  let borrow = u64(r0 !== 0)
  const r1 = 0 - w1 - borrow
  borrow |= u64(w1 !== 0)
  const r2 = 0 - w2 - borrow
  borrow |= u64(w2 !== 0)
  set(to, r0, r1, r2, 0 - load<u64>(from, 24) - borrow)
}
