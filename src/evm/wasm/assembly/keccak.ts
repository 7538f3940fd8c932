// Keccak-256 (FIPS 202's permutation with Keccak's own padding): the 25 lanes live in locals through all rounds.
import { H_INPUT, H_WORD, SCRATCH } from '../layout'
import { entryOf, isOf } from './hash-cache'
import { copy, fromBytes } from './word'

/** After the buffers of the divisions. */
const SPONGE: usize = SCRATCH + 512
/** Bytes taken in by each permutation. */
const RATE: usize = 136

// biome-ignore-start lint/correctness/noPrecisionLoss: these are integers of 64 bits here, not doubles
const ROUND_CONSTANTS = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
  0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
  0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])
// biome-ignore-end lint/correctness/noPrecisionLoss: these are integers of 64 bits here, not doubles

/** The hash of `length` bytes at `from`, as a word. */
export function keccak256(to: usize, from: usize, length: usize): void {
  if (length !== 64) {
    hash(to, from, length)
    return
  }
  const place = entryOf(from)
  if (isOf(place, from)) {
    copy(to, place + H_WORD)
    return
  }
  // The input may lie where the hash goes.
  copy(place + H_INPUT, from)
  copy(place + H_INPUT + 32, from + 32)
  hash(to, from, 64)
  copy(place + H_WORD, to)
}

function hash(to: usize, from: usize, length: usize): void {
  memory.fill(SPONGE, 0, 200)
  while (length >= RATE) {
    absorb(from, RATE >> 3)
    permute()
    from += RATE
    length -= RATE
  }
  const lanes = length >> 3
  absorb(from, lanes)
  for (let i = lanes << 3; i < length; i++) store<u8>(SPONGE + i, load<u8>(SPONGE + i) ^ load<u8>(from + i))
  store<u8>(SPONGE + length, load<u8>(SPONGE + length) ^ 0x01)
  store<u8>(SPONGE + RATE - 1, load<u8>(SPONGE + RATE - 1) ^ 0x80)
  permute()
  fromBytes(to, SPONGE)
}

// @inline
function absorb(from: usize, lanes: usize): void {
  for (let i: usize = 0; i < lanes << 3; i += 8) store<u64>(SPONGE + i, load<u64>(SPONGE + i) ^ load<u64>(from + i))
}

