// The two interfaces of this room: an ordered key-value store, and views of the state at one version. A view is opened, written
// to, and either committed or dropped; it never moves to another version. All its methods are synchronous.
import type { Address, Hash, Hex } from '../lib/hex.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** One change of a batch. */
export type WriteOp =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array }

/** `values: false`: only keys are read, each value is empty, and checksums are not verified. */
export type KeyRange = { gte: Uint8Array; lt: Uint8Array; reverse?: boolean; limit?: number; values?: boolean }

/** Ordered bytes. Reads are synchronous: rows come from memory or LevelDB's own cache. */
export interface KvReader {
  get(key: Uint8Array): Uint8Array | undefined
  /** Rows of the range in key order; the whole scan sees one state of the store. */
  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]>
}

/** The intact records of a log, and the damaged byte ranges of its file, whose content is lost. */
export type RecoveredRecords = {
  readonly records: readonly Uint8Array[]
  readonly damaged: readonly { readonly at: number; readonly length: number }[]
}

/** A file of opaque records in the order in which they were appended. All methods are synchronous. */
export interface RecordLog {
  /** Bytes of all records with their framing. */
  readonly size: number
  read(): RecoveredRecords
  /** Appends all records, so that they survive `kill -9`. Throws ChainError `disk-failure`; then none is appended. */
  append(records: readonly Uint8Array[]): void
  /** Replaces all records atomically. */
  replace(records: readonly Uint8Array[]): void
  close(): void
}

export interface KvStore extends KvReader {
  /** One atomic batch: when the promise resolves, the rows survive `kill -9`, and a power cut as `Durable` says. */
  write(batch: readonly WriteOp[]): Promise<void>
  /**
   * Throws ChainError `disk-failure` (`disk full`, `disk failure`) while the disk accepts no writes. Reads continue to work.
   */
  requireWritable(): void
  /** A file next to the rows, for the pool's transactions. */
  readonly log: RecordLog
  /** A reader of the rows at this moment, regardless of later writes (LevelDB's snapshot). Close it after use. */
  consistentReader(): KvReader & { close(): Promise<void> }
  close(): Promise<void>
}

/** An account's fields without storage. Immutable. A missing account is undefined. */
export type Account = { readonly nonce: bigint; readonly balance: bigint; readonly codeHash: Hash }

/** One account's storage, for the native modules. */
export interface SlotAccess {
  load(slot: bigint): bigint
  store(slot: bigint, word: bigint): void
}

/** An account's fields, without storage, at the beginning and end of a period. */
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
/** Accounts with slots, in order of address: what one transaction changed. */
export type TransactionDiff = readonly AccountDiff[]

export type AccountProof = {
  account: Account | undefined
  storageRoot: Hash
  accountProof: Hex[]
  storageProofs: { key: bigint; value: bigint; proof: Hex[] }[]
}

/** A part of the state of a fork: an account with its code, a storage slot, or the hash of a block before the fork. */
export type Wanted =
  | { readonly account: Address; readonly slot?: undefined }
  | { readonly account: Address; readonly slot: Hash }
  | { readonly block: bigint }

/** A call whose accesses the forked chain may know. */
export type ForeseenCall = {
  readonly from?: Address | undefined
  readonly to?: Address | null | undefined
  readonly data?: Uint8Array | undefined
  readonly value?: bigint | undefined
}

/** The parts of the state of a fork that are not on disk (`partial-state.ts`). */
export interface MissingParts {
  /** Whether the value of a row as of a version is on disk, or follows from what is. */
  isKnown(key: Uint8Array, version: number): boolean
  /** Whether a row was changed here up to a version. */
  isChanged(key: Uint8Array, version: number): boolean
  /** The hash of the code that an account has on the forked chain; undefined: it has none, it was not fetched, or it was pruned. */
  firstCode(of: Address): Hash | undefined
  /** Whether an account has storage on the forked chain that was not cleared here up to a version. */
  mayHaveStorage(of: Address, version: number): boolean
  /** Fetches and stores. Throws ChainError if the forked chain cannot be asked or its answer cannot be believed. */
  fetch(wanted: readonly Wanted[]): Promise<void>
  /**
   * Runs work that opens its views itself; fetches what it misses, and runs it again. Throws as `fetch`, and `cancelled` when
   * `signal` is aborted.
   */
  complete<T>(work: () => MaybePromise<T>, signal?: AbortSignal): Promise<T>
  /** Fetches what a row is at the fork, if it is missing. Throws as `fetch`. */
  ensure(key: Uint8Array): Promise<void>
  /** What a call may read, by the forked chain's own execution; empty if it cannot say. */
  foresee(call: ForeseenCall): Promise<readonly Wanted[]>
  /** Whether the forked chain has to be asked for some of these: the cache of other forks does not have all. */
  isFar(wanted: readonly Wanted[]): boolean
}

