// The host's side of the engine's table of storage slots (`assembly/state-cache.ts`): which values are still those of the view,
// which slots have to be written to it, and the warm slots as the journal reads them.
//
// Values outlive the transaction. The view names its contents of storage by a number (`StateView.storageId`); while it changes by
// the engine's own writes, the table changes with it. The table remembers one earlier number, the base, and lists the entries that it
// has written or filled since: after a revert to the base, and in the next call on the same state, written ones get their original
// value back, and only the others are of no use. A number that it does not know makes all values stale.
import type { Address, Hash } from '../../lib/hex.ts'
import type { WarmSlots } from '../access-journal.ts'
import {
  DIRTY,
  DIRTY_COUNT,
  JOURNALED,
  S_ACCOUNT,
  S_DIRTY,
  S_KEY,
  S_LISTED,
  S_ORIGINAL,
  S_STORAGE,
  S_TRANSACTION,
  S_VALUE,
  S_WARMTH,
  SLOT_BYTES,
  SLOT_COUNT,
  SLOTS,
  STORAGE,
  TRANSACTION,
  WARMED,
  WARMED_COUNT,
  WARMTH,
} from './layout.ts'
import type { Memory } from './memory.ts'
import type { OpcodeHost } from './module-interface.ts'

/** Most accounts that have a number; beyond that all numbers are dropped. */
const MOST_ACCOUNTS = 10_000
/** What becomes of a listed entry when the contents are those of the base again (S_LISTED). Other earlier contents: FORGOTTEN. */
const FORGOTTEN = 1
const RESTORED = 2
/** Contents of storage since the base that the table recognizes. */
const MOST_PASSED = 1_000

export class SlotTable implements WarmSlots {
  readonly #memory: Memory
  readonly #accounts = new Map<Address, number>()
  readonly #addresses: Address[] = []
  /** The contents that the values are from; 0: none. */
  #storageId = 0
  #base = 0
  /** Contents between the base and the present ones. */
  readonly #passed = new Set<number>()
  /** Entries that may differ from the base. */
  readonly #listed: number[] = []

  constructor(memory: Memory) {
    this.#memory = memory
    this.#next(STORAGE)
  }

  /** Begins a transaction on these contents of storage. No slot is warm; the journal has the warm ones until `keep`. */
  begin(storageId: number): void {
    const { words } = this.#memory
    this.#dropDirty()
    words[WARMED_COUNT >>> 2] = 0
    words[JOURNALED >>> 2] = 1
    this.#next(TRANSACTION)
    this.#next(WARMTH)
    if (this.#addresses.length >= MOST_ACCOUNTS) {
      this.#accounts.clear()
      this.#addresses.length = 0
      this.forget()
    }
    this.follow(storageId)
    // Reverts, and the next call on this state, lead back to these contents.
    this.#rebase()
  }

  /** The number of an account, which is a part of the keys of its slots. */
  accountNumber(address: Address): number {
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    const number = this.#addresses.push(address) - 1
    this.#accounts.set(address, number)
    return number
  }

  // --- values

