// A thread that runs clients' tracers as the node sees it: it is given one job at a time, its rows are read for it, and it is
// ended when a script does not stop, when the client is gone, or when it has taken too much memory.
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Trace } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { PreserializedJson } from '../lib/preserialized-json.ts'
import { cancelled } from '../lib/scheduler.ts'
import { threadProgram } from '../lib/thread-program.ts'
import { ScriptFailure } from '../runtime/tracing/tracer.ts'
import type { Reader } from '../state/types.ts'
import type { Job, Outcome, Report, ThreadData, WrittenTrace } from './messages.ts'

/** Milliseconds after its time within which a script that is told to stop does so. */
const GRACE = 2_000
/** Limits of a thread beside those of its sandboxes: megabytes of objects, and of stack. */
const RESOURCES = { maxOldGenerationSizeMb: 1_024, stackSizeMb: 16 }

/** The rooms whose code the thread runs. */
const ROOMS = [
  ...['lib', 'primitives', 'spec', 'state', 'evm', 'modules', 'precompiles', 'cip', 'runtime', 'chain'],
  'js-tracers',
]

type Running = {
  readonly job: Job
  readonly settle: (outcome: Outcome) => void
  readonly fail: (error: Error) => void
  watch: NodeJS.Timeout | undefined
}

export class TracerThread {
  readonly #worker: Worker
  #running: Running | undefined
  #isOver = false

  /** Throws ChainError `not-found` when the thread's program has not been built. */
  constructor(store: Pick<Reader, 'get'>, data: Omit<ThreadData, 'answers' | 'answered'>) {
    const { port1: answering, port2: answers } = new MessageChannel()
    const answered = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const count = new Int32Array(answered)
    const workerData: ThreadData = { ...data, answers, answered }
    const program = threadProgram('js-tracers', ROOMS)
    this.#worker = new Worker(program, { workerData, transferList: [answers], resourceLimits: RESOURCES })
    this.#worker.unref()
    answering.unref()
    this.#worker.on('message', (report: Report) => {
      if (report.kind !== 'row') return this.#take(report)
      // Requests that a thread sent before it was ended still come, and the store may be closed by then.
      if (this.#isOver) return
      // First the row, then the count: the thread takes it as soon as it sees the count.
      try {
        const value = store.get(report.key)
        // A copy: a row may be a part of larger memory, and all of that would be sent.
        answering.postMessage({ value: value && Uint8Array.from(value) })
      } catch (error) {
        return this.#end(error instanceof Error ? error : new Error(String(error)))
      }
      Atomics.add(count, 0, 1)
      Atomics.notify(count, 0)
    })
    const died = (error: unknown) => this.#end(new ChainError('limit-exceeded', wordsOf(error)))
    this.#worker.on('error', died)
    this.#worker.on('messageerror', died)
    this.#worker.on('exit', () => {
      answering.close()
      died(undefined)
    })
  }

  /** Whether the thread can be given no job any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Traces, in the task's lists. Throws what the task refuses, ScriptFailure for a script that does not stop, and ChainError
   * `cancelled` when the client is gone.
   */
  async run(job: Job, caller: AbortSignal | undefined): Promise<Trace[][]> {
    if (caller?.aborted) throw cancelled()
    const gone = () => this.#end(cancelled())
    caller?.addEventListener('abort', gone, { once: true })
    try {
      const outcome = await new Promise<Outcome>((settle, fail) => {
        this.#running = { job, settle, fail, watch: undefined }
        this.#worker.postMessage(job)
      })
      if ('traces' in outcome) return outcome.traces.map((list) => list.map(read))
      const { code, message } = outcome
      throw code === undefined ? new Error(message) : new ChainError(code, message)
    } finally {
      caller?.removeEventListener('abort', gone)
      clearTimeout(this.#running?.watch)
      this.#running = undefined
    }
  }

  /** Ends the thread at once, whatever it does. */
  close(): void {
    this.#end(cancelled())
  }

  #take(report: Exclude<Report, { kind: 'row' }>): void {
    const running = this.#running
    if (running === undefined) return
    if (report.kind === 'done') {
      if (report.isSpent) this.#retire()
      if (report.id === running.job.id) running.settle(report.outcome)
      return
    }
    clearTimeout(running.watch)
    if (!report.isRunning) return
    const late = () => this.#end(new ScriptFailure('execution timeout'))
    running.watch = setTimeout(late, running.job.timeout + GRACE)
    running.watch.unref()
  }

  #end(error: Error): void {
    this.#retire()
    this.#running?.fail(error)
  }

  #retire(): void {
    this.#isOver = true
    void this.#worker.terminate()
  }
}

const read = (trace: WrittenTrace): Trace =>
  'error' in trace
    ? trace
    : { result: new PreserializedJson([Buffer.from(trace.json.buffer, trace.json.byteOffset, trace.json.byteLength)]) }

/** Why a thread has ended: it had too little memory, or a fault. */
const wordsOf = (error: unknown): string => {
  const words = error instanceof Error ? `: ${error.message}` : ''
  return `the thread of JavaScript tracers has ended${words}`
}
