// The accessed accounts and slots (EIP-2929), touched accounts (EIP-161) and transient storage (EIP-1153) of a transaction:
// sets and maps, each with an undo log. All engines write to the same journal, synchronously. An engine may keep the warm slots of
// a transaction itself (`WarmSlots`), until the journal is asked for a slot: the journal then takes them over.
import { type Address, EMPTY_BYTES, type Hash } from '../lib/hex.ts'
import { EMPTY_CODE_HASH, isEmpty } from '../state/accounts.ts'
import type { StateView } from '../state/types.ts'

/** Kinds of an undo log entry: an account became warm, or was touched. For a slot the entry is its key. */
const WARMED = 'warmed'
const TOUCHED = 'touched'

/** Stays touched even if its frame is reverted, as on Ethereum's main chain (block 2,675,119; EIP-161). */
const RIPEMD160 = `0x${'3'.padStart(40, '0')}` as Address

const NONE: ReadonlySet<Address> = new Set()

/** The warm slots that an engine keeps in its own memory, in the order in which they became warm. */
export interface WarmSlots {
  readonly length: number
  /** Makes the slots cold again that are not among the first `length`. */
  cool(length: number): void
  /** Returns the slots and forgets them: the engine asks the journal from now on. */
  take(): readonly (readonly [Address, Hash])[]
}

export class AccessJournal {
  /** Accessed slots by address, in hex without `0x`, since `startReporting`; undefined if not reported. */
  accessList: Map<string, Set<string>> | undefined
  readonly #view: StateView
  /** Whether EIP-161 is active: touched accounts that are empty are deleted. */
  readonly #clears: boolean
  /** Addresses that are warm in addition to `#warm`: a set shared by transactions. */
  #always = NONE
  readonly #warm = new Set<Address>()
  readonly #slots = new Map<Address, Set<Hash>>()
  readonly #touched = new Set<Address>()
  readonly #loggedAddresses: Address[] = []
  readonly #what: (Hash | typeof WARMED | typeof TOUCHED)[] = []
  readonly #marks: number[] = []
  /** The warm slots, if an engine keeps them, and their number at each mark. */
  #kept: WarmSlots | undefined
  readonly #keptMarks: number[] = []

  constructor(view: StateView, clears: boolean) {
    this.#view = view
    this.#clears = clears
  }

  // --- checkpoints of the journal and of the view

  /** `kept`: number of slots that the engine kept at this point of the execution. */
  checkpoint(kept = this.#kept?.length ?? 0): void {
    this.#marks.push(this.#loggedAddresses.length)
    this.#keptMarks.push(kept)
    this.#view.checkpoint()
  }

  commit(): void {
    this.#marks.pop()
    this.#keptMarks.pop()
    this.#view.commit()
  }

  revert(): void {
    const mark = this.#marks.pop() ?? 0
    this.#kept?.cool(this.#keptMarks.at(-1) ?? 0)
    this.#keptMarks.pop()
    for (let i = this.#loggedAddresses.length - 1; i >= mark; i--) {
      const address = this.#loggedAddresses[i]
      const what = this.#what[i]
      if (address === undefined || what === undefined) continue
      if (what === WARMED) this.#warm.delete(address)
      else if (what !== TOUCHED) this.#slots.get(address)?.delete(what)
      else if (address !== RIPEMD160) this.#touched.delete(address)
    }
    this.#loggedAddresses.length = mark
    this.#what.length = mark
    this.#view.revert()
  }

  // --- accounts

