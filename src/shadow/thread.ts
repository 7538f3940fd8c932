// The shadow thread as the node sees it: it is started, given jobs, and its questions are answered at once.
// Its program is `worker.ts`, which `npm run build` bundles to `dist/shadow.js`, also for a node that runs from its sources.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import { ChainError } from '../lib/errors.ts'
import type { Answer, Job, Question, Report, ThreadData } from './messages.ts'

/** How a job has ended. */
export type ThreadReport = Exclude<Report, { kind: 'question' }>

/** A job whose arrays each have memory of their own: it goes along with them. */
export type OwnedJob = Job & Readonly<Record<'header' | 'body' | 'witness', Uint8Array<ArrayBuffer>>>

export type ThreadEvents = {
  readonly reported: (report: ThreadReport) => void
  readonly asked: (id: number, question: Question) => Answer
  /** The thread could not start, or has ended without being told to. */
  readonly died: (message: string) => void
}

export class ShadowThread {
  readonly #worker: Worker
  #isClosing = false

  constructor(data: Omit<ThreadData, 'answers' | 'answered'>, { reported, asked, died }: ThreadEvents) {
    const { port1: answering, port2: answers } = new MessageChannel()
    const answered = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const count = new Int32Array(answered)
    const workerData: ThreadData = { ...data, answers, answered }
    this.#worker = new Worker(programOf(fileURLToPath(import.meta.url)), { workerData, transferList: [answers] })
    this.#worker.unref()
    this.#worker.on('message', (report: Report) => {
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

/**
 * The thread's program: beside the bundle, whose code is in dist/ itself or in a folder of it; or as the sources were built
 * last. Throws ChainError `not-found` when it is missing, or older than the sources that run here.
 */
function programOf(here: string): URL {
  const folder = dirname(here)
  const isSource = here.endsWith('.ts')
  const places = isSource ? ['../../dist/shadow.js'] : ['shadow.js', '../shadow.js']
  const program = places.map((place) => join(folder, place)).find((path) => existsSync(path))
  if (program === undefined) throw new ChainError('not-found', 'dist/shadow.js is missing; run `npm run build`')
  if (isSource && newestOf(join(folder, '..')) > statSync(program).mtimeMs) {
    throw new ChainError('not-found', 'dist/shadow.js is older than the sources; run `npm run build`')
  }
  return pathToFileURL(program)
}

/** When the newest file of these rooms was written. */
function newestOf(sources: string): number {
  const folders = ROOMS.map((room) => join(sources, room))
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  return Math.max(...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs))
}
