// CometBFT as a child process: it is restarted when it ends, given up after repeated failures, and never outlives kestrel
// (its socket and its output end with kestrel). Decisions follow from its exit code, its signal and its RPC, never from its
// output, because that contains text of peers (chain id, moniker). The output is only quoted for people, as untrusted text.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ChainError, describeError } from '../../lib/errors.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { cometBftFiles } from './home.ts'
import { LogFile } from './log-file.ts'
import { endOrphan, noteEngine } from './orphan.ts'

export type CometBftSettings = {
  readonly program: string
  readonly home: string
  /** Socket of the application. */
  readonly socket: string
  /** `ID@HOST:PORT` of each; undefined: those of its configuration. */
  readonly peers: readonly string[] | undefined
  /** Milliseconds between blocks in the chain's genesis; undefined: those of its configuration. */
  readonly blockTime: number | undefined
  /** Address at which a remote signer connects; undefined: the consensus key is in the home. */
  readonly signer: string | undefined
  /** Throws ChainError when a port that CometBFT listens on is taken. */
  readonly checkPorts: () => Promise<void>
  /** Whether CometBFT's RPC answers, which it does once CometBFT and the chain agree on the decided blocks. */
  readonly answers: () => Promise<boolean>
  readonly log: (line: string) => void
}

/** Milliseconds before CometBFT is restarted: the first time, and at most. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000
/** A CometBFT that ran for this many milliseconds started successfully: the count of failed starts is reset. */
const HEALTHY = 30_000
/** Milliseconds for which a CometBFT that starts waits for its signer (its privval's `defaultTimeoutAcceptSeconds`). */
const SIGNER_WAIT = 3_000
/** Failed starts in a row after which kestrel gives up. */
const ATTEMPTS = 6
/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 10_000
/** Milliseconds for which `start` waits for an answer; replaying many blocks takes longer and continues in the background. */
const START = 3_000
/** Milliseconds between requests to a CometBFT that does not answer yet. */
const POLL = 100
/** Characters of CometBFT's last error that a message quotes. */
const QUOTED = 300

export class CometBftProcess {
  /** Settles with a message when CometBFT is given up. */
  readonly failed: Promise<string>
  readonly #settings: CometBftSettings
  readonly #fail: (line: string) => void
  #child: ChildProcess | undefined
  #log: LogFile | undefined
  #again: NodeJS.Timeout | undefined
  #blockTime: number | undefined
  #isStopping = false
  /** Whether a CometBFT of this process has ever answered. */
  #hasAnswered = false
  /** The same of its present run. */
  #answersNow = false
  /** Whether a line has said that the signer is waited for, since CometBFT has answered. */
  #waitsForSigner = false
  #shortRuns = 0
  /** The last line of CometBFT that looks like an error, for people. */
  #lastError = ''

  constructor(settings: CometBftSettings) {
    this.#settings = settings
    this.#blockTime = settings.blockTime
    let fail: (line: string) => void = () => undefined
    this.failed = new Promise((resolve) => {
      fail = resolve
    })
    this.#fail = fail
  }

