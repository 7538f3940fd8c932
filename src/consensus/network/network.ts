// A node's part in a network: the producer that makes no blocks, the application that CometBFT drives over a socket, CometBFT's
// process if this node starts it, and the status that CometBFT reports.
import { markConsensus } from '../../chain/consensus-mark.ts'
import type { StateSnapshot } from '../../chain/state-sync/format.ts'
import { StateSnapshots } from '../../chain/state-sync/state-snapshots.ts'
import type { Chain, Indexer } from '../../chain/types.ts'
import { describeError } from '../../lib/errors.ts'
import { type AbciServer, serveAbci } from '../abci/server.ts'
import type { NetworkStatus, SyncProgress } from '../network-status.ts'
import { NetworkApplication } from './application.ts'
import type { Joining } from './joining.ts'
import { type Measurements, newMeasurements } from './measurements.ts'
import type { NetworkOptions } from './options.ts'
import { NetworkProducer } from './producer.ts'
import { watchRounds } from './round-watch.ts'
import { watchSilence } from './silence.ts'

export type NetworkSettings = {
  readonly chain: Chain
  readonly options: NetworkOptions
  readonly version: string
  /** The index of the chain. */
  readonly indexer: Pick<Indexer, 'addresses'>
  readonly log: (line: string) => void
  readonly onError: (error: unknown) => void
  /** Ends the node with this message. */
  readonly fail: (line: string) => void
  /** Set after a state sync, which has opened the socket and started CometBFT. Left out: CometBFT is not started yet. */
  readonly joining?: Joining | undefined
}

export class Network {
  readonly producer: NetworkProducer
  readonly status: NetworkStatus
  readonly measurements: Measurements = newMeasurements()
  readonly #settings: NetworkSettings
  #server: AbciServer | undefined
  #snapshots: StateSnapshots | undefined
  #blockTime = 0
  readonly #stopWatching: (() => void)[] = []

  constructor(settings: NetworkSettings) {
    this.#settings = settings
    this.producer = new NetworkProducer(settings.chain)
    this.status = new CometBftStatus(settings.chain, settings.options.client)
  }

  /** Listens for CometBFT and starts it. Throws ChainError `not-allowed` for a chain of one node. */
  async start(): Promise<void> {
    const { chain, options, version, indexer, log, onError, fail, joining } = this.#settings
    const { socket, cometBft, client, mempool, proposeTimeout, commitTimeout, retainBlocks } = options
    await markConsensus(chain.store, chain.spec.native?.consensus?.engine ?? 'CometBFT')
    this.#stopWatching.push(watchSilence({ chain, cometBft: client, measurements: this.measurements, log }))
    if (options.snapshots !== undefined) {
      const onMade = ({ height, chunks }: StateSnapshot) =>
        log(`snapshot of the state of block ${height} in ${chunks} chunks`)
      this.#snapshots = await StateSnapshots.open(chain, { ...options.snapshots, indexer, onMade, onError })
    }
    const blockTime = () => Number(chain.governed.params()?.blockTimeMs ?? 0n)
    this.#blockTime = blockTime()
    if (this.#blockTime > 0) await cometBft?.setBlockTime(this.#blockTime)
    this.#stopWatching.push(chain.events.on('block', () => this.#followBlockTime(blockTime())))
    const application = new NetworkApplication({
      chain,
      version,
      broadcast: mempool === 'flood' ? (transactions) => client.broadcast(transactions) : undefined,
      proposeTimeout,
      get commitTimeout() {
        return blockTime() || commitTimeout
      },
      retainBlocks,
      measurements: this.measurements,
      snapshots: this.#snapshots,
      log,
      fail,
    })
    this.#server = joining?.become(application)
    if (this.#server === undefined) {
      this.#server = await serveAbci(socket, application, onError)
      await cometBft?.start()
    }
    void cometBft?.failed.then(fail)
    this.#stopWatching.push(watchRounds({ chain, client, cometBft, log, fail }))
  }

  /** Gives CometBFT the time between blocks that governance has set; 0: none. */
  #followBlockTime(milliseconds: number): void {
    const { options, log } = this.#settings
    if (milliseconds === 0 || milliseconds === this.#blockTime) return
    this.#blockTime = milliseconds
    if (options.cometBft === undefined)
      log(
        `governance has set ${milliseconds} ms between blocks: write timeout_commit = "${milliseconds}ms" and restart CometBFT`,
      )
    else {
      log(`governance has set ${milliseconds} ms between blocks`)
      options.cometBft.setBlockTime(milliseconds).catch(this.#settings.onError)
    }
  }

  /** Stops CometBFT first, so that it cannot request a block that this node would not finish. */
  async stop(): Promise<void> {
    const { options, log } = this.#settings
    for (const stop of this.#stopWatching) stop()
    try {
      await options.cometBft?.stop()
    } catch (error) {
      log(`CometBFT did not stop: ${describeError(error)}`)
    }
    await (this.#server?.close() ?? this.#settings.joining?.close())
    await this.#snapshots?.close()
  }
}

/** Sync progress and peers from CometBFT's RPC, with the block numbers of this node. */
class CometBftStatus implements NetworkStatus {
  readonly #chain: Chain
  readonly #client: NetworkOptions['client']
  /** Newest block when the node began to catch up; undefined while it is not catching up. */
  #startingBlock: bigint | undefined

  constructor(chain: Chain, client: NetworkOptions['client']) {
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
    // The app hash after a block is in the header of the next height.
    return this.#client.commit(number + 1n)
  }
}
