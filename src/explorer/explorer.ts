// The shared parts of the explorer's interfaces (REST, Etherscan, socket): the chain, the operator's options, live updates,
// contract verification, and every cache that outlives a request. The node constructs and closes one; `openContext` gives each
// request its view.
import type { Chain } from '../chain/types.ts'
import type { NetworkStatus } from '../consensus/network-status.ts'
import type { KnownContracts } from '../contracts/abi.ts'
import type { LocalArtifacts } from '../contracts/artifacts/local-artifacts.ts'
import type { Logger } from '../lib/log.ts'
import type { WorkQueue } from '../lib/work-queue.ts'
import type { Block } from '../primitives/types.ts'
import { ForkSources } from './contracts/fork-sources.ts'
import type { Verification } from './contracts/verification.ts'
import { KeptRows } from './metadata/kept-rows.ts'
import { TokenMetadata } from './metadata/token-metadata.ts'
import type { ExplorerOptions } from './options.ts'
import { PendingTransactions } from './pending-transactions.ts'
import type { Hub } from './socket/hub.ts'
import { StateChanges } from './state-changes.ts'
import { GasOracle } from './statistics/gas-oracle.ts'
import { LastDay } from './statistics/last-day.ts'

export type Parts = {
  readonly chain: Chain
  readonly options: ExplorerOptions
  /** The queue of heavy work, shared with JSON-RPC. */
  readonly queue: WorkQueue
  /** The subscribers of live updates. */
  readonly hub: Hub
  /** undefined: this node does not verify contracts. */
  readonly verification?: Verification | undefined
  /** The developer's builds; left out: none can be named. */
  readonly artifacts?: LocalArtifacts | undefined
  /** Status of CometBFT; left out on a chain of one node. */
  readonly network?: NetworkStatus | undefined
  readonly log: Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>
}

export class Explorer implements KnownContracts {
  readonly chain: Chain
  readonly options: ExplorerOptions
  readonly queue: WorkQueue
  readonly hub: Hub
  readonly verification: Verification | undefined
  readonly artifacts: LocalArtifacts | undefined
  readonly network: NetworkStatus | undefined
  readonly log: Parts['log']
  readonly pendingTransactions: PendingTransactions
  readonly gasOracle: GasOracle
  readonly lastDay: LastDay
  readonly stateChanges: StateChanges
  readonly tokenMetadata: TokenMetadata
  readonly forkSources: ForkSources
  readonly #kept: KeptRows
  /** Bytes of a block's RLP, by the block objects that the chain itself caches. */
  readonly blockSizes = new WeakMap<Block, number>()

  /** Subscribes to the chain's pool. */
  constructor({ chain, options, queue, hub, verification, artifacts, network, log }: Parts) {
    this.chain = chain
    this.options = options
    this.queue = queue
    this.hub = hub
    this.verification = verification
    this.artifacts = artifacts
    this.network = network
    this.log = log
    this.pendingTransactions = new PendingTransactions(chain)
    this.gasOracle = new GasOracle(chain)
    this.lastDay = new LastDay(chain)
    this.stateChanges = new StateChanges(chain)
    const kept = new KeptRows(chain.store)
    this.#kept = kept
    this.tokenMetadata = new TokenMetadata({ chain, queue, hub, options, kept, log })
    this.forkSources = new ForkSources({ chain, hub, options, kept, log })
  }

  /** Ends running work and drops the caches. Close the server that uses the explorer first. */
  async close(): Promise<void> {
    this.verification?.close()
    this.pendingTransactions.close()
    this.stateChanges.close()
    await Promise.all([this.artifacts?.close(), this.tokenMetadata.close(), this.forkSources.close()])
    await this.#kept.close()
  }
}
