// One run of the fuzzer: the programs, their results, and the differences found. A difference is a different root or logs, a
// fault, or a program that exits or gives no answer.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GETH_VERSION } from './geth.ts'
import { answeredByGeth, type Difference, type Guess, guess, judgedByGeth, judgedByOurs, type Tests } from './judge.ts'
import { TestProgram } from './program.ts'
import { only, shrink } from './shrink.ts'
import { type StateTest, testOfSeed } from './state-test.ts'

export type FuzzingOptions = {
  /** Path of geth's `evm`. */
  readonly evm: string
  /** For temporary files. */
  readonly folder: string
  /** Folder for saved differences. */
  readonly out: string
  /** Tests in a batch. */
  readonly size: number
  readonly stress: boolean
  /** Restricts the run to this kind of scenario. */
  readonly kind: string | undefined
}

/** A run ends after this many differences, which usually have one cause. */
export const MAX_DIFFERENCES = 5
/** Time limit in milliseconds for one test in the search for the test on which a program hangs. */
const SHORT = 60_000
const STATETEST = join(import.meta.dirname, '../../test/conformance/statetest.ts')
const TSX = import.meta.resolve('tsx')
const EAGERLY = { KESTREL_COMPILE: 'eagerly' }

/** Starts one of our engines as a program; `wasm` is the interpreter without the compiler. */
function ours(
  name: string,
  engine: string,
  env: Readonly<Record<string, string>> = {},
  patience?: number,
): TestProgram {
  const args = ['--import', TSX, STATETEST, '--jobs', '1', '--engine', engine]
  const command = process.execPath
  return new TestProgram({ name, command, args, env, form: 'lines', ...(patience !== undefined && { patience }) })
}

const stressName = (seed: number): string => `compiled with KESTREL_STRESS=${seed}`

/** Starts a program by its name in differences; undefined for geth. `seed`: for the stress build. */
function started(name: string, seed: number, patience?: number): TestProgram | undefined {
  if (name === 'wasm' || name === 'library') return ours(name, name, {}, patience)
  if (name === 'compiled') return ours(name, name, EAGERLY, patience)
  const env = { ...EAGERLY, KESTREL_STRESS: String(seed) }
  return name === stressName(seed) ? ours(name, 'compiled', env, patience) : undefined
}

export class Fuzzing {
  readonly counts = { executions: 0, stress: 0, geth: 0, rejected: 0, tests: 0 }
  differences = 0
  readonly #options: FuzzingOptions
  readonly #first = ours('wasm', 'wasm')
  readonly #others = [ours('library', 'library'), ours('compiled', 'compiled', EAGERLY)]
  readonly #geth: TestProgram

  constructor(options: FuzzingOptions) {
    this.#options = options
    const name = `geth ${GETH_VERSION}`
    this.#geth = new TestProgram({ name, command: options.evm, args: ['statetest'], form: 'array' })
  }

  /** Runs the batch of a seed once, on the interpreter. Throws like `TestProgram.run`. */
  prepare(seed: number): Promise<Guess> {
    const { size, kind, folder } = this.#options
    const seeds = Array.from({ length: size }, (_, index) => seed + index)
    const tests = Object.fromEntries(seeds.map((of) => [`seed-${of}`, testOfSeed(of, kind).test]))
    return guess(this.#first, tests, folder, `batch-${seed}`)
  }

  /**
   * Runs the batch on all other programs, and saves differences. Returns false if a program has exited, so that the run must
   * stop.
   */
  async judge(prepared: Guess, seed: number): Promise<boolean> {
    const stress = this.#options.stress ? [started(stressName(seed), seed)].filter((of) => of !== undefined) : []
    const engines = [...this.#others, ...stress]
    const judged = await Promise.allSettled([
      judgedByGeth(this.#geth, prepared),
      ...engines.map((engine) => judgedByOurs(engine, prepared)),
    ])
    for (const program of stress) program.close()
    const subtests = prepared.verdicts.length
    this.counts.executions += subtests * (1 + engines.length)
    this.counts.stress += subtests * stress.length
    this.counts.geth += subtests
    this.counts.rejected += prepared.rejected
    this.counts.tests += Object.keys(prepared.tests).length
    const found = judged.flatMap((of) => (of.status === 'fulfilled' ? of.value : []))
    for (const difference of new Map(found.map((one) => [one.name, one])).values()) {
      if (this.differences < MAX_DIFFERENCES) await this.#save(prepared.tests, difference, seed)
      this.differences++
    }
    for (const [index, { status }] of judged.entries()) {
      if (status === 'rejected') await this.#saveGone(prepared, [this.#geth, ...engines][index]?.name ?? '', seed)
    }
    await rm(prepared.file)
    return judged.every(({ status }) => status === 'fulfilled')
  }

  close(): void {
    for (const program of [this.#first, ...this.#others, this.#geth]) program.close()
  }

  /** Whether one test alone shows a difference, in a new process, so that earlier tests leave no state. */
  async #shows(name: string, test: StateTest, program: string, seed: number): Promise<boolean> {
    const other = started(program, seed)
    try {
      const again = await guess(this.#first, { [name]: test }, this.#options.folder, 'shrinking')
      const judged = other === undefined ? judgedByGeth(this.#geth, again) : judgedByOurs(other, again)
      return (await judged).length > 0
    } catch {
      return false
    } finally {
      other?.close()
    }
  }

  /** Shrinks the test of a difference and saves it with geth's results, as a test of the suite; unshrunk if it shows no difference when run alone. */
  async #save(tests: Tests, difference: Difference, seed: number): Promise<void> {
    const { name, fork, index, program } = difference
    const test = tests[name]
    if (test === undefined) return
    const single = only(test, fork, index)
    const shows = (candidate: StateTest) => this.#shows(name, candidate, program, seed)
    const isAlone = await shows(single)
    const file = join(this.#options.out, `${name}-${fork}-${index}.json`)
    await mkdir(this.#options.out, { recursive: true })
    const found = { [name]: isAlone ? await shrink(single, shows) : test }
    const answered = await answeredByGeth(this.#geth, found, this.#options.folder)
    await writeFile(file, JSON.stringify(answered, null, 1))
    const note = isAlone ? {} : { note: 'not seen when the subtest runs by itself; the file has the whole test' }
    console.log(JSON.stringify({ ...difference, kind: this.#kindOf(name), file, ...note }))
  }

  /** A program exited or hung: finds the first test that alone has this effect, and otherwise saves the whole batch. */
  async #saveGone({ file, tests }: Guess, program: string, seed: number): Promise<void> {
    this.differences++
    await mkdir(this.#options.out, { recursive: true })
    for (const [name, test] of Object.entries(tests)) {
      const again = started(program, seed, SHORT)
      if (again === undefined) break
      const alone = join(this.#options.out, `${name}.json`)
      await writeFile(alone, JSON.stringify({ [name]: test }))
      const count = Object.values(test.post).flat().length
      const why = await again.run(alone, count).then(() => undefined, String)
      again.close()
      if (why !== undefined)
        return console.log(JSON.stringify({ name, program, found: why, kind: this.#kindOf(name), file: alone }))
      await rm(alone)
    }
    const kept = join(this.#options.out, `batch-${seed}.json`)
    await copyFile(file, kept)
    console.log(JSON.stringify({ name: `batch-${seed}`, program, found: 'ended or gave no answer', file: kept }))
  }

  #kindOf(name: string): string {
    return testOfSeed(Number(name.slice('seed-'.length)), this.#options.kind).kind
  }
}
