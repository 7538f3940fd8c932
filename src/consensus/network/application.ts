// kestrel as CometBFT's application (ABCI 2.0): height = block number, app hash = hash of the EVM block, on a chain
// with IBC with the root of its provable store (`ibc/ics23/prove.ts`). Nothing is written
// before Commit; a block that cannot be committed ends the process, because a node that differs from the others must stop.
import { isDeepStrictEqual } from 'node:util'
import { abandonChain } from '../../chain/open.ts'
import { mostTransactions } from '../../chain/proposed-block.ts'
import type { StateSnapshots } from '../../chain/state-sync/state-snapshots.ts'
import type { Chain, TransactionOrigin } from '../../chain/types.ts'
import { appHashOf } from '../../ibc/ics23/prove.ts'
import { ChainError, describeError } from '../../lib/errors.ts'
import { fromHex, type Hash, toHash } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { scheduler } from '../../lib/scheduler.ts'
import {
  ResponseApplySnapshotChunk_Result as ChunkResult,
  ResponseOfferSnapshot_Result as OfferResult,
  ResponseProcessProposal_ProposalStatus as ProposalStatus,
} from '../../protobuf/generated/tendermint/abci/types_pb.ts'
import type { ExecutedBlock, PayloadAttributes } from '../../runtime/types.ts'
import { consensusAddress } from '../../spec/addresses.ts'
import { type NetworkSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { formatSpec, parseExactly, parseSpec } from '../../spec/genesis-file.ts'
import type { AbciApplication } from '../abci/application.ts'
import { Execution, ProposedBlocks, proposalKey } from './block-proposals.ts'
import { Announcements, Forwarding } from './gossip.ts'
import { attributesOf, type BlockRequest, isTimestamp } from './header.ts'
import { type AbciRequest, type Measurements, NO_DURATIONS, timed } from './measurements.ts'
import { OwnBlockProposals } from './own-block-proposals.ts'
import { changedConsensusParams, consensusParams } from './param-updates.ts'
import { describeShare, type ProposalShare, Rounds, type RoundTimes, shareAfter } from './rounds.ts'
import { givingSnapshots } from './state-sync.ts'
import { transactionsOf } from './transaction-batch.ts'
import { validatorUpdate, validatorUpdates } from './validator-updates.ts'

/** InsertTx: at or above this code CometBFT sends the transaction again later. */
const RETRY_LATER = 32_000
/** Fraction of `timeout_propose` in which a proposal's transactions are executed; the rest is for sealing and sending it. */
const BUILDING_PART = 1 / 3
/** Refused in blocks: blocks carry no blobs, so the other nodes could not get them. */
const BLOB_TRANSACTION = 3
/** Most failed rounds that extend the time for executing a proposal: `failed` also grows while the network is halted. */
const MOST_ROUNDS = 10
/** Type of a CheckTx for a transaction that CometBFT has checked before. */
const RECHECK = 1

export type ApplicationOptions = RoundTimes & {
  readonly chain: Chain
  /** This program's version: `0.1.0`. */
  readonly version: string
  /** Sends transactions to CometBFT's own mempool; left out: CometBFT asks for them (`mempool.type = "app"`). */
  readonly broadcast?: ((transactions: readonly Uint8Array[]) => Promise<void>) | undefined
  /** Number of blocks before the head that CometBFT keeps; undefined: all. */
  readonly retainBlocks: bigint | undefined
  readonly measurements: Measurements
  /** State snapshots for nodes that join; left out: none. */
  readonly snapshots?: Pick<StateSnapshots, 'list' | 'chunk'> | undefined
  readonly log: (line: string) => void
  /** Ends the node with this message: it can no longer follow the network. */
  readonly fail: (line: string) => void
}

export class NetworkApplication implements AbciApplication {
  readonly #chain: Chain
  readonly #options: ApplicationOptions
  readonly #network: NetworkSpec
  readonly #giving: ReturnType<typeof givingSnapshots>
  readonly #textChainId: string
  readonly #proposed = new ProposedBlocks()
  readonly #rounds: Rounds
  readonly #own: OwnBlockProposals
  readonly #announcements: Announcements | undefined
  readonly #forwarding: Forwarding | undefined
  #decided: ExecutedBlock | undefined

  /** Throws ChainError `not-allowed` for a chain of one node. */
  constructor(options: ApplicationOptions) {
    const { chain, broadcast, measurements, log } = options
    const { consensus, textChainId } = requireNetwork(chain.spec)
    this.#chain = chain
    this.#options = options
    this.#rounds = new Rounds(options)
    this.#own = new OwnBlockProposals({ chain, time: options.proposeTimeout * BUILDING_PART, measurements, log })
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
      lastBlockAppHash: isNew ? new Uint8Array(0) : this.#appHash(head.number),
    }
  }

  initChain: AbciApplication['initChain'] = ({ chainId, initialHeight, appStateBytes }) =>
    this.#orFail(async () => {
      const { head } = this.#chain
      if (chainId !== this.#textChainId)
        throw new ChainError('invalid-genesis', `CometBFT's chain is ${chainId}, this one ${this.#textChainId}`)
      const first = initialHeight > 0n ? initialHeight : 1n
      if (first !== this.#network.initialHeight || head.number !== first - 1n)
        throw new ChainError(
          'invalid-genesis',
          `CometBFT begins with block ${first}, the genesis with ${this.#network.initialHeight}, and the chain is at ${head.number}`,
        )
      this.#requireSameSpec(appStateBytes)
      this.#options.log(`the network ${chainId} begins with block ${first}`)
      const params = this.#chain.governed.params()
      return {
        validators: this.#chain.validators().map(validatorUpdate),
        appHash: this.#appHash(head.number),
        ...(params && { consensusParams: consensusParams(this.#chain.spec, params) }),
      }
    })

  /** The app hash after an executed block, or after the head. */
  #appHash(after: ExecutedBlock | bigint): Uint8Array {
    const leaves = this.#chain.stateQueries.appHashLeaves(after)
    if (leaves === undefined) throw new ChainError('storage', 'the state of the newest block is missing')
    return fromHex(appHashOf(leaves))
  }

  /** Compares everything but accounts: their state root is in the app hash, which CometBFT compares. */
  #requireSameSpec(appState: Uint8Array): void {
    const theirs = formatSpec(parseSpec(parseExactly(Buffer.from(appState).toString())))
    if (isDeepStrictEqual(theirs, formatSpec(this.#chain.spec))) return
    throw new ChainError(
      'invalid-genesis',
      'app_state in the genesis of CometBFT is another genesis than this chain has',
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

  insertTx: AbciApplication['insertTx'] = async ({ tx: message }) => {
    try {
      const raws = transactionsOf(message)
      const hashes = raws.map((raw) => keccakHash(raw))
      const submit = () => Promise.all(raws.map((raw, index) => this.#receive(raw, hashes[index], 'peer')))
      const refusals = await (this.#announcements?.receiving(message, hashes, submit) ?? submit())
      if (refusals.some((refusal) => refusal !== undefined && isTemporary(refusal))) return { code: RETRY_LATER }
      return { code: refusals.some((refusal) => refusal === undefined || refusal.message === 'already known') ? 0 : 1 }
    } catch (error) {
      if (error instanceof ChainError) return { code: 1 }
      throw error
    }
  }

  reapTxs: AbciApplication['reapTxs'] = ({ maxBytes }) => {
    const most = maxBytes > 0n ? Number(maxBytes) : Number.POSITIVE_INFINITY
    const messages = this.#announcements?.take(most) ?? []
    for (const { size } of messages) this.#options.measurements.transactionsAnnounced += size
    return { txs: messages.map(({ bytes }) => bytes) }
  }

  /** Adds a transaction from CometBFT to the pool, unless it is there. Returns why it was refused. */
  async #receive(
    raw: Uint8Array,
    hash: Hash = keccakHash(raw),
    origin?: TransactionOrigin,
  ): Promise<ChainError | undefined> {
    if (this.#chain.pool.get(hash) !== undefined) return undefined
    if (this.#own.hasDropped(hash))
      return new ChainError('limit-exceeded', 'the transaction takes longer to execute than a proposal may')
    // A copy, because the pool keeps the bytes, and they are a view of a frame that may be large.
    const submit = () => this.#chain.submit(Uint8Array.from(raw), origin)
    try {
      await (this.#forwarding === undefined ? submit() : this.#forwarding.receiving(hash, submit))
      return undefined
    } catch (error) {
      if (error instanceof ChainError) return error
      throw error
    }
  }

  // --- blocks

  get mostTransactions(): number {
    const { head, spec, governed } = this.#chain
    // Amsterdam's transactions cost less, and the fork of the next block is not known here.
    const amsterdam = spec.forks.some(({ fork }) => fork === 'amsterdam')
    return mostTransactions(governed.gasLimit ?? head.gasLimit, { amsterdam })
  }

  prepareProposal: AbciApplication['prepareProposal'] = (request) =>
    this.#first('prepare', async () => {
      const { height } = request
      if (height !== this.#chain.head.number + 1n) return { txs: [] }
      const attributes = attributesOf(this.#chain, { ...request, lastCommit: request.localLastCommit })
      try {
        const share = this.#shareOf(height)
        const executed = await this.#own.build(attributes, Number(request.maxTxBytes), share)
        const txs = executed.block.transactions.map(({ raw }) => raw)
        this.#proposed.add(proposalKey(attributes, txs), new Execution(async () => executed))
        this.#options.measurements.proposalsBuilt++
        return { txs }
      } catch (error) {
        // A transaction that caused this has left the pool; an empty block keeps the network running.
        this.#options.log(`block ${height} is proposed empty: ${describeError(error)}`)
        return { txs: [] }
      }
    })

  /** The share for this node's proposal; logs when it is less than usual. */
  #shareOf(height: bigint): ProposalShare {
    const { failed } = this.#rounds
    const share = shareAfter(failed)
    if (failed > 0) {
      const { measurements, log } = this.#options
      measurements.proposalsReduced++
      const rounds = failed === 1 ? 'a round has failed' : `${failed} rounds have failed`
      log(`block ${height} is proposed with ${describeShare(share)}: ${rounds}`)
    }
    return share
  }

  processProposal: AbciApplication['processProposal'] = (request) =>
    this.#first('process', async () => {
      const { height, txs } = request
      const { failed } = this.#rounds
      this.#rounds.proposed()
      try {
        const refusal = this.#outOfBounds(request)
        if (refusal !== undefined) return this.#reject(height, refusal)
        const attributes = attributesOf(this.#chain, { ...request, lastCommit: request.proposedLastCommit })
        const key = proposalKey(attributes, txs)
        const execution = this.#proposed.get(key) ?? this.#begin(key, attributes, txs)
        // A block without transactions is never refused for its time, so that there is one that all validators accept.
        const time =
          txs.length === 0
            ? Number.POSITIVE_INFINITY
            : this.#options.proposeTimeout * (1 + Math.min(failed, MOST_ROUNDS))
        const executed = await execution.within(time).catch((error) => {
          this.#proposed.remove(key)
          throw error
        })
        if (executed === undefined) {
          this.#options.measurements.proposalsLate++
          return this.#reject(height, `it takes longer than ${time / 1000} s to execute here`)
        }
        this.#options.measurements.proposalsAccepted++
        return { status: ProposalStatus.ACCEPT }
      } catch (error) {
        return this.#reject(height, describeError(error))
      }
    })

  /** What is wrong with a proposal, by checks that need no decoding; undefined if nothing. */
  #outOfBounds({
    height,
    time,
    txs,
  }: Pick<BlockRequest, 'height' | 'time'> & { txs: Uint8Array[] }): string | undefined {
    const { head } = this.#chain
    if (height !== head.number + 1n) return `the head is block ${head.number}`
    if (time === undefined || !isTimestamp(time)) return 'its time is no time after 1970'
    if (txs.length > this.mostTransactions) return `it has more than ${this.mostTransactions} transactions`
    const bytes = txs.reduce((sum, raw) => sum + raw.length, 0)
    const maxBytes = this.#chain.governed.params()?.maxBytes || this.#network.maxBytes
    if (bytes > maxBytes) return `its transactions have ${bytes} bytes`
    return undefined
  }

  #begin(key: string, attributes: Partial<PayloadAttributes>, txs: readonly Uint8Array[]): Execution {
    const execution = new Execution((pause) => this.#chain.executeProposal(attributes, txs, pause))
    this.#proposed.add(key, execution)
    return execution
  }

  finalizeBlock: AbciApplication['finalizeBlock'] = (request) =>
    this.#orFail(() =>
      this.#first('finalize', async () => {
        const { number } = this.#chain.head
        if (request.height !== number + 1n)
          throw new ChainError('invalid-block', `CometBFT decides block ${request.height}, and the head is ${number}`)
        const block = { ...request, lastCommit: request.decidedLastCommit }
        const executed = await this.#executeDecided(block, request.txs)
        this.#decided = executed
        this.#report(block)
        const updates = validatorUpdates(this.#chain.validators(), this.#chain.validators(executed))
        this.#reportGone(request.height, updates)
        const { governed, spec } = this.#chain
        const params = changedConsensusParams(spec, governed.params(), governed.params(executed))
        return {
          ...(params && { consensusParamUpdates: params }),
          txResults: resultsOf(executed, request.txs),
          validatorUpdates: updates,
          appHash: this.#appHash(executed),
        }
      }),
    )

  /** The executed block of a kept proposal, else executes it. Transactions that cannot be decoded or executed are omitted. */
  async #executeDecided(request: BlockRequest, raws: readonly Uint8Array[]): Promise<ExecutedBlock> {
    const attributes = attributesOf(this.#chain, request)
    // The other validators may decide a block that this node refused. Its kept execution then fails again, and the block is
    // executed a second time.
    const proposed = await this.#proposed
      .get(proposalKey(attributes, raws))
      ?.toEnd()
      .catch(() => undefined)
    if (proposed !== undefined) return proposed
    this.#options.measurements.blocksExecutedAgain++
    const transactions = await this.#chain.decode(raws.map((raw) => Uint8Array.from(raw)))
    const candidates = transactions.filter((transaction) => transaction !== undefined)
    return this.#chain.build(
      attributes,
      candidates.filter(({ type }) => type !== BLOB_TRANSACTION),
    )
  }

  commit: AbciApplication['commit'] = () =>
    this.#orFail(() =>
      this.#first('commit', async () => {
        const decided = this.#decided
        if (decided === undefined)
          throw new ChainError('invalid-block', 'CometBFT commits a block that it has not decided')
        this.#decided = undefined
        await this.#chain.commit(decided)
        this.#proposed.clear()
        this.#rounds.committed()
        this.#options.measurements.slowest = NO_DURATIONS
        const { retainBlocks } = this.#options
        const { number } = this.#chain.head
        return { retainHeight: retainBlocks === undefined || number <= retainBlocks ? 0n : number - retainBlocks }
      }),
    )

  // --- state sync

  listSnapshots: AbciApplication['listSnapshots'] = (request) => this.#giving.listSnapshots(request)
  loadSnapshotChunk: AbciApplication['loadSnapshotChunk'] = (request) => this.#giving.loadSnapshotChunk(request)
  /**
   * CometBFT offers a state snapshot only while it has no state. A node that has a chain accepts none and ends, since CometBFT
   * would wait forever. If both were killed before CometBFT stored the state snapshot that the chain began with, the next start
   * fetches another (`joining.ts`).
   */
  offerSnapshot: AbciApplication['offerSnapshot'] = async () => {
    const { base, head, store } = this.#chain
    if (base > 0n && head.number === base) {
      await abandonChain(store)
      this.#options.fail(`CometBFT has not kept the snapshot of block ${base}: start again to fetch another`)
    } else {
      const advice = 'restore its data folder, or begin with an empty data directory'
      this.#options.fail(`the chain is at block ${head.number}, and CometBFT has no blocks: ${advice}`)
    }
    return { result: OfferResult.ABORT }
  }
  applySnapshotChunk: AbciApplication['applySnapshotChunk'] = () => ({ result: ChunkResult.ABORT })

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
  #first<T>(request: AbciRequest, work: () => Promise<T>): Promise<T> {
    return timed(this.#options.measurements, request, () => scheduler.prioritizeForEngine(work))
  }

  /** Runs work whose failure would make this node differ from the others: a failure ends the process, and CometBFT with it. */
  async #orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#options.fail(`the node cannot follow the network: ${describeError(error)}`)
      throw error
    }
  }
}

/** Whether the transaction may be taken when the peer sends it again. */
const isTemporary = ({ code, message }: ChainError): boolean => message === 'txpool is full' || code === 'disk-failure'

/** Code, hash and gas of each transaction: the fields that CometBFT hashes. Logs are in kestrel's index. */
function resultsOf({ block, receipts }: ExecutedBlock, raws: readonly Uint8Array[]) {
  // The block has them in the same order, without those that cannot run; if one occurs twice, only the first one runs.
  let index = 0
  return raws.map((raw) => {
    const transaction = block.transactions[index]
    const receipt = receipts[index]
    if (transaction === undefined || receipt === undefined || Buffer.compare(raw, transaction.raw) !== 0)
      return { code: 1 }
    index++
    return {
      code: 0,
      data: fromHex(transaction.hash),
      gasWanted: transaction.gasLimit,
      gasUsed: receipt.gasUsed,
    }
  })
}
