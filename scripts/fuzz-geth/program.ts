// A running program that executes state tests: it reads names of files and prints results in the files' order. go-ethereum's
// `evm statetest` and ours both do that; they print results in different forms.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { z } from 'zod'
import { Mutex } from '../../src/lib/mutex.ts'

/** A program's result of one subtest. */
export type Verdict = {
  readonly name: string
  readonly fork: string
  readonly pass: boolean
  readonly stateRoot: string | undefined
  /** Only our engines print it. */
  readonly logsHash: string | undefined
  readonly error: string | undefined
}

const verdict = z.object({
  name: z.string(),
  fork: z.string(),
  pass: z.boolean(),
  stateRoot: z.string().optional(),
  logsHash: z.string().optional(),
  error: z.string().optional(),
})

/** Milliseconds that a file may take before the program counts as hung. */
const PATIENCE = 240_000

export type ProgramOptions = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** `lines`: one line of JSON for each subtest. `array`: one indented array for each file, as geth prints it. */
  readonly form: 'lines' | 'array'
  /** Time limit for a file in milliseconds; four minutes by default. */
  readonly patience?: number
}

export class TestProgram {
  readonly name: string
  readonly #child: ChildProcess
  readonly #lines: Interface
  readonly #form: ProgramOptions['form']
  readonly #patience: number
  #take: (line: string | undefined) => void = () => undefined
  #complaints = ''
  readonly #turn = new Mutex()

  constructor({ name, command, args, env = {}, form, patience = PATIENCE }: ProgramOptions) {
    this.name = name
    this.#form = form
    this.#patience = patience
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child = child
    this.#lines = createInterface({ input: child.stdout })
    this.#lines.on('line', (line) => this.#take(line))
    child.stderr.on('data', (text) => {
      // geth repeats each root here; drop it.
      this.#complaints = (this.#complaints + text).replace(/^\{"stateRoot".*\n/gm, '').slice(-2000)
    })
    child.on('close', () => this.#take(undefined))
    child.on('error', () => this.#take(undefined))
    child.stdin.on('error', () => undefined)
  }

  /**
   * Runs a file of `count` subtests. Throws an Error with the program's last output when it exits before the results are
   * complete, or exceeds its time limit. Files run in the order of the calls.
   */
  run(file: string, count: number): Promise<Verdict[]> {
    return this.#turn.run(() => this.#run(file, count))
  }

  async #run(file: string, count: number): Promise<Verdict[]> {
    const printed = await new Promise<string>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${this.name} ${why} on ${file}: ${this.#complaints.trim()}`))
      const timer = setTimeout(() => {
        fail('gave no answer')
        this.close()
      }, this.#patience)
      const lines: string[] = []
      this.#take = (line) => {
        if (line === undefined) {
          clearTimeout(timer)
          fail('ended')
          return
        }
        lines.push(line)
        const isComplete = this.#form === 'array' ? line === ']' || line === '[]' : lines.length === count
        if (!isComplete) return
        clearTimeout(timer)
        resolve(this.#form === 'array' ? lines.join('\n') : `[${lines.join(',')}]`)
      }
      this.#child.stdin?.write(`${file}\n`)
    })
    return z
      .array(verdict)
      .parse(JSON.parse(printed))
      .map(({ stateRoot, logsHash, error, ...rest }) => ({ ...rest, stateRoot, logsHash, error }))
  }

  close(): void {
    this.#take = () => undefined
    this.#child.stdin?.end()
    this.#child.kill('SIGKILL')
  }
}
