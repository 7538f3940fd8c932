// kestrel as the engine's application (ABCI 2.0): height = block number, app hash = hash of the EVM block. Nothing is written
// before Commit; whatever cannot be committed ends the process, because a node that differs from the others must not go on.
import { isDeepStrictEqual } from 'node:util'
import { abandonChain } from '../../chain/open.ts'
import type { StateSnapshots } from '../../chain/state-snapshot/snapshots.ts'
import type { Chain } from '../../chain/types.ts'
import { ChainError, describeError } from '../../lib/errors.ts'
import { fromHex, toHash } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { scheduler } from '../../lib/scheduler.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import { consensusAddress } from '../../spec/addresses.ts'
import { type NetworkSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { formatSpec, parseExactly, parseSpec } from '../../spec/genesis-file.ts'
import type { AbciApplication } from '../abci/application.ts'
import {
  ResponseApplySnapshotChunk_Result as ChunkResult,
  ResponseOfferSnapshot_Result as OfferResult,
  ResponseProcessProposal_ProposalStatus as ProposalStatus,
} from '../abci/generated/tendermint/abci/types_pb.ts'
import { Announcements, Forwarding, FRAME_BYTES } from './gossip.ts'
import { attributesOf, type BlockRequest } from './header.ts'
import { type EngineRequest, type Measurements, timed } from './measurements.ts'
import { ProposedBlocks, proposalKey } from './proposals.ts'
import { givingSnapshots } from './snapshots.ts'
import { validatorUpdate, validatorUpdates } from './validator-updates.ts'

/** InsertTx: at or above this code the engine sends the transaction again later. */
const RETRY_LATER = 32_000
/** Blocks carry no blobs, so nobody could give them to the other nodes. */
const BLOB_TRANSACTION = 3
/** CheckTx of a transaction that the engine has checked before. */
const RECHECK = 1

export type ApplicationOptions = {
  readonly chain: Chain
  /** This program's version: `0.1.0`. */
  readonly version: string
  /** Sends transactions to the engine's own mempool; left out: the engine asks for them (`mempool.type = "app"`). */
  readonly broadcast?: ((transactions: readonly Uint8Array[]) => Promise<void>) | undefined
  /** Milliseconds that building a proposal may take, so that others can execute it before their round ends. */
  readonly proposalTime: number
  /** Number of blocks before the head that the engine keeps; undefined: all. */
  readonly retainBlocks: bigint | undefined
  readonly measurements: Measurements
  /** Snapshots of the state for nodes that join; left out: none. */
  readonly snapshots?: Pick<StateSnapshots, 'list' | 'chunk'> | undefined
  readonly log: (line: string) => void
  /** Ends the node with this line: it cannot follow the network any more. */
  readonly fail: (line: string) => void
}

/** `isNew`: the block was executed for this request, because no proposal of it was kept. */
type Executed = { readonly executed: ExecutedBlock; readonly key: string; readonly isNew: boolean }

export class NetworkApplication implements AbciApplication {
  readonly #chain: Chain
  readonly #options: ApplicationOptions
  readonly #network: NetworkSpec
  readonly #giving: ReturnType<typeof givingSnapshots>
  readonly #textChainId: string
  readonly #proposed = new ProposedBlocks()
  readonly #announcements: Announcements | undefined
  readonly #forwarding: Forwarding | undefined
  #decided: ExecutedBlock | undefined

  /** Throws ChainError `not-allowed` for a chain that is no network. */
  constructor(options: ApplicationOptions) {
    const { chain, broadcast, log } = options
    const { consensus, textChainId } = requireNetwork(chain.spec)
    this.#chain = chain
    this.#options = options
    this.#giving = givingSnapshots(() => options.snapshots)
    this.#network = consensus
    this.#textChainId = textChainId
    if (broadcast === undefined) this.#announcements = new Announcements(chain)
    else this.#forwarding = new Forwarding(chain, broadcast, (error) => log(`engine: ${describeError(error)}`))
  }

  // --- the chain

  info: AbciApplication['info'] = () => {
    const { head } = this.#chain
    const isNew = head.number < this.#network.initialHeight
    return {
      data: 'kestrel',
      version: this.#options.version,
      appVersion: 1n,
      lastBlockHeight: isNew ? 0n : head.number,
      lastBlockAppHash: isNew ? new Uint8Array(0) : fromHex(head.hash),
    }
  }

  initChain: AbciApplication['initChain'] = ({ chainId, initialHeight, appStateBytes }) =>
    this.#orFail(async () => {
      const { head } = this.#chain
      if (chainId !== this.#textChainId)
        throw new ChainError('invalid-genesis', `the engine's chain is ${chainId}, this one ${this.#textChainId}`)
      const first = initialHeight > 0n ? initialHeight : 1n
      if (first !== this.#network.initialHeight || head.number !== first - 1n)
        throw new ChainError(
          'invalid-genesis',
          `the engine begins with block ${first}, the genesis with ${this.#network.initialHeight}, and the chain is at ${head.number}`,
        )
      this.#requireSameSpec(appStateBytes)
      this.#options.log(`the network ${chainId} begins with block ${first}`)
      return { validators: this.#chain.validators().map(validatorUpdate), appHash: fromHex(head.hash) }
    })

  /** Accounts are not compared here: their state root is in the app hash, which the engine compares. */
  #requireSameSpec(appState: Uint8Array): void {
    const theirs = formatSpec(parseSpec(parseExactly(Buffer.from(appState).toString())))
    if (isDeepStrictEqual(theirs, formatSpec(this.#chain.spec))) return
    throw new ChainError(
      'invalid-genesis',
      'app_state in the genesis of the engine is another genesis than this chain has',
    )
  }

  query: AbciApplication['query'] = () => ({ code: 1, log: 'use JSON-RPC' })

  // --- transactions

  checkTx: AbciApplication['checkTx'] = async ({ tx, type }) => {
    if (type === RECHECK && this.#chain.pool.get(keccakHash(tx)) === undefined)
      return { code: 1, log: 'mined or dropped' }
    const refusal = await this.#receive(tx)
    return refusal === undefined ? { code: 0 } : { code: 1, log: refusal.message }
  }

  insertTx: AbciApplication['insertTx'] = async ({ tx }) => {
    const refusal = await this.#receive(tx)
    if (refusal === undefined || refusal.message === 'already known') return { code: 0 }
    const isTemporary = refusal.message === 'txpool is full' || refusal.code === 'disk-failure'
    return { code: isTemporary ? RETRY_LATER : 1 }
  }

  reapTxs: AbciApplication['reapTxs'] = ({ maxBytes }) => {
    const most = maxBytes > 0n ? Number(maxBytes) : Number.POSITIVE_INFINITY
    const txs = this.#announcements?.take(most) ?? []
    this.#options.measurements.transactionsAnnounced += txs.length
    return { txs: [...txs] }
  }

  /** Pools a transaction that the engine has brought, unless it waits already. Returns why it was refused. */
  async #receive(raw: Uint8Array): Promise<ChainError | undefined> {
    const hash = keccakHash(raw)
    if (this.#chain.pool.get(hash) !== undefined) return undefined
    // A copy: the pool keeps the bytes, and the frame that they are a view of may be large.
    const submit = () => this.#chain.submit(Uint8Array.from(raw))
    try {
      await (this.#forwarding === undefined ? submit() : this.#forwarding.receiving(hash, submit))
      return undefined
    } catch (error) {
      if (error instanceof ChainError) return error
      throw error
    }
  }

  // --- blocks

  prepareProposal: AbciApplication['prepareProposal'] = (request) =>
    this.#first('prepare', async () => {
      if (request.height !== this.#chain.head.number + 1n) return { txs: [] }
      const attributes = attributesOf(this.#chain, { ...request, lastCommit: request.localLastCommit })
      try {
        const executed = await this.#chain.build(attributes, this.#candidates(Number(request.maxTxBytes)))
        for (const { transaction } of executed.refused) this.#chain.pool.remove(transaction.hash)
        const txs = executed.block.transactions.map(({ raw }) => raw)
        this.#proposed.add(proposalKey(attributes, txs), executed)
        this.#options.measurements.proposalsBuilt++
        return { txs }
      } catch (error) {
        // The candidate that made this program fail has left the pool; an empty block keeps the network going.
        this.#options.log(`block ${request.height} is proposed empty: ${describeError(error)}`)
        return { txs: [] }
      }
    })

  processProposal: AbciApplication['processProposal'] = (request) =>
    this.#first('process', async () => {
      try {
        if (request.height !== this.#chain.head.number + 1n)
          return this.#reject(request.height, `the head is block ${this.#chain.head.number}`)
        const block = { ...request, lastCommit: request.proposedLastCommit }
        const { key, executed } = await this.#execute(block, request.txs)
        const [taken, given] = [executed.block.transactions.length, request.txs.length]
        if (taken !== given) return this.#reject(request.height, `${given - taken} of ${given} transactions do not run`)
        this.#proposed.add(key, executed)
        this.#options.measurements.proposalsAccepted++
        return { status: ProposalStatus.ACCEPT }
      } catch (error) {
        return this.#reject(request.height, describeError(error))
      }
    })

  finalizeBlock: AbciApplication['finalizeBlock'] = (request) =>
    this.#orFail(() =>
      this.#first('finalize', async () => {
        const { number } = this.#chain.head
        if (request.height !== number + 1n)
          throw new ChainError('invalid-block', `the engine decides block ${request.height}, and the head is ${number}`)
        const block = { ...request, lastCommit: request.decidedLastCommit }
        const { executed, isNew } = await this.#execute(block, request.txs)
        if (isNew) this.#options.measurements.blocksExecutedAgain++
        this.#decided = executed
        this.#report(block)
        const updates = validatorUpdates(this.#chain.validators(), this.#chain.validators(executed))
        this.#reportGone(request.height, updates)
        return {
          txResults: resultsOf(executed, request.txs),
          validatorUpdates: updates,
          appHash: fromHex(executed.block.header.hash),
        }
      }),
    )

  commit: AbciApplication['commit'] = () =>
    this.#orFail(() =>
      this.#first('commit', async () => {
        const decided = this.#decided
        if (decided === undefined)
          throw new ChainError('invalid-block', 'the engine commits a block that it has not decided')
        this.#decided = undefined
        await this.#chain.commit(decided)
        this.#proposed.clear()
        const { retainBlocks } = this.#options
        const { number } = this.#chain.head
        return { retainHeight: retainBlocks === undefined || number <= retainBlocks ? 0n : number - retainBlocks }
      }),
    )

  // --- snapshots

  listSnapshots: AbciApplication['listSnapshots'] = (request) => this.#giving.listSnapshots(request)
  loadSnapshotChunk: AbciApplication['loadSnapshotChunk'] = (request) => this.#giving.loadSnapshotChunk(request)
  /**
   * An engine looks for a snapshot only while it has no state, and a node that has a chain accepts none: it ends, since the
   * engine would wait for ever. Where both were killed before the engine kept the snapshot that the chain began with, the next
   * start fetches another (`joining.ts`).
   */
  offerSnapshot: AbciApplication['offerSnapshot'] = async () => {
    const { base, head, store } = this.#chain
    if (base > 0n && head.number === base) {
      await abandonChain(store)
      this.#options.fail(`the engine has not kept the snapshot of block ${base}: start again to fetch another`)
    } else {
      const advice = 'restore its data folder, or begin with an empty data directory'
      this.#options.fail(`the chain is at block ${head.number}, and the engine has no blocks: ${advice}`)
    }
    return { result: OfferResult.ABORT }
  }
  applySnapshotChunk: AbciApplication['applySnapshotChunk'] = () => ({ result: ChunkResult.ABORT })

  /** Executes the block of a request. Transactions that cannot be decoded or executed are left out. */
  async #execute(request: BlockRequest, raws: readonly Uint8Array[]): Promise<Executed> {
    const attributes = attributesOf(this.#chain, request)
    const key = proposalKey(attributes, raws)
    const known = this.#proposed.get(key)
    if (known !== undefined) return { key, executed: known, isNew: false }
    const transactions = await this.#chain.decode(raws.map((raw) => Uint8Array.from(raw)))
    const candidates = transactions.filter((transaction) => transaction !== undefined)
    const withoutBlobs = candidates.filter(({ type }) => type !== BLOB_TRANSACTION)
    return { key, executed: await this.#chain.build(attributes, withoutBlobs), isNew: true }
  }

  /** Ready transactions, until the block's bytes or the time for building it are used up. */
  *#candidates(maxBytes: number): Generator<Transaction> {
    const until = performance.now() + this.#options.proposalTime
    let bytes = 0
    for (const transaction of this.#chain.pool.ready()) {
      if (transaction.type === BLOB_TRANSACTION) continue
      bytes += transaction.raw.length + FRAME_BYTES
      if (bytes > maxBytes || performance.now() > until) return
      yield transaction
    }
  }

  #reject(height: bigint, reason: string): { readonly status: ProposalStatus } {
    this.#options.measurements.proposalsRefused++
    this.#options.log(`the proposal for block ${height} is rejected: ${reason}`)
    return { status: ProposalStatus.REJECT }
  }

  #report({ height, misbehavior }: BlockRequest): void {
    for (const { type, validator, height: at } of misbehavior) {
      const what = type === 1 ? 'two votes in one round' : 'an attack on light clients'
      const who = validator === undefined ? 'somebody' : Buffer.from(validator.address).toString('hex')
      this.#options.log(`block ${height} has evidence of ${what} at ${at} by the validator ${who}`)
    }
  }

  #reportGone(height: bigint, updates: ReturnType<typeof validatorUpdates>): void {
    for (const { power, pubKey } of updates) {
      const signer = consensusAddress(toHash(pubKey.sum.value))
      if (power === 0n) this.#options.log(`the validator ${signer.slice(2)} leaves the set after block ${height}`)
    }
  }

  /** Runs the work of a request before all other work of this node, and measures it. */
  #first<T>(request: EngineRequest, work: () => Promise<T>): Promise<T> {
    return timed(this.#options.measurements, request, () => scheduler.prioritizeForEngine(work))
  }

  /** Runs work whose failure would make this node differ from the others: it then ends the process, and the engine with it. */
  async #orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#options.fail(`the node cannot follow the network: ${describeError(error)}`)
      throw error
    }
  }
}

/** Code, hash and gas of each transaction: the fields that the engine hashes. Logs are our own index's. */
function resultsOf({ block, receipts }: ExecutedBlock, raws: readonly Uint8Array[]) {
  const places = new Map(block.transactions.map(({ hash }, index) => [hash, index]))
  return raws.map((raw) => {
    const index = places.get(keccakHash(raw))
    const transaction = index === undefined ? undefined : block.transactions[index]
    const receipt = index === undefined ? undefined : receipts[index]
    if (transaction === undefined || receipt === undefined) return { code: 1 }
    return {
      code: 0,
      data: fromHex(transaction.hash),
      gasWanted: transaction.gasLimit,
      gasUsed: receipt.gasUsed,
    }
  })
}
