// What has been decided: the head, and every block and state behind it. One writer at a time builds and commits;
// readers never lock. The head moves, and signals fire, only after the one batch of a block is on disk.
import { ChainError } from '../lib/errors.ts'
import { type Address, fromHex, type Hash, ZERO_ADDRESS, ZERO_HASH } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { Mutex } from '../lib/mutex.ts'
import { Journal } from '../pool/journal.ts'
import { rememberSenders } from '../pool/senders.ts'
import { Pool } from '../pool/txpool.ts'
import type { PoolHead } from '../pool/types.ts'
import { decodeNetworkTransaction, verifySidecar } from '../primitives/blobs.ts'
import { decodeBlock } from '../primitives/block.ts'
import { impersonatedTransaction, withSender } from '../primitives/transaction.ts'
import type { Block, Message, Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import { Call, type CallLimits } from '../runtime/call.ts'
import { executeBlock } from '../runtime/execute-block.ts'
import { importBlock } from '../runtime/import-block.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { CallOptions, CallRequest, ExecutedBlock, HeaderDraft } from '../runtime/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import { StateStore } from '../state/state-store.ts'
import type { KvStore, Op } from '../state/types.ts'
import { View } from '../state/view.ts'
import { admissionRules, type PoolPolicy } from './admission-rules.ts'
import { blockRemoval, blockRows, Blocks } from './blocks.ts'
import { dumpAccounts } from './dump.ts'
import { Live } from './events.ts'
import { ChainFees } from './fees.ts'
import { minedLogs } from './logs.ts'
import {
  headRow,
  readHead,
  readStateVersion,
  readTotalDifficulty,
  stateVersionRow,
  totalDifficultyRow,
} from './open.ts'
import type { BlockRef, Chain as ChainFace, DumpedAccount, Indexer, MinedReceipt, MinedTransaction } from './types.ts'

export type ChainOptions = {
  readonly store: KvStore
  readonly runtime: Runtime
  readonly indexer: Indexer
  readonly limits: CallLimits
  readonly pool: PoolPolicy
  readonly onError: (error: unknown) => void
}

type Snapshot = { readonly number: bigint; readonly version: number; readonly waiting: readonly Transaction[] }

export class Chain implements ChainFace {
  readonly store: KvStore
  readonly pool: Pool
  readonly fees: ChainFees
  readonly live: Live
  readonly #runtime: Runtime
  readonly #indexer: Indexer
  readonly #limits: CallLimits
  readonly #state: StateStore
  readonly #blocks: Blocks
  readonly #journal: Journal
  readonly #writer = new Mutex()
  readonly #senderOf = rememberSenders()
  readonly #snapshots = new Map<bigint, Snapshot>()
  #lastSnapshot = 0n
  #head: SealedHeader
  #draft: () => Partial<HeaderDraft> = () => ({})
  #pending: Promise<ExecutedBlock> | undefined
  #pendingSettings = ''

  constructor({ store, runtime, indexer, limits, pool, onError }: ChainOptions) {
    const { number, version } = readHead(store)
    this.store = store
    this.#runtime = runtime
    this.#indexer = indexer
    this.#limits = limits
    this.#state = new StateStore(store, version)
    this.#blocks = new Blocks(store)
    const head = this.#blocks.header(number)
    if (head === undefined) throw new ChainError('storage', `block ${number}, the head, is missing`)
    this.#head = head
    this.live = new Live(onError)
    this.fees = new ChainFees(runtime, this.#blocks, () => this.#head, () => this.#draft().baseFeePerGas)
    this.pool = new Pool(this.#poolHead(), () => admissionRules(runtime, this.#head, pool))
    this.#journal = new Journal(store, { key: KEY.journal, range: RANGE.journal() })
    this.pool.onPending((transaction) => {
      this.#pending = undefined
      this.live.emit('pending', transaction)
    })
    this.pool.onRemoved(({ hash }) => {
      this.#pending = undefined
      this.#journal.forget(hash).catch(onError)
    })
  }

  get spec(): ChainSpec {
    return this.#runtime.spec
  }

  get head(): SealedHeader {
    return this.#head
  }

  /** Puts the transactions that were waiting at the last stop back into the pool; those that are spent are dropped. */
  async restorePool(): Promise<void> {
    for (const { transaction, sidecar } of await this.#journal.load()) {
      try {
        this.pool.add(transaction, sidecar)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        await this.#journal.forget(transaction.hash)
      }
    }
  }

  // --- reading

  async header(ref: BlockRef): Promise<SealedHeader | undefined> {
    if (ref === 'pending') return (await this.#buildPending()).block.header
    const number = this.#numberOf(ref)
    return number === undefined ? undefined : this.#blocks.header(number)
  }

  async block(ref: BlockRef): Promise<Block | undefined> {
    if (ref === 'pending') return (await this.#buildPending()).block
    const number = this.#numberOf(ref)
    return number === undefined ? undefined : this.#blocks.block(number)
  }

  receipts(hash: Hash): readonly Receipt[] | undefined {
    const number = this.#blocks.number(hash)
    return number === undefined ? undefined : this.#blocks.receipts(number)
  }

  transaction(hash: Hash): MinedTransaction | undefined {
    return this.#blocks.transaction(hash)
  }

  receipt(hash: Hash): MinedReceipt | undefined {
    return this.#blocks.receipt(hash)
  }

  canonicalHash(number: bigint): Hash | undefined {
    return this.#blocks.header(number)?.hash
  }

  async at(ref: BlockRef): Promise<{ header: SealedHeader; view: View }> {
    if (ref === 'pending') {
      const { block, view } = await this.#buildPending()
      // The pending view belongs to everyone who asks; each gets a copy to write on.
      if (view instanceof View) return { header: block.header, view: view.fork() }
    }
    const number = this.#numberOf(ref)
    const header = number === undefined ? undefined : this.#blocks.header(number)
    const version = header && readStateVersion(this.store, header.number)
    if (header === undefined || version === undefined) throw new ChainError('header-not-found', 'header not found')
    return { header, view: this.#state.at(version) }
  }

  accounts(): AsyncIterable<DumpedAccount> {
    return dumpAccounts(this.store, this.#state.at(this.#state.version))
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

  // --- the pool

  async submit(raw: Uint8Array): Promise<Hash> {
    const { transaction, sidecar } = decodeNetworkTransaction(raw)
    if (sidecar !== undefined) await verifySidecar(transaction, sidecar)
    const signed = withSender(transaction, this.#senderOf(transaction))
    this.pool.add(signed, sidecar)
    await this.#journal.record({ transaction: signed, sidecar })
    return signed.hash
  }

  async submitUnsigned(message: Message): Promise<Hash> {
    const type = message.authorizationList.length > 0 ? 4 : 2
    const transaction = impersonatedTransaction({ ...message, type, chainId: this.spec.chainId }, message.from)
    this.pool.add(transaction, undefined)
    await this.#journal.record({ transaction, sidecar: undefined })
    return transaction.hash
  }

  // --- writing

  proposeDrafts(draft: () => Partial<HeaderDraft>): void {
    this.#draft = draft
    this.#pending = undefined
  }

  async build(draft: Partial<HeaderDraft> = {}, candidates?: Iterable<Transaction>): Promise<ExecutedBlock> {
    const parent = this.#head
    const now = BigInt(Math.floor(Date.now() / 1000))
    const complete: HeaderDraft = {
      parent,
      timestamp: now > parent.timestamp ? now : parent.timestamp + 1n,
      gasLimit: parent.gasLimit,
      coinbase: ZERO_ADDRESS,
      // A lone chain has no beacon: randomness comes from the parent, so that it differs from block to block.
      prevRandao: keccakHash(fromHex(parent.hash)),
      extraData: '0x',
      parentBeaconBlockRoot: ZERO_HASH,
      withdrawals: [],
      baseFeePerGas: undefined,
      ...this.#draft(),
      ...draft,
    }
    const view = this.#state.at(this.#state.version)
    return executeBlock(this.#runtime, view, complete, candidates ?? this.pool.ready(), this.#ancestors(parent))
  }

  async commit(executed: ExecutedBlock): Promise<void> {
    return this.#writer.run(() => this.#commit(executed))
  }

  produce(draft: Partial<HeaderDraft> = {}, { skipEmpty = false } = {}): Promise<ExecutedBlock> {
    return this.#writer.run(async () => {
      const executed = await this.build(draft)
      if (skipEmpty && executed.block.transactions.length === 0) this.#dropRefused(executed)
      else await this.#commit(executed)
      return executed
    })
  }

  /** Takes a block that was made elsewhere, as RLP. Throws ChainError `invalid-block`; then nothing is written. */
  importBlock(raw: Uint8Array): Promise<ExecutedBlock> {
    return this.#writer.run(async () => {
      const decoded = decodeBlock(raw)
      const transactions = decoded.transactions.map((transaction) => withSender(transaction, this.#senderOf(transaction)))
      const parent = this.#head
      const ancestry = {
        parent,
        totalDifficulty: readTotalDifficulty(this.store, parent.number),
        recent: this.#recent(parent.number, 7n),
      }
      const view = this.#state.at(this.#state.version)
      const executed = await importBlock(
        this.#runtime,
        view,
        { ...decoded, transactions },
        ancestry,
        this.#ancestors(parent),
      )
      await this.#commit(executed)
      return executed
    })
  }

  edit(change: (view: View) => void): Promise<void> {
    return this.#writer.run(async () => {
      const view = this.#state.at(this.#state.version)
      change(view)
      const { rows, codes } = await view.changes()
      const staged = this.#state.stage(rows, codes)
      const { number } = this.#head
      await this.store.write([...staged.ops, stateVersionRow(number, staged.version), headRow(number, staged.version)])
      staged.landed()
      this.#headMoved()
    })
  }

  snapshot(): bigint {
    const id = ++this.#lastSnapshot
    const { pending, queued } = this.pool.content()
    const waiting = [...pending.values(), ...queued.values()].flat()
    this.#snapshots.set(id, { number: this.#head.number, version: this.#state.version, waiting })
    return id
  }

  rollback(id: bigint): Promise<boolean> {
    return this.#writer.run(async () => {
      const snapshot = this.#snapshots.get(id)
      if (snapshot === undefined) return false
      for (const key of [...this.#snapshots.keys()]) if (key >= id) this.#snapshots.delete(key)
      const removed = await this.#rewind(snapshot.number, snapshot.version)
      const sidecars = snapshot.waiting.map(({ hash }) => this.pool.sidecar(hash))
      this.pool.clear()
      for (const [i, transaction] of snapshot.waiting.entries()) this.#restore(transaction, sidecars[i])
      this.live.emit('removed', removed.blocks, removed.logs)
      return true
    })
  }

  async close(): Promise<void> {
    await this.#writer.run(() => this.#journal.settled())
    await this.store.close()
  }

  // --- inside

  #restore(...[transaction, sidecar]: Parameters<Pool['add']>): void {
    try {
      this.pool.add(transaction, sidecar)
      this.#journal.record({ transaction, sidecar }).catch((error) => this.live.fail(error))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
    }
  }

  async #commit(executed: ExecutedBlock): Promise<void> {
    const { block, receipts, view } = executed
    const { header } = block
    if (header.parentHash !== this.#head.hash || !(view instanceof View) || view.version !== this.#state.version) {
      throw new ChainError('invalid-block', `block ${header.number} was not built on the head`)
    }
    const { rows, codes } = await view.changes()
    const staged = this.#state.stage(rows, codes)
    await this.store.write([
      ...staged.ops,
      ...blockRows(block, receipts),
      ...(await this.#indexer.rows(executed, this.store)),
      ...this.#totalDifficulty(header),
      stateVersionRow(header.number, staged.version),
      headRow(header.number, staged.version),
    ])
    staged.landed()
    this.#blocks.remember(block, receipts)
    this.#head = header
    this.#headMoved()
    this.#dropRefused(executed)
    this.live.emit('block', executed)
  }

  #dropRefused({ refused }: ExecutedBlock): void {
    for (const { transaction } of refused) this.pool.remove(transaction.hash)
  }

  async #rewind(number: bigint, version: number) {
    const blocks: Block[] = []
    const ops: Op[] = []
    for (let at = this.#head.number; at > number; at--) {
      const block = this.#blocks.block(at)
      const receipts = this.#blocks.receipts(at)
      if (block === undefined || receipts === undefined) throw new ChainError('storage', `block ${at} is missing`)
      blocks.push(block)
      ops.push(...blockRemoval(block), ...(await this.#indexer.undo(block, receipts, this.store)))
    }
    const logs = blocks.flatMap((block) => minedLogs(block, this.#blocks.receipts(block.header.number) ?? []))
    const undone = this.#state.rewind(version)
    await this.store.write([...ops, ...undone.ops, stateVersionRow(number, version), headRow(number, version)])
    undone.landed()
    this.#blocks.forgetAbove(number)
    const head = this.#blocks.header(number)
    if (head === undefined) throw new ChainError('storage', `block ${number} is missing`)
    this.#head = head
    this.#headMoved()
    return { blocks, logs }
  }

  #headMoved(): void {
    this.#pending = undefined
    this.pool.reset(this.#poolHead())
  }

  #numberOf(ref: Exclude<BlockRef, 'pending'> | 'pending'): bigint | undefined {
    if (ref === 'earliest') return 0n
    if (typeof ref === 'string') return this.#head.number
    if ('hash' in ref) return this.#blocks.number(ref.hash)
    return ref.number <= this.#head.number ? ref.number : undefined
  }

  async #prepareCall(request: CallRequest, ref: BlockRef, options?: CallOptions): Promise<Call> {
    const { header, view } = await this.at(ref)
    return new Call(this.#runtime, view, header, request, this.#ancestors(header), this.#limits, options)
  }

  /** The block that would be made now; kept until the head, the pool or the settings change. */
  #buildPending(): Promise<ExecutedBlock> {
    const draft = this.#draft()
    const settings = JSON.stringify(draft, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
    if (this.#pending === undefined || settings !== this.#pendingSettings) {
      const pending = this.build(draft)
      this.#pending = pending
      this.#pendingSettings = settings
      // A failed build must not stick.
      pending.catch(() => {
        if (this.#pending === pending) this.#pending = undefined
      })
    }
    return this.#pending
  }

  #totalDifficulty({ number, difficulty }: SealedHeader): Op[] {
    if (difficulty === 0n) return []
    return totalDifficultyRow(number, (readTotalDifficulty(this.store, number - 1n) ?? 0n) + difficulty)
  }

  #recent(newest: bigint, count: bigint): Block[] {
    const blocks: Block[] = []
    for (let number = newest; number >= 0n && number > newest - count; number--) {
      const block = this.#blocks.block(number)
      if (block !== undefined) blocks.push(block)
    }
    return blocks
  }

  #ancestors(newest: SealedHeader): (number: bigint) => Hash | undefined {
    return (number) => (number === newest.number ? newest.hash : this.#blocks.header(number)?.hash)
  }

  #poolHead(): PoolHead {
    const view = this.#state.at(this.#state.version)
    return {
      number: this.#head.number,
      gasLimit: this.#draft().gasLimit ?? this.#head.gasLimit,
      baseFeePerGas: this.fees.nextBaseFee() ?? 0n,
      blobBaseFee: this.fees.nextBlobBaseFee() ?? 0n,
      nonce: (of: Address) => view.nonce(of),
      balance: (of: Address) => view.balance(of),
      code: (of: Address) => view.code(of),
    }
  }
}
