// A node is a chain in a store, a producer that makes its blocks, and a server that shows both. All parts are constructed here;
// `startNode` lists the steps of a start. Closing stops the producers first, because requests may wait for blocks; then the
// server and its parts, and last the chain.
import { BlockChain } from './chain/block-chain.ts'
import { beginFork, createFork, type Forking, type ForkStart, firstParts } from './chain/fork.ts'
import { forkWork } from './chain/limits.ts'
import { createChain, NO_INDEX, readHead, specRow, specToOpen, storedSpec, upgradeFormat } from './chain/open.ts'
import type { PoolPolicy } from './chain/pool-rules.ts'
import { nameModules, newNameLines, type ProposalModule, registryOf, requireNamed } from './cip/modules.ts'
import { namesNext } from './consensus/block-policy.ts'
import type { BlockProducer } from './consensus/block-producer.ts'
import type { Beginning } from './consensus/network/joining.ts'
import type { Network } from './consensus/network/network.ts'
import type { NetworkOptions } from './consensus/network/options.ts'
import { openJoining, openNetwork } from './consensus/open-network.ts'
import { Solo } from './consensus/solo.ts'
import { watchUpgrades } from './consensus/upgrade-watch.ts'
import type { KnownContracts } from './contracts/abi.ts'
import { DEFAULT_ENGINE, type EngineChoice, reportEngine } from './evm/engine-selection.ts'
import type { Explorer } from './explorer/explorer.ts'
import { openExplorer } from './explorer/open.ts'
import type { ExplorerOptions } from './explorer/options.ts'
import type { HttpOptions } from './faces.ts'
import { indexer } from './indexer/indexer.ts'
import { Logs } from './indexer/logs.ts'
import { TracerThreadPool } from './js-tracers/thread-pool.ts'
import { ChainError, describeError } from './lib/errors.ts'
import { ZERO_ADDRESS } from './lib/hex.ts'
import type { Logger } from './lib/log.ts'
import { unixNow } from './lib/unix-time.ts'
import { type WorkLimits, WorkQueue } from './lib/work-queue.ts'
import type { Report } from './modules/module.ts'
import { healthOf, type Phase } from './monitoring/health.ts'
import { Metrics, sizeOfFolder } from './monitoring/metrics.ts'
import { canSharePort, defaultReadThreads, ReadThreads } from './readers/read-threads.ts'
import { SharedHead } from './readers/shared-head.ts'
import { type CallMeter, defaultRpcOptions, type Reforking, type RpcOptions } from './rpc/define.ts'
import { DevelopmentTimeline } from './rpc/development-timeline.ts'
import { meters } from './rpc/meters.ts'
import { PollingFilters } from './rpc/notifications/polling-filters.ts'
import { type LoadedChain, loadChain, loadDump } from './rpc/state-dump.ts'
import type { CallLimits } from './runtime/call.ts'
import { type OtherProgramNeeded, programUpgrades } from './runtime/program-upgrades.ts'
import { Runtime } from './runtime/runtime.ts'
import { missingRequestContracts } from './runtime/system.ts'
import { createServer, defaultHttpOptions, type NodeServer } from './server.ts'
import { type ChainSpec, hasAllocation, withoutAllocation } from './spec/chain-spec.ts'
import { openMemoryStore, openStore, type StoreObserver } from './state/kv.ts'
import type { Durable } from './state/late-sync.ts'
import { isOutage, type StoreLog, storeLog } from './state/store-log.ts'
import type { KvStore } from './state/types.ts'
import type { Wallet } from './wallet/wallet.ts'

export type StoreOptions = {
  /** Folder of the database; undefined keeps the chain in memory. */
  readonly datadir: string | undefined
  /** When its blocks are on disk; left out: before they are announced. */
  readonly durable?: Durable | undefined
  /** The chain to open, or to create if it has the accounts of block 0; undefined: the one that the folder holds. */
  readonly spec: ChainSpec | undefined
}

