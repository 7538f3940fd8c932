// What has been decided and what comes next: one writer at a time builds and commits, readers never lock. Signals fire
// only after the disk holds what they tell.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { takingTurns } from '../lib/turns.ts'
import { Pool } from '../pool/txpool.ts'
import type { PooledTransaction, PoolHead } from '../pool/types.ts'
import type { Block, Message, Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import { Call, type CallLimits } from '../runtime/call.ts'
import { editState, type StateEdit } from '../runtime/edit-state.ts'
import { executeBlock } from '../runtime/execute-block.ts'
import { importBlock } from '../runtime/import-block.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type SimulatedCalls, type SimulationOptions, simulate } from '../runtime/simulate.ts'
import type { CallOptions, CallRequest, ExecutedBlock, HeaderDraft } from '../runtime/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { KvStore } from '../state/types.ts'
import { View } from '../state/view.ts'
import { admissionRules } from './admission-rules.ts'
import { completeDraft } from './draft.ts'
import { dumpAccounts } from './dump.ts'
import { Live } from './events.ts'
import { ExpectedBlocks } from './expected-blocks.ts'
import { ChainFees } from './fees.ts'
import { ChainInspection } from './inspection.ts'
import { Ledger, type Point } from './ledger.ts'
import { minedLogs } from './logs.ts'
import type { ChainOptions } from './options.ts'
import { PendingBlock } from './pending-block.ts'
import { poolHead } from './pool-head.ts'
import { Snapshots } from './snapshots.ts'
import { ChainTraces } from './traces.ts'
import type {
  BlockRef,
  BuildOptions,
  Chain as ChainFace,
  DumpedAccount,
  MinedReceipt,
  MinedTransaction,
  ProduceOptions,
} from './types.ts'
import { Waiting } from './waiting.ts'
import { Writer } from './writer.ts'

export class Chain implements ChainFace {
  readonly spec: ChainSpec
  readonly store: KvStore
  readonly fees: ChainFees
  readonly live: Live
  readonly pool: Pool
  readonly traces: ChainTraces
  readonly inspection: ChainInspection
  readonly #runtime: Runtime
  readonly #limits: CallLimits
  readonly #ledger: Ledger
  readonly #waiting: Waiting
  readonly #writer: Writer
  readonly #snapshots = new Snapshots()
  /** Blocks whose import comes next may be named here, so that they are prepared meanwhile. */
  readonly expected: ExpectedBlocks
  #draft: () => Partial<HeaderDraft> = () => ({})
  readonly #pending = new PendingBlock(
    // An empty one is short work, and every estimate after a block asks for it.
    () => this.build({}, undefined, { pause: takingTurns(this.pool.hasReady() ? 'heavy' : 'block') }),
    () => Object.values(this.#draft()).join(),
  )

  constructor({ store, runtime, indexer, limits, pool, scriptedTraces, onError, ...ledger }: ChainOptions) {
    this.spec = runtime.spec
    this.store = store
    this.#writer = new Writer(store)
    this.#runtime = runtime
    this.#limits = limits
    this.#ledger = new Ledger(store, runtime, indexer, ledger)
    this.live = new Live(onError)
    const head = () => this.head
    this.fees = new ChainFees(runtime, this.#ledger.blocks, head, () => this.#draft().baseFeePerGas)
    const scripts = scriptedTraces && { elsewhere: scriptedTraces }
    this.traces = new ChainTraces(runtime, this.#ledger, limits, this, scripts)
    this.inspection = new ChainInspection(runtime, this.#ledger, this)
    const rules = () => admissionRules(runtime, this.head, pool)
    this.#waiting = new Waiting(store, new Pool(this.#poolHead(), rules), onError)
    this.expected = new ExpectedBlocks(this.#waiting.senders)
    this.pool = this.#waiting.pool
    this.pool.onPending((transaction) => {
      this.#pending.forget()
      this.live.emit('pending', transaction)
    })
    this.pool.onRemoved(() => this.#pending.forget())
  }

  get head(): SealedHeader {
    return this.#ledger.head
  }

  get oldestState(): bigint {
    return this.#ledger.oldestState
  }

  // --- reading

  async header(ref: BlockRef): Promise<SealedHeader | undefined> {
    if (ref === 'pending') return (await this.#pending.get()).block.header
    const number = this.#numberOf(ref)
    return number === undefined ? undefined : this.#ledger.blocks.header(number)
  }

  async block(ref: BlockRef): Promise<Block | undefined> {
    if (ref === 'pending') return (await this.#pending.get()).block
    const number = this.#numberOf(ref)
    return number === undefined ? undefined : this.#ledger.blocks.block(number)
  }

  receipts(hash: Hash): readonly Receipt[] | undefined {
    const number = this.#ledger.blocks.number(hash)
    return number === undefined ? undefined : this.#ledger.blocks.receipts(number)
  }

  transaction(hash: Hash): MinedTransaction | undefined {
    return this.#ledger.blocks.transaction(hash)
  }

  receipt(hash: Hash): MinedReceipt | undefined {
    return this.#ledger.blocks.receipt(hash)
  }

  canonicalHash(number: bigint): Hash | undefined {
    return this.#ledger.blocks.header(number)?.hash
  }

  async at(ref: BlockRef): Promise<{ header: SealedHeader; view: View }> {
    if (ref === 'pending') {
      const { block, view } = await this.#pending.get()
      // The pending view belongs to everyone who asks; each gets a copy to write on.
      if (view instanceof View) return { header: block.header, view: view.fork() }
    }
    const header = await this.header(ref)
    if (header === undefined) throw new ChainError('header-not-found', 'header not found')
    return { header, view: this.#ledger.viewAt(header.number) }
  }

  accounts(caller?: AbortSignal): AsyncIterable<DumpedAccount> {
    return dumpAccounts(this.store, this.#ledger.view(), caller)
  }

  // --- calls

  async call(request: CallRequest, ref: BlockRef, options?: CallOptions) {
    return (await this.#prepareCall(request, ref, options)).run()
  }

  async estimateGas(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<bigint> {
    return (await this.#prepareCall(request, ref, options)).estimateGas()
  }

  async createAccessList(request: CallRequest, ref: BlockRef, options?: CallOptions) {
    return (await this.#prepareCall(request, ref, options)).createAccessList()
  }

  async simulate(blocks: readonly SimulatedCalls[], ref: BlockRef, options: SimulationOptions) {
    const { header, view } = await this.at(ref)
    return simulate(this.#runtime, view, header, blocks, options, this.#ledger.ancestors(header), this.#limits)
  }

  // --- the pool

  submit(raw: Uint8Array): Promise<Hash> {
    return this.#waiting.submit(raw)
  }

  submitUnsigned(message: Message): Promise<Hash> {
    return this.#waiting.submitUnsigned(message, this.spec.chainId)
  }

  /** Puts the transactions that were waiting at the last stop back into the pool; spent ones are dropped. */
  restorePool(warn: (line: string) => void = () => undefined): Promise<void> {
    return this.#waiting.restore(warn)
  }

  // --- writing

  proposeDrafts(draft: () => Partial<HeaderDraft>): void {
    this.#draft = draft
    this.#headMoved()
  }

  async build(draft: Partial<HeaderDraft> = {}, candidates = this.pool.ready(), { more, pause }: BuildOptions = {}) {
    const complete = completeDraft(this.spec, this.head, this.#draft(), draft)
    const view = this.#ledger.viewForBlock()
    const drop = ({ hash }: Transaction) => this.pool.remove(hash)
    const next = async (taken: number) =>
      !this.#writer.isWanted && (await more?.(taken)) ? this.pool.ready((of) => view.nonce(of)) : undefined
    return executeBlock(this.#runtime, view, complete, candidates, this.#ledger.ancestors(this.head), drop, next, pause)
  }

  commit(executed: ExecutedBlock): Promise<void> {
    return this.#writer.run(() => this.#commit(executed, performance.now()))
  }

  produce(draft: Partial<HeaderDraft> = {}, { skipEmpty = false, more }: ProduceOptions = {}): Promise<ExecutedBlock> {
    return this.#writer.run(async () => {
      const began = performance.now()
      const executed = await this.build(draft, undefined, { more })
      if (skipEmpty && executed.block.transactions.length === 0) this.#dropRefused(executed)
      else await this.#commit(executed, began)
      return executed
    })
  }

  /** Takes a block that was made elsewhere, as RLP. Throws ChainError `invalid-block`; then nothing is written. */
  importBlock(raw: Uint8Array): Promise<ExecutedBlock> {
    return this.#writer.run(async () => {
      const began = performance.now()
      const decoded = await this.expected.take(raw)
      const block = { ...decoded, transactions: decoded.transactions.map((tx) => this.#waiting.withSender(tx)) }
      const [view, ancestors] = [this.#ledger.viewForBlock(), this.#ledger.ancestors(this.head)]
      const executed = await importBlock(this.#runtime, view, block, this.#ledger.ancestry(), ancestors)
      await this.#commit(executed, began)
      return executed
    })
  }

  edit(change: StateEdit): Promise<void> {
    return this.#writer.run(async () => {
      await this.#ledger.amend((view) => editState(this.#runtime, this.head, view, change))
      this.#headMoved()
    })
  }

  snapshot(): bigint {
    return this.#snapshots.take({ point: this.#ledger.point, waiting: this.#waiting.content() })
  }

  rollback(id: bigint): Promise<boolean> {
    return this.#writer.run(async () => {
      const snapshot = this.#snapshots.use(id)
      if (snapshot !== undefined) await this.#takeBack(snapshot.point, snapshot.waiting)
      return snapshot !== undefined
    })
  }

  rewind(number: bigint): Promise<void> {
    return this.#writer.run(() => this.#takeBack(this.#ledger.pointAt(number), []))
  }

  async close(): Promise<void> {
    await this.#writer.settled()
    await this.#waiting.settled()
    await this.#waiting.senders.close()
    await this.store.close()
  }

  /** `began`: when its making or its import did. */
  async #commit(executed: ExecutedBlock, began: number): Promise<void> {
    const built = performance.now()
    await this.#ledger.commit(executed)
    const times = { built: built - began, committed: performance.now() - built }
    this.#headMoved()
    this.#dropRefused(executed)
    this.live.emit('block', executed, times)
  }

  async #takeBack(point: Point, waiting: readonly PooledTransaction[]): Promise<void> {
    this.#ledger.requireState(point)
    this.#snapshots.dropAfter(point)
    const removed = await this.#ledger.rewind(point)
    this.#headMoved()
    this.#waiting.replace(waiting)
    const logs = removed.flatMap(({ block, receipts }) => minedLogs(block, receipts))
    const blocks = removed.map(({ block }) => block)
    this.live.emit('removed', blocks, logs)
  }

  #dropRefused({ refused }: ExecutedBlock): void {
    for (const { transaction } of refused) this.pool.remove(transaction.hash)
  }

  #headMoved(): void {
    this.#pending.forget()
    this.#waiting.reset(this.#poolHead())
  }

  #numberOf(ref: BlockRef): bigint | undefined {
    if (ref === 'earliest') return 0n
    if (typeof ref === 'string') return this.head.number
    if ('hash' in ref) return this.#ledger.blocks.number(ref.hash)
    return ref.number <= this.head.number ? ref.number : undefined
  }

  async #prepareCall(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<Call> {
    const { header, view } = await this.at(ref)
    return new Call(this.#runtime, view, header, request, this.#ledger.ancestors(header), this.#limits, options)
  }

  #poolHead(): PoolHead {
    const view = this.#ledger.view()
    const held = this.#runtime.held(view, () => completeDraft(this.spec, this.head, this.#draft()).timestamp)
    return poolHead(this.head, view, this.fees, held, this.#draft().gasLimit)
  }
}
