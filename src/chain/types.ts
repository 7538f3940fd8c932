// The interfaces of the chain, by use, and the values that they exchange. `block-chain.ts` implements them.
import type { Address, Hash } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import type { TxPool } from '../pool/types.ts'
import type {
  AccessList,
  Block,
  Log,
  Receipt,
  SealedHeader,
  Transaction,
  TransactionMessage,
} from '../primitives/types.ts'
import type { StateEdit } from '../runtime/edit-state.ts'
import type { BuildOptions } from '../runtime/execute-block.ts'
import type { ConsensusValidator, Signer } from '../runtime/module-queries.ts'
import type { ReadContract } from '../runtime/read-contract.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { RequestedBlock, SimulatedBlock, SimulationOptions } from '../runtime/simulate.ts'
import type { Reward } from '../runtime/system.ts'
import type { ExecutionRecord } from '../runtime/tracing/execution-recorder.ts'
import type { TracerChoice } from '../runtime/tracing/tracers.ts'
import type { CallOptions, CallOutcome, CallRequest, ExecutedBlock, PayloadAttributes } from '../runtime/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { Account, ChangedAccount, KvReader, KvStore, StateView, WriteOp } from '../state/types.ts'
import type { BlockBuilder } from './block-builder.ts'

export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized'
export type BlockRef = BlockTag | { readonly number: bigint } | { readonly hash: Hash }

