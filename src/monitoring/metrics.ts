// The metrics of a node, for Prometheus; those of a network are in network-metrics.ts. To add one, change this file only: a metric listens to the chain's events, or
// reads a number from another part of the node when it is scraped. Each node has its own registry, because several
// nodes may run in one process.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Chain } from '../chain/types.ts'
import type { Budget } from '../lib/budget.ts'
import type { WorkQueue } from '../lib/work-queue.ts'
import { CallHistogram, type CountedCalls } from './call-histogram.ts'
import { countPeers, isWritable, type MonitoredDisk } from './health.ts'
import { addNetworkMetrics, type MonitoredNetwork } from './network-metrics.ts'

export type Monitored = {
  readonly chain: Pick<Chain, 'head' | 'oldestState' | 'pool' | 'events' | 'store' | 'forked'>
  readonly queue: WorkQueue
  /** Running read threads, their pending requests, and the requests they have answered. */
  readonly readLoad: () => { readonly threads: number; readonly requests: number; readonly answers: number }
  /** The calls that read threads have answered on their own connections since it was last called. */
  readonly threadCounts: () => Promise<readonly CountedCalls[]>
  /** Left out on a chain of one node. */
  readonly network?: MonitoredNetwork | undefined
  /** Left out for a chain in memory. */
  readonly disk?: MonitoredDisk | undefined
  readonly version: string
  /** The EVM engine. */
  readonly engine: string
  /** Bytes of the database. */
  readonly databaseSize: () => Promise<number>
  /**
   * Tables verified in the present round, their total number, and the time (Unix milliseconds) when all were last verified;
   * undefined before the first.
   */
  readonly tableCheck: () => { readonly read: number; readonly of: number; readonly since: number } | undefined
}

/** Counters of the server's connections and request bodies. */
export type Door = {
  readonly connections: {
    readonly load: { readonly open: number; readonly refused: number; readonly displaced: number }
  }
  readonly bodies: Pick<Budget, 'taken' | 'refusals'>
}

/** Upper bounds of the buckets, in seconds. */
const BLOCK_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const HTTP_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

const NOT_FORKED = { requests: 0, exchanges: 0, failures: 0, bytes: 0, seconds: 0, hits: 0 }

