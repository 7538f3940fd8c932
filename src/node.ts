// Everything is constructed here, in order, each part from those above it; closing runs the other way round.
// A node is a chain in a store, a producer that makes its blocks, and a server that shows both.

import type { FastifyInstance } from 'fastify'
import { BlockChain } from './chain/block-chain.ts'
import { createChain, readHead, specRow, storedSpec } from './chain/open.ts'
import type { PoolPolicy } from './chain/pool-rules.ts'
import { nameModules, newNames, type ProposalModule, registryOf, requireNamed, withNewNames } from './cip/modules.ts'
import type { BlockProducer } from './consensus/block-producer.ts'
import type { Joining } from './consensus/network/joining.ts'
import type { Network } from './consensus/network/network.ts'
import type { NetworkOptions } from './consensus/network/options.ts'
import type { NetworkStatus } from './consensus/network-status.ts'
import { Solo } from './consensus/solo.ts'
import { DEFAULT_ENGINE, type EngineChoice, reportEngine } from './evm/engine-selection.ts'
import { Verification } from './explorer/contracts/verification.ts'
import { defaultExplorerOptions, Explorer, type ExplorerOptions } from './explorer/explorer.ts'
import { Hub } from './explorer/socket/hub.ts'
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
import { kzg } from './primitives/blobs.ts'
import { ReadThreads } from './readers/read-threads.ts'
import { SharedHead } from './readers/shared-head.ts'
import { defaultRpcOptions, type RpcOptions } from './rpc/define.ts'
import { PollingFilters } from './rpc/notifications/polling-filters.ts'
import type { CallLimits } from './runtime/call.ts'
import { Runtime } from './runtime/runtime.ts'
import { missingRequestContracts } from './runtime/system.ts'
import { createServer, defaultHttpOptions, type HttpOptions } from './server.ts'
import { Shadow, type ShadowOptions } from './shadow/shadow.ts'
import { type ChainSpec, hasAllocation, requireNetwork, withoutAllocation } from './spec/chain-spec.ts'
import { openMemoryStore, openStore, type StoreObserver } from './state/kv.ts'
import type { CheckProgress } from './state/table-check.ts'
import type { Wallet } from './wallet/wallet.ts'

export type StoreOptions = {
  /** Folder of the database; undefined keeps the chain in memory. */
  readonly datadir: string | undefined
  /** The chain to open, or to begin where it comes with its accounts; undefined: the one that the folder holds. */
  readonly spec: ChainSpec | undefined
}

export type ChainSettings = StoreOptions & {
  /** Modules with improvement proposals beside the program's own. */
  readonly modules?: readonly ProposalModule[] | undefined
  /**
   * Whether modules that the chain does not name yet are added to its specification: for all its blocks on a new chain, else
   * from the next block on. Left out: they are refused.
   */
  readonly namesModules?: boolean | undefined
  /** What runs contracts; left out: our engine, where it has been built. */
  readonly engine?: EngineChoice | undefined
  readonly limits: CallLimits
  readonly pool: PoolPolicy
  /** Of how many blocks before the head states are kept; left out: of all. */
  readonly prune?: number | undefined
  /** Whether tracers that clients write in JavaScript are run; left out: yes. */
  readonly jsTracers?: boolean
  readonly log: Logger
}

/** Threads that answer requests beside the main one; a chain in memory has none. */
type ReaderSettings = {
  /** At most. */
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
  /** Whether a development node's clock goes on from the newest block; left out: only where that is later than the machine's. */
  readonly continuesClock?: boolean
  /** What new blocks come nearer to, by the steps that import accepts; undefined: the head's. */
  readonly gasLimit: bigint | undefined
  readonly wallet: Wallet
  /** The engine of a network, which makes the blocks; left out: this node makes them alone. */
  readonly network?: NetworkOptions | undefined
  /** Runs every committed block again on another engine; left out: nobody does. */
  readonly shadow?: ShadowOptions | undefined
  /** How much heavy work is taken at a time; left out: the defaults. */
  readonly work?: Partial<WorkLimits>
  /** Threads that answer heavy reads, at most; left out: none. They need a folder. */
  readonly readThreads?: number | undefined
  readonly rpc: Partial<RpcOptions>
  /** Who may call, and what connections may cost. */
  readonly http?: Partial<HttpOptions>
  readonly explorer?: Partial<ExplorerOptions>
  /** Whether `/metrics` is served; left out: no. */
  readonly metrics?: boolean
}

