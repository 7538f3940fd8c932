// What is remembered, as the rooms above see it: bytes in an ordered store, and views of the world at one block.
// A view is opened, written on, and either committed or forgotten; it is never moved. Nothing in it awaits.
import type { Address, Hash, Hex } from '../lib/hex.ts'

/** One change of a batch. */
export type WriteOp =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array }

export type KeyRange = { gte: Uint8Array; lt: Uint8Array; reverse?: boolean; limit?: number }

/** Ordered bytes. Reads are synchronous: rows come from memory or LevelDB's own cache. */
export interface KvReader {
  get(key: Uint8Array): Uint8Array | undefined
  /** Rows of the range in key order; the whole scan sees one state of the store. */
  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]>
}

/** What a log holds, and stretches of its file that are no whole record (bytes from its beginning): they are gone. */
export type RecoveredRecords = {
  readonly records: readonly Uint8Array[]
  readonly damaged: readonly { readonly at: number; readonly length: number }[]
}

/** Records in the order they came; what they mean is not known here. Nothing here has to be waited for. */
export interface RecordLog {
  /** Bytes that all of them take. */
  readonly size: number
  read(): RecoveredRecords
  /** Adds all of them, or, with ChainError `disk-failure`, none. They then survive `kill -9`. */
  append(records: readonly Uint8Array[]): void
  /** Puts these in the place of all, at once. */
  replace(records: readonly Uint8Array[]): void
  close(): void
}

export interface KvStore extends KvReader {
  /** One atomic, synced batch: when it settles, the rows survive `kill -9`. */
  write(batch: readonly WriteOp[]): Promise<void>
  /** Throws ChainError `disk-failure` (`disk full`, `disk failure`) while the disk takes no writes; reads go on meanwhile. */
  requireWritable(): void
  /** Beside the rows. */
  readonly log: RecordLog
  /** A reader of the rows as they are now; close it after use. */
  consistentReader(): KvReader & { close(): Promise<void> }
  close(): Promise<void>
}

/** An account's own fields. Values are immutable; an account that does not exist is undefined. */
export type Account = { readonly nonce: bigint; readonly balance: bigint; readonly codeHash: Hash }

/** One account's storage, as the native modules use it. */
export interface SlotAccess {
  load(slot: bigint): bigint
  store(slot: bigint, word: bigint): void
}

/** An account's own fields at two times. */
export type ChangedAccount = {
  readonly address: Address
  readonly before: Account | undefined
  readonly after: Account | undefined
}

export type AccountDiff = {
  readonly address: Address
  readonly before: Account | undefined
  readonly after: Account | undefined
  readonly slots: readonly { readonly key: Hash; readonly before: bigint; readonly after: bigint }[]
}
/** What one transaction changed: accounts with their slots, in order of address. */
export type TransactionDiff = readonly AccountDiff[]

export type AccountProof = {
  account: Account | undefined
  storageRoot: Hash
  accountProof: Hex[]
  storageProofs: { key: bigint; value: bigint; proof: Hex[] }[]
}

/** The world at one version of the state. Writing on a view touches nobody else until its changes are committed. */
export interface StateView {
  account(of: Address): Account | undefined
  balance(of: Address): bigint
  nonce(of: Address): bigint
  code(of: Address): Uint8Array
  /** Code that an account has or had, by its hash. Throws for a hash that no account of this state ever had. */
  codeWith(hash: Hash): Uint8Array
  /** Replaces an account's own fields; undefined removes them. */
  setAccount(of: Address, account: Account | undefined): void
  setBalance(of: Address, amount: bigint): void
  setNonce(of: Address, nonce: bigint): void
  setCode(of: Address, code: Uint8Array): void
  /** Adds (or, negative, takes) an amount; throws RangeError below zero. Creates the account. */
  addBalance(of: Address, amount: bigint): void
  transfer(from: Address, to: Address, amount: bigint): void
  /** Removes the account with its code and storage. */
  deleteAccount(of: Address): void
  storage(of: Address, slot: bigint): bigint
  setStorage(of: Address, slot: bigint, word: bigint): void
  clearStorage(of: Address): void
  /** Whether any slot of the account holds something (EIP-7610). */
  hasStorage(of: Address): boolean
  /** The EVM's form of the same: a key of 32 bytes, a word without leading zeros. */
  word(of: Address, key: Hash): Uint8Array
  setWord(of: Address, key: Hash, word: Uint8Array): void
  /** The word as it was when the transaction began (EIP-2200). */
  originalWord(of: Address, key: Hash): Uint8Array
  slots(of: Address, access: 'read' | 'write'): SlotAccess
  /** Merkle root of the state as it stands on this view. */
  root(): Hash
  prove(of: Address, slots: readonly bigint[]): AccountProof
  checkpoint(): void
  commit(): void
  revert(): void
  /** Begins a transaction: originals (EIP-2200) and the transaction's diff count from here. */
  beginTransaction(): void
  /**
   * What writers say of their changes for those who read the view when it is done. Reverts leave it alone: it may say too
   * much, never too little.
   */
  readonly balanceNotes: Set<string>
  /** Accounts whose own fields are not what they were when the view was opened, in order of address. */
  changedAccounts(): readonly ChangedAccount[]
  /** What has changed since `beginTransaction`. */
  transactionDiff(): TransactionDiff
  /** An independent copy: writing on either does not touch the other. */
  fork(): StateView
}