export class Metrics {
  readonly #registry = new Registry()
  readonly #registers = [this.#registry]
  readonly #calls = new CallHistogram(
    'kestrel_rpc_request_duration_seconds',
    'JSON-RPC calls by method; heavy ones with their wait',
  )
  readonly #errors: Counter<'code'>
  readonly #http: Histogram<'route' | 'status'>
  readonly #threadCounts: Monitored['threadCounts']

  constructor(monitored: Monitored) {
    this.#threadCounts = monitored.threadCounts
    const registers = this.#registers
    this.#registry.registerMetric(this.#calls.asMetric())
    this.#errors = new Counter({
      name: 'kestrel_rpc_errors_total',
      help: 'JSON-RPC errors by code',
      labelNames: ['code'],
      registers,
    })
    this.#http = new Histogram({
      name: 'kestrel_http_request_duration_seconds',
      help: 'HTTP requests other than plain JSON-RPC (explorer, pages, monitoring), by route and status',
      labelNames: ['route', 'status'],
      buckets: HTTP_BOUNDS,
      registers,
    })
    this.#gauge('kestrel_build_info', 'Version and engine; always 1', () => 1, {
      version: monitored.version,
      engine: monitored.engine,
    })
    this.#observeBlocks(monitored.chain)
    this.#readState(monitored)
    const { network, chain } = monitored
    this.#watchFork(chain)
    if (network !== undefined) addNetworkMetrics(this.#registry, network, () => chain.head.number)
  }

  readonly contentType = this.#registry.contentType

  /** Every metric in the text format of Prometheus. */
  async text(): Promise<string> {
    for (const { calls, errors } of await this.#threadCounts()) {
      this.#calls.merge(calls)
      for (const [code, count] of errors) this.#errors.inc({ code }, count)
    }
    return `${await this.#registry.metrics()}\n${await processMetrics().metrics()}`
  }

  /** Records a JSON-RPC call (`CallMeter` in `rpc/define.ts`). */
  ended(method: string | undefined, began: number, code: number | undefined): void {
    this.#calls.add(method, began)
    if (code !== undefined) this.refused(code)
  }

  /** Records that a message which is not a valid request was answered with this error code. */
  refused(code: number): void {
    this.#errors.inc({ code })
  }

  /** Records an answered HTTP request; `route` is its pattern, such as `/api/v2/blocks/:id`. */
  answered(route: string, status: number, milliseconds: number): void {
    this.#http.observe({ route, status }, milliseconds / 1000)
  }

  /** Adds metrics of open HTTP connections and WebSockets, and of refused ones. */
  watchConnections(sockets: () => number, { connections, bodies }: Door): void {
    this.#gauge('kestrel_connections', 'Open connections, WebSockets among them', () => connections.load.open)
    this.#gauge('kestrel_websocket_connections', 'Open WebSocket connections', sockets)
    this.#readTotal(
      'kestrel_connections_refused_total',
      'Connections refused for lack of a place',
      () => connections.load.refused,
    )
    this.#readTotal(
      'kestrel_connections_displaced_total',
      'Idle connections closed in favour of new ones',
      () => connections.load.displaced,
    )
    this.#gauge('kestrel_request_body_bytes', 'Bytes of large request bodies in memory', () => bodies.taken)
    this.#readTotal(
      'kestrel_request_bodies_refused_total',
      'Bodies refused because too many bytes were in memory',
      () => bodies.refusals,
    )
  }

  #observeBlocks({ events }: Monitored['chain']): void {
    const blocks = this.#counter('kestrel_blocks_total', 'Blocks committed since the start')
    const transactions = this.#counter('kestrel_transactions_total', 'Transactions in them')
    const gas = this.#counter('kestrel_gas_used_total', 'Gas used by them')
    const removed = this.#counter(
      'kestrel_blocks_removed_total',
      'Blocks removed from the chain by development methods',
    )
    const build = this.#seconds(
      'kestrel_block_build_seconds',
      'Time to build or import a block, with the time that it stays open for further transactions',
    )
    const commit = this.#seconds('kestrel_block_commit_seconds', 'Time to index a block and write it to disk')
    events.on('block', ({ block }, { built, committed }) => {
      blocks.inc()
      transactions.inc(block.transactions.length)
      gas.inc(Number(block.header.gasUsed))
      build.observe(built / 1000)
      commit.observe(committed / 1000)
    })
    events.on('removed', (blocks) => removed.inc(blocks.length))
  }

  #readState({ chain, queue, readLoad, network, disk, databaseSize, tableCheck }: Monitored): void {
    this.#gauge('kestrel_head_block', 'Number of the newest block', () => Number(chain.head.number))
    this.#gauge('kestrel_head_timestamp_seconds', 'Its timestamp', () => Number(chain.head.timestamp))
    this.#gauge('kestrel_oldest_state_block', 'Oldest block whose state is kept', () => Number(chain.oldestState))
    this.#gauge('kestrel_base_fee_wei', 'Base fee of the newest block', () => Number(chain.head.baseFeePerGas ?? 0n))
    this.#gauge('kestrel_pool_pending', 'Transactions that wait and are executable', () => chain.pool.pending)
    this.#gauge('kestrel_pool_queued', 'Transactions that wait for a nonce before theirs', () => chain.pool.queued)
    this.#gauge('kestrel_heavy_calls_running', 'Heavy calls that run', () => queue.load.running)
    this.#gauge('kestrel_heavy_calls_waiting', 'Heavy calls that wait for a slot', () => queue.load.waiting)
    this.#gauge('kestrel_read_threads', 'Threads that answer reads and run now', () => readLoad().threads)
    this.#gauge(
      'kestrel_read_thread_requests',
      'Requests that were handed over to them and have no answer yet',
      () => readLoad().requests,
    )
    this.#readTotal('kestrel_read_thread_answers_total', 'Requests that they have answered', () => readLoad().answers)
    this.#gauge('kestrel_disk_writable', '1 while the disk takes writes, else 0', () => (isWritable(chain) ? 1 : 0))
    this.#gauge(
      'kestrel_disk_sync_delay_seconds',
      'Time within which a block is synced to disk; 0: before it is announced, or in memory',
      () => (disk === undefined || disk.durable === 'block' ? 0 : disk.durable / 1000),
    )
    this.#gauge(
      'kestrel_disk_unsynced_seconds',
      'Time since the oldest block that a power cut would lose; 0: there is none',
      () => (disk?.unsyncedAge() ?? 0) / 1000,
    )
    this.#gauge('kestrel_database_bytes', 'Size of the database on disk, at most a minute old', databaseSize)
    this.#gauge(
      'kestrel_database_check_timestamp_seconds',
      'When all tables of the database had last been verified; the start before that, and 0 in memory',
      () => (tableCheck()?.since ?? 0) / 1000,
    )
    this.#gauge('kestrel_database_check_progress', 'Share of the tables that the check has verified, 0 to 1', () => {
      const { read, of } = tableCheck() ?? { read: 0, of: 1 }
      return of === 0 ? 1 : read / of
    })
    this.#gauge('kestrel_peers', 'Peers; a chain of one node has none', () => countPeers(network?.status))
    this.#readTotal(
      'kestrel_heavy_calls_refused_total',
      'Heavy calls refused because too many waited',
      () => queue.refusals,
    )
  }

  #watchFork(chain: Monitored['chain']): void {
    const counts = () => chain.forked?.counts ?? NOT_FORKED
    this.#gauge(
      'kestrel_fork_block',
      'Number of the block at which this chain left the forked one; 0: it is no fork',
      () => Number(chain.forked?.at.number ?? 0n),
    )
    this.#readTotal('kestrel_fork_requests_total', 'Requests to the forked chain', () => counts().requests)
    this.#readTotal('kestrel_fork_exchanges_total', 'Batches in which they were sent', () => counts().exchanges)
    this.#readTotal(
      'kestrel_fork_failures_total',
      'Requests that failed, or had to be sent again',
      () => counts().failures,
    )
    this.#readTotal('kestrel_fork_received_bytes_total', 'Bytes of its answers', () => counts().bytes)
    this.#readTotal('kestrel_fork_waiting_seconds_total', 'Time with a request under way', () => counts().seconds)
    this.#readTotal(
      'kestrel_fork_cache_hits_total',
      "Parts of its state from the user's cache folder",
      () => counts().hits,
    )
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: this.#registers })
  }

  #seconds(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: BLOCK_BOUNDS, registers: this.#registers })
  }

  /** A gauge that reads its value when it is scraped. */
  #gauge(name: string, help: string, read: () => number | Promise<number>, labels: Record<string, string> = {}): void {
    new Gauge({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: this.#registers,
      async collect() {
        this.set(labels, await read())
      },
    })
  }

  /** A counter whose total is kept by another part of the node and read when it is scraped. */
  #readTotal(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }
}

