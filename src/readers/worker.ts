// The program of a read thread: a chain over the node's database, opened for reading, that answers requests of `committed`
// methods: those of its own connections, and those that the node hands over. It follows the shared head before each request. An
// answer is discarded and made again if versions were undone meanwhile, so no answer mixes two histories.
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { BlockChain } from '../chain/block-chain.ts'
import { loadModule } from '../cip/load.ts'
import { registryOf } from '../cip/modules.ts'
import { Solo } from '../consensus/solo.ts'
import { indexer } from '../indexer/indexer.ts'
import { Logs } from '../indexer/logs.ts'
import { NO_CONNECTION } from '../lib/connection-signal.ts'
import { AnswerElsewhere, describeError } from '../lib/errors.ts'
import { type Address, toHex } from '../lib/hex.ts'
import { SharedCounters } from '../lib/shared-counters.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { CountedCalls } from '../monitoring/call-histogram.ts'
import { CallHistogram } from '../monitoring/call-histogram.ts'
import type { JsonChunk } from '../rpc/chunked-json.ts'
import { rpcContext } from '../rpc/context.ts'
import type { AnsweredCall, CallMeter, RpcContext, ThreadAnswer } from '../rpc/define.ts'
import { answerInChunks } from '../rpc/dispatch.ts'
import { PollingFilters } from '../rpc/notifications/polling-filters.ts'
import { Runtime } from '../runtime/runtime.ts'
import { openForReading } from '../state/kv.ts'
import type { KvStore } from '../state/types.ts'
import { Wallet } from '../wallet/wallet.ts'
import { Acceptor } from './acceptor.ts'
import { Exchange } from './exchange.ts'
import type { LogLevel, ReadThreadData, ThreadOrder, ThreadReport } from './messages.ts'
import { SharedHead } from './shared-head.ts'

if (parentPort === null) throw new Error('this is the program of a worker thread')
const node = parentPort
const data: ReadThreadData = workerData
const head = new SharedHead(data.head)
const counters = new SharedCounters(data.counters)
const answers = counters.counter('answers')
const report = (message: ThreadReport, owned: ArrayBuffer[] = []) => node.postMessage(message, owned)

/** undefined while the node has it closed. */
let store: KvStore | undefined = await openForReading(data.directory)
const modules = await Promise.all(data.proposalFiles.map(loadModule))
const record =
  (level: LogLevel) =>
  (fields: unknown, message?: string): void =>
    report({ kind: 'log', level, fields: cloneable(fields), message })
const log = { error: record('error'), warn: record('warn'), info: record('info'), debug: record('debug') }
const reportOf = (message: string) => log.debug({}, message)
const runtime = new Runtime(data.spec, registryOf(data.spec, modules), data.engine, reportOf)
const queue = new WorkQueue(data.work)

/** The calls of this thread's own clients since the last report. */
const calls = new CallHistogram('', '')
const errors = new Map<number, number>()
const refused = (code: number) => void errors.set(code, (errors.get(code) ?? 0) + 1)
const meter: CallMeter = {
  ended(method, began, code) {
    calls.add(method, began)
    if (code !== undefined) refused(code)
  },
  refused,
}

/** A chain with its caches, which are valid for one history. */
type History = {
  readonly rewinds: number
  readonly store: KvStore
  readonly chain: BlockChain
  readonly context: RpcContext
  moves: number
}
let history: History | undefined

/** Opening and closing the database, one after the other. */
let turn = Promise.resolve()
const exchange = new Exchange(report, answerNode)
const { port, rpc } = data
const acceptor = port && new Acceptor(port, rpc.maxRequestSize, counters, answerClient)
await acceptor?.listen()
node.on('message', obey)
report({ kind: 'ready' })

function obey(order: ThreadOrder): void {
  if (order.kind === 'retire') acceptor?.retire()
  else if (order.kind === 'count') report({ kind: 'counted', counts: takeCounts() })
  else if (order.kind === 'leave') void leave(order.isClosing)
  else if (order.kind === 'suspend') turn = turn.then(suspend)
  else if (order.kind === 'resume') turn = turn.then(resume)
  else exchange.receive(order)
}

async function leave(isClosing: boolean): Promise<void> {
  await acceptor?.leave(isClosing)
  report({ kind: 'left' })
}

async function suspend(): Promise<void> {
  const open = store
  store = undefined
  history = undefined
  await open?.close()
  report({ kind: 'suspended' })
}

async function resume(): Promise<void> {
  store ??= await openForReading(data.directory)
}

function takeCounts(): CountedCalls {
  const counts = { calls: calls.take(), errors: [...errors] }
  errors.clear()
  return counts
}

