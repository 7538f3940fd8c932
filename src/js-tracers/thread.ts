// The node's side of a thread that runs clients' tracers (`worker.ts` is its program): gives it one job at a time, reads the
// database rows that it requests, and ends it when a script does not stop, the client is gone, or it takes too much memory.
import { MessageChannel, Worker } from 'node:worker_threads'
import type { TraceResult } from '../chain/types.ts'
import { threadProgram } from '../lib/built-files.ts'
import { LONGEST_WALL } from '../lib/deadline.ts'
import { ChainError } from '../lib/errors.ts'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import { cancelled } from '../lib/scheduler.ts'
import { ScriptFailure } from '../runtime/tracing/tracer.ts'
import type { KvReader } from '../state/types.ts'
import type { SerializedTrace, TracerJob, TracerOutcome, TracerReport, TracerThreadData } from './messages.ts'

/** Milliseconds after its time is up in which QuickJS has to stop a script; then the thread is ended. */
const GRACE_TIME = 2_000
/** Limits of a thread, in addition to those of its sandboxes. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1_024, stackSizeMb: 16 }

/** The folders of src/ with the code that the thread runs. */
const ROOMS = [
  ...['lib', 'primitives', 'spec', 'state', 'evm', 'modules', 'precompiles', 'cip', 'runtime', 'chain'],
  'js-tracers',
]

type Running = {
  readonly job: TracerJob
  readonly settle: (outcome: TracerOutcome) => void
  readonly fail: (error: Error) => void
  watchdog: NodeJS.Timeout | undefined
}

/** One thread. It runs one job at a time and cannot be used again after `close` or an error. */
export class TracerThread {
  readonly #worker: Worker
  #running: Running | undefined
  #hasEnded = false

  /**
   * `ensure`: called with a row's key before it is read, to fetch it on a fork. Throws ChainError `not-found` when the thread's
   * program has not been built.
   */
  constructor(
    store: Pick<KvReader, 'get'>,
    data: Omit<TracerThreadData, 'rows' | 'rowCount'>,
    ensure: (key: Uint8Array) => Promise<void> | undefined,
  ) {
    const { port1: rowSender, port2: rows } = new MessageChannel()
    const rowCount = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const count = new Int32Array(rowCount)
    const workerData: TracerThreadData = { ...data, rows, rowCount }
    const program = threadProgram('js-tracers', ROOMS)
    this.#worker = new Worker(program, { workerData, transferList: [rows], resourceLimits: RESOURCE_LIMITS })
    this.#worker.unref()
    rowSender.unref()
    this.#worker.on('message', (report: TracerReport) => {
      if (report.kind !== 'row-request') return this.#handle(report)
      const { key } = report
      const ensured = ensure(key)
      if (ensured === undefined) send(key)
      else ensured.then(() => send(key), failed)
    })
    const failed = (error: unknown) => this.#end(error instanceof Error ? error : new Error(String(error)))
    const send = (key: Uint8Array): void => {
      // A request sent before the thread was ended may arrive later, when the store is closed.
      if (this.#hasEnded) return
      // First the row, then the count: the thread reads the row as soon as it sees the count.
      try {
        const value = store.get(key)
        // A copy: the row may be a view of a larger buffer, and all of that would be sent.
        rowSender.postMessage({ value: value && Uint8Array.from(value) })
      } catch (error) {
        failed(error)
        return
      }
      Atomics.add(count, 0, 1)
      Atomics.notify(count, 0)
    }
    const died = (error: unknown) => this.#end(new ChainError('limit-exceeded', endMessage(error)))
    this.#worker.on('error', died)
    this.#worker.on('messageerror', died)
    this.#worker.on('exit', () => {
      rowSender.close()
      died(undefined)
    })
  }

  /** Whether the thread has ended, or must not be given another job. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Runs a job and returns its lists of traces. Throws the errors of the task, ScriptFailure for a script that does not stop,
   * and ChainError `cancelled` when the signal is aborted.
   */
  async run(job: TracerJob, signal: AbortSignal | undefined): Promise<TraceResult[][]> {
    if (signal?.aborted) throw cancelled()
    const onAbort = () => this.#end(cancelled())
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      const outcome = await new Promise<TracerOutcome>((settle, fail) => {
        this.#running = { job, settle, fail, watchdog: undefined }
        this.#worker.postMessage(job)
      })
      if ('traces' in outcome) return outcome.traces.map((list) => list.map(deserialize))
      const { code, message } = outcome
      throw code === undefined ? new Error(message) : new ChainError(code, message)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      clearTimeout(this.#running?.watchdog)
      this.#running = undefined
    }
  }

  /** Ends the thread at once; a running job fails with `cancelled`. */
  close(): void {
    this.#end(cancelled())
  }

  #handle(report: Exclude<TracerReport, { kind: 'row-request' }>): void {
    const running = this.#running
    if (running === undefined) return
    if (report.kind === 'done') {
      if (report.isUnusable) this.#terminate()
      if (report.id === running.job.id) running.settle(report.outcome)
      return
    }
    clearTimeout(running.watchdog)
    if (!report.isRunning) return
    const onTimeout = () => this.#end(new ScriptFailure('execution timeout'))
    running.watchdog = setTimeout(onTimeout, LONGEST_WALL * running.job.timeout + GRACE_TIME)
    running.watchdog.unref()
  }

  #end(error: Error): void {
    this.#terminate()
    this.#running?.fail(error)
  }

  #terminate(): void {
    this.#hasEnded = true
    void this.#worker.terminate()
  }
}

const deserialize = (trace: SerializedTrace): TraceResult =>
  'error' in trace
    ? trace
    : { result: new PreserializedJson([Buffer.from(trace.json.buffer, trace.json.byteOffset, trace.json.byteLength)]) }

/** The message about a thread that ended by itself: it ran out of memory, or there is a bug. */
const endMessage = (error: unknown): string => {
  const words = error instanceof Error ? `: ${error.message}` : ''
  return `the thread of JavaScript tracers has ended${words}`
}
