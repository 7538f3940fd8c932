// The program of a read thread: a chain over the node's database, opened for reading, that answers requests of `committed`
// methods. It follows the shared head before each request. An answer is discarded and made again if versions were undone
// meanwhile, so no answer mixes two histories.
import { parentPort, workerData } from 'node:worker_threads'
import { BlockChain } from '../chain/block-chain.ts'
import { loadModule } from '../cip/load.ts'
import { registryOf } from '../cip/modules.ts'
import { Solo } from '../consensus/solo.ts'
import { indexer } from '../indexer/indexer.ts'
import { Logs } from '../indexer/logs.ts'
import { setClient } from '../lib/connection-signal.ts'
import { AnswerElsewhere, describeError } from '../lib/errors.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { JsonChunk } from '../rpc/chunked-json.ts'
import { rpcContext } from '../rpc/context.ts'
import type { AnsweredCall, RpcContext, ThreadAnswer } from '../rpc/define.ts'
import { answerInChunks } from '../rpc/dispatch.ts'
import { PollingFilters } from '../rpc/notifications/polling-filters.ts'
import { Runtime } from '../runtime/runtime.ts'
import { openForReading } from '../state/kv.ts'
import { Wallet } from '../wallet/wallet.ts'
import type { LogLevel, Question, ReadThreadData, Reply, ThreadOrder, ThreadReport } from './messages.ts'
import { SharedHead } from './shared-head.ts'

if (parentPort === null) throw new Error('this is the program of a worker thread')
const node = parentPort
const data: ReadThreadData = workerData
const head = new SharedHead(data.head)

const store = await openForReading(data.directory)
const modules = await Promise.all(data.proposalFiles.map(loadModule))
const report = (message: string) => log.debug({}, message)
const runtime = new Runtime(data.spec, registryOf(data.spec, modules), data.engine, report)
const queue = new WorkQueue(data.work)
const record =
  (level: LogLevel) =>
  (fields: unknown, message?: string): void =>
    node.postMessage({ kind: 'log', level, fields: cloneable(fields), message } satisfies ThreadReport)
const log = { error: record('error'), warn: record('warn'), info: record('info'), debug: record('debug') }

/** A chain with its caches, which are valid for one history. */
type History = { readonly rewinds: number; readonly chain: BlockChain; readonly context: RpcContext; moves: number }
let history: History | undefined

const connections = new Map<number, AbortController>()

/** Milliseconds for collecting short answers into one message. Clients of long answers need not wait. */
const GATHERING = 0.25
let replies: Reply[] = []
let lastSent = 0

node.on('message', (order: ThreadOrder) => {
  if (order.kind === 'closed') {
    connections.get(order.connection)?.abort()
    connections.delete(order.connection)
    return
  }
  for (const question of order.questions) void reply(question)
})
node.postMessage({ kind: 'ready' } satisfies ThreadReport)

async function reply({ id, text, ...asker }: Question): Promise<void> {
  const answer = await answerOf(text, signalOf(asker))
  replies.push({ id, answer })
  if (performance.now() - lastSent > GATHERING) send()
  else if (replies.length === 1) setImmediate(send)
}

function send(): void {
  if (replies.length === 0) return
  lastSent = performance.now()
  const owned: ArrayBuffer[] = []
  const sent = replies.map(({ id, answer }): Reply => {
    if (answer?.chunks === undefined) return { id, answer }
    return { id, answer: { ...answer, chunks: answer.chunks.map((chunk) => movable(chunk, owned)) } }
  })
  replies = []
  node.postMessage({ kind: 'replies', replies: sent } satisfies ThreadReport, owned)
}

/** A chunk whose buffer holds nothing else; bytes are added to `owned` and transferred, not copied. */
function movable(chunk: JsonChunk, owned: ArrayBuffer[]): JsonChunk {
  if (typeof chunk === 'string') return chunk
  const { buffer } = chunk
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength && !owned.includes(buffer)
  const memory = isAlone ? buffer : Uint8Array.from(chunk).buffer
  owned.push(memory)
  return Buffer.from(memory)
}

/** undefined: the node must answer. */
async function answerOf(text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
  for (;;) {
    while (head.rewinds % 2 !== 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const { rewinds } = head
    const answer = await attempt(text, signal, rewinds)
    if (signal.aborted || head.rewinds === rewinds) return answer
  }
}

async function attempt(text: string, signal: AbortSignal, rewinds: number): Promise<ThreadAnswer | undefined> {
  const calls: AnsweredCall[] = []
  const meter = {
    ended: (method: string | undefined, began: number, code: number | undefined) =>
      void calls.push({ method, time: performance.now() - began, code }),
    refused: () => undefined,
  }
  try {
    const { context } = followed(rewinds)
    return { chunks: await answerInChunks(text, { ...context, meter }, signal), calls }
  } catch (error) {
    // Rows missing because of a rewind are not an error.
    if (!(error instanceof AnswerElsewhere) && head.rewinds === rewinds)
      log.error({ err: error }, `a read thread has failed: ${describeError(error)}`)
    return undefined
  }
}

/** The chain, moved to the shared head. */
function followed(rewinds: number): History {
  if (history?.rewinds !== rewinds) history = open(rewinds)
  if (history.moves === head.moves) return history
  const { number, version, moves } = head.read()
  history.chain.follow({ number, version })
  history.moves = moves
  return history
}

function open(rewinds: number): History {
  const elsewhere = () => Promise.reject(new AnswerElsewhere('only the main thread knows this'))
  const onError = (error: unknown) => log.error({ err: error }, String(error))
  const { limits, pool, spec, rpc } = data
  const scriptedTraces = { run: elsewhere }
  const chain = new BlockChain({ store, runtime, indexer, limits, pool, onError, scriptedTraces, pending: elsewhere })
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
    options: rpc,
    log,
  })
  // -1 equals no move count, so the first request follows the head.
  return { rewinds, chain, context, moves: -1 }
}

function signalOf({ connection, client }: Pick<Question, 'connection' | 'client'>): AbortSignal {
  const known = connections.get(connection)
  if (known !== undefined) return known.signal
  const controller = new AbortController()
  connections.set(connection, controller)
  if (client !== undefined) setClient(controller.signal, client)
  return controller.signal
}

/** Fields of a log record without values that cannot be cloned, such as functions. */
function cloneable(fields: unknown): unknown {
  try {
    return structuredClone(fields)
  } catch {
    return { fields: String(fields) }
  }
}
