// The state at one version with uncommitted writes: maps over the stored rows, and one undo log. It is synchronous, and the
// trie is updated only when a root is requested. Values in the maps are immutable, so a revert puts the old value back, and a
// fork copies the maps.
import {
  type Address,
  bigToBytes,
  bigToWord,
  bytesToBig,
  equalBytes,
  type Hash,
  toHash,
  trimZeros,
} from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { accountOf, EMPTY_CODE_HASH, NEW_ACCOUNT, type StoredAccount } from './accounts.ts'
import { KEY } from './keyspace.ts'
import { changedAccounts, transactionDiff } from './state-diff.ts'
import type { RowChanges, StateRows } from './state-rows.ts'
import { proveAccount, StateTrie } from './state-trie.ts'
import { TrialRows } from './trial-rows.ts'
import { EMPTY_ROOT_BYTES } from './trie.ts'
import type {
  Account,
  AccountProof,
  ChangedAccount,
  MissingParts,
  SlotAccess,
  StateView,
  TransactionDiff,
  Wanted,
} from './types.ts'

const EMPTY = new Uint8Array(0)

type Slots = Map<Hash, Uint8Array>
type Undo =
  | { readonly account: Address; readonly before: Account | undefined }
  | { readonly slotOf: Address; readonly key: Hash; readonly before: Uint8Array }
  | { readonly cleared: Address; readonly slots: Slots | undefined; readonly wasCleared: boolean }

/** Keys of the first slots, which every storage layout uses. */
const FIRST_KEYS = Array.from({ length: 64 }, (_, slot) => bigToWord(BigInt(slot)))

let lastStorageId = 0

/** A number for contents of storage that no number names yet. */
export const newStorageId = (): number => ++lastStorageId

/** A storage slot's number as its 32-byte key. */
export const slotKey = (slot: bigint): Hash => (slot < 64n && FIRST_KEYS[Number(slot)]) || bigToWord(slot)

export class View implements StateView {
  /** The committed rows. */
  readonly rows: StateRows
  readonly version: number
  readonly missing: MissingParts | undefined
  readonly balanceNotes = new Set<string>()
  /** Accounts that were read or written; null: does not exist. */
  #accounts = new Map<Address, Account | null>()
  #slots = new Map<Address, Slots>()
  /** Accounts whose stored slots were cleared: every slot that is not in `#slots` is zero. */
  #cleared = new Set<Address>()
  #codes = new Map<Hash, Uint8Array>()
  #trie: StateTrie
  #undo: Undo[] = []
  #marks: { readonly undo: number; readonly storageId: number }[] = []
  #storageId: number
  /** Values before the current transaction's first write to them. */
  #originalAccounts = new Map<Address, Account | undefined>()
  #originalSlots = new Map<Address, Slots>()

  constructor(rows: StateRows, version: number, missing: MissingParts | undefined) {
    this.rows = rows
    this.version = version
    this.missing = missing
    this.#trie = new StateTrie(this)
    this.#storageId = rows.storageId(version) ?? newStorageId()
  }

  // --- accounts

  account(of: Address): Account | undefined {
    const known = this.#accounts.get(of)
    if (known !== undefined) return known ?? undefined
    const stored = this.stored(of)
    const account = stored && accountOf(stored.nonce, stored.balance, stored.codeHash)
    this.#accounts.set(of, account ?? null)
    return account
  }

  balance(of: Address): bigint {
    return this.account(of)?.balance ?? 0n
  }

  nonce(of: Address): bigint {
    return this.account(of)?.nonce ?? 0n
  }

  code(of: Address): Uint8Array {
    return this.codeWith(this.account(of)?.codeHash ?? EMPTY_CODE_HASH)
  }

