// PUSH, DUP and SWAP on the stack in memory. `sp` is one past the top item.
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
