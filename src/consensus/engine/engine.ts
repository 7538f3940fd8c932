// The engine as a child of this process: it is started again when it ends, given up when that cannot help, and never outlives
// kestrel (its socket and its output end with kestrel).
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ChainError, describeError } from '../../lib/errors.ts'
import { engineFiles } from './home.ts'
import { LogFile } from './log-file.ts'
import { endOrphan, noteEngine } from './orphan.ts'

export type EngineSettings = {
  readonly program: string
  readonly home: string
  /** Socket of the application. */
  readonly socket: string
  /** `ID@HOST:PORT` of each; undefined: those of its configuration. */
  readonly peers: readonly string[] | undefined
  /** Throws ChainError when a port that the engine listens on is taken. */
  readonly checkPorts: () => Promise<void>
  readonly log: (line: string) => void
}

/** Milliseconds before the engine is restarted: the first time, and at most. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000
/** An engine that ran for so many milliseconds had started well: the count of failed starts begins anew. */
const HEALTHY = 30_000
/** Failed starts in a row after which kestrel gives up. */
const ATTEMPTS = 6
/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 10_000
/** Milliseconds in which an engine that cannot start logs why. */
const FIRST_WORDS = 3_000

/** Errors that a restart cannot mend, each with what the operator can do. */
const FATAL: readonly (readonly [RegExp, string])[] = [
  [
    /app block height \(\d+\) is higher than/i,
    "the engine's blocks end before the chain's: restore its data folder, or remove the later blocks (kestrel rewind --to N)",
  ],
  [
    /wrong Block\.Header\.AppHash|wrong Block\.Header\.LastResultsHash/i,
    'the state of this node differs from the network: begin again with an empty data directory',
  ],
  [/error in config file|failed to parse|unknown mempool type/i, 'its configuration is not valid'],
  [/genesis doc hash|genesis.*hash.*(mismatch|does not match)/i, 'its genesis is not the one that it began with'],
  [/error during handshake/i, 'the engine and the chain do not agree on what was decided'],
]

export class EngineProcess {
  /** Settles with a line when the engine does not come up again. */
  readonly failed: Promise<string>
  readonly #settings: EngineSettings
  readonly #fail: (line: string) => void
  #child: ChildProcess | undefined
  #log: LogFile | undefined
  #again: NodeJS.Timeout | undefined
  #isStopping = false
  #shortRuns = 0
  /** The last error in the engine's log. */
  #lastError = ''

  constructor(settings: EngineSettings) {
    this.#settings = settings
    let fail: (line: string) => void = () => undefined
    this.failed = new Promise((resolve) => {
      fail = resolve
    })
    this.#fail = fail
  }

  /** Starts the engine. Throws ChainError when it cannot be started, or ends at once. */
  async start(): Promise<void> {
    const { home } = this.#settings
    const { processId, log } = engineFiles(home)
    await endOrphan(processId, home)
    await this.#settings.checkPorts()
    this.#log = new LogFile(log)
    await this.#run()
  }

  /** Ends the engine by SIGTERM, and after ten seconds by SIGKILL. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#again)
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), GRACE)
      await ended
      clearTimeout(kill)
    }
    this.#log?.close()
    this.#log = undefined
  }

  /** Runs the engine once; settles when it has logged a line, or after `FIRST_WORDS`. Throws ChainError when it ends before. */
  async #run(): Promise<void> {
    const { program, home, socket, peers } = this.#settings
    const args = ['start', '--home', home, '--proxy_app', `unix://${socket}`]
    if (peers !== undefined) args.push('--p2p.persistent_peers', peers.join(','))
    // A process group of its own, so that Ctrl-C reaches kestrel alone, which then stops the engine in order.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    if (child.pid === undefined) {
      const [error]: unknown[] = await once(child, 'error')
      throw new ChainError('not-allowed', `${program} cannot be started`, undefined, describeError(error))
    }
    noteEngine(engineFiles(home).processId, child.pid)
    this.#settings.log(`the engine runs as process ${child.pid}`)
    this.#child = child
    this.#lastError = ''
    const began = performance.now()
    const words = this.#read(child)
    const ended = once(child, 'close').then(([code, signal]: (number | NodeJS.Signals | null)[]) => ({ code, signal }))
    const end = await Promise.race([words, ended, pause(FIRST_WORDS)])
    if (end !== undefined)
      throw new ChainError('not-allowed', this.#withError(`the engine ended at once (${endOf(end)})`))
    void ended.then((end) => this.#onEnd(end, performance.now() - began))
  }

  /** Copies the engine's output into its log; settles with the first line that looks like a log line. */
  #read(child: ChildProcess): Promise<undefined> {
    return new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue
        createInterface({ input: stream }).on('line', (line) => {
          this.#log?.write(`${line}\n`)
          if (/^[DIE]\[/.test(line)) resolve(undefined)
          this.#notice(line)
        })
      }
    })
  }

  /** Looks for fatal errors in the engine's log. After a consensus failure the engine keeps running but does nothing more. */
  #notice(line: string): void {
    if (line.includes('CONSENSUS FAILURE')) {
      const [, reason = line] = /err="((?:[^"\\]|\\.)*)"/.exec(line) ?? []
      this.#lastError = reason.replaceAll('\\"', '"')
      this.#giveUp('the engine stopped after a consensus failure')
    } else if (/^(?:ERROR|Error|panic)[: ]/.test(line)) this.#lastError = line.replace(/^\w+:? */, '')
  }

  #onEnd(end: Ended, time: number): void {
    rmSync(engineFiles(this.#settings.home).processId, { force: true })
    if (this.#isStopping) return
    this.#shortRuns = time < HEALTHY ? this.#shortRuns + 1 : 1
    const isFatal = FATAL.some(([error]) => error.test(this.#lastError))
    if (isFatal || this.#shortRuns >= ATTEMPTS) {
      this.#giveUp(`the engine ended (${endOf(end)})`)
      return
    }
    const wait = Math.min(FIRST_PAUSE * 2 ** (this.#shortRuns - 1), LONGEST_PAUSE)
    this.#settings.log(this.#withError(`the engine ended (${endOf(end)}); it is started again in ${wait / 1000} s`))
    this.#again = setTimeout(() => {
      this.#run().catch((error: unknown) => {
        this.#lastError ||= error instanceof Error ? error.message : String(error)
        this.#onEnd({}, 0)
      })
    }, wait)
  }

  #giveUp(what: string): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#fail(this.#withError(what))
  }

  /** The line with the engine's own last error, what to do about it, and where the rest is. */
  #withError(what: string): string {
    const { log } = engineFiles(this.#settings.home)
    const advice = FATAL.find(([error]) => error.test(this.#lastError))?.[1]
    const parts = [what, this.#lastError.slice(0, 300), advice, `its log is ${log}`]
    return parts.filter((part) => part !== undefined && part !== '').join('; ')
  }
}

/** Exit code of a process, or the signal that ended it. */
type Ended = { readonly code?: unknown; readonly signal?: unknown }

const endOf = ({ code, signal }: Ended): string => {
  if (typeof signal === 'string') return `by ${signal}`
  return typeof code === 'number' ? `code ${code}` : 'before it ran'
}

const pause = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref())
