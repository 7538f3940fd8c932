// PUSH, DUP, SWAP and EXCHANGE on the stack in memory. `sp` is one past the top item.
import { shiftRight } from './bits'
import { copy, fromBytes, set, setSmall } from './word'

/** PUSH3 to PUSH8. `at`: the address of the opcode. Returns the number of bytes to the next opcode. */
// @inline
export function pushShort(sp: usize, at: usize, op: u32): usize {
  const bytes = op - 0x5f
  setSmall(sp, bswap(load<u64>(at, 1)) >> u64((8 - bytes) << 3))
  return usize(bytes) + 1
}

/** PUSH9 to PUSH32. `at`: the address of the opcode. Returns the number of bytes to the next opcode. */
// @inline
export function pushLong(sp: usize, at: usize, op: u32): usize {
  const bytes = op - 0x5f
  fromBytes(sp, at + 1)
  if (bytes !== 32) shiftRight(sp, sp, u64((32 - bytes) << 3), 0)
  return usize(bytes) + 1
}

/** DUP1 to DUP16. */
// @inline
export function dup(sp: usize, op: u32): void {
  copy(sp, sp - (usize(op - 0x7f) << 5))
}

/** Exchanges two items. */
// @inline
export function swap(p: usize, q: usize): void {
  const w0 = load<u64>(p)
  const w1 = load<u64>(p, 8)
  const w2 = load<u64>(p, 16)
  const w3 = load<u64>(p, 24)
  copy(p, q)
  set(q, w0, w1, w2, w3)
}

/** The depth that the immediate byte of DUPN or SWAPN names (EIP-8024), 17 to 235; 0 if the byte is not permitted. */
export function depthOf(immediate: u32): u32 {
  return immediate > 90 && immediate < 128 ? 0 : (immediate + 145) & 255
}

/**
 * The two positions below the top that the immediate byte of EXCHANGE names (EIP-8024), the deeper one times 16 above the other; 0
 * if the byte is not permitted.
 */
export function pairOf(immediate: u32): u32 {
  if (immediate > 81 && immediate < 128) return 0
  const k = immediate ^ 143
  const row = k >> 4
  const column = k & 15
  return row < column ? ((column + 1) << 5) | (row + 1) : ((29 - row) << 5) | (column + 1)
}
