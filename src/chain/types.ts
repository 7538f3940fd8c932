// The interfaces of the chain, by use, and the values they exchange. `block-chain.ts` implements them.
import type { ForkedChain } from '../fork/forked-chain.ts'
import type { AppHashLeaves } from '../ibc/ics23/prove.ts'
import type { ByteBudget } from '../lib/budget.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import type { TxPool } from '../pool/types.ts'
import type { LogCriteria } from '../primitives/log-criteria.ts'
import type {
  AccessList,
  Block,
  Log,
  Receipt,
  SealedHeader,
  Transaction,
  TransactionMessage,
} from '../primitives/types.ts'
import type { IbcProof } from '../runtime/app-hash.ts'
import type { BundleRequest, BundleResult } from '../runtime/bundle.ts'
import type { StateEdit } from '../runtime/edit-state.ts'
import type { BuildOptions } from '../runtime/execute-block.ts'
import type { ExecutionWitness } from '../runtime/execution-witness.ts'
import type { InnerCall, InnerCallOutcome } from '../runtime/inner-call.ts'
import type {
  ConsensusValidator,
  GovernedParams,
  GovernedUpgrades,
  NamedAccount,
  Signer,
} from '../runtime/module-queries.ts'
import type { ReadContract } from '../runtime/read-contract.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { RequestedBlock, SimulatedBlock, SimulationOptions } from '../runtime/simulate.ts'
import type { Reward } from '../runtime/system.ts'
import type { ExecutionRecord } from '../runtime/tracing/execution-recorder.ts'
import type { TracerChoice } from '../runtime/tracing/tracers.ts'
import type { CallOptions, CallOutcome, CallRequest, ExecutedBlock, PayloadAttributes } from '../runtime/types.ts'
import type { ValidatorRecord } from '../runtime/validator-record.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type {
  Account,
  ChangedAccount,
  KvReader,
  KvStore,
  MissingParts,
  StateView,
  TransactionDiff,
  WriteOp,
} from '../state/types.ts'
import type { BlockBuilder } from './block-builder.ts'
import type { Fees } from './fee-types.ts'
import type { GovernedBlocks } from './governed.ts'
import type { RecentBlobs } from './recent-blobs.ts'
import type { TransactionsByBlock } from './replace-blocks.ts'

export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized'
export type BlockRef = BlockTag | { readonly number: bigint } | { readonly hash: Hash }

export type MinedTransaction = {
  readonly transaction: Transaction
  readonly header: SealedHeader
  readonly index: number
}
export type MinedReceipt = MinedTransaction & {
  readonly receipt: Receipt
  /** Index of the receipt's first log within the block. */
  readonly firstLogIndex: number
}

/** A log with its block, transaction and index in the block. */
export type MinedLog = {
  readonly log: Log
  readonly header: SealedHeader
  readonly transactionHash: Hash
  readonly transactionIndex: number
  readonly logIndex: number
}

/** Milliseconds for building or importing a block, and for committing it. */
export type BlockTimes = { readonly built: number; readonly committed: number }

/** The chain's only events. Each is emitted after its change is on disk. */
export interface ChainEvents {
  on(event: 'block', listener: (executed: ExecutedBlock, times: BlockTimes) => void): () => void
  /** A transaction became executable in the pool. */
  on(event: 'pending', listener: (transaction: Transaction) => void): () => void
  /** Blocks were removed (newest first) by a development method such as evm_revert; none if only edits were undone. */
  on(
    event: 'removed',
    listener: (blocks: readonly Block[], logs: readonly MinedLog[], to: RewindTarget) => void,
  ): () => void
  /** The state at the head was changed outside any block. */
  on(event: 'edited', listener: (diff: TransactionDiff) => void): () => void
  /** A snapshot was taken. */
  on(event: 'snapshot', listener: (id: bigint) => void): () => void
}

/** What a rewind goes back to: a snapshot, the state after a block, or the chain's beginning. */
export type RewindTarget =
  | { readonly snapshot: bigint; readonly block?: never }
  | { readonly block: bigint; readonly snapshot?: never }
  | 'beginning'

