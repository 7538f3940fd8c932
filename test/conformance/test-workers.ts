// Runs files of Ethereum's tests in parallel: each idle worker process takes the next file. A file is the unit of work, because
// its tests share the cost of parsing; a worker that dies loses only its file.
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { explain } from '../../src/cli/explain.ts'
import { Mutex } from '../../src/lib/mutex.ts'
import { type BlockTestResult, runBlockTests } from './block-test.ts'
import { type RunOptions, runStateTests, type StateTestResult } from './state-test.ts'

/** The result type of each test format. */
type Results = { readonly state: StateTestResult; readonly block: BlockTestResult }
export type TestFormat = keyof Results

const RUNNERS: { readonly [F in TestFormat]: (text: string, options: RunOptions) => AsyncGenerator<Results[F]> } = {
  state: runStateTests,
  block: runBlockTests,
}

export type FileOutcome<F extends TestFormat> = {
  readonly results: readonly Results[F][]
  /** The file and the reason if it could not be run completely. */
  readonly error?: string
}

export type TestFilesOptions<F extends TestFormat> = RunOptions & {
  readonly format: F
  /** Files at a time; with 1 they run in this process. */
  readonly jobs: number
  /** Arguments with which this program's script calls `answerParent`. */
  readonly workerArgs: readonly string[]
}

/** Runs files and reports each in the given order, as soon as it and all before it are done. */
export async function runTestFiles<F extends TestFormat>(
  files: AsyncIterable<string> | Iterable<string>,
  { format, forks, engine, jobs, workerArgs }: TestFilesOptions<F>,
  report: (outcome: FileOutcome<F>, file: string) => void,
): Promise<void> {
  const workers = new Workers<F>(jobs, workerArgs)
  const here = new Mutex()
  let reported = Promise.resolve()
  for await (const file of files) {
    const work = { file, format, options: { forks, engine } }
    const running = jobs === 1 ? here.run(() => runFile(work)) : workers.run(work)
    reported = reported.then(async () => report(await running, file))
  }
  await reported
  workers.close()
}

/** The main function of a worker process: runs one file at a time until its parent disconnects. */
export function answerParent(): void {
  process.on('message', async (work: Work<TestFormat>) => process.send?.(await runFile(work)))
}

type Work<F extends TestFormat> = { readonly file: string; readonly format: F; readonly options: RunOptions }

async function runFile<F extends TestFormat>({ file, format, options }: Work<F>): Promise<FileOutcome<F>> {
  const results: Results[F][] = []
  try {
    for await (const result of RUNNERS[format](await readText(file), options)) results.push(result)
    // A file whose tests are all of other forks than the requested ones is complete; any other file without results is not a suite.
    if (results.length === 0 && options.forks === undefined) return { results, error: `${file}: it has no tests` }
    return { results }
  } catch (error) {
    const words = explain(error)
    return { results, error: words.startsWith(file) ? words : `${file}: ${words}` }
  }
}

/** A file's text, decompressed if its name ends in `.gz`. */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(file)
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}

class Workers<F extends TestFormat> {
  readonly #size: number
  readonly #args: readonly string[]
  readonly #idle: ChildProcess[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(size: number, args: readonly string[]) {
    this.#size = size
    this.#args = args
  }

  async run(work: Work<F>): Promise<FileOutcome<F>> {
    while (this.#running === this.#size) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running++
    const worker = this.#idle.pop() ?? this.#start()
    const outcome = await ask(worker, work)
    if (worker.connected) this.#idle.push(worker)
    this.#running--
    this.#waiting.shift()?.()
    return outcome
  }

  /** Ends the processes. Call it when they are idle. */
  close(): void {
    for (const worker of this.#idle) worker.disconnect()
  }

  #start(): ChildProcess {
    return fork(process.argv[1] ?? '', this.#args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  }
}

/** Sends a worker its file and waits for the result, or for the worker's end. */
function ask<F extends TestFormat>(worker: ChildProcess, work: Work<F>): Promise<FileOutcome<F>> {
  return new Promise((resolve) => {
    const ended = (code: number | null, signal: string | null) =>
      resolve({ results: [], error: `${work.file}: its worker process ended (${signal ?? `exit code ${code}`})` })
    worker.once('exit', ended)
    worker.once('message', (outcome: FileOutcome<F>) => {
      worker.off('exit', ended)
      resolve(outcome)
    })
    worker.send(work)
  })
}