  findCode(hash: Hash): Uint8Array | undefined {
    return hash === EMPTY_CODE_HASH ? EMPTY : (this.#codes.get(hash) ?? this.rows.code(hash))
  }

  codeWith(hash: Hash): Uint8Array {
    const code = this.findCode(hash)
    if (code === undefined) throw new Error(`code ${hash} is missing`)
    return code
  }

  /** Replaces an account's fields; undefined removes them. `deleteAccount` clears the storage too. */
  setAccount(of: Address, account: Account | undefined): void {
    const before = this.account(of)
    this.#log({ account: of, before })
    if (!this.#originalAccounts.has(of)) this.#originalAccounts.set(of, before)
    this.#putAccount(of, account)
  }

  setBalance(of: Address, balance: bigint): void {
    const { nonce, codeHash } = this.account(of) ?? NEW_ACCOUNT
    this.setAccount(of, accountOf(nonce, balance, codeHash))
  }

  setNonce(of: Address, nonce: bigint): void {
    const { balance, codeHash } = this.account(of) ?? NEW_ACCOUNT
    this.setAccount(of, accountOf(nonce, balance, codeHash))
  }

  setCode(of: Address, code: Uint8Array): void {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccakHash(code)
    if (code.length > 0) this.#codes.set(codeHash, code)
    const { nonce, balance } = this.account(of) ?? NEW_ACCOUNT
    this.setAccount(of, accountOf(nonce, balance, codeHash))
  }

  addBalance(of: Address, amount: bigint): void {
    const balance = this.balance(of) + amount
    if (balance < 0n) throw new RangeError('balance below zero')
    this.setBalance(of, balance)
  }

  transfer(from: Address, to: Address, amount: bigint): void {
    this.addBalance(from, -amount)
    this.addBalance(to, amount)
  }

  deleteAccount(of: Address): void {
    this.setAccount(of, undefined)
    this.clearStorage(of)
  }

  // --- storage

  get storageId(): number {
    return this.#storageId
  }

  word(of: Address, key: Hash): Uint8Array {
    const slots = this.#slotsOf(of)
    const known = slots.get(key)
    if (known !== undefined) return known
    const word = this.#committedWord(of, key)
    slots.set(key, word)
    return word
  }

  setWord(of: Address, key: Hash, value: Uint8Array): void {
    const word = trimZeros(value)
    const slots = this.#slotsOf(of)
    const before = slots.get(key) ?? this.#committedWord(of, key)
    this.#storageId = newStorageId()
    this.#log({ slotOf: of, key, before })
    this.#rememberOriginal(of, key, before)
    slots.set(key, word)
    this.#trie.touchSlot(of, key)
  }

  originalWord(of: Address, key: Hash): Uint8Array {
    return this.#originalSlots.get(of)?.get(key) ?? this.word(of, key)
  }

  storage(of: Address, slot: bigint): bigint {
    return bytesToBig(this.word(of, slotKey(slot)))
  }

  setStorage(of: Address, slot: bigint, word: bigint): void {
    this.setWord(of, slotKey(slot), bigToBytes(word))
  }

  overwriteStorage(of: Address, slot: bigint, word: bigint): void {
    const key = slotKey(slot)
    const slots = this.#slotsOf(of)
    const isMissing =
      !slots.has(key) && !this.#cleared.has(of) && this.missing?.isKnown(KEY.slot(of, key), this.version) === false
    if (isMissing) slots.set(key, EMPTY)
    if (isMissing || this.storage(of, slot) !== word) this.setWord(of, key, bigToBytes(word))
  }

  clearStorage(of: Address): void {
    const slots = this.#slots.get(of)
    if (!this.hasStorage(of) && slots === undefined) return
    for (const [key, word] of slots ?? []) this.#rememberOriginal(of, key, word)
    this.#storageId = newStorageId()
    this.#log({ cleared: of, slots, wasCleared: this.#cleared.has(of) })
    this.#slots.delete(of)
    this.#cleared.add(of)
    this.#trie.touchStorage(of)
  }

  hasStorage(of: Address): boolean {
    for (const word of this.#slots.get(of)?.values() ?? []) if (word.length > 0) return true
    if (this.#cleared.has(of)) return false
    const stored = this.stored(of)
    if (stored === undefined) return false
    if (this.missing?.mayHaveStorage(of, this.version)) return true
    if (equalBytes(stored.storageRoot, EMPTY_ROOT_BYTES)) return false
    // This view may have set all stored slots to zero; only the root shows that.
    return !equalBytes(this.#trie.storageRoot(of), EMPTY_ROOT_BYTES)
  }

  slots(of: Address, access: 'read' | 'write'): SlotAccess {
    return {
      load: (slot) => this.storage(of, slot),
      store: (slot, word) => {
        if (access === 'read') throw new Error('storage opened for reading was written')
        // Modules write whole structs: an unchanged slot would be undone, hashed and compared as a changed one.
        if (this.storage(of, slot) !== word) this.setStorage(of, slot, word)
      },
    }
  }

  // --- checkpoints

  checkpoint(): void {
    this.#marks.push({ undo: this.#undo.length, storageId: this.#storageId })
  }

  commit(): void {
    this.#marks.pop()
    if (this.#marks.length === 0) this.#undo.length = 0
  }

  revert(): void {
    const mark = this.#marks.pop()
    if (mark === undefined) throw new Error('revert without a checkpoint')
    for (let i = this.#undo.length - 1; i >= mark.undo; i--) {
      const entry = this.#undo[i]
      if (entry === undefined) continue
      if ('account' in entry) this.#putAccount(entry.account, entry.before)
      else if ('slotOf' in entry) {
        this.#slotsOf(entry.slotOf).set(entry.key, entry.before)
        this.#trie.touchSlot(entry.slotOf, entry.key)
      } else {
        if (!entry.wasCleared) this.#cleared.delete(entry.cleared)
        if (entry.slots === undefined) this.#slots.delete(entry.cleared)
        else this.#slots.set(entry.cleared, entry.slots)
        this.#trie.touchStorage(entry.cleared)
      }
    }
    this.#undo.length = mark.undo
    this.#storageId = mark.storageId
  }

  get checkpoints(): number {
    return this.#marks.length
  }

  beginTransaction(): void {
    if (this.#originalAccounts.size > 0) this.#originalAccounts.clear()
    if (this.#originalSlots.size > 0) this.#originalSlots.clear()
  }

  transactionDiff(): TransactionDiff {
    return transactionDiff(this, this.#originalAccounts, this.#originalSlots)
  }

  accesses(): TransactionDiff {
    const addresses = new Set([...this.#accounts.keys(), ...this.#slots.keys()])
    return [...addresses].sort().map((address) => {
      const after = this.account(address)
      const originals = this.#originalSlots.get(address)
      const slots = Array.from(this.#slots.get(address) ?? [], ([key, word]) => ({
        key,
        before: bytesToBig(originals?.get(key) ?? word),
        after: bytesToBig(word),
      }))
      return {
        address,
        before: this.#originalAccounts.has(address) ? this.#originalAccounts.get(address) : after,
        after,
        slots,
      }
    })
  }

  // --- root, proofs, changes

  root(): Hash {
    return this.#trie.root()
  }

  storageRoot(of: Address): Hash {
    return toHash(this.#trie.storageRoot(of))
  }

  prove(of: Address, slots: readonly bigint[]): AccountProof {
    this.root()
    return proveAccount(this, this.#trie, of, slots)
  }

  /** The rows and codes to commit. Asynchronous because the rows of cleared storage are listed by a scan. */
  async changes(): Promise<{ rows: RowChanges; codes: ReadonlyMap<Hash, Uint8Array> }> {
    this.root()
    // Exclude code whose deployment was reverted.
    const codes = new Map<Hash, Uint8Array>()
    for (const account of this.#accounts.values()) {
      const code = account && this.#codes.get(account.codeHash)
      if (code) codes.set(account.codeHash, code)
    }
    return { rows: await this.#trie.changedRows(this), codes }
  }

  changedAccounts(): ChangedAccount[] {
    return changedAccounts(this, this.#accounts.keys())
  }

  holds(of: Address): boolean {
    return this.#accounts.has(of)
  }

  get size(): number {
    let size = this.#accounts.size
    for (const slots of this.#slots.values()) size += slots.size
    return size
  }

  fork(): View {
    const copy = this.#copy(this.rows)
    copy.#storageId = this.#storageId
    return copy
  }

  trial(): { view: View; noted: readonly Wanted[] } {
    const rows = new TrialRows(this.rows)
    // Its contents of storage are not those of this view, so they have a number of their own.
    return { view: this.#copy(rows), noted: rows.noted }
  }

  #copy(rows: StateRows): View {
    const copy = new View(rows, this.version, this.missing)
    copy.#accounts = new Map(this.#accounts)
    for (const [of, slots] of this.#slots) copy.#slots.set(of, new Map(slots))
    copy.#cleared = new Set(this.#cleared)
    copy.#codes = new Map(this.#codes)
    copy.#trie = this.#trie.fork(copy)
    return copy
  }

  // --- for the trie and the diff

  /** The committed account at this version. */
  stored(of: Address): StoredAccount | undefined {
    return this.rows.account(of, this.version)
  }

  storedRow(key: Uint8Array, name?: string): Uint8Array | undefined {
    return this.rows.row(key, this.version, name)
  }

  isCleared(of: Address): boolean {
    return this.#cleared.has(of)
  }

  /** The committed row, as `storedRow`; `missing` if it is not known. */
  knownRow(key: Uint8Array, name?: string): Uint8Array | undefined | 'missing' {
    return this.missing?.isKnown(key, this.version) === false ? 'missing' : this.storedRow(key, name)
  }

  /** As in `TrieSource`. */
  isUnchanged(of: Address, slot: Hash | undefined, value: Uint8Array): boolean {
    if (this.missing === undefined) return false
    const key = slot === undefined ? KEY.account(of) : KEY.slot(of, slot)
    const stored = this.isChanged(key) ? undefined : this.knownRow(key)
    return stored !== undefined && stored !== 'missing' && equalBytes(stored, value)
  }

  /** As in `CommitSource`. */
  isChanged(key: Uint8Array): boolean {
    return this.missing?.isChanged(key, this.version) !== false
  }

  hasForkedStorage(of: Address): boolean {
    return this.missing?.mayHaveStorage(of, this.version) === true
  }

  // --- private

  #log(entry: Undo): void {
    if (this.#marks.length > 0) this.#undo.push(entry)
  }

  #putAccount(of: Address, account: Account | undefined): void {
    this.#accounts.set(of, account ?? null)
    this.#trie.touch(of)
  }

  #slotsOf(of: Address): Slots {
    const known = this.#slots.get(of)
    if (known !== undefined) return known
    const slots: Slots = new Map()
    this.#slots.set(of, slots)
    return slots
  }

  /** A word that this view has neither read nor written. */
  #committedWord(of: Address, key: Hash): Uint8Array {
    return this.#cleared.has(of) ? EMPTY : this.rows.word(of, key, this.version)
  }

  #rememberOriginal(of: Address, key: Hash, word: Uint8Array): void {
    const originals = this.#originalSlots.get(of) ?? new Map<Hash, Uint8Array>()
    if (originals.size === 0) this.#originalSlots.set(of, originals)
    if (!originals.has(key)) originals.set(key, word)
  }
}