/**
 * Makes the rows of the index. They depend only on the arguments and are written in the batch of their state version. A state
 * version is made by a block, or by a development method that edits the state.
 */
export type Indexer = {
  /** Names the layout of the rows. */
  readonly format: string
  /** Whether rows of a format can be read; an index of any other format must be rebuilt. */
  reads(format: string): boolean
  /** Rows of a block. `before` has the rows of the previous version; `read` calls contracts on the state after the block. */
  block(
    executed: ExecutedBlock,
    version: number,
    before: KvReader,
    read: ReadContract,
    /** The accounts that the block changed, if they differ from those of its view. */
    changed?: readonly ChangedAccount[],
  ): Promise<WriteOp[]>
  /**
   * Rows of a part of the first accounts: those of block 0 (the last part is passed to `block`), or those of the state snapshot
   * that the chain began with. They are never undone.
   */
  genesisAccounts(
    executed: ExecutedBlock,
    part: readonly ChangedAccount[],
    before: KvReader,
    read: ReadContract,
  ): Promise<WriteOp[]>
  /** Every address that occurred up to a block, in order. */
  addresses(rows: KvReader, number: bigint): AsyncIterable<Address>
  /**
   * Rows of the token holdings of a part of the addresses (`count`, at most 4,000 at a time), on the state snapshot that the
   * chain began with; `before` has the rows of its accounts. They are never undone.
   */
  firstHolders(
    executed: ExecutedBlock,
    part: readonly Address[],
    count: number,
    before: KvReader,
    read: ReadContract,
  ): Promise<WriteOp[]>
  /** Rows of a state edit after block `number`; `view` has the state after the edit. */
  edit(
    changed: readonly ChangedAccount[],
    view: StateView,
    number: bigint,
    version: number,
    before: KvReader,
  ): Promise<WriteOp[]>
  /** The operations that undo a version's rows. Undo several versions newest first. */
  undo(version: number, now: KvReader): WriteOp[]
}

/** Announces the readable block to other threads. The canonical chain calls it; `readers/` implements it. */
export type HeadPublisher = {
  /** Call it when everything up to this block and state version is on disk. */
  moved(number: bigint, version: number): void
  /**
   * Call it before versions are undone: until the next `moved`, rows may be old or new, and no answer may be made from them.
   */
  rewinding(): void
}

/** One account with its code and storage. */
export type DumpedAccount = {
  readonly address: Address
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Hash, Hash>
}

export type TraceOptions = {
  readonly choice: TracerChoice
  /** Maximum milliseconds for one transaction or call. */
  readonly timeout: number
  /** The client's connection: tracing ends when it closes. */
  readonly signal?: AbortSignal | undefined
  /**
   * Runs work on another thread and frees the request's slot in the work queue for that time. Left out: the request holds no
   * slot.
   */
  readonly elsewhere?: (<T>(task: () => Promise<T>) => Promise<T>) | undefined
}

/** A state: after a block, or, with `index`, after its first `index` transactions. */
export type TracePoint = { readonly ref: BlockRef; readonly index: number | undefined }

/** Consecutive calls, each on the state after the previous one. */
export type CallBundle = CallOptions & { readonly requests: readonly CallRequest[] }

export type ReplayDetail = {
  /** Whether to record every opcode, too. */
  readonly opcodes?: boolean
  /** Whether to keep inputs and outputs of inner calls; left out: yes. */
  readonly bytes?: boolean
  /** Bytes that these may take, for several replays of one request; left out: 64 MB for each replay. */
  readonly budget?: ByteBudget
  /** The client's connection: replaying ends when it closes. */
  readonly signal?: AbortSignal | undefined
}

/** A mined transaction and the record of its second execution. */
export type Replayed = ExecutionRecord & MinedTransaction

