// The table of storage slots and the cache of accounts with their code, so that the interpreter need not call the host for them.
//
// A slot's entry has three properties, each valid while a field equals its counter in memory: the value (STORAGE), that the slot
// is warm (WARMTH), and the value at the start of the transaction (TRANSACTION). Values stay valid over transactions, until the
// host finds that something else has written storage. The warm slots of a transaction are listed in WARMED, and a frame that
// fails removes those that it added. The host's journal takes them over (JOURNALED) if it needs them, or if a warm slot has to be
// overwritten by another one; from then on the host is asked whether a slot is warm, and the table only caches the answer.
//
// An entry of an account is valid only in the epoch in which it was made: a revert, or a write by the host, begins a new epoch.
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
  JOURNALED,
  S_ACCOUNT,
  S_DIRTY,
  S_KEY,
  S_ORIGINAL,
  S_READ,
  S_STORAGE,
  S_TRANSACTION,
  S_VALUE,
  S_WARMTH,
  SLOT_BYTES,
  SLOT_COUNT,
  SLOT_REACH,
  SLOTS,
  STORAGE,
  TRANSACTION,
  WARMED,
  WARMED_COUNT,
  WARMTH,
  WORDS,
} from '../layout'
import * as host from './host'
import { copy } from './word'

/** The entry of the slot whose key is the first big-endian word. A new entry is neither warm nor has a value. */
export function slotAt(account: u32): usize {
  // Keys are small numbers or hashes: their last bytes differ, and so do the lowest bits of a swapped number.
  const key = bswap(load<u32>(WORDS, 28)) ^ load<u32>(WORDS, 8)
  const first = ((key ^ (account << 5)) * 0x9e3779b1) >> 16
  for (let i: u32 = 0; i < u32(SLOT_REACH); i++) {
    const slot = entryAt(first + i)
    if (isOf(slot, account)) return slot
  }
  const slot = entryToReplace(first)
  copy(slot + S_KEY, WORDS)
  store<u32>(slot, account, S_ACCOUNT)
  store<u32>(slot, 0, S_STORAGE)
  store<u32>(slot, 0, S_WARMTH)
  store<u32>(slot, 0, S_TRANSACTION)
  store<u32>(slot, 0, S_READ)
  return slot
}

// @inline
function entryAt(index: u32): usize {
  return usize(SLOTS) + usize(index & (SLOT_COUNT - 1)) * SLOT_BYTES
}

// @inline
function isOf(slot: usize, account: u32): bool {
  return (
    load<u64>(slot, S_KEY + 24) === load<u64>(WORDS, 24) &&
    load<u32>(slot, S_ACCOUNT) === account &&
    load<u64>(slot, S_KEY) === load<u64>(WORDS) &&
    load<u64>(slot, S_KEY + 8) === load<u64>(WORDS, 8) &&
    load<u64>(slot, S_KEY + 16) === load<u64>(WORDS, 16)
  )
}

/** The entry within reach that costs least to overwrite: of no use, else neither warm nor dirty, else not dirty. */
function entryToReplace(first: u32): usize {
  let cold: usize = 0
  let clean: usize = 0
  for (let i: u32 = 0; i < u32(SLOT_REACH); i++) {
    const slot = entryAt(first + i)
    if (load<u32>(slot, S_DIRTY) !== 0) continue
    clean = slot
    if (load<u32>(slot, S_WARMTH) === load<u32>(WARMTH)) continue
    cold = slot
    if (load<u32>(slot, S_STORAGE) !== load<u32>(STORAGE)) return slot
  }
  if (cold !== 0) return cold
  if (load<u32>(JOURNALED) === 0) host.takeSlots()
  if (clean !== 0) return clean
  host.flushStores()
  return entryAt(first)
}

/** Makes a slot warm and its values known. Returns whether it was cold (EIP-2929). */
export function accessSlot(slot: usize): bool {
  const isWarm = load<u32>(slot, S_WARMTH) === load<u32>(WARMTH)
  const isKnown = load<u32>(slot, S_STORAGE) === load<u32>(STORAGE)
  const asks = !isWarm && load<u32>(JOURNALED) !== 0
  const wasCold = asks || !isKnown ? host.accessSlot(u32(slot)) !== 0 : false
  if (!isWarm) {
    if (!asks) push(WARMED_COUNT, WARMED, slot)
    store<u32>(slot, load<u32>(WARMTH), S_WARMTH)
  }
  if (load<u32>(slot, S_TRANSACTION) !== load<u32>(TRANSACTION)) {
    copy(slot + S_ORIGINAL, slot + S_VALUE)
    store<u32>(slot, load<u32>(TRANSACTION), S_TRANSACTION)
  }
  return asks ? wasCold : !isWarm
}

/** Tells the host once in a transaction that it reads the slot (EIP-7928). */
export function readSlot(slot: usize): void {
  const transaction = load<u32>(TRANSACTION)
  if (load<u32>(slot, S_READ) === transaction) return
  store<u32>(slot, transaction, S_READ)
  host.readSlot(u32(slot))
}

/** Makes the slots cold again that became warm when there were more than `count` of them. */
export function coolSlots(count: u32): void {
  const listed = load<u32>(WARMED_COUNT)
  if (listed <= count) return
  for (let i = count; i < listed; i++) store<u32>(usize(load<u32>(usize(WARMED) + (usize(i) << 2))), 0, S_WARMTH)
  store<u32>(WARMED_COUNT, count)
}

/** Writes a big-endian word to an accessed slot and marks the slot dirty; `flushStores` passes it to the host. */
// @inline
export function writeSlot(slot: usize, value: usize): void {
  copy(slot + S_VALUE, value)
  if (load<u32>(slot, S_DIRTY) !== 0) return
  push(DIRTY_COUNT, DIRTY, slot)
  store<u32>(slot, 1, S_DIRTY)
}

/** Appends a slot to a list. It has room, because a list has a slot at most once. */
// @inline
function push(count: usize, list: usize, slot: usize): void {
  const at = load<u32>(count)
  store<u32>(list + (usize(at) << 2), u32(slot))
  store<u32>(count, at + 1)
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
