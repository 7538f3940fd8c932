// A frame's memory: the gas of its expansion, and copies that read zeros beyond the end of their source.

import { MEMORY_QUADRATIC_DIVISOR, MEMORY_WORD } from '../../gas/gas-rules'
import { F_MEMORY, F_MEMORY_SIZE, NO_MEMORY } from '../layout'
import { lacking, NO_GAS } from './gas'
import { clamped, isSmall } from './word'

/** The end of the memory that any gas limit of the engine (2^40) can pay for. */
export const LIMIT: u64 = 0xffffffe0

// @inline
export function words(bytes: u64): u64 {
  return (bytes + 31) >> 5
}

/** Bytes of the frame's memory. */
// @inline
export function sizeOf(frame: usize): u64 {
  return u64(load<u32>(frame, F_MEMORY_SIZE))
}

/** Whether a memory of `size` bytes holds `length` bytes from the word at `at` on. */
// @inline
export function isInMemory(size: u64, at: usize, length: u64): bool {
  const start = load<u64>(at)
  return isSmall(at) && start < size && start + length <= size
}

/** The end of a range of memory; 0 for an empty range, a number above LIMIT for one that no gas pays for. */
export function rangeEnd(offset: usize, length: usize): u64 {
  const size = clamped(length)
  if (size === 0) return 0
  const start = clamped(offset)
  return start > LIMIT || size > LIMIT ? u64.MAX_VALUE : start + size
}

/** Gas of a memory of `count` words (Yellow Paper, appendix H): 3 per word and a quadratic part. */
// @inline
function price(count: u64): u64 {
  return u64(MEMORY_WORD) * count + (count * count) / u64(MEMORY_QUADRATIC_DIVISOR)
}

/** Charges for memory up to `end` and grows it. Returns the gas left, or minus a reason. `gas` may be below zero already. */
export function touch(frame: usize, end: u64, gas: i64): i64 {
  if (end > LIMIT) return NO_GAS
  const size = sizeOf(frame)
  if (end <= size) return gas < 0 ? lacking(gas) : gas
  const count = words(end)
  gas -= i64(price(count) - price(size >> 5))
  if (gas < 0) return lacking(gas)
  const from = usize(load<u32>(frame, F_MEMORY))
  const grown = count << 5
  if (!reserve(u64(from) + grown)) return -i64(NO_MEMORY)
  memory.fill(from + usize(size), 0, usize(grown - size))
  store<u32>(frame, u32(grown), F_MEMORY_SIZE)
  return gas
}

/** Makes sure that the linear memory reaches an address; false if the machine has no memory left. */
export function reserve(end: u64): bool {
  const pages = i32((end + 0xffff) >> 16)
  const missing = pages - memory.size()
  return missing <= 0 || memory.grow(missing > 64 ? missing : 64) >= 0 || memory.grow(missing) >= 0
}

/** Charges for and grows the memory to `length` bytes from the offset in the stack word at `at`: MLOAD, MSTORE, MSTORE8. */
export function ensureMemory(frame: usize, at: usize, length: u64, gas: i64): i64 {
  const start = clamped(at)
  return start > LIMIT ? NO_GAS : touch(frame, start + length, gas)
}

/** Copies `length` bytes of a source from an offset, zeros where the source has ended. */
export function copyPadded(to: usize, source: usize, sourceLength: u64, offset: u64, length: usize): void {
  const there = offset < sourceLength ? sourceLength - offset : 0
  const taken = there < u64(length) ? usize(there) : length
  // `memory.copy` traps at an address beyond the linear memory, even for a length of 0.
  if (taken !== 0) memory.copy(to, source + usize(offset), taken)
  memory.fill(to + taken, 0, length - taken)
}
