// A node's part in a network: the producer that makes no blocks, the application that the engine drives over a socket, the
// engine's program where this node starts it, and what the engine tells of its peers.
import { markEngine } from '../../chain/engine-mark.ts'
import type { StateSnapshot } from '../../chain/state-snapshot/format.ts'
import { StateSnapshots } from '../../chain/state-snapshot/snapshots.ts'
import type { Chain, Indexer } from '../../chain/types.ts'
import { describeError } from '../../lib/errors.ts'
import { type AbciServer, serveAbci } from '../abci/server.ts'
import type { NetworkStatus, SyncProgress } from '../network-status.ts'
import { NetworkApplication } from './application.ts'
import type { Joining } from './joining.ts'
import { type Measurements, newMeasurements } from './measurements.ts'
import { NetworkProducer } from './producer.ts'
import { watchSilence } from './silence.ts'

/** The engine's program; undefined where the operator starts it. */
type EngineProgram = {
  start(): Promise<void>
  stop(): Promise<void>
  /** Settles with a line when the engine does not come up again. */
  readonly failed: Promise<string>
}

/** Requests to the engine's own RPC. */
type EngineRpc = {
  status(): Promise<{ readonly catchingUp: boolean }>
  peers(): Promise<number>
  isListening(): Promise<boolean>
  /** Newest block that a peer is known to have; undefined: no peer tells. */
  highestHeight(): Promise<bigint | undefined>
  /** Signed header and validators of a height, as JSON of the engine. Throws ChainError `not-found`. */
  commit(height: bigint): Promise<unknown>
  /** Hands transactions to the engine's own mempool. */
  broadcast(transactions: readonly Uint8Array[]): Promise<void>
}

export type NetworkOptions = {
  /** Path of the socket at which the engine finds the application. */
  readonly socket: string
  readonly engine: EngineProgram | undefined
  readonly client: EngineRpc
  /** The engine's mempool: `app` asks this node for transactions, `flood` is given them. */
  readonly mempool: 'app' | 'flood'
  /** Milliseconds that the engine waits for a proposal (`timeout_propose`). */
  readonly proposeTimeout: number
  /** Number of blocks before the head that the engine keeps; undefined: all. */
  readonly retainBlocks: bigint | undefined
  /** Whether the engine of a node without blocks fetches a snapshot of the state instead of all blocks. */
  readonly stateSync?: boolean
  /** Where snapshots for nodes that join are kept, and how many blocks are from one to the next; left out: none is made. */
  readonly snapshots?: { readonly folder: string; readonly interval: bigint } | undefined
}

/** Part of the wait for a proposal in which it is built; the rest is for the others, who execute it. */
const BUILDING_PART = 1 / 3

export type NetworkSettings = {
  readonly chain: Chain
  readonly options: NetworkOptions
  readonly version: string
  /** The index of the chain. */
  readonly indexer: Pick<Indexer, 'addresses'>
  readonly log: (line: string) => void
  readonly onError: (error: unknown) => void
  /** Ends the node with this line. */
  readonly fail: (line: string) => void
  /** What has restored the chain from a snapshot, with the engine that runs; left out: the engine is not started yet. */
  readonly joining?: Joining | undefined
}

export class Network {
  readonly producer: NetworkProducer
  readonly status: NetworkStatus
  readonly measurements: Measurements = newMeasurements()
  readonly #settings: NetworkSettings
  #server: AbciServer | undefined
  #snapshots: StateSnapshots | undefined
  #stopWatching: () => void = () => undefined

  constructor(settings: NetworkSettings) {
    this.#settings = settings
    this.producer = new NetworkProducer(settings.chain)
    this.status = new EngineStatus(settings.chain, settings.options.client)
  }

  /** Listens for the engine and starts it. Throws ChainError `not-allowed` for a chain of one node. */
  async start(): Promise<void> {
    const { chain, options, version, indexer, log, onError, fail, joining } = this.#settings
    const { socket, engine, client, mempool, proposeTimeout, retainBlocks } = options
    await markEngine(chain.store, chain.spec.native?.consensus?.engine ?? 'the engine')
    this.#stopWatching = watchSilence(chain, () => client.peers(), log)
    if (options.snapshots !== undefined) {
      const onMade = ({ height, chunks }: StateSnapshot) =>
        log(`snapshot of the state of block ${height} in ${chunks} chunks`)
      this.#snapshots = await StateSnapshots.open(chain, { ...options.snapshots, indexer, onMade, onError })
    }
    const application = new NetworkApplication({
      chain,
      version,
      broadcast: mempool === 'flood' ? (transactions) => client.broadcast(transactions) : undefined,
      proposalTime: proposeTimeout * BUILDING_PART,
      retainBlocks,
      measurements: this.measurements,
      snapshots: this.#snapshots,
      log,
      fail,
    })
    this.#server = joining?.become(application)
    void engine?.failed.then(fail)
    if (this.#server !== undefined) return
    this.#server = await serveAbci(socket, application, onError)
    await engine?.start()
  }

  /** The engine ends first: it must not ask for a block that this node does not finish. */
  async stop(): Promise<void> {
    const { options, log } = this.#settings
    this.#stopWatching()
    try {
      await options.engine?.stop()
    } catch (error) {
      log(`the engine did not stop: ${describeError(error)}`)
    }
    await (this.#server?.close() ?? this.#settings.joining?.close())
    await this.#snapshots?.close()
  }
}

/** What the engine tells, with the blocks of this node. */
class EngineStatus implements NetworkStatus {
  readonly #chain: Chain
  readonly #client: EngineRpc
  /** Newest block when the node began to catch up; undefined while it does not. */
  #startingBlock: bigint | undefined

  constructor(chain: Chain, client: EngineRpc) {
    this.#chain = chain
    this.#client = client
  }

  async syncing(): Promise<SyncProgress | false> {
    const { catchingUp } = await this.#client.status()
    if (!catchingUp) {
      this.#startingBlock = undefined
      return false
    }
    const currentBlock = this.#chain.head.number
    this.#startingBlock ??= currentBlock
    const highest = (await this.#client.highestHeight()) ?? currentBlock
    const highestBlock = highest > currentBlock ? highest : currentBlock
    return { startingBlock: this.#startingBlock, currentBlock, highestBlock }
  }

  peerCount(): Promise<number> {
    return this.#client.peers()
  }

  isListening(): Promise<boolean> {
    return this.#client.isListening()
  }

  commit(number: bigint): Promise<unknown> {
    return this.#client.commit(number + 1n)
  }
}
