// Metrics of a network's node: peers and progress as reported by CometBFT, and counters of the ABCI application. A scrape also
// succeeds while CometBFT cannot be reached; a metric shows this.
import { Counter, Gauge, type Histogram, type Registry } from 'prom-client'
import type { Measurements } from '../consensus/network/measurements.ts'
import type { NetworkStatus } from '../consensus/network-status.ts'
import { histogramValues } from './call-histogram.ts'

/** The parts of a network that monitoring reads. */
export type MonitoredNetwork = { readonly status: NetworkStatus; readonly measurements: Measurements }

/** Counters of the measurements by the end of their names. */
const COUNTERS = [
  ['proposals_built_total', 'Blocks proposed by this node', 'proposalsBuilt'],
  ['proposals_accepted_total', 'Proposals accepted, this node’s own among them', 'proposalsAccepted'],
  ['proposals_refused_total', 'Proposals refused', 'proposalsRefused'],
  ['proposals_late_total', 'Proposals refused because executing them took too long', 'proposalsLate'],
  ['proposals_reduced_total', 'Own proposals with less than usual, after failed rounds', 'proposalsReduced'],
  ['transactions_stopped_total', 'Transactions too slow for a proposal of this node', 'transactionsStopped'],
  ['blocks_executed_again_total', 'Decided blocks whose execution was not kept', 'blocksExecutedAgain'],
  ['transactions_announced_total', 'Transactions handed to the engine for its peers', 'transactionsAnnounced'],
] as const

/** Adds the metrics of a network to a registry. `head`: number of the newest block. */
export function addNetworkMetrics(
  registry: Registry,
  { status, measurements }: MonitoredNetwork,
  head: () => bigint,
): void {
  const registers = [registry]
  new Gauge({
    name: 'kestrel_consensus_engine_up',
    help: '1 while the engine answers, else 0',
    registers,
    async collect() {
      this.set(
        await status.isListening().then(
          () => 1,
          () => 0,
        ),
      )
    },
  })
  new Gauge({
    name: 'kestrel_consensus_syncing',
    help: '1 while the node catches up with its peers, else 0',
    registers,
    async collect() {
      this.set((await status.syncing().catch(() => false)) === false ? 0 : 1)
    },
  })
  new Gauge({
    name: 'kestrel_consensus_highest_block',
    help: 'Newest block that a peer is known to have while the node catches up, else the newest block',
    registers,
    async collect() {
      const progress = await status.syncing().catch(() => false as const)
      this.set(Number(progress === false ? head() : progress.highestBlock))
    },
  })
  for (const [name, help, field] of COUNTERS) {
    new Counter({
      name: `kestrel_consensus_${name}`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(measurements[field])
      },
    })
  }
  registry.registerMetric(durationsMetric(measurements))
}

/** Durations of CometBFT's requests, in the form of a histogram for the registry. */
function durationsMetric({ durations }: Measurements): Histogram<'request'> {
  const name = 'kestrel_consensus_request_seconds'
  const metric = {
    name,
    async get() {
      const help = 'Time to answer the engine, by request: prepare and process a proposal, finalize and commit a block'
      const values = Object.entries(durations).flatMap(([request, of]) => histogramValues(name, { request }, of))
      return { name, help, type: 'histogram', values }
    },
  }
  // The registry uses only the name and `get`, but its types demand a class of the library.
  return metric as unknown as Histogram<'request'>
}
