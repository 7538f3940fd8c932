// The node's side of one read thread (`worker.ts` is its program). Sends the requests of one turn of the event loop in one
// message, and settles each when it is answered or the thread ends.
import { Worker } from 'node:worker_threads'
import { threadProgram } from '../lib/built-files.ts'
import { clientOf } from '../lib/connection-signal.ts'
import type { JsonChunk } from '../rpc/chunked-json.ts'
import type { ThreadAnswer } from '../rpc/define.ts'
import type { Question, ReadThreadData, Reply, ThreadOrder, ThreadReport } from './messages.ts'

/** The folders of src/ with the code that the thread runs. */
const ROOMS = [
  ...[
    'lib',
    'primitives',
    'spec',
    'state',
    'wallet',
    'evm',
    'pool',
    'modules',
    'precompiles',
    'cip',
    'runtime',
    'chain',
  ],
  ...['consensus', 'tables', 'indexer', 'rpc', 'readers'],
]

export type ThreadEvents = {
  /** The thread is ready for requests. */
  readonly ready: () => void
  /** The thread has ended and its requests were rejected. */
  readonly ended: (reason: string) => void
  readonly log: (record: Extract<ThreadReport, { kind: 'log' }>) => void
}

type Waiting = {
  readonly settle: (answer: ThreadAnswer | undefined) => void
  readonly fail: (error: Error) => void
}

export class ReadThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  /** Open connections with requests, by their signals. */
  readonly #connections = new Map<AbortSignal, number>()
  #questions: Question[] = []
  #lastId = 0
  #isReady = false
  #hasEnded = false

  /** Throws ChainError `not-found` when the thread's program has not been built. */
  constructor(data: ReadThreadData, { ready, ended, log }: ThreadEvents) {
    this.#worker = new Worker(threadProgram('readers', ROOMS), { workerData: data })
    this.#worker.unref()
    this.#worker.on('message', (report: ThreadReport) => {
      if (report.kind === 'log') return log(report)
      if (report.kind === 'replies') return this.#settle(report.replies)
      this.#isReady = true
      ready()
    })
    let reason = 'it was ended'
    const onError = (error: unknown) => {
      reason = error instanceof Error ? error.message : String(error)
    }
    this.#worker.on('error', onError)
    this.#worker.on('messageerror', (error) => {
      onError(error)
      void this.#worker.terminate()
    })
    this.#worker.on('exit', () => {
      this.#hasEnded = true
      for (const { fail } of this.#waiting.values()) fail(new Error(`a read thread has ended: ${reason}`))
      this.#waiting.clear()
      ended(reason)
    })
  }

  get isReady(): boolean {
    return this.#isReady && !this.#hasEnded
  }

  /** Number of pending requests. */
  get load(): number {
    return this.#waiting.size
  }

  /** As `Readers.answer`; the thread must be ready. */
  ask(text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
    const id = ++this.#lastId
    if (this.#questions.length === 0) setImmediate(() => this.#send())
    this.#questions.push({ id, connection: this.#connectionOf(signal), client: clientOf(signal), text })
    return new Promise((settle, fail) => this.#waiting.set(id, { settle, fail }))
  }

  /** Ends the thread at once; the main thread answers its requests. Settles when the thread has closed the database. */
  async close(): Promise<void> {
    this.#hasEnded = true
    for (const { settle } of this.#waiting.values()) settle(undefined)
    this.#waiting.clear()
    await this.#worker.terminate()
  }

  /** Ends the thread like a failure: its requests are rejected. */
  async kill(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(): void {
    if (this.#hasEnded) return
    this.#order({ kind: 'questions', questions: this.#questions })
    this.#questions = []
  }

  #order(order: ThreadOrder): void {
    this.#worker.postMessage(order)
  }

  #connectionOf(signal: AbortSignal): number {
    const known = this.#connections.get(signal)
    if (known !== undefined) return known
    const connection = ++this.#lastId
    this.#connections.set(signal, connection)
    const onClosed = () => {
      this.#connections.delete(signal)
      this.#order({ kind: 'closed', connection })
    }
    signal.addEventListener('abort', onClosed, { once: true })
    return connection
  }

  #settle(replies: readonly Reply[]): void {
    for (const { id, answer } of replies) {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      waiting?.settle(answer && { ...answer, chunks: answer.chunks?.map(received) })
    }
  }
}

/** Structured cloning turns a Buffer into a Uint8Array. */
const received = (chunk: JsonChunk): JsonChunk =>
  typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