/** Answers a request of the thread's own client: here, or else by the node. */
async function answerClient(text: string, signal: AbortSignal): Promise<readonly JsonChunk[] | undefined> {
  const answer = await answerHere(text, signal, meter)
  if (answer !== undefined) {
    answers.add(1)
    return answer.chunks
  }
  const asked = await exchange.ask(text, signal)
  if (asked === undefined) throw new Error('the main thread has not answered')
  return asked.chunks
}

/** Answers a request that the node hands over. undefined: the node must answer. */
async function answerNode(text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
  const calls: AnsweredCall[] = []
  const answer = await answerHere(text, signal, {
    ended: (method, began, code) => void calls.push({ method, time: performance.now() - began, code }),
    refused: () => undefined,
  })
  return answer && { ...answer, calls }
}

/** undefined: the node must answer. */
async function answerHere(text: string, signal: AbortSignal, meter: CallMeter): Promise<ThreadAnswer | undefined> {
  for (;;) {
    while (head.rewinds % 2 !== 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const { rewinds } = head
    const used = store
    if (used === undefined) return undefined
    const answer = await attempt(text, signal, meter, rewinds, used)
    if (store !== used) return undefined
    if (signal.aborted || head.rewinds === rewinds) return answer
  }
}

async function attempt(
  text: string,
  signal: AbortSignal,
  given: CallMeter,
  rewinds: number,
  used: KvStore,
): Promise<ThreadAnswer | undefined> {
  try {
    const { context } = followed(rewinds, used)
    const metered = given === meter ? context : { ...context, meter: given }
    return { chunks: await answerInChunks(text, metered, signal), calls: [] }
  } catch (error) {
    // Rows missing because of a rewind, or a closed database, are not an error.
    if (!(error instanceof AnswerElsewhere) && head.rewinds === rewinds && store === used)
      log.error({ err: error }, `a read thread has failed: ${describeError(error)}`)
    return undefined
  }
}

/** The chain, moved to the shared head. */
function followed(rewinds: number, store: KvStore): History {
  if (history?.rewinds !== rewinds || history.store !== store) history = open(rewinds, store)
  if (history.moves === head.moves) return history
  const { number, version, moves } = head.read()
  history.chain.follow({ number, version })
  history.moves = moves
  return history
}

function open(rewinds: number, store: KvStore): History {
  const unknown = () => new AnswerElsewhere('only the main thread knows this')
  const elsewhere = () => Promise.reject(unknown())
  const onError = (error: unknown) => log.error({ err: error }, String(error))
  const { limits, pool, slotsInAnEpoch, spec, rpc } = data
  const scriptedTraces = { run: elsewhere }
  const parts = { store, runtime, indexer, limits, pool, slotsInAnEpoch }
  const chain = new BlockChain({ ...parts, onError, scriptedTraces, pending: elsewhere })
  const { coinbase } = spec.genesis
  // Required by the context, but used by no `committed` method and never started.
  const idle = { automine: false, interval: 0, coinbase, gasLimit: chain.head.gasLimit, onError }
  const context = rpcContext({
    chain,
    producer: new Solo(chain, idle),
    index: new Logs(chain),
    wallet: new Wallet(),
    filters: new PollingFilters(chain),
    development: { impersonated: new Set(), autoImpersonate: false },
    queue,
    meter,
    committedOnly: true,
    revertWords: askForWords,
    counters,
    reports: {
      failed: (request) => report({ kind: 'failed', request }),
      printed: (call) => report({ kind: 'printed', call }),
    },
    options: rpc,
    log,
  })
  // From here on, since the parts above take the pool, which is empty in this thread.
  Object.defineProperty(chain, 'pool', {
    get() {
      throw unknown()
    },
  })
  // -1 equals no move count, so the first request follows the head.
  return { rewinds, store, chain, context, moves: -1 }
}

const words = z.object({ result: z.string().nullable() })

/** The main thread knows contracts. Without shared ports it takes no questions of threads, and answers the request itself. */
async function askForWords(bytes: Uint8Array, to?: Address | null): Promise<string | undefined> {
  const params = [toHex(bytes), to ?? null]
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'kestrel_decodeError', params })
  const asked = await exchange.ask(request, NO_CONNECTION)
  if (asked?.chunks === undefined) throw new AnswerElsewhere('only the main thread knows contracts')
  return words.parse(JSON.parse(asked.chunks.join(''))).result ?? undefined
}

/** Fields of a log record without values that cannot be cloned, such as functions. */
function cloneable(fields: unknown): unknown {
  try {
    return structuredClone(fields)
  } catch {
    return { fields: String(fields) }
  }
}