export type ChainSettings = StoreOptions & {
  /** Modules with the user's opcode proposals. */
  readonly modules?: readonly ProposalModule[] | undefined
  /**
   * Whether modules that the chain does not name yet are added to its specification: for all its blocks on a new chain, else
   * from the next block on. Left out: they are refused.
   */
  readonly namesModules?: boolean | undefined
  /** The EVM engine; left out: the compiled one, or the library's if engine.wasm has not been built. */
  readonly engine?: EngineChoice | undefined
  readonly limits: CallLimits
  readonly pool: PoolPolicy
  /** Blocks from the tag `safe` to `latest`, and from `finalized` to `safe`; left out: 0. */
  readonly slotsInAnEpoch?: number | undefined
  /** Heights at which a scheduled upgrade of the program is not carried out; left out: none. */
  readonly skipUpgrades?: readonly string[] | undefined
  /** Number of blocks before the head whose states are stored; left out: all. */
  readonly prune?: number | undefined
  /** For a command that only reads blocks: needs no index, and leaves the database as it is. */
  readonly blocksOnly?: boolean
  /** Whether clients may trace with their own JavaScript; left out: yes. */
  readonly jsTracers?: boolean
  /** The chain that this one is a fork of. */
  readonly fork?: ForkStart | undefined
  /** What a new chain begins with, beside its genesis; on a fork only the accounts are taken. */
  readonly loaded?: LoadedChain | undefined
  readonly log: Logger
}

/** Settings of the threads that answer reads; a chain in memory has none. */
type ReaderSettings = {
  /** Most threads. */
  readonly threads: number
  readonly work: Partial<WorkLimits>
  readonly rpc: RpcOptions
}

export type NodeOptions = ChainSettings & {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly automine: boolean
  /** Seconds between blocks; 0 for none. */
  readonly blockTime: number
  /** Whether a development node's clock continues from the newest block; left out: only if that is later than the machine's. */
  readonly continuesClock?: boolean
  /** The gas limit that new blocks approach, by the steps that import accepts; left out: the head's. */
  readonly gasLimit?: bigint | undefined
  readonly wallet: Wallet
  /** Whether transactions of any account are taken without its key; left out: no. */
  readonly autoImpersonate?: boolean
  /** A Unix socket that answers JSON-RPC, too. */
  readonly ipc?: string | undefined
  /** The network whose CometBFT makes the blocks; left out: this node makes them alone. */
  readonly network?: NetworkOptions | undefined
  /** Limits of the queue of heavy calls; left out: the defaults. */
  readonly work?: Partial<WorkLimits>
  /** Threads that answer reads, at most; left out: `defaultReadThreads`. They need a folder. */
  readonly readThreads?: number | undefined
  readonly rpc: Partial<RpcOptions>
  /** Allowed origins and hosts, and limits of connections. */
  readonly http?: Partial<HttpOptions>
  readonly explorer?: Partial<ExplorerOptions>
  /** Whether `/metrics` is served; left out: no. */
  readonly metrics?: boolean
  /** Counts the requests, beside the metrics. */
  readonly meter?: CallMeter | undefined
  /** For anvil_reset and others that fork another chain; left out: they are refused. */
  readonly forking?: Forking | undefined
}

export type Node = {
  readonly chain: BlockChain
  readonly producer: BlockProducer
  /** Settles when the node must end: with a line (a disk failed, a file is damaged), or before an upgrade of the program. */
  readonly failed: Promise<string | OtherProgramNeeded>
  readonly server: NodeServer
  /** What is known of contracts. */
  readonly contracts: KnownContracts
  /** undefined: the main thread answers all reads. */
  readonly readers: ReadThreads | undefined
  /** Slots for heavy requests. */
  readonly queue: WorkQueue
  /** `http://127.0.0.1:8545` */
  readonly url: string
  close(): Promise<void>
}

/**
 * Opens the database as a chain; begins it with the spec when it is empty. Throws ChainError `storage`, and the
 * refusals of `registryOf` and `requireNamed` when modules are missing, changed or not named.
 */
export const openChain = async (settings: ChainSettings, beginning?: Beginning): Promise<BlockChain> =>
  (await open(settings, {}, undefined, beginning)).chain

type Opened = {
  readonly chain: BlockChain
  readonly scripted: TracerThreadPool
  readonly readers: ReadThreads | undefined
}

/**
 * Steps 2 to 7 of `startNode`: the chain, and its read threads if there are any. `joining` begins a missing chain with a state
 * snapshot. Throws as `openChain`.
 */