  /** Starts CometBFT; settles when it answers, or after `START`. Throws ChainError when it cannot start or ends before that. */
  async start(): Promise<void> {
    const { home } = this.#settings
    const { processId, log } = cometBftFiles(home)
    await endOrphan(processId, home)
    await this.#settings.checkPorts()
    this.#log = new LogFile(log)
    const child = await this.#run()
    const failure = await Promise.race([this.#untilAnswer(child), this.failed, pause(START)])
    if (failure !== undefined) throw new ChainError('not-allowed', failure)
  }

  /** Ends CometBFT by SIGTERM, and after ten seconds by SIGKILL. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#again)
    await this.#end()
    this.#log?.close()
    this.#log = undefined
  }

  async setBlockTime(milliseconds: number): Promise<void> {
    if (milliseconds === this.#blockTime) return
    this.#blockTime = milliseconds
    if (this.#child !== undefined) await this.restart()
  }

  /** Ends a CometBFT that runs without progress; as after any other end, it is started again. */
  async restart(): Promise<void> {
    if (!this.#isStopping) await this.#end()
  }

  async #end(): Promise<void> {
    const child = this.#child
    if (child === undefined || hasEnded(child)) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const kill = setTimeout(() => child.kill('SIGKILL'), GRACE)
    await ended
    clearTimeout(kill)
  }

  /** Runs the program once. Throws ChainError when the system cannot run it. */
  async #run(): Promise<ChildProcess> {
    const { program, home, socket, peers, signer } = this.#settings
    const blockTime = this.#blockTime
    removeSocket(signer)
    const args = ['start', '--home', home, '--proxy_app', `unix://${socket}`]
    if (peers !== undefined) args.push('--p2p.persistent_peers', peers.join(','))
    // In a separate process group, so that Ctrl-C reaches kestrel only, which then stops CometBFT in an orderly way.
    const env = blockTime === undefined ? {} : { CMT_CONSENSUS_TIMEOUT_COMMIT: `${blockTime}ms` }
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, ...env },
    })
    if (child.pid === undefined) {
      const [error]: unknown[] = await once(child, 'error')
      throw new ChainError('not-allowed', `${program} cannot be started`, undefined, describeError(error))
    }
    noteEngine(cometBftFiles(home).processId, child.pid)
    if (!this.#waitsForSigner) this.#settings.log(`CometBFT runs as process ${child.pid}`)
    this.#child = child
    this.#answersNow = false
    this.#lastError = ''
    const began = performance.now()
    this.#copyOutput(child)
    child.on('error', (error) => this.#settings.log(`CometBFT's process: ${describeError(error)}`))
    child.once('close', (code, signal) => this.#onEnd({ code, signal }, performance.now() - began))
    return child
  }

  /** Copies CometBFT's output into its log, and remembers the line that a message may quote. */
  #copyOutput(child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        this.#log?.write(`${line}\n`)
        if (/^(?:ERROR|Error|panic)[: ]/.test(line)) this.#lastError = line.slice(0, 4 * QUOTED)
      })
    }
  }

  /** Settles when CometBFT answers; if it ends before that, as `failed`. */
  async #untilAnswer(child: ChildProcess): Promise<string | undefined> {
    while (!(await this.#settings.answers())) {
      if (this.#isStopping || hasEnded(child)) return this.failed
      await pause(POLL)
    }
    this.#hasAnswered = true
    this.#answersNow = true
    if (this.#waitsForSigner) this.#settings.log(`the signer is there; CometBFT runs as process ${child.pid}`)
    this.#waitsForSigner = false
    return undefined
  }

  /**
   * A CometBFT that exits before it has ever answered is given up; one that was killed, or had answered, is started up to
   * `ATTEMPTS` times; one that has waited in vain for its signer is started until the signer is there.
   */
  #onEnd(end: Ended, time: number): void {
    rmSync(cometBftFiles(this.#settings.home).processId, { force: true })
    if (this.#isStopping) return
    if (this.#lacksSigner(end, time)) {
      this.#startIn(FIRST_PAUSE)
      return
    }
    this.#shortRuns = time < HEALTHY ? this.#shortRuns + 1 : 1
    if (!this.#hasAnswered && typeof end.code === 'number') {
      this.#giveUp(`CometBFT ended before it was ready (${endOf(end)})`)
      return
    }
    if (this.#shortRuns >= ATTEMPTS) {
      this.#giveUp(`CometBFT ended ${ATTEMPTS} times in a row (${endOf(end)})`)
      return
    }
    const wait = Math.min(FIRST_PAUSE * 2 ** (this.#shortRuns - 1), LONGEST_PAUSE)
    this.#settings.log(this.#withError(`CometBFT ended (${endOf(end)}); it is started again in ${wait / 1000} s`))
    this.#startIn(wait)
  }

  /** Whether CometBFT has ended because no signer has connected; the first time a line says so. */
  #lacksSigner({ code }: Ended, time: number): boolean {
    const { signer, home, log } = this.#settings
    if (signer === undefined || this.#answersNow || typeof code !== 'number' || time < SIGNER_WAIT) return false
    if (!this.#waitsForSigner)
      log(
        `waiting for the signer to connect to ${signer} (priv_validator_laddr in ${cometBftFiles(home).config}): without it CometBFT does not start`,
      )
    this.#waitsForSigner = true
    return true
  }

  #startIn(wait: number): void {
    this.#again = setTimeout(() => {
      this.#run().then(
        (child) => void this.#untilAnswer(child),
        (error: unknown) => {
          this.#lastError ||= error instanceof Error ? error.message : String(error)
          this.#onEnd({}, 0)
        },
      )
    }, wait)
  }

  #giveUp(what: string): void {
    if (this.#isStopping) return
    this.#isStopping = true
    this.#fail(this.#withError(what))
  }

  /** The message with CometBFT's last error, quoted, and the path of the log. */
  #withError(what: string): string {
    const error = visibleText(this.#lastError)?.slice(0, QUOTED)
    const quote = error === undefined ? '' : `; last error ${JSON.stringify(error)}`
    return `${what}${quote}; its log is ${cometBftFiles(this.#settings.home).log}`
  }
}

/** Exit code of a process, or the signal that ended it. */
type Ended = { readonly code?: unknown; readonly signal?: unknown }

const endOf = ({ code, signal }: Ended): string => {
  if (typeof signal === 'string') return `by ${signal}`
  return typeof code === 'number' ? `code ${code}` : 'before it ran'
}

/** Removes the socket of a CometBFT that was killed: the next one could not listen there. */
function removeSocket(signer: string | undefined): void {
  const path = signer?.startsWith('unix://') ? signer.slice('unix://'.length) : undefined
  if (path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path)
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const pause = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref())
