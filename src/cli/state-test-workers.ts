// Files of state tests, run several at a time: processes that each take the next file when they are free. A file is the
// unit of work, because its subtests share what it costs to read, and a process that dies takes only the file it had.
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Mutex } from '../lib/mutex.ts'
import { runStateTests, type StateTestResult } from '../runtime/state-test.ts'
import { explain } from './explain.ts'

export type FileOutcome = {
  readonly results: readonly StateTestResult[]
  /** Which file could not be run, or not to its end, and why. */
  readonly error?: string
}

export type StateTestOptions = {
  /** By the tests' names; undefined: all. */
  readonly forks: readonly string[] | undefined
  /** Files at a time; one alone runs in this process. */
  readonly jobs: number
  /** Arguments with which this program's script comes to `answerParent`. */
  readonly workerArgs: readonly string[]
}

/** Runs files and reports each in the order in which they are named, as soon as it and all before it are done. */
export async function runStateTestFiles(
  files: AsyncIterable<string> | Iterable<string>,
  { forks, jobs, workerArgs }: StateTestOptions,
  report: (outcome: FileOutcome, file: string) => void,
): Promise<void> {
  const workers = new Workers(jobs, workerArgs)
  const here = new Mutex()
  let reported = Promise.resolve()
  for await (const file of files) {
    const work = { file, forks }
    const running = jobs === 1 ? here.run(() => runFile(work)) : workers.run(work)
    reported = reported.then(async () => report(await running, file))
  }
  await reported
  workers.close()
}

/** What a worker process does: one file at a time, until its parent lets go. */
export function answerParent(): void {
  process.on('message', async (work: Work) => process.send?.(await runFile(work)))
}

type Work = { readonly file: string; readonly forks: readonly string[] | undefined }

async function runFile({ file, forks }: Work): Promise<FileOutcome> {
  const results: StateTestResult[] = []
  try {
    const text = await readFile(file, 'utf8')
    for await (const result of runStateTests(text, forks && new Set(forks))) results.push(result)
    return { results }
  } catch (error) {
    const words = explain(error)
    return { results, error: words.startsWith(file) ? words : `${file}: ${words}` }
  }
}

class Workers {
  readonly #size: number
  readonly #args: readonly string[]
  readonly #idle: ChildProcess[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(size: number, args: readonly string[]) {
    this.#size = size
    this.#args = args
  }

  async run(work: Work): Promise<FileOutcome> {
    while (this.#running === this.#size) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running++
    const worker = this.#idle.pop() ?? this.#start()
    const outcome = await ask(worker, work)
    if (worker.connected) this.#idle.push(worker)
    this.#running--
    this.#waiting.shift()?.()
    return outcome
  }

  /** Lets the processes go; none may be at work. */
  close(): void {
    for (const worker of this.#idle) worker.disconnect()
  }

  #start(): ChildProcess {
    return fork(process.argv[1] ?? '', this.#args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  }
}

/** Gives a worker its file and waits for the answer, or for the worker's end. */
function ask(worker: ChildProcess, work: Work): Promise<FileOutcome> {
  return new Promise((resolve) => {
    const ended = (code: number | null, signal: string | null) =>
      resolve({ results: [], error: `${work.file}: its process has ended (${signal ?? `exit code ${code}`})` })
    worker.once('exit', ended)
    worker.once('message', (outcome: FileOutcome) => {
      worker.off('exit', ended)
      resolve(outcome)
    })
    worker.send(work)
  })
}
