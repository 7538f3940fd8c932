// The program of a thread that runs clients' tracers, with the transactions that they watch: so neither a slow tracer nor
// one that never ends keeps the node from its blocks. The thread has no store: it asks for rows, and sleeps until they come.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { CanonicalChain } from '../chain/canonical-chain.ts'
import { NO_INDEX } from '../chain/open.ts'
import type { Trace } from '../chain/trace-types.ts'
import { ChainTraces } from '../chain/traces.ts'
import type { BlockRef } from '../chain/types.ts'
import { loadModule } from '../cip/load.ts'
import { registryOf } from '../cip/modules.ts'
import { ChainError } from '../lib/errors.ts'
import { Mutex } from '../lib/mutex.ts'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import { kzg } from '../primitives/blobs.ts'
import type { Block, SealedHeader } from '../primitives/types.ts'
import { rerunBlock } from '../runtime/rerun-block.ts'
import { Runtime } from '../runtime/runtime.ts'
import { BUDGET, type ScriptMaker } from '../runtime/tracing/tracers.ts'
import type { View } from '../state/view.ts'
import { askedStore } from './asked-store.ts'
import { JsTracer } from './js-tracer.ts'
import type { Job, Outcome, Report, ThreadData, WrittenTrace } from './messages.ts'
import { loadEngine } from './sandbox.ts'

if (parentPort === null) throw new Error('this is the program of a worker thread')
const node = parentPort
const { spec, engine, proposalFiles, limits, answers, answered }: ThreadData = workerData
const answerCount = new Int32Array(answered)
let asked = 0

const store = askedStore(ask)
const scriptEngine = await loadEngine()
const modules = await Promise.all(proposalFiles.map(loadModule))
const runtime = new Runtime(spec, kzg, registryOf(spec, modules), engine)

const turn = new Mutex()
node.on('message', (job: Job) => void turn.run(() => run(job)))

async function run(job: Job): Promise<void> {
  const outcome = await trace(job).catch((error: unknown): Outcome => {
    const message = error instanceof Error ? error.message : String(error)
    return { code: error instanceof ChainError ? error.code : undefined, message }
  })
  say({ kind: 'done', id: job.id, outcome, isSpent: scriptEngine.isBroken })
}

async function trace({ task, pending, choice, timeout }: Job): Promise<Outcome> {
  const tracers = new Set<JsTracer>()
  const budget = { left: BUDGET }
  const here: ScriptMaker = (code, config) => () => {
    say({ kind: 'watched', isRunning: true })
    const tracer: JsTracer = new JsTracer(scriptEngine, code, config, { timeout, budget, closed: () => drop(tracer) })
    tracers.add(tracer)
    return tracer
  }
  const drop = (tracer: JsTracer): void => {
    tracers.delete(tracer)
    if (tracers.size === 0) say({ kind: 'watched', isRunning: false })
  }
  // Caches of the state are of one version: each job begins with its own.
  const canonical = new CanonicalChain(store, runtime, NO_INDEX)
  const traces = new ChainTraces(runtime, canonical, limits, readerOf(canonical, pending), { here })
  try {
    const lists = await traces.run(task, { choice, timeout })
    return { traces: lists.map((list) => list.map(written)) }
  } finally {
    for (const tracer of tracers) tracer.close()
  }
}

function written(trace: Trace): WrittenTrace {
  if ('error' in trace) return trace
  const { result } = trace
  return {
    json: result instanceof PreserializedJson ? Buffer.concat(result.parts) : Buffer.from(JSON.stringify(result)),
  }
}

/** Blocks and states by their names. `pending`: the block of that name. */
const readerOf = (canonical: CanonicalChain, pending: Block | undefined) => ({
  async block(ref: BlockRef): Promise<Block | undefined> {
    if (ref === 'pending') return pending
    const number = numberOf(canonical, ref)
    return number === undefined ? undefined : canonical.blocks.block(number)
  },
  async at(ref: BlockRef): Promise<{ header: SealedHeader; view: View }> {
    if (ref === 'pending' && pending !== undefined) return afterPending(canonical, pending)
    const number = numberOf(canonical, ref)
    const header = number === undefined ? undefined : canonical.blocks.header(number)
    if (header === undefined) throw new ChainError('header-not-found', 'header not found')
    return { header, view: canonical.viewAt(header.number) }
  },
})

function numberOf(canonical: CanonicalChain, ref: BlockRef): bigint | undefined {
  if (typeof ref === 'object') return 'number' in ref ? ref.number : canonical.blocks.number(ref.hash)
  return ref === 'earliest' ? 0n : canonical.head.number
}

/** The state after a block that is not stored. */
async function afterPending(canonical: CanonicalChain, pending: Block): Promise<{ header: SealedHeader; view: View }> {
  const { header } = pending
  const parent = canonical.blocks.header(header.number - 1n)
  if (parent === undefined) throw new ChainError('header-not-found', 'header not found')
  const view = canonical.viewAt(parent.number)
  await rerunBlock(runtime, view, pending, canonical.ancestors(parent))
  return { header, view }
}

function say(report: Report): void {
  node.postMessage(report)
}

/** The row of a key. Sleeps until the node has answered. */
function ask(key: Uint8Array): Uint8Array | undefined {
  // A copy, as a key may be a part of larger memory, and all of that would be sent.
  say({ kind: 'row', key: Uint8Array.from(key) })
  const before = asked++
  while (Atomics.load(answerCount, 0) === before) Atomics.wait(answerCount, 0, before)
  const received: { message: { value: Uint8Array | undefined } } | undefined = receiveMessageOnPort(answers)
  if (received === undefined) throw new Error('an answer of the node was lost')
  return received.message.value
}
