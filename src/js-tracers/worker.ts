// The program of a thread that runs clients' tracers together with the traced transactions, so that neither a slow tracer nor
// an endless one delays the node. The thread has no database: it requests rows from the node one by one, and sleeps until
// they arrive, because state reads are synchronous.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { CanonicalChain } from '../chain/canonical-chain.ts'
import { NO_INDEX } from '../chain/open.ts'
import { ChainTraces } from '../chain/traces.ts'
import type { BlockRef, TraceResult } from '../chain/types.ts'
import { loadModule } from '../cip/load.ts'
import { registryOf } from '../cip/modules.ts'
import { ChainError } from '../lib/errors.ts'
import { Mutex } from '../lib/mutex.ts'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import type { Block, SealedHeader } from '../primitives/types.ts'
import { rerunBlock } from '../runtime/rerun-block.ts'
import { Runtime } from '../runtime/runtime.ts'
import { BUDGET, type ScriptMaker } from '../runtime/tracing/tracers.ts'
import type { KvStore } from '../state/types.ts'
import type { View } from '../state/view.ts'
import { JsTracer } from './js-tracer.ts'
import type { SerializedTrace, TracerJob, TracerOutcome, TracerReport, TracerThreadData } from './messages.ts'
import { loadScriptInterpreter } from './sandbox.ts'

if (parentPort === null) throw new Error('this is the program of a worker thread')
const node = parentPort
const { spec, engine, proposalFiles, limits, rows, rowCount }: TracerThreadData = workerData
const receivedRows = new Int32Array(rowCount)
let requestedRows = 0

const store = rowStore(requestRow)
const scriptInterpreter = await loadScriptInterpreter()
const modules = await Promise.all(proposalFiles.map(loadModule))
const runtime = new Runtime(spec, registryOf(spec, modules), engine)

const mutex = new Mutex()
node.on('message', (job: TracerJob) => void mutex.run(() => run(job)))

async function run(job: TracerJob): Promise<void> {
  const outcome = await trace(job).catch((error: unknown): TracerOutcome => {
    const message = error instanceof Error ? error.message : String(error)
    return { code: error instanceof ChainError ? error.code : undefined, message }
  })
  report({ kind: 'done', id: job.id, outcome, isUnusable: scriptInterpreter.isBroken })
}

async function trace({ task, pending, choice, timeout }: TracerJob): Promise<TracerOutcome> {
  const tracers = new Set<JsTracer>()
  const budget = { left: BUDGET }
  const here: ScriptMaker = (code, config) => () => {
    report({ kind: 'script', isRunning: true })
    const tracer: JsTracer = new JsTracer(scriptInterpreter, code, config, {
      timeout,
      budget,
      onClose: () => drop(tracer),
    })
    tracers.add(tracer)
    return tracer
  }
  const drop = (tracer: JsTracer): void => {
    tracers.delete(tracer)
    if (tracers.size === 0) report({ kind: 'script', isRunning: false })
  }
  // Caches of the state are valid for one version only: each job starts with new ones.
  const canonical = new CanonicalChain(store, runtime, NO_INDEX)
  const traces = new ChainTraces(runtime, canonical, limits, readerOf(canonical, pending), { here })
  try {
    const lists = await traces.run(task, { choice, timeout })
    return { traces: lists.map((list) => list.map(serialize)) }
  } finally {
    for (const tracer of tracers) tracer.close()
  }
}

function serialize(trace: TraceResult): SerializedTrace {
  if ('error' in trace) return trace
  const { result } = trace
  return {
    json: result instanceof PreserializedJson ? Buffer.concat(result.parts) : Buffer.from(JSON.stringify(result)),
  }
}

/** Reads blocks and states by reference. `pending`: the block of this tag. */
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

/** The state after the pending block, which is not stored: runs it on its parent's state. */
async function afterPending(canonical: CanonicalChain, pending: Block): Promise<{ header: SealedHeader; view: View }> {
  const { header } = pending
  const parent = canonical.blocks.header(header.number - 1n)
  if (parent === undefined) throw new ChainError('header-not-found', 'header not found')
  const view = canonical.viewAt(parent.number)
  await rerunBlock(runtime, view, pending, canonical.ancestors(parent))
  return { header, view }
}

function report(message: TracerReport): void {
  node.postMessage(message)
}

/** Reads a row of the node's database. Sleeps until it arrives. */
function requestRow(key: Uint8Array): Uint8Array | undefined {
  // A copy: the key may be a view of a larger buffer, and all of that would be sent.
  report({ kind: 'row-request', key: Uint8Array.from(key) })
  const before = requestedRows++
  while (Atomics.load(receivedRows, 0) === before) Atomics.wait(receivedRows, 0, before)
  const received: { message: { value: Uint8Array | undefined } } | undefined = receiveMessageOnPort(rows)
  if (received === undefined) throw new Error('a row that the node sent was lost')
  return received.message.value
}

/** A read-only store without scans: all that tracing needs. */
function rowStore(get: (key: Uint8Array) => Uint8Array | undefined): KvStore {
  const refuse = (): never => {
    throw new Error('a thread that traces only reads rows')
  }
  return {
    get,
    scan: refuse,
    write: refuse,
    requireWritable: refuse,
    consistentReader: refuse,
    close: refuse,
    log: { size: 0, read: refuse, append: refuse, replace: refuse, close: refuse },
  }
}
