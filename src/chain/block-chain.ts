// Implements the interfaces of `types.ts` with the committed blocks, the pool, calls and traces. One writer at a time builds
// and commits; readers never lock. Events are emitted only after their change is on disk.
import type { ForkedChain } from '../fork/forked-chain.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address, Hash } from '../lib/hex.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import { Pool } from '../pool/txpool.ts'
import type { PooledTransaction, PoolHead } from '../pool/types.ts'
import type { LogCriteria } from '../primitives/log-criteria.ts'
import type { Block, Receipt, SealedHeader, Transaction, TransactionMessage } from '../primitives/types.ts'
import { draftHeader } from '../runtime/draft-header.ts'
import { editState, type StateEdit } from '../runtime/edit-state.ts'
import { type BuildOptions, executeBlock } from '../runtime/execute-block.ts'
import { importBlock } from '../runtime/import-block.ts'
import { type ConsensusValidator, consensusValidators, operatorOfSigner } from '../runtime/module-queries.ts'
import { CandidateFault, OpenBlock } from '../runtime/open-block.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from '../runtime/types.ts'
import { SKIPPED_UPGRADE } from '../spec/block-rules.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { completely, untilComplete } from '../state/partial-state.ts'
import type { KvStore, MissingParts } from '../state/types.ts'
import { View } from '../state/view.ts'
import { BlockBuilder } from './block-builder.ts'
import type { CanonicalChain, StateCheckpoint } from './canonical-chain.ts'
import { dumpAccounts } from './dump-accounts.ts'
import { ChainEventEmitter } from './events.ts'
import type { ChainFees } from './fees.ts'
import { BeforeFork } from './fork.ts'
import { fetchFor, fetchForAll } from './fork-intake.ts'
import type { GovernedBlocks } from './governed.ts'
import { ImportPrefetch } from './import-prefetch.ts'
import { minedLogs } from './mined-logs.ts'
import { abandonChain } from './open.ts'
import { type ChainIdentity, type ChainOptions, type ChainParts, openParts } from './parts.ts'
import { completeAttributes } from './payload-attributes.ts'
import { PendingBlock } from './pending-block.ts'
import { PersistentPool } from './persistent-pool.ts'
import { admissionRules, poolHead } from './pool-rules.ts'
import { decodeProposal, takeAll } from './proposed-block.ts'
import { RecentBlobs } from './recent-blobs.ts'
import { replaceBlocks, type TransactionsByBlock } from './replace-blocks.ts'
import { Snapshots } from './snapshots.ts'
import type { ChainStateQueries } from './state-queries.ts'
import type { ChainTraces } from './traces.ts'
import type {
  BlockRef,
  Caller,
  Chain as ChainFace,
  DumpedAccount,
  MinedLog,
  MinedReceipt,
  MinedTransaction,
  RewindTarget,
  TransactionOrigin,
} from './types.ts'
import { Writer } from './writer.ts'

export class BlockChain implements ChainFace {
  readonly store: KvStore
  readonly events: ChainEventEmitter
  readonly pool: Pool
  #parts: ChainParts
  readonly #open: (identity: ChainIdentity) => ChainParts
  readonly #persistentPool: PersistentPool
  readonly #writer: Writer
  #snapshots = new Snapshots()
  readonly blobs = new RecentBlobs((hash) => this.transaction(hash) !== undefined)
  /** Starts sender recovery for blocks that will be imported next (`expect`); optional. */
  readonly expected: ImportPrefetch
  #proposed: () => Partial<PayloadAttributes> = () => ({})
  readonly #pending: PendingBlock

