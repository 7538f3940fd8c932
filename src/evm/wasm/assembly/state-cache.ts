// Caches slots and the code of accounts, so that the interpreter need not call the host for them again. An entry is valid
// only in the epoch in which it was made: a revert, or a write by the host, begins a new epoch.
import {
  A_ACCOUNT,
  A_ADDRESS,
  A_CODE,
  A_CODE_LENGTH,
  A_EPOCH,
  A_JUMPS,
  ACCOUNT_BYTES,
  ACCOUNT_COUNT,
  ACCOUNTS,
  DIRTY,
  DIRTY_COUNT,
  EPOCH,
  S_ACCOUNT,
  S_DIRTY,
  S_EPOCH,
  S_HAS_ORIGINAL,
  S_KEY,
  S_ORIGINAL,
  S_VALUE,
  SLOT_BYTES,
  SLOT_COUNT,
  SLOTS,
  WORDS,
} from '../layout'
import { flushSlot } from './host'
import { copy } from './word'

/**
 * The address of the cache entry for the slot whose key is the first big-endian word: its own entry, else one to overwrite.
 * The cache is two-way associative, so that two slots with the same hash do not evict each other.
 */
export function slotAt(account: u32): usize {
  const first = firstEntry(account)
  if (isCached(first, account)) return first
  const second = ((first - SLOTS) ^ SLOT_BYTES) + SLOTS
  if (isCached(second, account)) return second
  const epoch = load<u32>(EPOCH)
  if (load<u32>(first, S_EPOCH) !== epoch) return first
  if (load<u32>(second, S_EPOCH) !== epoch || load<u32>(second, S_DIRTY) === 0) return second
  if (load<u32>(first, S_DIRTY) !== 0) flushSlot(u32(first))
  return first
}

// @inline
function firstEntry(account: u32): usize {
  // Keys are small numbers or hashes: their last bytes differ, and so do the lowest bits of a swapped number.
  const key = bswap(load<u32>(WORDS, 28)) ^ load<u32>(WORDS, 8)
  const mixed = (key ^ (account << 5)) * 0x9e3779b1
  return usize(SLOTS) + usize((mixed >> 16) & (SLOT_COUNT - 1)) * SLOT_BYTES
}

// @inline
export function isCached(slot: usize, account: u32): bool {
  return (
    load<u32>(slot, S_EPOCH) === load<u32>(EPOCH) &&
    load<u32>(slot, S_ACCOUNT) === account &&
    load<u64>(slot, S_KEY) === load<u64>(WORDS) &&
    load<u64>(slot, S_KEY + 8) === load<u64>(WORDS, 8) &&
    load<u64>(slot, S_KEY + 16) === load<u64>(WORDS, 16) &&
    load<u64>(slot, S_KEY + 24) === load<u64>(WORDS, 24)
  )
}

/** Whether the cached value of the first word's slot has not yet been flushed to the host. */
export function isDirty(slot: usize, account: u32): bool {
  return load<u32>(slot, S_DIRTY) !== 0 && isCached(slot, account)
}

/** Caches a warm slot: key, value and, if `hasOriginal` is 1, original value are the first three words at WORDS. */
export function cacheSlot(slot: usize, account: u32, hasOriginal: u32): void {
  copy(slot + S_ORIGINAL, WORDS + 64)
  store<u32>(slot, hasOriginal, S_HAS_ORIGINAL)
  store<u32>(slot, 0, S_DIRTY)
  copy(slot + S_KEY, WORDS)
  copy(slot + S_VALUE, WORDS + 32)
  store<u32>(slot, load<u32>(EPOCH), S_EPOCH)
  store<u32>(slot, account, S_ACCOUNT)
}

/** Writes a big-endian word to a cached slot and marks the slot dirty; `flushStores` passes it to the host. */
// @inline
export function writeSlot(slot: usize, value: usize): void {
  copy(slot + S_VALUE, value)
  if (load<u32>(slot, S_DIRTY) !== 0) return
  const count = load<u32>(DIRTY_COUNT)
  store<u32>(usize(DIRTY) + (usize(count) << 2), u32(slot))
  store<u32>(DIRTY_COUNT, count + 1)
  store<u32>(slot, count + 1, S_DIRTY)
}

/** The cache entry for the account of a stack word. */
// @inline
function accountAt(address: usize): usize {
  const low = load<u32>(address)
  return usize(ACCOUNTS) + usize((low ^ (low >> 8)) & (ACCOUNT_COUNT - 1)) * ACCOUNT_BYTES
}

/** The valid cache entry of the account of a stack word; 0 if there is none. */
export function accountNamed(address: usize): usize {
  const account = accountAt(address)
  const isIt =
    load<u32>(account, A_EPOCH) === load<u32>(EPOCH) &&
    load<u64>(account, A_ADDRESS) === load<u64>(address) &&
    load<u64>(account, A_ADDRESS + 8) === load<u64>(address, 8) &&
    load<u64>(account, A_ADDRESS + 16) === (load<u64>(address, 16) & 0xffffffff)
  return isIt ? account : 0
}

/** Caches an account, which must be warm, with its code, which must not be delegated (EIP-7702). */
export function cacheAccount(address: usize, code: u32, codeLength: u32, jumps: u32, number: u32): void {
  const account = accountAt(address)
  store<u64>(account, load<u64>(address), A_ADDRESS)
  store<u64>(account, load<u64>(address, 8), A_ADDRESS + 8)
  store<u64>(account, load<u64>(address, 16) & 0xffffffff, A_ADDRESS + 16)
  store<u32>(account, load<u32>(EPOCH), A_EPOCH)
  store<u32>(account, code, A_CODE)
  store<u32>(account, codeLength, A_CODE_LENGTH)
  store<u32>(account, jumps, A_JUMPS)
  store<u32>(account, number, A_ACCOUNT)
}
