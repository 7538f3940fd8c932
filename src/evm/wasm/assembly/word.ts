// 256-bit words in memory: four 64-bit limbs, least significant first, and conversions to and from big-endian bytes. A result may
// overwrite an operand.

// @inline
export function set(at: usize, w0: u64, w1: u64, w2: u64, w3: u64): void {
  store<u64>(at, w0)
  store<u64>(at, w1, 8)
  store<u64>(at, w2, 16)
  store<u64>(at, w3, 24)
}

// @inline
export function setSmall(at: usize, value: u64): void {
  store<u64>(at, value)
  store<u64>(at, 0, 8)
  v128.store(at, i64x2(0, 0), 16)
}

// @inline
export function copy(to: usize, from: usize): void {
  const low = v128.load(from)
  const upper = v128.load(from, 16)
  v128.store(to, low)
  v128.store(to, upper, 16)
}

// @inline
export function isZero(at: usize): bool {
  return (load<u64>(at) | load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) === 0
}

// @inline
export function isSame(a: usize, b: usize): bool {
  const low = (load<u64>(a) ^ load<u64>(b)) | (load<u64>(a, 8) ^ load<u64>(b, 8))
  const upper = (load<u64>(a, 16) ^ load<u64>(b, 16)) | (load<u64>(a, 24) ^ load<u64>(b, 24))
  return (low | upper) === 0
}

/** Whether it is less than 2^64. */
// @inline
export function isSmall(at: usize): bool {
  return (load<u64>(at, 8) | load<u64>(at, 16) | load<u64>(at, 24)) === 0
}

/** The word, or the greatest u64 when it does not fit. */
// @inline
export function clamped(at: usize): u64 {
  return isSmall(at) ? load<u64>(at) : u64.MAX_VALUE
}

/** From 32 bytes, most significant first. */
// @inline
export function fromBytes(to: usize, bytes: usize): void {
  const w3 = bswap(load<u64>(bytes))
  const w2 = bswap(load<u64>(bytes, 8))
  const w1 = bswap(load<u64>(bytes, 16))
  const w0 = bswap(load<u64>(bytes, 24))
  set(to, w0, w1, w2, w3)
}

/** To 32 bytes, most significant first. */
// @inline
export function toBytes(bytes: usize, from: usize): void {
  const w0 = load<u64>(from)
  const w1 = load<u64>(from, 8)
  const w2 = load<u64>(from, 16)
  const w3 = load<u64>(from, 24)
  set(bytes, bswap(w3), bswap(w2), bswap(w1), bswap(w0))
}

/** The lower 160 bits as 20 bytes, most significant first. */
// @inline
export function toAddress(bytes: usize, from: usize): void {
  store<u32>(bytes, bswap(load<u32>(from, 16)))
  store<u64>(bytes, bswap(load<u64>(from, 8)), 4)
  store<u64>(bytes, bswap(load<u64>(from)), 12)
}

// @inline
export function isNegative(at: usize): bool {
  return load<i64>(at, 24) < 0
}