  constructor({ store, runtime, forked, pool, onError, pending, ...options }: ChainOptions) {
    // An empty block is cheap, and every gas estimate after a new block needs it: do not build it as heavy work.
    const build = () => this.build({}, undefined, { pause: yieldToEventLoop(this.pool.hasReady() ? 'heavy' : 'block') })
    this.#pending = new PendingBlock(pending ?? build, () => Object.values(this.#proposed()).join())
    this.store = store
    this.#writer = new Writer(store)
    this.events = new ChainEventEmitter(onError)
    const parts = { ...options, store, pool }
    this.#open = (identity) => openParts(identity, parts, this, () => this.#proposed().baseFeePerGas)
    this.#parts = this.#open({ runtime, forked })
    const rules = () => admissionRules(this.#runtime, this.head, pool)
    const prepare = (transaction: Transaction) => this.#prepare(transaction)
    this.#persistentPool = new PersistentPool(store, new Pool(this.#poolHead(), rules), onError, prepare)
    this.expected = new ImportPrefetch(this.#persistentPool.senders)
    this.pool = this.#persistentPool.pool
    this.pool.onPending((transaction) => {
      this.#pending.forget()
      this.events.emit('pending', transaction)
    })
    this.pool.onRemoved(() => this.#pending.forget())
  }

  get spec(): ChainSpec {
    return this.#runtime.spec
  }

  get fees(): ChainFees {
    return this.#parts.fees
  }

  get traces(): ChainTraces {
    return this.#parts.traces
  }

  get stateQueries(): ChainStateQueries {
    return this.#parts.stateQueries
  }

  get forked(): ForkedChain | undefined {
    return this.#parts.forked
  }

  get governed(): GovernedBlocks {
    return this.#parts.governed
  }

  get #runtime(): Runtime {
    return this.#parts.runtime
  }

  get #canonical(): CanonicalChain {
    return this.#parts.canonical
  }

  get head(): SealedHeader {
    return this.#canonical.head
  }

  get base(): bigint {
    return this.#canonical.base + (this.forked === undefined ? 0n : 1n)
  }

  get oldestState(): bigint {
    return this.#canonical.oldestState
  }

  get missing(): MissingParts | undefined {
    return this.#canonical.missing
  }

  // --- reading

  async header(ref: BlockRef): Promise<SealedHeader | undefined> {
    if (ref === 'pending') return (await this.#pending.get()).block.header
    const number = this.#canonical.numberOf(ref)
    return number === undefined ? undefined : this.#canonical.blocks.header(number)
  }

  async block(ref: BlockRef): Promise<Block | undefined> {
    if (ref === 'pending') return (await this.#pending.get()).block
    const number = this.#canonical.numberOf(ref)
    // Of the block of the fork only the header is here.
    if (number !== undefined && number === this.forked?.at.number) throw new BeforeFork(`block ${number}`)
    return number === undefined ? undefined : this.#canonical.blocks.block(number)
  }

  receipts(hash: Hash): readonly Receipt[] | undefined {
    return this.#canonical.blocks.receiptsOf(hash)
  }

  accessList(number: bigint): Uint8Array | undefined {
    return this.#canonical.blocks.accessList(number)
  }

  transaction(hash: Hash): MinedTransaction | undefined {
    return this.#canonical.blocks.transaction(hash)
  }

  receipt(hash: Hash): MinedReceipt | undefined {
    return this.#canonical.blocks.receipt(hash)
  }

  transactionAt(number: bigint, index: number): MinedTransaction | undefined {
    return this.#canonical.blocks.transactionAt(number, index)
  }

  receiptAt(number: bigint, index: number): MinedReceipt | undefined {
    return this.#canonical.blocks.receiptAt(number, index)
  }

  logs(number: bigint, criteria: LogCriteria): readonly MinedLog[] | undefined {
    return this.#canonical.blocks.logs(number, criteria)
  }

  logAt(number: bigint, index: number): MinedLog | undefined {
    return this.#canonical.blocks.logAt(number, index)
  }

  canonicalHash(number: bigint): Hash | undefined {
    return this.#canonical.canonicalHash(number)
  }

  async at(ref: BlockRef): Promise<{ header: SealedHeader; view: View }> {
    if (ref === 'pending') {
      const { block, view } = await this.#pending.get()
      // All requests share the pending view; each gets a fork that it may write to.
      if (view instanceof View) return { header: block.header, view: view.fork() }
    }
    const header = await this.header(ref)
    if (header === undefined) throw new ChainError('header-not-found', 'header not found')
    return { header, view: this.#canonical.viewAt(header.number) }
  }

  accounts(signal?: AbortSignal): AsyncIterable<DumpedAccount> {
    return dumpAccounts(this.store, this.#canonical.view(), signal)
  }

  // --- calls

  call: Caller['call'] = (...of) => this.#parts.calls.call(...of)
  estimateGas: Caller['estimateGas'] = (...of) => this.#parts.calls.estimateGas(...of)
  createAccessList: Caller['createAccessList'] = (...of) => this.#parts.calls.createAccessList(...of)
  simulate: Caller['simulate'] = (...of) => this.#parts.calls.simulate(...of)
  innerCall: Caller['innerCall'] = (...of) => this.#parts.calls.innerCall(...of)
  runBundle: Caller['runBundle'] = (...of) => this.#parts.calls.runBundle(...of)

  // --- the pool

  submit(raw: Uint8Array, origin?: TransactionOrigin): Promise<Hash> {
    return this.#persistentPool.submit(raw, origin)
  }

  prefetchSenders(raws: readonly Uint8Array[]): Promise<void> {
    return this.#persistentPool.prefetchSenders(raws)
  }

  submitUnsigned(message: TransactionMessage): Promise<Hash> {
    return this.#persistentPool.submitUnsigned(message, this.spec.chainId)
  }

  restorePool(warn: (line: string) => void = () => undefined): Promise<void> {
    return this.#persistentPool.restore(warn)
  }

  // --- consensus

  decode(raws: readonly Uint8Array[]): Promise<readonly (Transaction | undefined)[]> {
    return this.#persistentPool.decode(raws)
  }

  async executeProposal(
    attributes: Partial<PayloadAttributes>,
    raws: readonly Uint8Array[],
    pause?: Pause,
  ): Promise<ExecutedBlock> {
    const { complete, view, ancestors } = this.#next(attributes)
    const env = this.#runtime.env(draftHeader(this.#runtime, complete, view))
    const signed = decodeProposal(raws, env, this.spec.chainId, this.pool)
    return this.#holdingFaulty(async () => {
      const block = await OpenBlock.begin(this.#runtime, view, complete, ancestors, pause)
      await takeAll(block, signed, (part) => this.#persistentPool.recovered(part))
      return block.seal()
    })
  }

  validators(after?: ExecutedBlock): readonly ConsensusValidator[] {
    const header = after?.block.header ?? this.head
    return consensusValidators(this.#runtime, header, after?.view ?? this.#canonical.view())
  }

  operatorOf(signer: Address): Address | undefined {
    return operatorOfSigner(this.#runtime, this.head, this.#canonical.view(), signer)
  }

  // --- writing

  proposeAttributes(attributes: () => Partial<PayloadAttributes>): void {
    this.#proposed = attributes
    this.#headMoved()
  }

  get proposer(): Address {
    return this.#runtime.proposerInTurn(this.#canonical.view(), this.head.number + 1n)
  }

  async openBlock(attributes: Partial<PayloadAttributes> = {}, fetches = false): Promise<BlockBuilder> {
    const release = await this.#writer.acquire()
    try {
      const began = performance.now()
      const { complete, view, ancestors } = this.#next(attributes, fetches)
      const block = await completely(view, (state) => OpenBlock.begin(this.#runtime, state, complete, ancestors))
      return new BlockBuilder(block, {
        ready: (nonce) => this.pool.ready(nonce),
        guarded: (work) => this.#holdingFaulty(work),
        isContended: () => this.#writer.isContended,
        commit: (executed) => this.#commit(executed, began),
        drop: (refused) => this.#drop(refused),
        release,
      })
    } catch (error) {
      release()
      throw error
    }
  }

  async build(
    attributes: Partial<PayloadAttributes> = {},
    candidates: Iterable<Transaction> = this.pool.ready(),
    options?: BuildOptions,
  ): Promise<ExecutedBlock> {
    const { complete, view, ancestors } = this.#next(attributes)
    return this.#holdingFaulty(() =>
      completely(view, (state) => executeBlock(this.#runtime, state, complete, candidates, ancestors, options)),
    )
  }

  /** Fetches what a transaction may read; undefined: nothing is missing. */
  #prepare(transaction: Transaction): Promise<void> | undefined {
    if (this.missing === undefined) return undefined
    const pending = (of: Address) => this.pool.content().pending.get(of) ?? []
    const work = () => fetchFor({ ...this.#parts, pending, next: () => this.#next({}) }, transaction)
    return this.#holdingFaulty(work)
  }

  async fetchFor(unfetched: BlockBuilder['unfetched']): Promise<boolean> {
    const prepare = (transaction: Transaction) => this.#prepare(transaction)
    return this.missing !== undefined && fetchForAll(this.missing, unfetched, prepare, this.events)
  }

  commit(executed: ExecutedBlock): Promise<void> {
    return this.#writer.run(() => this.#commit(executed, performance.now()))
  }

  produce(attributes?: Partial<PayloadAttributes>): Promise<ExecutedBlock> {
    return untilComplete(this.missing, async () => {
      const builder = await this.openBlock(attributes)
      try {
        await builder.take()
        return await builder.seal()
      } finally {
        builder.abandon()
      }
    })
  }

  /** Executes and commits an RLP-encoded block. Throws ChainError `invalid-block`; then nothing is written. */
  importBlock(raw: Uint8Array): Promise<ExecutedBlock> {
    return this.#writer.run(async () => {
      const began = performance.now()
      const decoded = await this.expected.take(raw)
      const block = { ...decoded, transactions: decoded.transactions.map((tx) => this.#persistentPool.withSender(tx)) }
      if (block.header.extraData !== SKIPPED_UPGRADE) this.governed.requireProgram()
      const canonical = this.#canonical
      const ancestors = canonical.ancestors(this.head)
      const executed = await importBlock(this.#runtime, canonical.view(), block, canonical.ancestry(), ancestors)
      await this.#commit(executed, began)
      return executed
    })
  }

  edit(change: StateEdit): Promise<void> {
    const edit = async () => {
      const diff = await this.#canonical.amend((view) => editState(this.#runtime, this.head, view, change))
      this.#headMoved()
      this.events.emit('edited', diff)
    }
    return untilComplete(this.missing, () => this.#writer.run(edit))
  }

  snapshot(restore?: () => void): bigint {
    const { checkpoint, head } = this.#canonical
    const id = this.#snapshots.add({ head, checkpoint, waiting: this.#persistentPool.content(), restore })
    this.events.emit('snapshot', id)
    return id
  }

  snapshots(): ReadonlyMap<bigint, SealedHeader> {
    return this.#snapshots.heads()
  }

  rollback(id: bigint): Promise<boolean> {
    return this.#writer.run(async () => {
      const snapshot = this.#snapshots.use(id)
      if (snapshot) await this.#rewind(snapshot.checkpoint, { snapshot: id }, snapshot.waiting)
      snapshot?.restore?.()
      return snapshot !== undefined
    })
  }

  rewind(number: bigint, waiting: 'dropped' | 'kept' = 'dropped'): Promise<readonly Block[]> {
    const kept = () => (waiting === 'kept' ? this.#persistentPool.content() : [])
    return this.#writer.run(() => this.#rewind(this.#canonical.checkpointAt(number), { block: number }, kept()))
  }

  reorganize(ancestor: bigint, transactions: TransactionsByBlock) {
    return this.#writer.run(async () => {
      const checkpoint = { number: ancestor, version: this.#canonical.viewAt(ancestor).version }
      const removed = await this.#rewind(checkpoint, { block: ancestor }, this.#persistentPool.content())
      return replaceBlocks(removed, transactions, this.build.bind(this), (...of) => this.#commit(...of))
    })
  }

  reset(): Promise<readonly Block[]> {
    return this.#writer.run(() => this.#rewind(this.#canonical.beginning, 'beginning'))
  }

  beginAtHead(): Promise<void> {
    return this.#writer.run(() => this.#canonical.beginAtHead())
  }

  /**
   * Replaces this chain by another one, for development. `begin` writes the first rows of the new chain. The blocks, the state, the
   * pool and the snapshots of the old chain are lost. Throws as `begin`; the store then has no chain.
   */
  restart(identity: ChainIdentity, begin: (store: KvStore) => Promise<void>): Promise<void> {
    return this.#writer.run(async () => {
      const { canonical, forked } = this.#parts
      const blocks = canonical.blocks.newest(this.head.number, this.head.number - canonical.base)
      const logs = blocks.flatMap((block) => minedLogs(block, canonical.blocks.receipts(block.header.number) ?? []))
      this.pool.clear()
      forked?.close()
      await abandonChain(this.store)
      await begin(this.store)
      this.#parts = this.#open(identity)
      this.#snapshots = new Snapshots()
      this.#headMoved()
      this.events.emit('removed', blocks, logs, 'beginning')
    })
  }

  /** For a read-only chain: moves to a head that another thread has committed. It undoes nothing. */
  follow(head: StateCheckpoint): void {
    this.#canonical.follow(head)
  }

  async close(): Promise<void> {
    await this.#writer.settled()
    await this.#persistentPool.settled()
    await this.#persistentPool.senders.close()
    this.forked?.close()
    await this.store.close()
  }

  /** `began`: `performance.now()` at the start of building or importing the block. */
  async #commit(executed: ExecutedBlock, began: number): Promise<void> {
    const built = performance.now()
    const { version } = this.#canonical.checkpoint
    await this.#canonical.commit(executed)
    this.traces.remember(executed, version)
    this.blobs.remember(executed.block.transactions, (hash) => this.pool.sidecar(hash))
    const times = { built: built - began, committed: performance.now() - built }
    this.#headMoved()
    this.#drop(executed.refused.map(({ transaction }) => transaction))
    this.events.emit('block', executed, times)
  }

  async #rewind(checkpoint: StateCheckpoint, to: RewindTarget, waiting: readonly PooledTransaction[] = []) {
    this.#canonical.requireState(checkpoint)
    this.#snapshots.dropAfter(checkpoint)
    const removed = await this.#canonical.rewind(checkpoint)
    this.traces.forgetAbove(checkpoint.number)
    this.#headMoved()
    this.#persistentPool.replace(waiting)
    const logs = removed.flatMap(({ block, receipts }) => minedLogs(block, receipts))
    const blocks = removed.map(({ block }) => block)
    this.events.emit('removed', blocks, logs, to)
    return blocks
  }

  /**
   * Completes the attributes of a block on the head, and opens the state that the block runs on. Governance, the caller and the
   * producer give attributes, in this order of precedence; the rest have defaults. Throws OtherProgramNeeded.
   */
  #next(attributes: Partial<PayloadAttributes>, fetches = true) {
    const chosen = [{ coinbase: this.proposer }, this.#proposed(), attributes, this.governed.attributes()]
    const complete = completeAttributes(this.spec, this.head, ...chosen)
    return { complete, view: this.#canonical.view(fetches), ancestors: this.#canonical.ancestors(this.head) }
  }

  /** Holds a candidate that causes an internal error, so that it does not also fail the next block and stays visible. */
  async #holdingFaulty<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof CandidateFault) this.pool.hold(error.candidate.hash)
      throw error
    }
  }

  #drop(transactions: readonly Transaction[]): void {
    for (const { hash } of transactions) this.pool.remove(hash)
  }

  #headMoved(): void {
    this.#pending.forget()
    this.#persistentPool.reset(this.#poolHead())
  }

  #poolHead(): PoolHead {
    const view = this.#canonical.view()
    const time = () => completeAttributes(this.spec, this.head, this.#proposed()).timestamp
    const held = this.#runtime.lockedBalances(view, time)
    return poolHead(this.head, view, this.fees, held, this.governed.gasLimit ?? this.#proposed().gasLimit)
  }
}
