// A direct-mapped cache of Keccak-256 hashes of 64-byte inputs, from which Solidity derives the slots of mappings: contracts
// hash the same inputs again and again. A hash depends on its input alone, so that entries never become invalid.
import { H_INPUT, H_WORD, HASH_BYTES, HASH_COUNT, HASHES } from '../layout'

/** The address of the cache entry for an input of 64 bytes. */
export function entryOf(from: usize): usize {
  // The input is a mapping's key and its slot: small numbers, addresses or hashes, which differ in their last bytes.
  const mixed =
    (bswap(load<u32>(from, 28)) ^ load<u32>(from, 16)) * 0x9e3779b1 + bswap(load<u32>(from, 60)) * 0x85ebca77
  return usize(HASHES) + usize((mixed >> 16) & (HASH_COUNT - 1)) * HASH_BYTES
}

/** Whether the entry holds the hash of these 64 bytes. */
export function isOf(place: usize, from: usize): bool {
  for (let i: usize = 0; i < 64; i += 16) {
    const other =
      (load<u64>(place + i, H_INPUT) ^ load<u64>(from + i)) |
      (load<u64>(place + i, H_INPUT + 8) ^ load<u64>(from + i, 8))
    if (other !== 0) return false
  }
  // An unused entry has a zero hash, which also matches an input of zeros: it does not count.
  return load<u64>(place, H_WORD) !== 0
}