/** The state at one version. Writes to a view are visible only in it until its changes are committed. */
export interface StateView {
  account(of: Address): Account | undefined
  balance(of: Address): bigint
  nonce(of: Address): bigint
  code(of: Address): Uint8Array
  /** Code by its hash; undefined: no account of this state has or had it, or it is not here. */
  findCode(hash: Hash): Uint8Array | undefined
  /** Code by its hash. Throws if no account of this state has or had this code. */
  codeWith(hash: Hash): Uint8Array
  /** Replaces an account's fields without its storage; undefined removes them. */
  setAccount(of: Address, account: Account | undefined): void
  setBalance(of: Address, amount: bigint): void
  setNonce(of: Address, nonce: bigint): void
  setCode(of: Address, code: Uint8Array): void
  /** Adds an amount, which may be negative. Creates the account. Throws RangeError if the balance would be negative. */
  addBalance(of: Address, amount: bigint): void
  transfer(from: Address, to: Address, amount: bigint): void
  /** Removes the account with its code and storage. */
  deleteAccount(of: Address): void
  storage(of: Address, slot: bigint): bigint
  setStorage(of: Address, slot: bigint, word: bigint): void
  /** As `setStorage`, if its former value does not matter: on a fork it is not fetched. */
  overwriteStorage(of: Address, slot: bigint, word: bigint): void
  clearStorage(of: Address): void
  /** Whether any slot of the account is not zero (EIP-7610). */
  hasStorage(of: Address): boolean
  /** A storage word by its 32-byte key, without leading zeros; no bytes for zero. */
  word(of: Address, key: Hash): Uint8Array
  setWord(of: Address, key: Hash, word: Uint8Array): void
  /** The word at the beginning of the transaction (EIP-2200's original value). */
  originalWord(of: Address, key: Hash): Uint8Array
  slots(of: Address, access: 'read' | 'write'): SlotAccess
  /**
   * Names the contents of storage: two views of a process with the same number have the same words. A write gives a new number; a
   * revert, the one at the checkpoint.
   */
  readonly storageId: number
  /** Merkle root of the state with this view's writes. */
  root(): Hash
  /** Root of an account's storage with this view's writes; reads no trie node unless they changed it. */
  storageRoot(of: Address): Hash
  prove(of: Address, slots: readonly bigint[]): AccountProof
  checkpoint(): void
  commit(): void
  revert(): void
  /** Number of checkpoints that are neither committed nor reverted. */
  readonly checkpoints: number
  /** Begins a transaction: `originalWord` and `transactionDiff` refer to this moment. */
  beginTransaction(): void
  /**
   * Changed coin balances (`balance-notes.ts`), for the index. A revert does not remove notes, so a note may name an unchanged
   * balance.
   */
  readonly balanceNotes: Set<string>
  /** Accounts whose fields differ from those at the view's version, in order of address. */
  changedAccounts(): readonly ChangedAccount[]
  /** Changes since `beginTransaction`. */
  transactionDiff(): TransactionDiff
  /** All accounts and words that the view holds, because they were read or written: at `beginTransaction`, and now. */
  accesses(): TransactionDiff
  /** Number of accounts and words that the view holds, because they were read or written. */
  readonly size: number
  /** Whether the view holds an account; a revert does not change that. */
  holds(of: Address): boolean
  /** An independent copy. */
  fork(): StateView
  /** What is missing from the state of a fork; undefined: nothing. Reading what is missing throws MissingState. */
  readonly missing: MissingParts | undefined
  /** Whether an account of a fork has storage on the forked chain, as of the view's version: its storage root is not complete. */
  hasForkedStorage(of: Address): boolean
  /**
   * A copy that takes what is missing for empty and notes it, for a run whose result is discarded. Only for a view with `missing`.
   */
  trial(): { readonly view: StateView; readonly noted: readonly Wanted[] }
}