/** Lane `axy` is in column x and row y. */
function permute(): void {
  let a00 = load<u64>(SPONGE, 0)
  let a10 = load<u64>(SPONGE, 8)
  let a20 = load<u64>(SPONGE, 16)
  let a30 = load<u64>(SPONGE, 24)
  let a40 = load<u64>(SPONGE, 32)
  let a01 = load<u64>(SPONGE, 40)
  let a11 = load<u64>(SPONGE, 48)
  let a21 = load<u64>(SPONGE, 56)
  let a31 = load<u64>(SPONGE, 64)
  let a41 = load<u64>(SPONGE, 72)
  let a02 = load<u64>(SPONGE, 80)
  let a12 = load<u64>(SPONGE, 88)
  let a22 = load<u64>(SPONGE, 96)
  let a32 = load<u64>(SPONGE, 104)
  let a42 = load<u64>(SPONGE, 112)
  let a03 = load<u64>(SPONGE, 120)
  let a13 = load<u64>(SPONGE, 128)
  let a23 = load<u64>(SPONGE, 136)
  let a33 = load<u64>(SPONGE, 144)
  let a43 = load<u64>(SPONGE, 152)
  let a04 = load<u64>(SPONGE, 160)
  let a14 = load<u64>(SPONGE, 168)
  let a24 = load<u64>(SPONGE, 176)
  let a34 = load<u64>(SPONGE, 184)
  let a44 = load<u64>(SPONGE, 192)
  for (let round: usize = 0; round < 192; round += 8) {
    const c0 = a00 ^ a01 ^ a02 ^ a03 ^ a04
    const c1 = a10 ^ a11 ^ a12 ^ a13 ^ a14
    const c2 = a20 ^ a21 ^ a22 ^ a23 ^ a24
    const c3 = a30 ^ a31 ^ a32 ^ a33 ^ a34
    const c4 = a40 ^ a41 ^ a42 ^ a43 ^ a44
    const d0 = c4 ^ rotl(c1, 1)
    const d1 = c0 ^ rotl(c2, 1)
    const d2 = c1 ^ rotl(c3, 1)
    const d3 = c2 ^ rotl(c4, 1)
    const d4 = c3 ^ rotl(c0, 1)
    const b00 = a00 ^ d0
    const b13 = rotl(a01 ^ d0, 36)
    const b21 = rotl(a02 ^ d0, 3)
    const b34 = rotl(a03 ^ d0, 41)
    const b42 = rotl(a04 ^ d0, 18)
    const b02 = rotl(a10 ^ d1, 1)
    const b10 = rotl(a11 ^ d1, 44)
    const b23 = rotl(a12 ^ d1, 10)
    const b31 = rotl(a13 ^ d1, 45)
    const b44 = rotl(a14 ^ d1, 2)
    const b04 = rotl(a20 ^ d2, 62)
    const b12 = rotl(a21 ^ d2, 6)
    const b20 = rotl(a22 ^ d2, 43)
    const b33 = rotl(a23 ^ d2, 15)
    const b41 = rotl(a24 ^ d2, 61)
    const b01 = rotl(a30 ^ d3, 28)
    const b14 = rotl(a31 ^ d3, 55)
    const b22 = rotl(a32 ^ d3, 25)
    const b30 = rotl(a33 ^ d3, 21)
    const b43 = rotl(a34 ^ d3, 56)
    const b03 = rotl(a40 ^ d4, 27)
    const b11 = rotl(a41 ^ d4, 20)
    const b24 = rotl(a42 ^ d4, 39)
    const b32 = rotl(a43 ^ d4, 8)
    const b40 = rotl(a44 ^ d4, 14)
    a00 = b00 ^ (~b10 & b20) ^ load<u64>(ROUND_CONSTANTS + round)
    a10 = b10 ^ (~b20 & b30)
    a20 = b20 ^ (~b30 & b40)
    a30 = b30 ^ (~b40 & b00)
    a40 = b40 ^ (~b00 & b10)
    a01 = b01 ^ (~b11 & b21)
    a11 = b11 ^ (~b21 & b31)
    a21 = b21 ^ (~b31 & b41)
    a31 = b31 ^ (~b41 & b01)
    a41 = b41 ^ (~b01 & b11)
    a02 = b02 ^ (~b12 & b22)
    a12 = b12 ^ (~b22 & b32)
    a22 = b22 ^ (~b32 & b42)
    a32 = b32 ^ (~b42 & b02)
    a42 = b42 ^ (~b02 & b12)
    a03 = b03 ^ (~b13 & b23)
    a13 = b13 ^ (~b23 & b33)
    a23 = b23 ^ (~b33 & b43)
    a33 = b33 ^ (~b43 & b03)
    a43 = b43 ^ (~b03 & b13)
    a04 = b04 ^ (~b14 & b24)
    a14 = b14 ^ (~b24 & b34)
    a24 = b24 ^ (~b34 & b44)
    a34 = b34 ^ (~b44 & b04)
    a44 = b44 ^ (~b04 & b14)
  }
  store<u64>(SPONGE, a00, 0)
  store<u64>(SPONGE, a10, 8)
  store<u64>(SPONGE, a20, 16)
  store<u64>(SPONGE, a30, 24)
  store<u64>(SPONGE, a40, 32)
  store<u64>(SPONGE, a01, 40)
  store<u64>(SPONGE, a11, 48)
  store<u64>(SPONGE, a21, 56)
  store<u64>(SPONGE, a31, 64)
  store<u64>(SPONGE, a41, 72)
  store<u64>(SPONGE, a02, 80)
  store<u64>(SPONGE, a12, 88)
  store<u64>(SPONGE, a22, 96)
  store<u64>(SPONGE, a32, 104)
  store<u64>(SPONGE, a42, 112)
  store<u64>(SPONGE, a03, 120)
  store<u64>(SPONGE, a13, 128)
  store<u64>(SPONGE, a23, 136)
  store<u64>(SPONGE, a33, 144)
  store<u64>(SPONGE, a43, 152)
  store<u64>(SPONGE, a04, 160)
  store<u64>(SPONGE, a14, 168)
  store<u64>(SPONGE, a24, 176)
  store<u64>(SPONGE, a34, 184)
  store<u64>(SPONGE, a44, 192)
}
