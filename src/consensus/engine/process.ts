// The engine as a child process: started when the application listens, started again when it ends, stopped with the node. An
// engine whose node is gone ends by itself, because its socket is lost.
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds before an engine that has ended is started again; doubled each time, up to the longest. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000
/** An engine that ran for so many milliseconds was well. */
const STABLE = 60_000
/** Starts in a row without a stable run, after which the node gives up. */
const MAX_FAILED_STARTS = 8
/** Milliseconds that an engine has to end after SIGTERM. */
const GRACE = 10_000
/** The log of the former runs is kept beside the present one when it has this many bytes. */
const MAX_LOG = 64 * 1024 * 1024
/** Characters of the end of the output that may hold the reason of a failure. */
const TAIL = 64 * 1024

/** What an engine prints when going on would be wrong: its state and that of the node differ. */
const FATAL = [
  /CONSENSUS FAILURE/,
  /conflicting with the application/,
  /app block height.*higher than core/i,
  /genesis.*(hash|mismatch)/i,
]

export type EngineProcessOptions = {
  readonly program: string
  readonly home: string
  /** Path of the application's socket. */
  readonly socket: string
  /** Further flags of `cometbft start`. */
  readonly flags?: readonly string[]
  readonly log: (line: string) => void
}

export class EngineProcess {
  /** Settles with a line when the engine does not come up, or must not. */
  readonly failed: Promise<string>
  readonly #options: EngineProcessOptions
  #fail: (line: string) => void = () => undefined
  #child: ChildProcess | undefined
  #output: WriteStream | undefined
  #tail = ''
  #isStopping = false
  #failedStarts = 0
  #running: Promise<void> = Promise.resolve()

  constructor(options: EngineProcessOptions) {
    this.#options = options
    this.failed = new Promise((resolve) => {
      this.#fail = resolve
    })
  }

  async start(): Promise<void> {
    this.#output = await openLog(join(this.#options.home, 'cometbft.log'))
    this.#running = this.#keepRunning()
  }

  /** Settles when the engine has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const child = this.#child
    child?.kill('SIGTERM')
    const late = setTimeout(() => child?.kill('SIGKILL'), GRACE)
    await this.#running
    clearTimeout(late)
    this.#output?.end()
  }

  async #keepRunning(): Promise<void> {
    let pause = FIRST_PAUSE
    while (!this.#isStopping) {
      const began = performance.now()
      const how = await this.#run()
      if (this.#isStopping) return
      const isStable = performance.now() - began > STABLE
      this.#failedStarts = isStable ? 0 : this.#failedStarts + 1
      if (isStable) pause = FIRST_PAUSE
      const reason = FATAL.map((pattern) => lineWith(this.#tail, pattern)).find((line) => line !== undefined)
      if (reason !== undefined) return this.#fail(`the engine cannot go on: ${reason}`)
      if (this.#failedStarts >= MAX_FAILED_STARTS)
        return this.#fail(`the engine does not come up (${how}): ${lastError(this.#tail)}`)
      this.#options.log(
        `the engine has ended (${how}): ${lastError(this.#tail)}; starting it again in ${pause / 1000} s`,
      )
      await this.#pause(pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }

  /** Runs the engine until it ends. Returns how it ended, in words. */
  #run(): Promise<string> {
    const { program, home, socket, flags = [], log } = this.#options
    this.#tail = ''
    return new Promise((resolve) => {
      const child = spawn(program, ['start', '--home', home, '--proxy_app', `unix://${socket}`, ...flags], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      this.#child = child
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => this.#take(chunk))
      child.once('spawn', () => log(`the engine runs as process ${child.pid}`))
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
  }

  #take(chunk: Buffer): void {
    this.#output?.write(chunk)
    this.#tail = (this.#tail + chunk.toString()).slice(-TAIL)
  }

  async #pause(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0 && !this.#isStopping; left -= 100) await sleep(Math.min(100, left))
  }
}

/** Opens the log for more lines; a large one is kept under another name first. */
async function openLog(file: string): Promise<WriteStream> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size > MAX_LOG) await rename(file, `${file}.old`)
  return createWriteStream(file, { flags: 'a', mode: 0o600 })
}

const lineWith = (text: string, pattern: RegExp): string | undefined =>
  text
    .split('\n')
    .find((line) => pattern.test(line))
    ?.slice(0, 400)

/** The last line that tells of an error, else the last line. */
function lastError(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const found = lines.filter((line) => /^(E\[|ERROR|panic|failed)|error/i.test(line)).at(-1) ?? lines.at(-1)
  return (found ?? 'it printed nothing').slice(0, 400)
}