/**
 * Executes mined transactions and blocks again. Throws `not-found` for unknown blocks, transactions and tracers and for the
 * genesis block, `invalid-params` for settings that a tracer does not take, `execution-failed` when the time is up.
 */
export interface Traces {
  transaction(hash: Hash, options: TraceOptions): Promise<unknown>
  /** A stored block, or a given block whose parent is stored. */
  block(
    of: BlockRef | Block,
    options: TraceOptions,
  ): Promise<readonly (TraceResult & { readonly transaction: Transaction })[]>
  call(request: CallRequest, at: TracePoint, options: TraceOptions, overrides?: CallOptions): Promise<unknown>
  calls(bundles: readonly CallBundle[], at: TracePoint, options: TraceOptions): Promise<readonly unknown[][]>
  replayTransaction(hash: Hash, detail?: ReplayDetail): Promise<Replayed>
  replayBlock(of: BlockRef, detail?: ReplayDetail): Promise<readonly Replayed[]>
  /** Consecutive calls, each on the state after the previous one. */
  replayCalls(
    requests: readonly CallRequest[],
    at: TracePoint,
    detail?: ReplayDetail,
  ): Promise<readonly ExecutionRecord[]>
  /** The proof-of-work rewards of a block; empty after the merge. */
  rewards(block: Block): readonly Reward[]
  /** State roots after each transaction of a block. */
  rootsWithin(of: BlockRef, signal?: AbortSignal): Promise<readonly Hash[]>
}

/** A part of a long list; `next`: the hash at which the next part begins, undefined at the end. */
export type StatePage<T> = { readonly items: readonly T[]; readonly next: Hash | undefined }
export type InspectedSlot = { readonly hash: Hash; readonly key: Hash; readonly value: bigint }
export type InspectedAccount = {
  readonly hash: Hash
  readonly address: Address
  readonly account: Account
  readonly storageRoot: Hash
  /** undefined and empty if not requested. */
  readonly code: Uint8Array | undefined
  readonly storage: readonly InspectedSlot[]
}

/** An opcode proposal that this program knows. */
export type KnownProposal = {
  readonly name: string
  readonly title: string
  readonly isActive: boolean
  /** What it changes in the opcode table of the block's fork if it is the only active one. */
  readonly changes: ReturnType<Runtime['changesOf']>
}

/**
 * Pages of state in the order of the trie (by hash of address or slot), and queries of the native modules. Long queries end
 * with ChainError `cancelled` when the connection of `signal` is closed.
 */
export interface StateQueries {
  slots(
    of: Address,
    at: TracePoint,
    start: Hash,
    count: number,
    signal?: AbortSignal,
  ): Promise<StatePage<InspectedSlot>>
  accounts(
    ref: BlockRef,
    start: Hash,
    count: number,
    include: { readonly code: boolean; readonly storage: boolean },
    signal?: AbortSignal,
  ): Promise<StatePage<InspectedAccount> & { readonly root: Hash }>
  witness(ref: BlockRef, signal: AbortSignal): Promise<ExecutionWitness>
  /** Accounts that differ between the states after block `from` and after block `to`. */
  modified(from: bigint, to: bigint, signal?: AbortSignal): Promise<readonly Address[]>
  /** A text for each broken invariant of the native modules after a block; empty if there is none. */
  invariants(ref: BlockRef, signal?: AbortSignal): Promise<readonly string[]>
  /** Validators that sign a block, strongest first, with their voting power in it. Empty on a plain chain. */
  signers(block: bigint): Promise<readonly Signer[]>
  /** The validator of an operator or with a consensus address, after a block; undefined: there is none. */
  validator(ref: BlockRef, of: Address): Promise<ValidatorRecord | undefined>
  /** The opcode proposals that are active after a block, in order of application. Empty on a plain chain. */
  activeProposals(ref: BlockRef): Promise<readonly string[]>
  /** Floor of the base fee of blocks after this one, in wei per gas; undefined: the chain has no such parameter. */
  minBaseFee(ref: BlockRef): Promise<bigint | undefined>
  /** Parameters of staking after a block, the unbonding time in seconds; undefined: the chain has no native modules. */
  stakingParams(
    ref: BlockRef,
  ): Promise<Readonly<Record<'unbondingTime' | 'maxValidators' | 'maxEntries', bigint>> | undefined>
  /** Parameters of consensus after a block; undefined: governance has set none. */
  consensusParams(ref: BlockRef): Promise<GovernedParams | undefined>
  /** What the app hash commits to after an executed block, or after a committed one; undefined: block unknown, or its state pruned. */
  appHashLeaves(after: ExecutedBlock | bigint): AppHashLeaves | undefined
  /** Proves an entry of IBC's provable store, or its absence. Throws `not-allowed` without IBC, `header-not-found`, `state-not-available`. */
  ibcProof(ref: BlockRef, key: Uint8Array): Promise<IbcProof & { readonly block: bigint }>
  /** Upgrades that governance has scheduled: those that have happened at a block, and the one to come. */
  upgrades(ref: BlockRef): Promise<GovernedUpgrades>
  /** The accounts with native code. */
  nativeAccounts(ref: BlockRef, signal: AbortSignal): Promise<readonly NamedAccount[]>
  /** By name. */
  proposals(ref: BlockRef): Promise<readonly KnownProposal[]>
}

