// Random state tests on every engine and on go-ethereum's `evm`, until the time is up: state roots and logs must be the
// same. A difference is made smaller, saved as a state test and printed with its seed; then the exit code is 1. Where
// `evm` is neither found nor can be built, one line says so and the exit code is 0.
//   tsx scripts/fuzz-geth/main.ts [--seconds 60] [--seed FIRST] [--stress] [--kind NAME] [--batch TESTS] [--out FOLDER]
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { GETH_VERSION, gethEvm } from './geth.ts'
import { type Difference, type Guess, guess, judgedByGeth, judgedByOurs, type Tests } from './judge.ts'
import { TestProgram } from './program.ts'
import { only, shrink } from './shrink.ts'
import { testOfSeed } from './state-test.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    stress: { type: 'boolean', default: false },
    kind: { type: 'string' },
    batch: { type: 'string', default: '48' },
    out: { type: 'string', default: 'fuzz-differences' },
  },
})
const MAIN = join(import.meta.dirname, '../../dist/main.js')
/** So many differences end a run: they have one cause most of the time. */
const ENOUGH = 5

/** One of our engines as a program; `wasm` is the interpreter alone. */
function ours(name: string, engine: string, env: Readonly<Record<string, string>> = {}): TestProgram {
  const args = [MAIN, 'statetest', '--jobs', '1', '--engine', engine]
  return new TestProgram({ name, command: process.execPath, args, env, form: 'lines' })
}

const EAGERLY = { KESTREL_COMPILE: 'eagerly' }
const stressed = (seed: number): TestProgram =>
  ours(`compiled with KESTREL_STRESS=${seed}`, 'compiled', { ...EAGERLY, KESTREL_STRESS: String(seed) })

/** Tests of consecutive seeds, each named for its own. */
function batchOf(first: number, count: number): Tests {
  const seeds = Array.from({ length: count }, (_, index) => first + index)
  return Object.fromEntries(seeds.map((seed) => [`seed-${seed}`, testOfSeed(seed, values.kind).test]))
}

type Counts = { executions: number; stress: number; geth: number; rejected: number; tests: number }

class Fuzzing {
  readonly counts: Counts = { executions: 0, stress: 0, geth: 0, rejected: 0, tests: 0 }
  readonly differences: Difference[] = []
  readonly #folder: string
  readonly #first = ours('wasm', 'wasm')
  readonly #others = [ours('library', 'library'), ours('compiled', 'compiled', EAGERLY)]
  readonly #geth: TestProgram

  constructor(evm: string, folder: string) {
    this.#folder = folder
    this.#geth = new TestProgram({ name: `geth ${GETH_VERSION}`, command: evm, args: ['statetest'], form: 'array' })
  }

  /** Runs a batch once, on the interpreter. */
  prepare(seed: number): Promise<Guess> {
    return guess(this.#first, batchOf(seed, Number(values.batch)), this.#folder, `batch-${seed}`)
  }

  /** Runs it on all others, and saves what differs. */
  async judge(prepared: Guess, seed: number): Promise<void> {
    const stress = values.stress ? [stressed(seed)] : []
    const engines = [...this.#others, ...stress]
    const found = await Promise.all([
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
    for (const difference of new Map(found.flat().map((one) => [one.name, one])).values()) {
      if (this.differences.length < ENOUGH) await this.#save(prepared, difference, seed)
      this.differences.push(difference)
    }
    await rm(prepared.file)
  }

  close(): void {
    for (const program of [this.#first, ...this.#others, this.#geth]) program.close()
  }

  /** Shrinks the test of a difference and writes it down; whole, if it shows nothing when it is run by itself. */
  async #save({ tests }: Guess, difference: Difference, seed: number): Promise<void> {
    const { name, fork, index, program } = difference
    const test = tests[name]
    if (test === undefined) return
    const shows = async (candidate: typeof test) => {
      // A new process each time: what was kept from one test to the next must not decide.
      const other = program.includes('STRESS') ? stressed(seed) : this.#others.find((one) => one.name === program)
      try {
        const again = await guess(this.#first, { [name]: candidate }, this.#folder, 'shrinking')
        const judged = other === undefined ? judgedByGeth(this.#geth, again) : judgedByOurs(other, again)
        return (await judged).length > 0
      } catch {
        return false
      } finally {
        if (program.includes('STRESS')) other?.close()
      }
    }
    const single = only(test, fork, index)
    const alone = await shows(single)
    await mkdir(values.out, { recursive: true })
    const file = join(values.out, `${name}-${fork}-${index}.json`)
    await writeFile(file, JSON.stringify({ [name]: alone ? await shrink(single, shows) : test }, null, 1))
    const note = alone ? {} : { note: 'not seen when the subtest runs by itself; the file has the whole test' }
    console.log(
      JSON.stringify({ ...difference, kind: testOfSeed(Number(name.slice(5)), values.kind).kind, file, ...note }),
    )
  }
}

async function run(evm: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-geth-'))
  const fuzzing = new Fuzzing(evm, folder)
  const { counts, differences } = fuzzing
  const began = performance.now()
  const end = began + Number(values.seconds) * 1000
  const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
  try {
    let seed = first
    // The interpreter runs the next batch while the others run this one.
    let next = fuzzing.prepare(seed)
    for (let isLast = false; !isLast && differences.length < ENOUGH; ) {
      const prepared = await next
      isLast = performance.now() > end
      const following = seed + Number(values.batch)
      next = isLast ? next : fuzzing.prepare(following)
      await fuzzing.judge(prepared, seed)
      seed = following
    }
    await next.catch(() => undefined)
  } finally {
    fuzzing.close()
    await rm(folder, { recursive: true, force: true })
  }
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${counts.executions} executions (${counts.stress} in the stress build) of ${counts.tests} tests from seed ${first}, ` +
      `judged by ${counts.geth} of geth ${GETH_VERSION}, ${counts.rejected} transactions refused; ` +
      `${Math.round(counts.executions / seconds)} a second; ${differences.length} differences`,
  )
  if (differences.length > 0) process.exitCode = 1
}

const evm = await gethEvm()
if (evm === undefined)
  console.log(`fuzz:geth is skipped: there is no evm ${GETH_VERSION} of go-ethereum, and no Go to build it`)
else await run(evm)
