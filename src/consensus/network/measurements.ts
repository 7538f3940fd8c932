// Counters and durations of a network's node, updated by requests of CometBFT and read by each scrape. Never reset.

/** Requests of CometBFT that are timed. */
export type AbciRequest = 'prepare' | 'process' | 'finalize' | 'commit'

export type Measurements = {
  /** Blocks that this node has built as the proposer. */
  proposalsBuilt: number
  /** Proposals of all nodes, including this one. */
  proposalsAccepted: number
  proposalsRefused: number
  /** Of these: proposals whose execution took too long. */
  proposalsLate: number
  /** Own proposals with a reduced share, because rounds of their height had failed. */
  proposalsReduced: number
  /** Transactions that were reverted in own proposals because they took too long. */
  transactionsStopped: number
  /** Decided blocks that FinalizeBlock had to execute because no proposal was kept: during block sync and replay. */
  blocksExecutedAgain: number
  /** Transactions that were given to CometBFT for its peers. */
  transactionsAnnounced: number
  /** Durations by request. */
  readonly durations: Readonly<Record<AbciRequest, DurationHistogram>>
  /** Seconds of the longest request of each kind since the newest block. */
  slowest: Readonly<Record<AbciRequest, number>>
}

export const NO_DURATIONS: Measurements['slowest'] = { prepare: 0, process: 0, finalize: 0, commit: 0 }

/** Upper bounds of the buckets, in seconds; CometBFT's default `timeout_propose` is three. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10]

export class DurationHistogram {
  /** Seconds, ascending. */
  readonly bounds: readonly number[] = BOUNDS
  /** Number of durations per bucket; the last counts those above all bounds. */
  readonly counts: number[] = new Array<number>(BOUNDS.length + 1).fill(0)
  /** Sum of all durations in seconds. */
  sum = 0

  add(seconds: number): void {
    const found = BOUNDS.findIndex((bound) => seconds <= bound)
    const bucket = found < 0 ? BOUNDS.length : found
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += seconds
  }
}

export const newMeasurements = (): Measurements => ({
  proposalsBuilt: 0,
  proposalsAccepted: 0,
  proposalsRefused: 0,
  proposalsLate: 0,
  proposalsReduced: 0,
  transactionsStopped: 0,
  blocksExecutedAgain: 0,
  transactionsAnnounced: 0,
  durations: {
    prepare: new DurationHistogram(),
    process: new DurationHistogram(),
    finalize: new DurationHistogram(),
    commit: new DurationHistogram(),
  },
  slowest: NO_DURATIONS,
})

/** Runs the work of a request and adds its duration, also when it fails. */
export async function timed<T>(measurements: Measurements, request: AbciRequest, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    const seconds = (performance.now() - began) / 1000
    measurements.durations[request].add(seconds)
    const { slowest } = measurements
    measurements.slowest = { ...slowest, [request]: Math.max(seconds, slowest[request]) }
  }
}