export const defaultLimits: CallLimits = { gasCap: 50_000_000n, time: 5_000 }

export type Node = {
  readonly chain: BlockChain
  readonly producer: BlockProducer
  readonly shadow: Shadow | undefined
  /** Settles with a line when the shadow or the disk has failed for good, or a file is found damaged. Close the node then. */
  readonly failed: Promise<string>
  readonly server: FastifyInstance
  /** undefined: no thread reads. */
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
export const openChain = async (settings: ChainSettings): Promise<BlockChain> =>
  (await open(settings, undefined, {}, undefined)).chain

type Opened = {
  readonly chain: BlockChain
  readonly shadow: Shadow | undefined
  readonly scripted: TracerThreadPool
  readonly readers: ReadThreads | undefined
}

/**
 * The chain, with the shadow that checks its blocks and the threads that read it, if there are any. `joining` begins one that is
 * not there with a snapshot. Throws as `openChain`.
 */
async function open(
  settings: ChainSettings,
  shadowOptions: ShadowOptions | undefined,
  watch: Partial<StoreObserver>,
  reading: ReaderSettings | undefined,
  joining?: Joining,
): Promise<Opened> {
  const {
    datadir,
    spec,
    modules = [],
    namesModules = false,
    engine,
    limits,
    pool,
    prune,
    jsTracers = true,
    log,
  } = settings
  let readers: ReadThreads | undefined
  const observer = suspending(watch, () => readers)
  const isShared = reading !== undefined
  const store = datadir === undefined ? await openMemoryStore() : await openStore(datadir, observer, isShared)
  let shadow: Shadow | undefined
  try {
    const stored = await storedSpec(store)
    const head = stored === undefined ? undefined : readHead(store).number
    const found = specOf(stored, head, { datadir, spec })
    if (!namesModules) requireNamed(found, modules)
    const named = namesModules ? nameModules(found, modules, head === undefined ? 0n : head + 1n) : found
    const own = withoutAllocation(named)
    const runtime = new Runtime(own, kzg, registryOf(own, modules), engine, reportTo(log))
    if (hasAllocation(named) && joining !== undefined) await joining.restore({ store, spec: named, runtime, indexer })
    else if (hasAllocation(named)) await createChain(store, named, indexer, runtime)
    else if (own !== stored) await store.write([specRow(own)])
    for (const { name, sha256, since } of newNames(stored ?? found, own))
      log.info({ room: 'chain' }, `this chain may use ${name} from block ${since} on: sha256 ${sha256.slice(2)}`)
    const onError = (error: unknown) => {
      if (!isOutage(error)) log.error({ err: error, room: 'chain' }, String(error))
    }
    shadow = shadowOptions && new Shadow(store, own, engine ?? DEFAULT_ENGINE, shadowOptions)
    const proposalFiles = modules.map(({ file }) => file)
    // What is told of opcodes one by one is not compiled.
    const stepping = (engine ?? DEFAULT_ENGINE) === 'library' ? 'library' : 'wasm'
    const scripted = new TracerThreadPool(store, { spec: own, engine: stepping, proposalFiles, limits })
    const parts = { store, runtime, indexer, limits, pool, onError }
    const publisher = new SharedHead()
    const scriptedTraces = jsTracers ? scripted : undefined
    const chain = new BlockChain({ ...parts, scriptedTraces, verifier: shadow, prune, publisher })
    if (reading !== undefined && datadir !== undefined) {
      const { threads, work, rpc } = reading
      const chosen = { directory: datadir, spec: own, engine: engine ?? DEFAULT_ENGINE, proposalFiles, limits, pool }
      const data = { ...chosen, work, rpc, head: publisher.memory }
      readers = new ReadThreads(threads, data, log.child({ room: 'readers' }))
    }
    const { header, view } = await chain.at('latest')
    runtime.requireProposals(view, runtime.env(header))
    for (const warning of missingRequestContracts(own, view)) log.warn({ room: 'chain' }, warning)
    return { chain, shadow, scripted, readers }
  } catch (error) {
    await shadow?.close()
    await store.close()
    throw error
  }
}

/** Ends the read threads while the database is opened again, because it stays open as long as one thread has it open. */
const suspending = (watch: Partial<StoreObserver>, readers: () => ReadThreads | undefined): Partial<StoreObserver> => ({
  ...watch,
  reopening: async () => readers()?.suspend(),
  recovered() {
    readers()?.resume()
    watch.recovered?.()
  },
})

/** The store has said that the disk takes no writes: what is refused until it does is not worth a line each. */
const isOutage = (error: unknown): boolean => error instanceof ChainError && error.code === 'disk-failure'

/** The observer of a node's store, and where the check of its tables is; undefined before the first table. */
type Watch = StoreObserver & { readonly tableCheck: () => CheckProgress | undefined }

/** What the disk does, in the log; `failed` gets the line that ends the node. */
function watchWith(log: Logger, failed: (line: string) => void): Watch {
  let progress: CheckProgress | undefined
  return {
    warn: (line) => log.warn({ room: 'state' }, line),
    damaged: ({ message }) => failed(message),
    checked(now) {
      progress = now
    },
    failed: (error) => log.error({ room: 'state' }, `${describeError(error)}: nothing is written, reads go on`),
    recovered: () => log.info({ room: 'state' }, 'the disk takes writes again: going on'),
    lost: (line) => failed(`${line}: start it again; nothing that was acknowledged is lost`),
    tableCheck: () => progress,
  }
}

/** Refusals are what happens, faults of this program are for somebody to act on. */
const reportTo =
  (log: Logger): Report =>
  (message, error) => {
    const room = 'runtime'
    if (error instanceof ChainError) log.info({ room }, `${message}: ${describeError(error)}`)
    else log.error({ err: error, room }, message)
  }

/** The chain that the store holds, or, with its accounts, the one that it is to hold. `head`: undefined where there is none yet. */
function specOf(stored: ChainSpec | undefined, head: bigint | undefined, { datadir, spec }: StoreOptions): ChainSpec {
  if (stored === undefined || head === undefined) {
    if (spec === undefined || !hasAllocation(spec)) throw new ChainError('storage', `${datadir} holds no chain`)
    return spec
  }
  if (spec !== undefined && (spec.chainId !== stored.chainId || spec.name !== stored.name)) {
    throw new ChainError(
      'storage',
      `${datadir} holds the chain ${stored.name} (${stored.chainId}), not ${spec.name} (${spec.chainId})`,
    )
  }
  return spec === undefined ? stored : withNewNames(stored, spec, head)
}

/**
 * Whether a proposal is known from the next block on. Calls and gas estimates look at the head, so that block is made at
 * once where nothing else would make it.
 */
const namesNext = ({ spec, head }: BlockChain): boolean =>
  spec.native?.proposals.some(({ since }) => since === head.number + 1n) ?? false

/** undefined: no thread reads. */
const readerSettings = ({ readThreads = 0, work = {} }: NodeOptions, rpc: RpcOptions): ReaderSettings | undefined =>
  readThreads === 0 ? undefined : { threads: readThreads, work, rpc }

/** What the figures of a node are about. */
type Observed = Pick<Node, 'chain' | 'queue' | 'readers'> &
  Pick<Watch, 'tableCheck'> & { readonly network: Network | undefined }

/** What operators see of a node, which tells its phase as its life goes on. */
function monitor(
  { metrics, engine, datadir }: NodeOptions,
  { chain, queue, readers, network, tableCheck }: Observed,
  version: string,
) {
  const readLoad = () => readers?.load ?? { threads: 0, requests: 0, answers: 0 }
  const facts = { version, databaseSize: sizeOfFolder(datadir), tableCheck, engine: reportEngine(engine).engine }
  const monitored = { chain, queue, readLoad, network, ...facts }
  const monitoring = {
    phase: 'starting' as Phase,
    health: () => healthOf(chain, monitoring.phase, version, readLoad().threads, network?.status),
    metrics: metrics ? new Metrics(monitored) : undefined,
  }
  return monitoring
}

/** The explorer with its live updates and its contract verification. */
async function openExplorer(
  options: NodeOptions,
  { chain, queue }: Pick<Node, 'chain' | 'queue'>,
  network: NetworkStatus | undefined,
): Promise<Explorer> {
  const explorerOptions = { ...defaultExplorerOptions, ...options.explorer }
  const log = options.log.child({ room: 'explorer' })
  const hub = new Hub()
  const verification = await Verification.open({ ...explorerOptions, chain, hub, log })
  return new Explorer({ chain, options: explorerOptions, queue, hub, verification, network, log })
}

const soloOf = (
  chain: BlockChain,
  shadow: Shadow | undefined,
  { automine, blockTime, gasLimit, log }: NodeOptions,
): Solo =>
  new Solo(chain, {
    automine,
    interval: blockTime,
    coinbase: chain.spec.genesis.coinbase === ZERO_ADDRESS ? undefined : chain.spec.genesis.coinbase,
    gasLimit: gasLimit ?? chain.head.gasLimit,
    onError: (error) => {
      // After a failure of the shadow every block is refused, and one line about it is enough.
      if (shadow?.failure === undefined && !isOutage(error)) log.error({ err: error, room: 'consensus' }, String(error))
    },
  })

/** Closes the chain when what is made on it is refused. */
async function orClose<T>(chain: BlockChain, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (error) {
    await chain.close()
    throw error
  }
}

/** undefined: a chain of one node. Throws ChainError `not-allowed` where the chain and the way it was started differ. */
async function networkOf(
  chain: BlockChain,
  { network: options, log }: NodeOptions,
  version: string,
  fail: (line: string) => void,
  joining: Joining | undefined,
): Promise<Network | undefined> {
  const { name, native } = chain.spec
  if (options === undefined) {
    if (native?.consensus === undefined) return undefined
    throw new ChainError('not-allowed', `${name} is a network: start it with --consensus ${native.consensus.engine}`)
  }
  requireNetwork(chain.spec)
  // Loaded here, because the messages of the engine are 150 KB of code that a chain of one node does not need.
  const { Network } = await import('./consensus/network/network.ts')
  return new Network({ chain, options, version, indexer, ...consensusLog(log), fail, joining })
}

const consensusLog = (log: Logger) => ({
  log: (text: string) => log.info({ room: 'consensus' }, text),
  onError: (error: unknown) => log.error({ err: error, room: 'consensus' }, String(error)),
})

/** undefined: the chain begins with its genesis. */
async function joiningOf({ network, log }: NodeOptions, version: string): Promise<Joining | undefined> {
  if (!network?.stateSync) return undefined
  const { Joining } = await import('./consensus/network/joining.ts')
  return new Joining({ ...network, version, ...consensusLog(log) })
}

/** Opens everything and listens. Throws ChainError, or the listen error (`EADDRINUSE`). */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { log, wallet } = options
  let fail: (line: string) => void = () => undefined
  const failed = new Promise<string>((resolve) => {
    fail = resolve
  })
  void failed.then((line) => log.error({ room: 'state' }, line))
  const rpcOptions = { ...defaultRpcOptions, ...options.rpc }
  const reading = readerSettings(options, rpcOptions)
  const joining = await joiningOf(options, rpcOptions.version)
  const watch = watchWith(log, fail)
  const { chain, shadow, scripted, readers } = await open(options, options.shadow, watch, reading, joining)
  void shadow?.failed.then((line) => log.error({ room: 'shadow' }, line))
  const network = await orClose(chain, () => networkOf(chain, options, rpcOptions.version, fail, joining))
  const producer = network?.producer ?? soloOf(chain, shadow, options)
  const filters = new PollingFilters(chain)
  const queue = new WorkQueue(options.work)
  const explorer = await openExplorer(options, { chain, queue }, network?.status)
  const monitoring = monitor(options, { chain, queue, readers, network, ...watch }, rpcOptions.version)
  const server = createServer({
    rpc: {
      chain,
      producer,
      index: new Logs(chain),
      wallet,
      filters,
      development: { impersonated: new Set(), autoImpersonate: false },
      network: network?.status,
      queue,
      meter: monitoring.metrics,
      readers,
      options: rpcOptions,
      log: log.child({ room: 'rpc' }),
    },
    explorer,
    http: { ...defaultHttpOptions, ...options.http },
    monitoring,
  })
  const close = () => {
    monitoring.phase = 'stopping'
    return closeAll({ chain, shadow, network, producer, scripted, readers, server, filters, explorer }, log)
  }
  try {
    const url = await run({ chain, producer, network, shadow, server }, options, rpcOptions.development)
    monitoring.phase = 'running'
    const anyFailed = Promise.race([failed, ...(shadow === undefined ? [] : [shadow.failed])])
    return { chain, producer, shadow, failed: anyFailed, server, readers, queue, url, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Restores the pool, listens, and starts shadow and producer, in this order. Returns the URL. */
async function run(
  { chain, producer, network, shadow, server }: Running,
  { log, host, port, automine, continuesClock = false }: NodeOptions,
  isDevelopment: boolean,
): Promise<string> {
  await chain.restorePool((line) => log.warn({ room: 'pool' }, line))
  // After a restart, a clock that a developer moved forward goes on from the newest block instead of standing still.
  const isAhead = chain.head.timestamp > unixNow()
  if (isDevelopment && (continuesClock || isAhead)) await producer.setTime(chain.head.timestamp)
  const url = await server.listen({ host, port })
  // After the start: the shadow's thread would take a core from it.
  shadow?.start()
  await producer.start()
  // Last: from here on the engine asks for blocks.
  await network?.start()
  if (network === undefined && automine && namesNext(chain)) await producer.mine(1n)
  return url
}

/** What makes blocks and shows them. */
type Running = Pick<Node, 'chain' | 'producer' | 'shadow' | 'server'> & { readonly network: Network | undefined }

type Open = Running &
  Pick<Node, 'chain' | 'shadow' | 'producer' | 'server'> & {
    readonly scripted: TracerThreadPool
    readonly readers: ReadThreads | undefined
    readonly filters: PollingFilters
    readonly explorer: Explorer
  }

/** Closes what a node has open, also one whose start has failed. */
async function closeAll(
  { chain, shadow, network, producer, scripted, readers, server, filters, explorer }: Open,
  log: Logger,
): Promise<void> {
  // From now on no block waits for the shadow, which has some time left for those it has not checked.
  const unchecked = shadow?.close()
  // Requests may be waiting for blocks: what makes them ends first.
  await network?.stop()
  await producer.stop()
  scripted.close()
  await server.close()
  filters.stop()
  await explorer.close()
  await readers?.close()
  const left = (await unchecked) ?? 0
  if (left > 0) log.warn({ room: 'shadow' }, `${left} blocks were not checked before the node was closed`)
  await chain.close()
}
