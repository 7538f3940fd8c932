// The node's side of one read thread (`worker.ts` is its program).
import type { EventLoopUtilization } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { threadProgram } from '../lib/built-files.ts'
import type { CountedCalls } from '../monitoring/call-histogram.ts'
import type { RequestReports, ThreadAnswer } from '../rpc/define.ts'
import { Exchange } from './exchange.ts'
import type { ReadThreadData, ThreadOrder, ThreadReport } from './messages.ts'

/** The folders of src/ with the code that the thread runs. */
const ROOMS = [
  ...[
    'lib',
    'http',
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
  ...['consensus', 'tables', 'indexer', 'contracts', 'rpc', 'monitoring', 'readers'],
]

export type ThreadEvents = {
  /** The thread is ready for requests. */
  readonly ready: () => void
  /** The thread has ended and its requests were rejected. */
  readonly ended: (reason: string) => void
  readonly log: (record: Extract<ThreadReport, { kind: 'log' }>) => void
  /** What developers are told of the thread's requests. */
  readonly reports: () => RequestReports | undefined
  /** Answers what the thread's clients ask and only the main thread knows. */
  readonly answer: (text: string, signal: AbortSignal) => Promise<ThreadAnswer | undefined>
}

export class ReadThread {
  readonly #worker: Worker
  readonly #exchange: Exchange
  #isReady = false
  #hasEnded = false
  #measured: EventLoopUtilization | undefined
  #counting: Promise<CountedCalls | undefined> = Promise.resolve(undefined)

  /** Throws ChainError `not-found` when the thread's program has not been built. */
  constructor(data: ReadThreadData, { ready, ended, log, reports, answer }: ThreadEvents) {
    this.#worker = new Worker(threadProgram('readers', ROOMS), { workerData: data })
    this.#worker.unref()
    this.#exchange = new Exchange((message, owned) => this.#worker.postMessage(message, owned), answer)
    this.#worker.on('message', (report: ThreadReport) => {
      if (report.kind === 'log') return log(report)
      if (report.kind === 'failed') return reports()?.failed(report.request)
      if (report.kind === 'printed') return reports()?.printed(report.call)
      if (report.kind === 'questions' || report.kind === 'closed' || report.kind === 'replies') {
        return this.#exchange.receive(report)
      }
      if (report.kind !== 'ready') return
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
      this.#exchange.end(new Error(`a read thread has ended: ${reason}`))
      ended(reason)
    })
  }

  get isReady(): boolean {
    return this.#isReady && !this.#hasEnded
  }

  /** Number of pending requests that the main thread has handed over. */
  get load(): number {
    return this.#exchange.load
  }

  /** Share of the time since the last call in which the thread was busy, 0 to 1. */
  utilization(): number {
    const { eventLoopUtilization } = this.#worker.performance
    const now = eventLoopUtilization()
    const { utilization } = eventLoopUtilization(now, this.#measured)
    this.#measured = now
    return utilization
  }

  /** As `Readers.answer`; the thread must be ready. */
  ask(text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
    return this.#exchange.ask(text, signal)
  }

  order(order: ThreadOrder): void {
    if (!this.#hasEnded) this.#worker.postMessage(order)
  }

  /** Closes the thread's database until it is ordered to `resume`; the main thread answers what its clients ask. */
  async suspend(): Promise<void> {
    const suspended = this.#reported('suspended')
    this.order({ kind: 'suspend' })
    await suspended
  }

  /**
   * Stops listening, and settles when the connections have ended. Without `isClosing` they last until their clients or the idle
   * time close them.
   */
  async leave(isClosing: boolean): Promise<void> {
    const left = this.#reported('left')
    this.order({ kind: 'leave', isClosing })
    await left
  }

  /** The calls since the last time, one request after the other; undefined when the thread has ended. */
  counts(): Promise<CountedCalls | undefined> {
    this.#counting = this.#counting.then(async () => {
      const counted = this.#reported('counted')
      this.order({ kind: 'count' })
      return (await counted)?.counts
    })
    return this.#counting
  }

  /** Ends the thread at once; the main thread answers its requests. Settles when the thread has closed the database. */
  async close(): Promise<void> {
    this.#hasEnded = true
    this.#exchange.end(undefined)
    await this.#worker.terminate()
  }

  /** Ends the thread like a failure: its requests are rejected. */
  async kill(): Promise<void> {
    await this.#worker.terminate()
  }

  /** The next report of a kind; undefined when the thread ends before. */
  #reported<K extends ThreadReport['kind']>(kind: K): Promise<Extract<ThreadReport, { kind: K }> | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    type Report = Extract<ThreadReport, { kind: K }>
    return new Promise((resolve) => {
      const settle = (report: Report | undefined) => {
        this.#worker.off('message', onReport).off('exit', onExit)
        resolve(report)
      }
      const isOfKind = (report: ThreadReport): report is Report => report.kind === kind
      const onReport = (report: ThreadReport) => {
        if (isOfKind(report)) settle(report)
      }
      const onExit = () => settle(undefined)
      this.#worker.on('message', onReport).on('exit', onExit)
    })
  }
}
