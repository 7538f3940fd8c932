// 256-bit words: four 64-bit limbs in memory, least significant first, at the address given. Results may be written over
// operands. Everything wraps at 2^256.

// @ts-expect-error: decorator
@inline
export function set(at: usize, w0: u64, w1: u64, w2: u64, w3: u64): void {
  store<u64>(at, w0)
  store<u64>(at, w1, 8)
  store<u64>(at, w2, 16)
  store<u64>(at, w3, 24)
}

// @ts-expect-error: decorator
@inline
export function setSmall(at: usize, value: u64): void {
  store<u64>(at, value)
  store<u64>(at, 0, 8)
  v128.store(at, i64x2(0, 0), 16)
}

// @ts-expect-error: decorator
@inline
export function copy(to: usize, from: usize): void {
  const low = v128.load(from)
  const upper = v128.load(from, 16)
  v128.store(to, low)
  v128.store(to, upper, 16)
}

// @ts-expect-error: decorator
@inline
export function isZero(at: usize): bool {
  return (load<u64>(at) | load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) == 0
}

// @ts-expect-error: decorator
@inline
export function isSame(a: usize, b: usize): bool {
  return (
    load<u64>(a) == load<u64>(b) &&
    load<u64>(a, 8) == load<u64>(b, 8) &&
    load<u64>(a, 16) == load<u64>(b, 16) &&
    load<u64>(a, 24) == load<u64>(b, 24)
  )
}

/** Whether it is less than 2^64. */
// @ts-expect-error: decorator
@inline
export function isSmall(at: usize): bool {
  return (load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) == 0
}

/** The word, or the greatest u64 when it does not fit. */
// @ts-expect-error: decorator
@inline
export function clamped(at: usize): u64 {
  return isSmall(at) ? load<u64>(at) : u64.MAX_VALUE
}

/** From 32 bytes, most significant first. */
// @ts-expect-error: decorator
@inline
export function fromBytes(to: usize, bytes: usize): void {
  const w3 = bswap(load<u64>(bytes))
  const w2 = bswap(load<u64>(bytes, 8))
  const w1 = bswap(load<u64>(bytes, 16))
  const w0 = bswap(load<u64>(bytes, 24))
  set(to, w0, w1, w2, w3)
}

/** To 32 bytes, most significant first. */
// @ts-expect-error: decorator
@inline
export function toBytes(bytes: usize, from: usize): void {
  const w0 = load<u64>(from)
  const w1 = load<u64>(from, 8)
  const w2 = load<u64>(from, 16)
  const w3 = load<u64>(from, 24)
  set(bytes, bswap(w3), bswap(w2), bswap(w1), bswap(w0))
}

/** The lower 160 bits as 20 bytes, most significant first. */
// @ts-expect-error: decorator
@inline
export function toAddress(bytes: usize, from: usize): void {
  store<u32>(bytes, bswap(load<u32>(from, 16)))
  store<u64>(bytes, bswap(load<u64>(from, 8)), 4)
  store<u64>(bytes, bswap(load<u64>(from)), 12)
}

// @ts-expect-error: decorator
@inline
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
// @ts-expect-error: decorator
@inline
export function addSmall(at: usize, value: u64): void {
  const w0 = load<u64>(at)
  const r0 = w0 + value
  store<u64>(at, r0)
  if (r0 >= w0) return
  const r1 = load<u64>(at, 8) + 1
  store<u64>(at, r1, 8)
  if (r1 != 0) return
  const r2 = load<u64>(at, 16) + 1
  store<u64>(at, r2, 16)
  if (r2 == 0) store<u64>(at, load<u64>(at, 24) + 1, 24)
}

/** a - b */
// @ts-expect-error: decorator
@inline
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
// @ts-expect-error: decorator
@inline
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
  if ((a1 | a2 | a3 | b1 | b2 | b3) == 0) {
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
  if ((a1 | b1 | a2 | b2) != 0) {
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
  // Limbs of the sum so far, from the one that the row begins at.
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

export function less(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 != b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 != b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 != b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

export function lessSigned(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24)
  const b3 = load<i64>(b, 24)
  return a3 != b3 ? a3 < b3 : less(a, b)
}

// @ts-expect-error: decorator
@inline
export function isNegative(at: usize): bool {
  return load<i64>(at, 24) < 0
}

export function negate(to: usize, from: usize): void {
  const r0 = 0 - load<u64>(from)
  const w1 = load<u64>(from, 8)
  const w2 = load<u64>(from, 16)
  let borrow = u64(r0 != 0)
  const r1 = 0 - w1 - borrow
  borrow |= u64(w1 != 0)
  const r2 = 0 - w2 - borrow
  borrow |= u64(w2 != 0)
  set(to, r0, r1, r2, 0 - load<u64>(from, 24) - borrow)
}

export function shiftLeft(to: usize, from: usize, bits: u64): void {
  if (bits >= 256) {
    setSmall(to, 0)
    return
  }
  let w0 = load<u64>(from)
  let w1 = load<u64>(from, 8)
  let w2 = load<u64>(from, 16)
  let w3 = load<u64>(from, 24)
  for (let limbs = bits >> 6; limbs > 0; limbs--) {
    w3 = w2
    w2 = w1
    w1 = w0
    w0 = 0
  }
  const rest = bits & 63
  if (rest != 0) {
    w3 = (w3 << rest) | (w2 >> (64 - rest))
    w2 = (w2 << rest) | (w1 >> (64 - rest))
    w1 = (w1 << rest) | (w0 >> (64 - rest))
    w0 <<= rest
  }
  set(to, w0, w1, w2, w3)
}

/** `fill`: all zeros, or all ones for what is shifted in on the left. */
export function shiftRight(to: usize, from: usize, bits: u64, fill: u64): void {
  if (bits >= 256) {
    set(to, fill, fill, fill, fill)
    return
  }
  let w0 = load<u64>(from)
  let w1 = load<u64>(from, 8)
  let w2 = load<u64>(from, 16)
  let w3 = load<u64>(from, 24)
  for (let limbs = bits >> 6; limbs > 0; limbs--) {
    w0 = w1
    w1 = w2
    w2 = w3
    w3 = fill
  }
  const rest = bits & 63
  if (rest != 0) {
    w0 = (w0 >> rest) | (w1 << (64 - rest))
    w1 = (w1 >> rest) | (w2 << (64 - rest))
    w2 = (w2 >> rest) | (w3 << (64 - rest))
    w3 = (w3 >> rest) | (fill << (64 - rest))
  }
  set(to, w0, w1, w2, w3)
}

/** Bits up to the highest that is set. */
export function bitLength(at: usize): i32 {
  for (let limb: i32 = 3; limb >= 0; limb--) {
    const word = load<u64>(at + (usize(limb) << 3))
    if (word != 0) return (limb << 6) + 64 - i32(clz(word))
  }
  return 0
}

/** Repeats the sign bit of the lowest `index` + 1 bytes. */
export function signExtend(to: usize, index: usize, from: usize): void {
  const bytes = clamped(index)
  if (bytes >= 31) {
    copy(to, from)
    return
  }
  const unused = (31 - bytes) << 3
  shiftLeft(to, from, unused)
  shiftRight(to, to, unused, isNegative(to) ? u64.MAX_VALUE : 0)
}