  /** An account with a nonce or code cannot become empty, so it need not be marked as touched. */
  touch(address: Address): void {
    if (this.#touched.has(address)) return
    const account = this.#view.account(address)
    if (account !== undefined && (account.nonce > 0n || account.codeHash !== EMPTY_CODE_HASH)) return
    this.#touched.add(address)
    this.#log(address, TOUCHED)
  }

  /** Deletes the touched accounts that are empty (EIP-161), then clears the journal for the next transaction. */
  clear(): void {
    if (this.#clears) {
      for (const address of this.#touched) {
        if (isEmpty(this.#view.account(address))) this.#view.deleteAccount(address)
      }
    }
    this.forget()
  }

  /** Clears the journal without deleting accounts, for a stopped transaction whose view is reverted. */
  forget(): void {
    this.#always = NONE
    // Clearing an empty set would also allocate a new table, and setting a length is a call of the runtime.
    if (this.#warm.size > 0) this.#warm.clear()
    if (this.#slots.size > 0) this.#slots.clear()
    if (this.#touched.size > 0) this.#touched.clear()
    if (this.#loggedAddresses.length > 0) this.#loggedAddresses.length = this.#what.length = 0
    if (this.#marks.length > 0) this.#marks.length = this.#keptMarks.length = 0
    this.#kept = undefined
    this.accessList = undefined
  }

  // --- warmth

  isWarm(address: Address): boolean {
    return this.#warm.has(address) || this.#always.has(address)
  }

  warm(address: Address): void {
    if (!this.isWarm(address)) {
      this.#warm.add(address)
      this.#log(address, WARMED)
    }
    if (this.accessList !== undefined) this.#report(this.accessList, address)
  }

  isWarmSlot(address: Address, key: Hash): boolean {
    this.takeSlots()
    return this.#slots.get(address)?.has(key) === true
  }

  /** Returns whether the slot was cold. */
  warmSlot(address: Address, key: Hash): boolean {
    this.takeSlots()
    this.warm(address)
    const slots = this.#slotsOf(address)
    const before = slots.size
    slots.add(key)
    const wasCold = slots.size > before
    if (wasCold) this.#log(address, key)
    if (this.accessList !== undefined) this.#report(this.accessList, address).add(key.slice(2))
    return wasCold
  }

  /** Lets an engine keep the warm slots. Returns false if slots are warm already, or accesses are reported. */
  keepSlots(slots: WarmSlots): boolean {
    if (this.#slots.size > 0 || this.accessList !== undefined) return false
    this.#kept = slots
    return true
  }

  /** Takes the warm slots over from the engine that keeps them: adds them to the part of the undo log to which they belong. */
  takeSlots(): void {
    const kept = this.#kept?.take()
    this.#kept = undefined
    if (kept === undefined || kept.length === 0) return
    const addresses = this.#loggedAddresses.splice(0)
    const what = this.#what.splice(0)
    let at = 0
    let taken = 0
    // The parts of the log end at the marks; the last part has no end.
    for (let part = 0; part <= this.#marks.length; part++) {
      const end = this.#marks[part] ?? addresses.length
      for (; at < end; at++) {
        this.#loggedAddresses.push(addresses[at] as Address)
        this.#what.push(what[at] as Hash)
      }
      const keptEnd = this.#keptMarks[part] ?? kept.length
      for (; taken < keptEnd; taken++) {
        const [address, key] = kept[taken] as readonly [Address, Hash]
        this.#slotsOf(address).add(key)
        this.#log(address, key)
      }
      if (part < this.#marks.length) this.#marks[part] = this.#loggedAddresses.length
    }
  }

  /** Forgets the slots that an engine keeps: the transaction is over. */
  releaseSlots(): void {
    this.#kept = undefined
  }

  // --- accounts and slots that stay warm for the whole transaction, even after a revert

  /** Makes all addresses of a set warm; replaces the previous set. */
  setAlwaysWarm(addresses: ReadonlySet<Address>): void {
    this.#always = addresses
  }

  addAlwaysWarm(address: Address): void {
    this.#warm.add(address)
  }

  /** Adds an entry of a transaction's access list (EIP-2930). */
  addListed(address: Address, keys: readonly Hash[]): void {
    this.#warm.add(address)
    if (keys.length > 0) {
      const slots = this.#slotsOf(address)
      for (const key of keys) slots.add(key)
    }
    if (this.accessList === undefined) return
    const reported = this.#report(this.accessList, address)
    for (const key of keys) reported.add(key.slice(2))
  }

  startReporting(): void {
    this.accessList = new Map()
  }

  #slotsOf(address: Address): Set<Hash> {
    const known = this.#slots.get(address)
    if (known !== undefined) return known
    const slots = new Set<Hash>()
    this.#slots.set(address, slots)
    return slots
  }

  #log(address: Address, what: Hash | typeof WARMED | typeof TOUCHED): void {
    if (this.#marks.length === 0) return
    this.#loggedAddresses.push(address)
    this.#what.push(what)
  }

  #report(accessList: Map<string, Set<string>>, address: Address): Set<string> {
    const bare = address.slice(2)
    const known = accessList.get(bare)
    if (known !== undefined) return known
    const slots = new Set<string>()
    accessList.set(bare, slots)
    return slots
  }
}

type Undo = { readonly slots: Map<Hash, Uint8Array>; readonly key: Hash; readonly before: Uint8Array }

/** Transient storage (EIP-1153) with checkpoints. Values are big-endian words without leading zeros. */
export class TransientStorage {
  readonly #storage = new Map<Address, Map<Hash, Uint8Array>>()
  readonly #undo: Undo[] = []
  readonly #marks: number[] = []

  load(of: Address, key: Hash): Uint8Array {
    return this.#storage.get(of)?.get(key) ?? EMPTY_BYTES
  }

  store(of: Address, key: Hash, value: Uint8Array): void {
    const slots = this.#storage.get(of) ?? new Map<Hash, Uint8Array>()
    this.#storage.set(of, slots)
    this.#undo.push({ slots, key, before: slots.get(key) ?? EMPTY_BYTES })
    slots.set(key, value)
  }

  checkpoint(): void {
    this.#marks.push(this.#undo.length)
  }

  commit(): void {
    this.#marks.pop()
  }

  revert(): void {
    const mark = this.#marks.pop() ?? 0
    for (let i = this.#undo.length - 1; i >= mark; i--) {
      const entry = this.#undo[i]
      entry?.slots.set(entry.key, entry.before)
    }
    if (this.#undo.length > mark) this.#undo.length = mark
  }

  clear(): void {
    if (this.#storage.size > 0) this.#storage.clear()
    this.#undo.length = 0
    this.#marks.length = 0
  }
}