export type MinedTransaction = {
  readonly transaction: Transaction
  readonly header: SealedHeader
  readonly index: number
}
export type MinedReceipt = MinedTransaction & {
  readonly receipt: Receipt
  /** Index within the block of the receipt's first log. */
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

/** Milliseconds that a block took until it was executed, and until it was on disk after that. */
export type BlockTimes = { readonly built: number; readonly committed: number }

/** The chain's only events. Each is emitted after its change is on disk. */
export interface ChainEvents {
  on(event: 'block', listener: (executed: ExecutedBlock, times: BlockTimes) => void): () => void
  /** A transaction became executable in the pool. */
  on(event: 'pending', listener: (transaction: Transaction) => void): () => void
  /** Blocks were removed (newest first) by a development method such as evm_revert. */
  on(event: 'removed', listener: (blocks: readonly Block[], logs: readonly MinedLog[]) => void): () => void
}

/**
 * Makes the rows of the index (tables that readers query): pure functions of their arguments, written in the batch of the
 * version they belong to. A version of the state is made by a block, or by a development method that edits the state.
 */
export type Indexer = {
  /** Names the layout of the rows. */
  readonly format: string
  /** Whether rows of a format can be read; an index of any other must be made again. */
  reads(format: string): boolean
  /** Rows of a block; `before` holds those of the version before, `read` asks contracts on the state after the block. */
  block(
    executed: ExecutedBlock,
    version: number,
    before: KvReader,
    read: ReadContract,
    /** The accounts that the block changed, where they are not those of its view. */
    changed?: readonly ChangedAccount[],
  ): Promise<WriteOp[]>
  /**
   * Rows of a part of the accounts that block 0 begins with, of which the last part goes to `block`, or of those that the first
   * block of a chain with a base begins with. They are never undone.
   */
  genesisAccounts(
    executed: ExecutedBlock,
    part: readonly ChangedAccount[],
    before: KvReader,
    read: ReadContract,
  ): Promise<WriteOp[]>
  /** Every address that had appeared up to a block, in order. */
  addresses(rows: KvReader, number: bigint): AsyncIterable<Address>
  /**
   * Rows of what a part of `count` addresses hold, at most 4,000 at a time, on the state that a chain with a base begins with;
   * `before` has the rows of its accounts. They are never undone.
   */
  firstHolders(
    executed: ExecutedBlock,
    part: readonly Address[],
    count: number,
    before: KvReader,
    read: ReadContract,
  ): Promise<WriteOp[]>
  /** Rows of an edit of the state after block `number`; `view` has the state after the edit. */
  edit(
    changed: readonly ChangedAccount[],
    view: StateView,
    number: bigint,
    version: number,
    before: KvReader,
  ): Promise<WriteOp[]>
  /** The operations that undo a version's rows, exactly. Several versions must be undone newest first. */
  undo(version: number, now: KvReader): WriteOp[]
}

/** Tells other threads which block they may read. The canonical chain calls it; `readers/` implements it. */
export type HeadPublisher = {
  /** The head is this block with this version of the state; everything up to it is on disk. */
  moved(number: bigint, version: number): void
  /** Versions are about to be undone: until `moved`, rows may be of either side, and no answer may be made of them. */
  rewinding(): void
}

/** One account with everything it holds. */
export type DumpedAccount = {
  readonly address: Address
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Hash, Hash>
}

export type TraceOptions = {
  readonly choice: TracerChoice
  /** Milliseconds that one transaction or call may take. */
  readonly timeout: number
  /** The connection that asks: tracing ends when it is closed. */
  readonly signal?: AbortSignal | undefined
  /** Runs work of another thread: the request's slot in the work queue is free meanwhile. Left out: it holds no slot. */
  readonly elsewhere?: (<T>(task: () => Promise<T>) => Promise<T>) | undefined
}

/** A state: after a block, or, with `index`, after the first `index` transactions of it. */
export type TracePoint = { readonly ref: BlockRef; readonly index: number | undefined }

/** Calls that follow each other, each on what the one before left. */
export type CallBundle = CallOptions & { readonly requests: readonly CallRequest[] }

export type ReplayDetail = {
  /** Records every opcode too. */
  readonly opcodes?: boolean
  /** The connection that asks: replaying ends when it is closed. */
  readonly signal?: AbortSignal | undefined
}

/** A mined transaction and what it did when it was run again. */
export type Replayed = ExecutionRecord & MinedTransaction

/**
 * Runs mined transactions and blocks again. Throws `not-found` for unknown blocks and transactions, genesis and unknown tracers, `invalid-params`
 * for settings a tracer does not take, `execution-failed` when the time is up.
 */
export interface Traces {
  transaction(hash: Hash, options: TraceOptions): Promise<unknown>
  /** A stored block, or a block from elsewhere whose parent is stored. */
  block(
    of: BlockRef | Block,
    options: TraceOptions,
  ): Promise<readonly (TraceResult & { readonly transaction: Transaction })[]>
  call(request: CallRequest, at: TracePoint, options: TraceOptions, overrides?: CallOptions): Promise<unknown>
  calls(bundles: readonly CallBundle[], at: TracePoint, options: TraceOptions): Promise<readonly unknown[][]>
  replayTransaction(hash: Hash, detail?: ReplayDetail): Promise<Replayed>
  replayBlock(of: BlockRef, detail?: ReplayDetail): Promise<readonly Replayed[]>
  /** Calls that follow each other, each on what the one before left. */
  replayCalls(
    requests: readonly CallRequest[],
    at: TracePoint,
    detail?: ReplayDetail,
  ): Promise<readonly ExecutionRecord[]>
  /** The rewards that proof of work paid for a block; empty after the merge. */
  rewards(block: Block): readonly Reward[]
  /** State roots after each transaction of a block. */
  rootsWithin(of: BlockRef, signal?: AbortSignal): Promise<readonly Hash[]>
}

/** A part of a long list; `next`: the hash at which the rest begins, undefined at the end. */
export type StatePage<T> = { readonly items: readonly T[]; readonly next: Hash | undefined }
export type InspectedSlot = { readonly hash: Hash; readonly key: Hash; readonly value: bigint }
export type InspectedAccount = {
  readonly hash: Hash
  readonly address: Address
  readonly account: Account
  readonly storageRoot: Hash
  /** undefined and empty when they were not asked for. */
  readonly code: Uint8Array | undefined
  readonly storage: readonly InspectedSlot[]
}

/** An improvement proposal that this program knows. */
export type KnownProposal = {
  readonly name: string
  readonly title: string
  readonly isActive: boolean
  /** What it changes by itself in the opcode table of the block's fork. */
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
  /** Accounts that are different after block `to` from what they were after block `from`. */
  modified(from: bigint, to: bigint, signal?: AbortSignal): Promise<readonly Address[]>
  /** A text for each invariant of the native modules that is broken after a block; empty when none is. */
  invariants(ref: BlockRef, signal?: AbortSignal): Promise<readonly string[]>
  /** Validators who sign a block, the strongest first, with their power in it. None on a plain chain. */
  signers(block: bigint): Promise<readonly Signer[]>
  /** The EVM's parameters after a block: improvement proposals in order of application. None on a plain chain. */
  activeProposals(ref: BlockRef): Promise<readonly string[]>
  /** Floor of the base fee of blocks after a block, in wei per gas; undefined: the chain has no such parameter. */
  minBaseFee(ref: BlockRef): Promise<bigint | undefined>
  /** By name. */
  proposals(ref: BlockRef): Promise<readonly KnownProposal[]>
}

// --- fees

export type FeeHistory = {
  readonly oldestBlock: bigint
  /** One more item than blocks: the last one is of the next block. */
  readonly baseFeePerGas: readonly bigint[]
  readonly gasUsedRatio: readonly number[]
  readonly baseFeePerBlobGas: readonly bigint[]
  readonly blobGasUsedRatio: readonly number[]
  /** Per block, the effective tip at each requested percentile; undefined when none was requested. */
  readonly reward: readonly (readonly bigint[])[] | undefined
}

export interface Fees {
  /** EIP-1559 base fee of the block after the head; undefined before London. */
  nextBaseFee(): bigint | undefined
  nextBlobBaseFee(): bigint | undefined
  /** Floor of the base fee of the blocks to come, in wei per gas; 0: none. */
  minBaseFee(): bigint
  /** A legacy gas price that stays valid while the base fee rises for some blocks. */
  gasPrice(): bigint
  maxPriorityFeePerGas(): bigint
  /** Throws ChainError `cancelled` when the connection of `signal` is closed. */
  history(
    count: number,
    newest: SealedHeader,
    percentiles?: readonly number[],
    signal?: AbortSignal,
  ): Promise<FeeHistory>
}

// --- the chain's interfaces

/** Reading what is committed. A reader never waits for a writer; only the reference `pending` waits for a build. */
export interface ChainReader {
  readonly head: SealedHeader
  /** The first block, which is the tag `earliest`: 0, unless the chain began with a snapshot of another node's state. */
  readonly base: bigint
  /** The oldest block whose state can be read; those of earlier ones were pruned. */
  readonly oldestState: bigint
  /** undefined: no such block. `safe` and `finalized` are the head: a block here is final at once. */
  header(ref: BlockRef): Promise<SealedHeader | undefined>
  block(ref: BlockRef): Promise<Block | undefined>
  /** Receipts of a stored block, in transaction order. */
  receipts(block: Hash): readonly Receipt[] | undefined
  /** A mined transaction; waiting ones are in the pool. */
  transaction(hash: Hash): MinedTransaction | undefined
  receipt(hash: Hash): MinedReceipt | undefined
  /** undefined: no such block; the hash of block 0 is always known. */
  canonicalHash(number: bigint): Hash | undefined
  /** A fresh view after the block; throws ChainError `header-not-found`, `state-not-available`. */
  at(ref: BlockRef): Promise<{ readonly header: SealedHeader; readonly view: StateView }>
}

/** Running messages and transactions on a state without keeping anything. */
export interface Caller {
  readonly traces: Traces
  readonly stateQueries: StateQueries
  /** Runs a message on the block's state. Throws `header-not-found`, `transaction-rejected`, `limit-exceeded`; a revert is an outcome. */
  call(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<CallOutcome>
  /** The smallest gas limit that suffices. Throws `execution-reverted` with data, `execution-failed`, `transaction-rejected`. */
  estimateGas(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<bigint>
  createAccessList(
    request: CallRequest,
    ref: BlockRef,
    options?: CallOptions,
  ): Promise<{ readonly accessList: AccessList; readonly gasUsed: bigint; readonly error: string | undefined }>
  /** Builds blocks of calls on top of a block; none is kept. Throws as `simulate` of the runtime, and `header-not-found`. */
  simulate(
    blocks: readonly RequestedBlock[],
    ref: BlockRef,
    options: SimulationOptions,
  ): Promise<readonly SimulatedBlock[]>
  /** Runs a block on the head and keeps nothing. Candidates default to the pool's ready transactions. */
  build(
    attributes?: Partial<PayloadAttributes>,
    candidates?: Iterable<Transaction>,
    options?: BuildOptions,
  ): Promise<ExecutedBlock>
}

/** Transactions on their way into a block. */
export interface TransactionIntake {
  readonly pool: TxPool
  /** Decodes, checks and pools a signed transaction (blobs in network form). Throws `transaction-rejected` in geth's words. */
  submit(raw: Uint8Array): Promise<Hash>
  /** Pools a transaction of an account without a key (development: impersonation). */
  submitUnsigned(message: TransactionMessage): Promise<Hash>
}

/** Adding blocks: consensus uses it. One writer at a time; the others wait for the lock. */
export interface BlockWriter {
  /** Attributes of the next block that the producer proposes; they are the defaults of `openBlock`, `build` and `pending`. */
  proposeAttributes(attributes: () => Partial<PayloadAttributes>): void
  /**
   * Fee recipient of the next block unless its attributes name another: the operator of the validator whose turn it is, or
   * the zero address.
   */
  readonly proposer: Address
  /**
   * Takes the writer's lock and begins a block on the head. The builder holds the lock until `seal` or `abandon`. Throws
   * `disk-failure` while the disk takes no writes.
   */
  openBlock(attributes?: Partial<PayloadAttributes>): Promise<BlockBuilder>
  /** Opens a block, offers it the pool's ready transactions, and seals it. */
  produce(attributes?: Partial<PayloadAttributes>): Promise<ExecutedBlock>
  /** Writes a block in one batch; only then the head moves. Its parent must be the head. */
  commit(executed: ExecutedBlock): Promise<void>
  /** Executes and commits a block that was made elsewhere, as RLP. Throws `invalid-block`; then nothing is written. */
  importBlock(raw: Uint8Array): Promise<ExecutedBlock>
}

/** Changing what is committed, for development only. */
export interface DevControl {
  /** Every account at the head, in order of address. */
  accounts(signal?: AbortSignal): AsyncIterable<DumpedAccount>
  /** Changes the state at the head outside any block. */
  edit(change: StateEdit): Promise<void>
  /**
   * Takes a snapshot of head, state and pool, and returns its id; snapshots may be nested. `restore` is called when the chain
   * went back to it, for what the chain does not hold (the producer's clock).
   */
  snapshot(restore?: () => void): bigint
  /** The heads of the snapshots that can be gone back to, by id. */
  snapshots(): ReadonlyMap<bigint, SealedHeader>
  /** Goes back to a snapshot, which is used up with all later ones. False when there is no such snapshot. */
  rollback(snapshot: bigint): Promise<boolean>
  /**
   * Removes all blocks after this number with their transactions; block 0 gets the genesis state again. `waiting` says whether
   * the pool's transactions stay; 'dropped' when left out. Throws ChainError `header-not-found` for a number before the first
   * block or after the head, `state-not-available` where states were pruned.
   */
  rewind(number: bigint, waiting?: 'dropped' | 'kept'): Promise<void>
}

/** What a network's consensus engine needs beside building and committing blocks. */
export interface ConsensusFace {
  /**
   * Runs a proposed block on the head and keeps nothing. Throws ChainError `invalid-block` or `transaction-rejected` at the first
   * transaction that is malformed or that the block may not contain; most of those are found before anything runs.
   */
  executeProposal(
    attributes: Partial<PayloadAttributes>,
    raws: readonly Uint8Array[],
    pause?: Pause,
  ): Promise<ExecutedBlock>
  /** Transactions of a decided block, their senders recovered on threads; undefined for one that is malformed. */
  decode(raws: readonly Uint8Array[]): Promise<readonly (Transaction | undefined)[]>
  /** The bonded validators after an executed block, or after the head. */
  validators(after?: ExecutedBlock): readonly ConsensusValidator[]
  /** On the state at the head: who signs, or signed, with the key of a consensus address. */
  operatorOf(signer: Address): Address | undefined
}

/** The whole chain. Use one of the interfaces above where it suffices. */
export interface Chain extends ChainReader, Caller, TransactionIntake, BlockWriter, ConsensusFace, DevControl {
  readonly spec: ChainSpec
  readonly store: KvStore
  readonly fees: Fees
  readonly events: ChainEvents
  close(): Promise<void>
}

/** A task for a tracer: a mined transaction, all of a block, or calls. */
export type TraceTask =
  | { readonly kind: 'transaction'; readonly hash: Hash }
  | { readonly kind: 'block'; readonly of: Block }
  | { readonly kind: 'calls'; readonly bundles: readonly CallBundle[]; readonly at: TracePoint }

/** The result of a tracer, or the error of a client's own one. */
export type TraceResult = { readonly result: unknown } | { readonly error: string }

/**
 * Runs tracers in clients' JavaScript, on another thread than the one that makes blocks; `js-tracers/` implements it.
 */
export type ScriptedTraces = {
  /** The task's traces in lists: of the transaction, of the block, of each bundle. `pending`: the block of that name. */
  run(task: TraceTask, options: TraceOptions, pending: () => Promise<Block | undefined>): Promise<TraceResult[][]>
}