  /** To be called before the engine runs: the view may have other contents since. */
  follow(storageId: number): void {
    if (storageId === this.#storageId) return
    if (storageId !== this.#base && !this.#passed.has(storageId)) {
      this.forget()
      this.#base = storageId
    } else this.#goBack(storageId === this.#base)
    this.#storageId = storageId
  }

  /** Makes all values stale. */
  forget(): void {
    this.#next(STORAGE)
    this.#storageId = 0
    this.#rebase()
  }

  /** Writes the values of a slot's entry. */
  set(slot: number, word: Uint8Array, original: Uint8Array): void {
    const { words } = this.#memory
    this.#memory.answer(word, slot + S_VALUE)
    this.#memory.answer(original, slot + S_ORIGINAL)
    words[(slot + S_STORAGE) >>> 2] = words[STORAGE >>> 2] ?? 0
    words[(slot + S_TRANSACTION) >>> 2] = words[TRANSACTION >>> 2] ?? 0
    // The view returns one object for both words if the transaction has not written the slot.
    if (this.#storageId !== this.#base || original !== word) this.#list(slot, FORGOTTEN)
  }

  /** Writes all dirty slots to the host. Returns whether there were any. */
  flush(host: OpcodeHost): boolean {
    const { words } = this.#memory
    const count = words[DIRTY_COUNT >>> 2] ?? 0
    if (count === 0) return false
    const follows = host.storageId === this.#storageId
    for (let i = 0; i < count; i++) {
      const slot = words[(DIRTY >>> 2) + i] ?? 0
      words[(slot + S_DIRTY) >>> 2] = 0
      host.store(this.accountOf(slot), this.#keyOf(slot), this.#memory.trimmed(slot + S_VALUE))
      this.#list(slot, RESTORED)
    }
    words[DIRTY_COUNT >>> 2] = 0
    if (follows) {
      if (this.#passed.size >= MOST_PASSED) this.#passed.clear()
      if (this.#storageId !== this.#base) this.#passed.add(this.#storageId)
      this.#storageId = host.storageId
    }
    return true
  }

  /** A transaction that was stopped may leave slots that were not written to its view. */
  #dropDirty(): void {
    const { words } = this.#memory
    const count = words[DIRTY_COUNT >>> 2] ?? 0
    if (count === 0) return
    for (let i = 0; i < count; i++) words[((words[(DIRTY >>> 2) + i] ?? 0) + S_DIRTY) >>> 2] = 0
    words[DIRTY_COUNT >>> 2] = 0
    this.forget()
  }

  #rebase(): void {
    for (const slot of this.#listed) this.#memory.words[(slot + S_LISTED) >>> 2] = 0
    if (this.#listed.length > 0) this.#listed.length = 0
    if (this.#passed.size > 0) this.#passed.clear()
    this.#base = this.#storageId
  }

  /** An entry that is not listed has the base's value as its original one. */
  #list(slot: number, fate: typeof FORGOTTEN | typeof RESTORED): void {
    const { words } = this.#memory
    const at = (slot + S_LISTED) >>> 2
    if (words[at] === 0) this.#listed.push(slot)
    if (words[at] !== FORGOTTEN) words[at] = fate
  }

  /** Returns to the contents of the base, or to contents since then. */
  #goBack(toBase: boolean): void {
    const { words } = this.#memory
    for (const slot of this.#listed) {
      const original = (slot + S_ORIGINAL) >>> 2
      if (toBase && words[(slot + S_LISTED) >>> 2] === RESTORED)
        words.copyWithin((slot + S_VALUE) >>> 2, original, original + 8)
      else words[(slot + S_STORAGE) >>> 2] = 0
      words[(slot + S_LISTED) >>> 2] = 0
    }
    this.#listed.length = 0
    if (toBase) this.#passed.clear()
  }

  // --- warm slots

  /** Lets the engine keep the warm slots. */
  keep(): void {
    this.#memory.words[JOURNALED >>> 2] = 0
  }

  /** Whether the journal has the warm slots. */
  get isJournaled(): boolean {
    return this.#memory.words[JOURNALED >>> 2] !== 0
  }

  /** To be called when the journal may have made slots cold. */
  forgetWarmth(): void {
    if (this.isJournaled) this.#next(WARMTH)
  }

  get length(): number {
    return this.#memory.words[WARMED_COUNT >>> 2] ?? 0
  }

  cool(length: number): void {
    const { words } = this.#memory
    for (let i = length; i < this.length; i++) words[(this.#warmed(i) + S_WARMTH) >>> 2] = 0
    words[WARMED_COUNT >>> 2] = Math.min(length, this.length)
  }

  take(): (readonly [Address, Hash])[] {
    const slots = Array.from({ length: this.length }, (_, i) => this.#warmed(i))
    this.#memory.words[WARMED_COUNT >>> 2] = 0
    this.#memory.words[JOURNALED >>> 2] = 1
    return slots.map((slot) => [this.accountOf(slot), this.#keyOf(slot)])
  }

  /** The entry of a warm slot by its position in the list. */
  #warmed(index: number): number {
    return this.#memory.words[(WARMED >>> 2) + index] ?? 0
  }

  // --- entries

  accountOf(slot: number): Address {
    const account = this.#addresses[this.#memory.words[(slot + S_ACCOUNT) >>> 2] ?? 0]
    if (account === undefined) throw new Error('a slot of no account was accessed')
    return account
  }

  #keyOf(slot: number): Hash {
    return this.#memory.hashAt(slot + S_KEY)
  }

  /** Increases a counter. When it wraps around, clears the entries, which may have its next values. */
  #next(counter: number): void {
    const { words } = this.#memory
    const next = ((words[counter >>> 2] ?? 0) + 1) >>> 0
    words[counter >>> 2] = next === 0 ? 1 : next
    if (next === 0) words.fill(0, SLOTS >>> 2, (SLOTS + SLOT_COUNT * SLOT_BYTES) >>> 2)
  }
}
