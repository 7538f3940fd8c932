// What the faces and the block producer see of the chain. `chain.ts` implements it.
// Reading never waits for a writer; only the `pending` reference awaits a build.
import type { Address, Hash, Hex } from '../lib/hex.ts'
import type { TxPool } from '../pool/types.ts'
import type { AccessList, Block, Log, Message, Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import type { CallOptions, CallOutcome, CallRequest, ExecutedBlock, HeaderDraft } from '../runtime/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { KvStore, Op, Reader, StateView } from '../state/types.ts'

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

/** A log with the place where it stands. */
export type MinedLog = {
  readonly log: Log
  readonly header: SealedHeader
  readonly transactionHash: Hash
  readonly transactionIndex: number
  readonly logIndex: number
}

export type FeeHistory = {
  readonly oldestBlock: bigint
  /** One more than blocks: the last is the next block's. */
  readonly baseFeePerGas: readonly bigint[]
  readonly gasUsedRatio: readonly number[]
  readonly baseFeePerBlobGas: readonly bigint[]
  readonly blobGasUsedRatio: readonly number[]
  /** Per block, the effective tip at each asked percentile; absent when none was asked. */
  readonly reward: readonly (readonly bigint[])[] | undefined
}

export interface Fees {
  /** EIP-1559 base fee of the block after the head; undefined before London. */
  nextBaseFee(): bigint | undefined
  nextBlobBaseFee(): bigint | undefined
  /** A legacy gas price that stays valid while the base fee rises for some blocks. */
  gasPrice(): bigint
  maxPriorityFeePerGas(): bigint
  history(count: number, newest: SealedHeader, percentiles: readonly number[] | undefined): FeeHistory
}

/** The chain's only signals. They fire after the disk holds what they tell. */
export interface LiveEvents {
  on(event: 'block', listener: (executed: ExecutedBlock) => void): () => void
  /** A transaction became executable in the pool. */
  on(event: 'pending', listener: (transaction: Transaction) => void): () => void
  /** Blocks were taken back (newest first), by evm_revert and its kin. */
  on(event: 'removed', listener: (blocks: readonly Block[], logs: readonly MinedLog[]) => void): () => void
}

/** Rows of readers' tables for one block: a pure function of its arguments, written in the block's own batch. */
export type Indexer = {
  /** Rows to add for the block; `before` holds the rows of the block before. */
  rows(executed: ExecutedBlock, before: Reader): Promise<Op[]>
  /** Operations that take a block's rows back, exactly. */
  undo(block: Block, receipts: readonly Receipt[], now: Reader): Promise<Op[]>
}

/** One account with everything it holds. */
export type DumpedAccount = {
  readonly address: Address
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Hash, Hash>
}

export interface Chain {
  readonly spec: ChainSpec
  readonly store: KvStore
  readonly head: SealedHeader
  readonly pool: TxPool
  readonly fees: Fees
  readonly live: LiveEvents
  /** undefined: no such block. `safe` and `finalized` are the head: a block here is final at once. */
  header(ref: BlockRef): Promise<SealedHeader | undefined>
  block(ref: BlockRef): Promise<Block | undefined>
  /** Receipts of a stored block, in transaction order. */
  receipts(block: Hash): readonly Receipt[] | undefined
  /** A mined transaction; waiting ones are in the pool. */
  transaction(hash: Hash): MinedTransaction | undefined
  receipt(hash: Hash): MinedReceipt | undefined
  canonicalHash(number: bigint): Hash | undefined
  /** A fresh view after the block; throws ChainError `header-not-found`. */
  at(ref: BlockRef): Promise<{ readonly header: SealedHeader; readonly view: StateView }>
  /** Runs a message on the block's state. Throws `header-not-found`, `transaction-rejected`, `limit-exceeded`; a revert is an outcome. */
  call(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<CallOutcome>
  /** The smallest gas limit that suffices. Throws `execution-reverted` with data, `execution-failed`, `transaction-rejected`. */
  estimateGas(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<bigint>
  createAccessList(
    request: CallRequest,
    ref: BlockRef,
    options?: CallOptions,
  ): Promise<{ readonly accessList: AccessList; readonly gasUsed: bigint; readonly error: string | undefined }>
  /** Decodes, checks and pools a signed transaction (blobs in network form). Throws `transaction-rejected` in geth's words. */
  submit(raw: Uint8Array): Promise<Hash>
  /** Pools a transaction of an account without a key (development: impersonation). */
  submitUnsigned(message: Message): Promise<Hash>
  /** Runs a block on the head and keeps nothing. Candidates default to the pool's ready transactions. */
  build(draft?: Partial<HeaderDraft>, candidates?: Iterable<Transaction>): Promise<ExecutedBlock>
  /** Writes the block in one batch; only then the head moves. The block's parent must be the head. */
  commit(executed: ExecutedBlock): Promise<void>
  /** Build and commit under the writer's lock. With `skipEmpty` a block without transactions is not committed. */
  produce(draft?: Partial<HeaderDraft>, options?: { readonly skipEmpty?: boolean }): Promise<ExecutedBlock>
  /** What the next block is to be when nobody says otherwise; the producer gives it. */
  proposeDrafts(draft: () => Partial<HeaderDraft>): void
  /** Every account at the head, in order of address. */
  accounts(): AsyncIterable<DumpedAccount>
  /** Amends the state at the head, outside any block (development only). */
  edit(change: (view: StateView) => void): Promise<void>
  /** Remembers the present head and state; nested snapshots are fine. */
  snapshot(): bigint
  /** Goes back to a snapshot, which is used up with all later ones. False when there is no such snapshot. */
  rollback(snapshot: bigint): Promise<boolean>
  /** Takes back all blocks after this number; block 0 comes back as the genesis has it. The pool is emptied. */
  rewind(number: bigint): Promise<void>
  close(): Promise<void>
}

/** When a block is made and what its clock says: `consensus/solo.ts`. */
export interface BlockProducer {
  start(): Promise<void>
  stop(): Promise<void>
  /** At once when a transaction is ready, every `interval` seconds, both, or neither. */
  mode(): { readonly automine: boolean; readonly interval: number }
  setMode(mode: { automine?: boolean; interval?: number }): void
  /** Makes blocks now; `secondsBetween` sets the distance of their timestamps. */
  mine(count: bigint, secondsBetween?: bigint, timestamp?: bigint): Promise<void>
  /** Overrides of the next block only; each is used up by it. */
  readonly next: {
    timestamp: bigint | undefined
    baseFeePerGas: bigint | undefined
    prevRandao: Hash | undefined
  }
  /** Lasting settings. */
  readonly settings: {
    coinbase: Address
    gasLimit: bigint
    extraData: Hex
    /** Seconds between automatic timestamps; undefined: the clock. */
    timestampInterval: bigint | undefined
    /** Seconds added to the machine's clock. */
    timeOffset: bigint
  }
  /** Settles when the block that takes the transaction is committed, or at once when none is about to be made. */
  settled(transaction: Hash): Promise<void>
  /** What the next block's timestamp would be if it were made now. */
  nextTimestamp(): bigint
}