// --- the chain's interfaces

/** Reads committed data. A reader never waits for a writer; only the reference `pending` waits for a build. */
export interface ChainReader {
  readonly spec: ChainSpec
  readonly head: SealedHeader
  /**
   * The first block, also the tag `earliest`: 0, or the block of the state snapshot that the chain began with. Of a fork: the block
   * after that of the fork.
   */
  readonly base: bigint
  /** The oldest block whose state can be read; states of earlier blocks were pruned. */
  readonly oldestState: bigint
  /** The chain that this one is a fork of. Questions about its blocks throw BeforeFork (`fork.ts`). */
  readonly forked: ForkedChain | undefined
  /**
   * Fetches what is missing from the states of a fork; undefined: this chain is no fork. Reading a view of a fork may throw
   * MissingState, so callers read it within `untilComplete` (`state/partial-state.ts`). The methods here that return a promise do
   * that themselves.
   */
  readonly missing: MissingParts | undefined
  /** undefined: unknown block. `safe` and `finalized` are the head, because blocks are final at once. */
  header(ref: BlockRef): Promise<SealedHeader | undefined>
  block(ref: BlockRef): Promise<Block | undefined>
  /** Receipts of a stored block, in transaction order. */
  receipts(block: Hash): readonly Receipt[] | undefined
  /** The block access list of a stored block, in RLP; undefined: unknown block, or one before Amsterdam. */
  accessList(number: bigint): Uint8Array | undefined
  /** A mined transaction; the pool has those that wait. */
  transaction(hash: Hash): MinedTransaction | undefined
  receipt(hash: Hash): MinedReceipt | undefined
  /** A mined transaction, and one with its receipt, by number of the block and position in it. The others are not decoded. */
  transactionAt(number: bigint, index: number): MinedTransaction | undefined
  receiptAt(number: bigint, index: number): MinedReceipt | undefined
  /** Matching logs of a stored block, in order; undefined: unknown block. */
  logs(number: bigint, criteria: LogCriteria): readonly MinedLog[] | undefined
  /** A log by number of the block and index in it. */
  logAt(number: bigint, index: number): MinedLog | undefined
  /** undefined: unknown block; the hash of the genesis block is always known. */
  canonicalHash(number: bigint): Hash | undefined
  /** A fresh view after the block; throws ChainError `header-not-found`, `state-not-available`. */
  at(ref: BlockRef): Promise<{ readonly header: SealedHeader; readonly view: StateView & { readonly version: number } }>
}