async function open(
  settings: ChainSettings,
  watch: Partial<StoreObserver>,
  reading: ReaderSettings | undefined,
  joining?: Beginning,
): Promise<Opened> {
  const {
    datadir,
    durable,
    modules = [],
    engine,
    limits,
    pool,
    slotsInAnEpoch,
    prune,
    blocksOnly,
    jsTracers = true,
    log,
    fork,
    loaded,
  } = settings
  let readers: ReadThreads | undefined
  const observer = suspending(watch, () => readers)
  const isShared = reading !== undefined
  // 2. The database, shared with the read threads if there are any.
  const store =
    datadir === undefined ? await openMemoryStore() : await openStore(datadir, observer, { isShared, durable })
  try {
    // 3 to 5.
    const runtime = await openRuntime(store, settings, joining)
    const { spec } = runtime
    // 6. The chain and its threads.
    const onError = (error: unknown) => {
      if (!isOutage(error)) log.error({ err: error, room: 'chain' }, String(error))
    }
    const proposalFiles = modules.map(({ file }) => file)
    // A tracer gets an event for each opcode, and compiled code sends none, so traces run on an interpreter.
    const stepping = (engine ?? DEFAULT_ENGINE) === 'library' ? 'library' : 'wasm'
    const ensure = (key: Uint8Array) => chain.missing?.ensure(key)
    const scripted = new TracerThreadPool(store, { spec, engine: stepping, proposalFiles, limits }, ensure)
    const policy = { limits, pool, slotsInAnEpoch, upgrades: programUpgrades(settings.skipUpgrades) }
    const parts = { store, runtime, indexer: blocksOnly ? NO_INDEX : indexer, ...policy, onError, prune }
    const publisher = new SharedHead()
    const scriptedTraces = jsTracers ? scripted : undefined
    const chain: BlockChain = new BlockChain({ ...parts, scriptedTraces, publisher, forked: fork?.forked })
    if (fork?.begin !== undefined) await beginFork(chain, runtime, fork)
    if (loaded !== undefined) await (fork === undefined ? loadChain(chain, loaded) : loadDump(chain, loaded.accounts))
    if (reading !== undefined && datadir !== undefined) {
      const { threads, work, rpc } = reading
      const chosen = { directory: datadir, spec, engine: engine ?? DEFAULT_ENGINE, proposalFiles, ...policy }
      const data = { ...chosen, work, rpc, head: publisher.memory }
      readers = new ReadThreads(threads, data, log.child({ room: 'readers' }))
    }
    // 7. The code of the active proposals.
    const { header, view } = await chain.at('latest')
    runtime.requireProposals(view, runtime.env(header))
    const warnings = fork === undefined ? missingRequestContracts(spec, view) : []
    for (const warning of warnings) log.warn({ room: 'chain' }, warning)
    if (!blocksOnly) await upgradeFormat(store)
    return { chain, scripted, readers }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Steps 3 to 5 of `startNode`: the rules of the chain that the store holds afterwards. Throws as `openChain`. */
async function openRuntime(
  store: KvStore,
  { datadir, spec: given, modules = [], namesModules = false, engine, fork, loaded, log }: ChainSettings,
  joining: Beginning | undefined,
): Promise<Runtime> {
  // 3. The chain.
  const begin = fork?.begin
  const stored = begin === undefined ? await storedSpec(store) : undefined
  const head = stored === undefined ? undefined : readHead(store).number
  const found = begin?.spec ?? specToOpen(stored, head, given, datadir)
  // 4. Its proposals.
  if (!namesModules) requireNamed(found, modules)
  const named = namesModules ? nameModules(found, modules, head === undefined ? 0n : head + 1n) : found
  const spec = withoutAllocation(named)
  const runtime = new Runtime(spec, registryOf(spec, modules), engine, reportTo(log))
  // 5. The beginning of a fork, block 0, a state snapshot, or new names.
  if (begin !== undefined) await createFork(store, spec, begin, indexer)
  else if (hasAllocation(named) && joining !== undefined)
    await joining.restore({ store, spec: named, runtime, indexer })
  else if (hasAllocation(named)) await createChain(store, named, indexer, runtime, loaded?.blocks[0])
  else if (spec !== stored) await store.write([specRow(spec)])
  for (const line of newNameLines(stored ?? found, spec)) log.info({ room: 'chain' }, line)
  return runtime
}

/** Suspends the read threads while the database is reopened: LevelDB closes it only after the last thread has closed it. */
const suspending = (watch: Partial<StoreObserver>, readers: () => ReadThreads | undefined): Partial<StoreObserver> => ({
  ...watch,
  reopening: async () => readers()?.suspend(),
  recovered() {
    readers()?.resume()
    watch.recovered?.()
  },
})

/** Logs a ChainError, which is expected, as information, and every other error as a fault of this program. */
const reportTo =
  (log: Logger): Report =>
  (message, error) => {
    const room = 'runtime'
    if (error instanceof ChainError) log.info({ room }, `${message}: ${describeError(error)}`)
    else log.error({ err: error, room }, message)
  }

/** undefined: the main thread answers all reads. */
const readerSettings = (options: NodeOptions, rpc: RpcOptions): ReaderSettings | undefined => {
  const { readThreads = defaultReadThreads(), datadir, work = {}, fork } = options
  // A fork has no read threads, because only the main thread can fetch missing state.
  return readThreads === 0 || datadir === undefined || fork !== undefined
    ? undefined
    : { threads: readThreads, work, rpc }
}

/** The parts that health and metrics report on. */
type Observed = Pick<Node, 'chain' | 'queue' | 'readers'> &
  Pick<StoreLog, 'tableCheck' | 'unsyncedAge'> & { readonly network: Network | undefined }

/** Health and metrics of a node. `startNode` sets the phase. */
function monitor(
  { metrics, engine, datadir, durable = 'block' }: NodeOptions,
  { chain, queue, readers, network, tableCheck, unsyncedAge }: Observed,
  version: string,
) {
  const readLoad = () => readers?.load ?? { threads: 0, requests: 0, answers: 0 }
  const facts = { version, databaseSize: sizeOfFolder(datadir), tableCheck, engine: reportEngine(engine).engine }
  const disk = datadir === undefined ? undefined : { durable, unsyncedAge }
  const threadCounts = async () => (await readers?.takeCounts()) ?? []
  const monitored = { chain, queue, readLoad, threadCounts, network, disk, ...facts }
  const monitoring = {
    phase: 'starting' as Phase,
    health: () => healthOf(chain, monitoring.phase, version, readLoad().threads, network?.status, disk),
    metrics: metrics ? new Metrics(monitored) : undefined,
  }
  return monitoring
}

const soloOf = (chain: BlockChain, { automine, blockTime, gasLimit, log }: NodeOptions): Solo =>
  new Solo(chain, {
    automine,
    interval: blockTime,
    coinbase: chain.spec.genesis.coinbase === ZERO_ADDRESS ? undefined : chain.spec.genesis.coinbase,
    gasLimit: gasLimit ?? chain.head.gasLimit,
    onError: (error) => {
      if (!isOutage(error)) log.error({ err: error, room: 'consensus' }, String(error))
    },
  })

/** Closes the chain if `make` throws. */
async function orClose<T>(chain: BlockChain, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (error) {
    await chain.close()
    throw error
  }
}

/**
 * Opens everything and listens. Throws ChainError, or the listen error (`EADDRINUSE`). Steps, numbered in the code:
 *
 * 1. Prepare state sync if the options ask for it: the state snapshot replaces block 0 in step 5.
 * 2. Open the database. A damaged one is refused before anything is written.
 * 3. Choose the chain: the stored one or the given one. They must not contradict each other.
 * 4. Load its opcode proposals. The runtime, which executes block 0, needs them.
 * 5. Write what the database lacks: the beginning of a fork, block 0, a state snapshot, or new names of proposals.
 * 6. Open the chain and the threads that read it. They need the final specification.
 * 7. Require the code of the proposals active at the head, before a block is made or a call runs.
 * 8. Construct the producer: CometBFT's, or this node alone. The faces need it.
 * 9. Construct the faces and the server, which does not listen yet.
 * 10. Restore the pool, in which clients look for acknowledged transactions, and set the clock.
 * 11. Listen, then start the producers, since the port may be taken. CometBFT is last: it sends blocks at once.
 */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { log, wallet } = options
  let fail: (why: string | OtherProgramNeeded) => void = () => undefined
  const failed = new Promise<string | OtherProgramNeeded>((resolve) => {
    fail = resolve
  })
  void failed.then((why) => log.error({ room: 'state' }, typeof why === 'string' ? why : why.message))
  const rpcOptions = { ...defaultRpcOptions, ...options.rpc }
  const reading = readerSettings(options, rpcOptions)
  // 1. State sync.
  const { version } = rpcOptions
  const joining = await openJoining({ ...options, version })
  // 2 to 7, in `open`.
  const watch = storeLog(log, fail)
  const { chain, scripted, readers } = await open(options, watch, reading, joining)
  await orClose(chain, async () => watchUpgrades(chain, options.network !== undefined, fail))
  // 8. The producer.
  const network = await orClose(chain, () => openNetwork(chain, { ...options, version }, { indexer, fail, joining }))
  const producer = network?.producer ?? soloOf(chain, options)
  // 9. The faces.
  const filters = new PollingFilters(chain)
  const queue = new WorkQueue(options.fork === undefined ? options.work : forkWork(options.work))
  const explorer = await openExplorer({ chain, queue, network: network?.status, log }, options.explorer)
  const timeline = rpcOptions.development
    ? new DevelopmentTimeline(chain, () => explorer.hub.push('development', 'timeline', {}))
    : undefined
  const monitoring = monitor(options, { chain, queue, readers, network, ...watch }, version)
  const server = createServer({
    rpc: {
      chain,
      producer,
      index: new Logs(chain),
      wallet,
      filters,
      development: { impersonated: new Set(), autoImpersonate: options.autoImpersonate === true, timeline },
      network: network?.status,
      queue,
      contracts: explorer,
      meter: meters(monitoring.metrics, options.meter),
      readers,
      forking: options.forking && reforking({ chain, scripted, readers, producer }, options, options.forking),
      counters: readers?.counters,
      options: rpcOptions,
      log: log.child({ room: 'rpc' }),
    },
    threads: canSharePort() ? readers : undefined,
    explorer,
    http: { ...defaultHttpOptions, ...options.http },
    monitoring,
  })
  const close = () => {
    monitoring.phase = 'stopping'
    return closeAll({ chain, network, producer, scripted, readers, server, filters, explorer })
  }
  try {
    // 10 and 11, in `run`.
    const url = await run({ chain, producer, network, server }, options, rpcOptions.development)
    monitoring.phase = 'running'
    return { chain, producer, failed, server, contracts: explorer, readers, queue, url, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Begins the chain anew as a fork. What answered for the former chain beside this thread does not answer any more. */
const reforking = (
  { chain, scripted, readers, producer }: Pick<Open, 'chain' | 'scripted' | 'readers' | 'producer'>,
  { engine, modules = [], log }: NodeOptions,
  { connect, start }: Forking,
): Reforking => ({
  connect,
  restart: async (target) => {
    const { begin, forked, ...coins } = await start(target)
    const spec = nameModules(begin.spec, begin.spec.native === undefined ? [] : modules, 0n)
    const runtime = new Runtime(spec, registryOf(spec, modules), engine, reportTo(log))
    // Before the former chain is gone: the other one may not answer.
    await forked.fetch(firstParts({ ...coins, begin }))
    await readers?.retire()
    await chain.restart({ runtime, forked }, (store) => createFork(store, spec, begin, indexer))
    scripted.use(spec)
    await beginFork(chain, runtime, { ...coins, begin })
    producer.settings.gasLimit = chain.head.gasLimit
  },
})

/** Steps 10 and 11 of `startNode`. Returns the URL. */
async function run(
  { chain, producer, network, server }: Running,
  { log, host, port, ipc, automine, continuesClock = false }: NodeOptions,
  isDevelopment: boolean,
): Promise<string> {
  // 10. The pool and the clock.
  await chain.restorePool((line) => log.warn({ room: 'pool' }, line))
  // A developer may have moved it forward before a restart; blocks cannot be earlier than the head.
  const isAhead = chain.head.timestamp > unixNow()
  if (isDevelopment && (continuesClock || isAhead)) await producer.setTime(chain.head.timestamp)
  // 11. The server listens, then the producers start.
  const url = await server.listen({ host, port, ipc })
  await producer.start()
  await network?.start()
  if (network === undefined && automine && namesNext(chain)) await producer.mine(1n)
  return url
}

/** The parts that `run` starts. */
type Running = Pick<Node, 'chain' | 'producer' | 'server'> & { readonly network: Network | undefined }

type Open = Running &
  Pick<Node, 'chain' | 'producer' | 'server'> & {
    readonly scripted: TracerThreadPool
    readonly readers: ReadThreads | undefined
    readonly filters: PollingFilters
    readonly explorer: Explorer
  }

/** Closes the parts of a node, also after a failed step 10 or 11. */
async function closeAll(parts: Open): Promise<void> {
  // Requests may wait for blocks, so the producers stop before the server.
  await parts.network?.stop()
  await parts.producer.stop()
  parts.scripted.close()
  await parts.server.close()
  parts.filters.stop()
  await parts.explorer.close()
  await parts.readers?.close()
  await parts.chain.close()
}
