// Comparison, bitwise opcodes and shifts of words. A result may be written over an operand.
import { clamped, copy, isNegative, set, setSmall } from './word'

export function less(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 !== b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 !== b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 !== b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

export function lessSigned(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24)
  const b3 = load<i64>(b, 24)
  return a3 !== b3 ? a3 < b3 : less(a, b)
}

// @inline
export function and(to: usize, a: usize, b: usize): void {
  const w0 = load<u64>(a) & load<u64>(b)
  const w1 = load<u64>(a, 8) & load<u64>(b, 8)
  const w2 = load<u64>(a, 16) & load<u64>(b, 16)
  set(to, w0, w1, w2, load<u64>(a, 24) & load<u64>(b, 24))
}

// @inline
export function or(to: usize, a: usize, b: usize): void {
  const w0 = load<u64>(a) | load<u64>(b)
  const w1 = load<u64>(a, 8) | load<u64>(b, 8)
  const w2 = load<u64>(a, 16) | load<u64>(b, 16)
  set(to, w0, w1, w2, load<u64>(a, 24) | load<u64>(b, 24))
}

// @inline
export function xor(to: usize, a: usize, b: usize): void {
  const w0 = load<u64>(a) ^ load<u64>(b)
  const w1 = load<u64>(a, 8) ^ load<u64>(b, 8)
  const w2 = load<u64>(a, 16) ^ load<u64>(b, 16)
  set(to, w0, w1, w2, load<u64>(a, 24) ^ load<u64>(b, 24))
}

// @inline
export function not(to: usize, from: usize): void {
  set(to, ~load<u64>(from), ~load<u64>(from, 8), ~load<u64>(from, 16), ~load<u64>(from, 24))
}

/** BYTE: the byte of `from` at `index`, counted from the most significant one, which is last in memory. */
// @inline
export function byteAt(to: usize, index: usize, from: usize): void {
  const at = clamped(index)
  setSmall(to, at < 32 ? u64(load<u8>(from + usize(31 - at))) : 0)
}

/** SAR: shifts in copies of the sign bit. */
// @inline
export function shiftRightSigned(to: usize, from: usize, bits: u64): void {
  shiftRight(to, from, bits, isNegative(from) ? u64.MAX_VALUE : 0)
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
  if (rest !== 0) {
    w3 = (w3 << rest) | (w2 >> (64 - rest))
    w2 = (w2 << rest) | (w1 >> (64 - rest))
    w1 = (w1 << rest) | (w0 >> (64 - rest))
    w0 <<= rest
  }
  set(to, w0, w1, w2, w3)
}

/** `fill`: the limb to shift in on the left, all zeros or all ones. */
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
  if (rest !== 0) {
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
    if (word !== 0) return (limb << 6) + 64 - i32(clz(word))
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
  shiftRightSigned(to, to, unused)
}