/** Executes messages and transactions on a state and discards the changes. */
export interface Caller {
  readonly traces: Traces
  readonly stateQueries: StateQueries
  /**
   * Runs a message on the block's state. Throws `header-not-found`, `transaction-rejected`, `limit-exceeded`; a revert is a
   * result.
   */
  call(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<CallOutcome>
  /** The smallest gas limit that suffices. Throws `execution-reverted` with data, `execution-failed`, `transaction-rejected`. */
  estimateGas(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<bigint>
  createAccessList(
    request: CallRequest,
    ref: BlockRef,
    options?: CallOptions,
  ): Promise<{ readonly accessList: AccessList; readonly gasUsed: bigint; readonly error: string | undefined }>
  /** Builds blocks of calls on a block and discards them. Throws as `simulate` of the runtime, and `header-not-found`. */
  simulate(
    blocks: readonly RequestedBlock[],
    ref: BlockRef,
    options: SimulationOptions,
  ): Promise<readonly SimulatedBlock[]>
  /** Runs signed transactions in a block on another one, and discards it. Throws as `runBundle` of the runtime. */
  runBundle(bundle: BundleRequest, ref: BlockRef, signal: AbortSignal): Promise<BundleResult>
  /** Runs a message as code within a transaction sends it. Throws `header-not-found`, `limit-exceeded`; a failure is a result. */
  innerCall(call: InnerCall, ref: BlockRef, signal?: AbortSignal): Promise<InnerCallOutcome>
  /** Builds a block on the head and discards it. Candidates default to the pool's executable transactions. */
  build(
    attributes?: Partial<PayloadAttributes>,
    candidates?: Iterable<Transaction>,
    options?: BuildOptions,
  ): Promise<ExecutedBlock>
}

/**
 * Who sent a transaction to this node; the default is a client. The node writes a client's transaction to its journal before it answers
 * with the hash. It does not write a peer's transaction: the node that got it from the client has it in its journal.
 */
export type TransactionOrigin = 'client' | 'peer'

/** Accepts transactions into the pool. */
export interface TransactionIntake {
  readonly pool: TxPool
  /** Decodes, checks and pools a signed transaction (blobs in network form). Throws `transaction-rejected` in geth's words. */
  submit(raw: Uint8Array, origin?: TransactionOrigin): Promise<Hash>
  /** Recovers senders on threads, so that `submit` of these transactions need not wait for them. Ignores malformed ones. */
  prefetchSenders(raws: readonly Uint8Array[]): Promise<void>
  /** Pools a transaction of an account without a key (development: impersonation). */
  submitUnsigned(message: TransactionMessage): Promise<Hash>
  /** The blobs of its newest mined transactions. */
  readonly blobs: RecentBlobs
}

/** Adds blocks, for `consensus/`. One writer at a time; others wait for the lock. */
export interface BlockWriter {
  /** Sets the producer's attributes for the next block: the defaults of `openBlock`, `build` and `pending`. */
  proposeAttributes(attributes: () => Partial<PayloadAttributes>): void
  /**
   * Fee recipient of the next block unless its attributes name another: the operator of the validator in turn, or the zero
   * address.
   */
  readonly proposer: Address
  /**
   * Acquires the writer's lock and opens a block on the head. The builder holds the lock until `seal` or `abandon`. On a fork it does
   * not wait for what is missing, unless `fetches`. Throws `disk-failure` while the disk accepts no writes, and MissingState.
   */
  openBlock(attributes?: Partial<PayloadAttributes>, fetches?: boolean): Promise<BlockBuilder>
  /** Fetches what candidates of a block were left out for. Settles with whether some of them may run now. */
  fetchFor(unfetched: BlockBuilder['unfetched']): Promise<boolean>
  /** Opens a block, offers it the pool's executable transactions, and seals it. */
  produce(attributes?: Partial<PayloadAttributes>): Promise<ExecutedBlock>
  /** Writes a block in one batch, then moves the head. The block's parent must be the head. */
  commit(executed: ExecutedBlock): Promise<void>
  /** Executes and commits an RLP-encoded block. Throws `invalid-block`; then nothing is written. */
  importBlock(raw: Uint8Array): Promise<ExecutedBlock>
}

/** Changes committed data, for development only. */
export interface DevControl {
  /** Every account at the head, in order of address. */
  accounts(signal?: AbortSignal): AsyncIterable<DumpedAccount>
  /** Changes the state at the head outside any block. */
  edit(change: StateEdit): Promise<void>
  /** A snapshot of head, state and pool; returns its id. `restore` is called after a revert to it, for what the chain does not hold. */
  snapshot(restore?: () => void): bigint
  /** The heads of the existing snapshots, by id. */
  snapshots(): ReadonlyMap<bigint, SealedHeader>
  /** Reverts to a snapshot and deletes it and all later ones. False if it is unknown. */
  rollback(snapshot: bigint): Promise<boolean>
  /**
   * Removes and returns all blocks after this number; block 0 gets the genesis state again. `waiting`: whether the pool stays.
   * Throws ChainError `header-not-found` for an unknown number, `state-not-available` if the state was pruned.
   */
  rewind(number: bigint, waiting?: 'dropped' | 'kept'): Promise<readonly Block[]>
  /**
   * Replaces all blocks after `ancestor`; given transactions that cannot be executed are `refused`. The pool stays, edits after the first
   * removed block are undone. Each block is a commit: readers see, and a crash leaves, what was made so far. Throws as `rewind`.
   */
  reorganize(ancestor: bigint, transactions: TransactionsByBlock): Promise<readonly ExecutedBlock[]>
  /** Goes back to block 0, or to the beginning of a fork, and empties the pool. Throws as `rewind`. */
  reset(): Promise<readonly Block[]>
  /** Makes the head the chain's beginning: `reset` goes back to it, and earlier states cannot be read. */
  beginAtHead(): Promise<void>
}

/** What CometBFT needs in addition to building and committing blocks. */
export interface ConsensusFace {
  /**
   * Executes a block proposal on the head and discards it. Throws ChainError `invalid-block` or `transaction-rejected` at the
   * first transaction that is malformed or may not be in the block; most of these are found before anything runs.
   */
  executeProposal(
    attributes: Partial<PayloadAttributes>,
    raws: readonly Uint8Array[],
    pause?: Pause,
  ): Promise<ExecutedBlock>
  /** Transactions of a decided block, their senders recovered on threads; undefined for a malformed one. */
  decode(raws: readonly Uint8Array[]): Promise<readonly (Transaction | undefined)[]>
  /** What governance has decided about the next blocks. */
  readonly governed: GovernedBlocks
  /** The bonded validators after an executed block, or after the head. */
  validators(after?: ExecutedBlock): readonly ConsensusValidator[]
  /** The operator that uses or used the key of a consensus address, in the state at the head. */
  operatorOf(signer: Address): Address | undefined
}

/** The whole chain. Use one of the interfaces above if it suffices. */
export interface Chain extends ChainReader, Caller, TransactionIntake, BlockWriter, ConsensusFace, DevControl {
  readonly store: KvStore
  readonly fees: Fees
  readonly events: ChainEvents
  close(): Promise<void>
}

/** A task for a tracer: a mined transaction, all of a block, or calls. */
export type TraceTask =
  | { readonly kind: 'transaction'; readonly hash: Hash }
  /** `only`: index of the one transaction to trace; left out: all. */
  | { readonly kind: 'block'; readonly of: Block; readonly only?: number | undefined }
  | { readonly kind: 'calls'; readonly bundles: readonly CallBundle[]; readonly at: TracePoint }

/** The result of a tracer, or the error of a client's tracer. */
export type TraceResult = { readonly result: unknown } | { readonly error: string }

/** Runs clients' JavaScript tracers on a thread other than the one that makes blocks; `js-tracers/` implements it. */
export type ScriptedTraces = {
  /** The traces as lists: one for a transaction or block, one for each bundle. `pending`: the block of that tag. */
  run(task: TraceTask, options: TraceOptions, pending: () => Promise<Block | undefined>): Promise<TraceResult[][]>
}