// --- the process: processor time, memory, garbage collection, delay of the event loop

/** One registry for the process, however many nodes run in it, because the library cannot remove its observers. */
let processRegistry: Registry | undefined

/** The metrics of the process, observed from the first scrape on: the delay of the event loop takes 100 timers a second. */
function processMetrics(): Registry {
  if (processRegistry === undefined) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}

// --- the database

/** Milliseconds until the folder is read again: a large database has thousands of files. */
const MAX_AGE = 60_000

/**
 * A function that returns the size of a folder in bytes, at most a minute old; 0 for a chain in memory (undefined). Files that
 * LevelDB removes in the meantime count as empty.
 */
export function sizeOfFolder(folder: string | undefined): () => Promise<number> {
  if (folder === undefined) return async () => 0
  let bytes: number | undefined
  let readAt = 0
  let reading: Promise<void> | undefined
  const read = async () => {
    bytes = await sumFiles(folder)
    readAt = performance.now()
    reading = undefined
  }
  return async () => {
    if (bytes === undefined || performance.now() - readAt > MAX_AGE) reading ??= read()
    if (bytes === undefined) await reading
    return bytes ?? 0
  }
}

async function sumFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let total = 0
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) total += await sumFiles(path)
    else if (entry.isFile())
      total += await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return total
}
