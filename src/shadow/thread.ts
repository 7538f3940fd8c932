// The shadow thread as the node sees it: it is started, given jobs, and its questions are answered at once.
// Its program is `worker.ts`, which `npm run build` bundles to `dist/shadow.js`, also for a node that runs from its sources.
import { MessageChannel, Worker } from 'node:worker_threads'
import { threadProgram } from '../lib/built-files.ts'
import type { Question, ShadowJob, ShadowReport, ShadowThreadData, WitnessAnswer } from './messages.ts'

/** How a job has ended. */
export type ThreadReport = Exclude<ShadowReport, { kind: 'question' }>

/** A job whose arrays each have memory of their own: it goes along with them. */
export type OwnedJob = ShadowJob & Readonly<Record<'header' | 'body' | 'witness', Uint8Array<ArrayBuffer>>>

export type ThreadEvents = {
  readonly reported: (report: ThreadReport) => void
  readonly asked: (id: number, question: Question) => WitnessAnswer
  /** The thread could not start, or has ended without being told to. */
  readonly died: (message: string) => void
}

export class ShadowThread {
  readonly #worker: Worker
  #isClosing = false

  constructor(data: Omit<ShadowThreadData, 'answers' | 'answered'>, { reported, asked, died }: ThreadEvents) {
    const { port1: answering, port2: answers } = new MessageChannel()
    const answered = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const count = new Int32Array(answered)
    const workerData: ShadowThreadData = { ...data, answers, answered }
    this.#worker = new Worker(threadProgram('shadow', ROOMS), { workerData, transferList: [answers] })
    this.#worker.unref()
    this.#worker.on('message', (report: ShadowReport) => {
      if (report.kind !== 'question') return reported(report)
      // First the answer, then its count: the thread takes it as soon as it sees the count.
      answering.postMessage(asked(report.id, report.question))
      Atomics.add(count, 0, 1)
      Atomics.notify(count, 0)
    })
    this.#worker.on('error', (error) => died(error instanceof Error ? error.message : String(error)))
    this.#worker.on('messageerror', (error) => died(error.message))
    this.#worker.on('exit', (code) => {
      answering.close()
      if (!this.#isClosing) died(`its thread has ended with code ${code}`)
    })
  }

  /** Jobs run in the order in which they are given. */
  run(job: OwnedJob): void {
    this.#worker.postMessage(job, [job.header.buffer, job.body.buffer, job.witness.buffer])
  }

  /** Ends the thread at once, whatever it does. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#worker.terminate()
  }
}

/** The rooms whose code the thread runs. */
const ROOMS = [
  'lib',
  'primitives',
  'spec',
  'state',
  'evm',
  'modules',
  'precompiles',
  'cip',
  'runtime',
  'chain',
  'shadow',
]
