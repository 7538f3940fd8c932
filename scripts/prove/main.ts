// Runs every comparison of execution with new seeds until enough executions are compared, prints the table of opcodes, outcomes and
// engine states, and fails for a difference or an empty cell. One execution is one message (of a transaction or a call, with its
// inner messages) that one program has run on one engine, and whose result was compared with that of another engine or program.
// tsx scripts/prove/main.ts [--executions 60000] [--seed SEED] [--jobs 1]
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { forkChain } from '../../test/evm/wasm/differential.ts'
import { Random } from '../fuzz-geth/code.ts'
import { GETH_VERSION, gethProgram } from '../fuzz-geth/geth.ts'
import { addCells, type Cells, emptyCells, tableText } from './cells.ts'

const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '60000' },
    seed: { type: 'string' },
    jobs: { type: 'string', default: '1' },
  },
})

type Part = {
  readonly name: string
  /** Its share of the executions. */
  readonly weight: number
  /** Executions of a run at most. */
  readonly most: number
  readonly script: string
  readonly args: (seed: number, executions: number) => readonly string[]
  /** Needs a program of go-ethereum. */
  readonly geth?: 'evm' | 'geth'
}

type Run = () => Promise<void>

/** What a script reports when it has ended. */
type Report = { readonly executions: number; readonly differences: number; readonly cells?: Cells }

const PARTS: readonly Part[] = [
  {
    name: 'state tests',
    weight: 60,
    most: 40_000,
    script: '../fuzz-geth/main.ts',
    geth: 'evm',
    args: (seed, executions) => [
      '--seed',
      `${seed}`,
      '--executions',
      `${executions}`,
      '--seconds',
      '3600',
      '--stress',
      '--batch',
      executions < 10_000 ? '8' : '48',
    ],
  },
  {
    name: 'engines and proposals',
    weight: 38,
    most: 40_000,
    script: '../fuzz-engine.ts',
    args: (seed, executions) => ['--seed', `${seed}`, '--executions', `${executions}`, '--seconds', '3600'],
  },
  {
    name: 'live chains',
    weight: 2,
    most: 500,
    script: 'chains.ts',
    geth: 'geth',
    args: (seed) => ['--seed', `${seed}`],
  },
]
/** Into how many runs the table is divided, so that several jobs fill it. */
const SHARES = 8

const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
const wanted = Number(values.executions)
const jobs = Number(values.jobs)
const random = new Random(seed)
const nextSeed = (): number => random.below(1_000_000_000)
const cells: Cells = {}
const counts = new Map<string, { executions: number; differences: number }>()
let differences = 0
let executions = 0

/** Runs a script to its end; one that ends without a report counts as a difference. */
async function run(
  part: string,
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = fork(join(import.meta.dirname, script), args, { env: { ...process.env, ...env } })
  const report = await new Promise<Report>((resolve) => {
    let found: Report | undefined
    child.on('message', (message) => {
      found = message as Report
    })
    child.on('close', (code) => {
      if (found === undefined) console.log(`${part} has ended with ${code} and no result: ${script} ${args.join(' ')}`)
      resolve(found ?? { executions: 0, differences: 1 })
    })
  })
  const count = counts.get(part) ?? { executions: 0, differences: 0 }
  counts.set(part, count)
  count.executions += report.executions
  count.differences += report.differences
  executions += report.executions
  differences += report.differences
  addCells(cells, report.cells ?? {})
}

async function availableParts(): Promise<Part[]> {
  const parts: Part[] = []
  for (const part of PARTS) {
    if (part.geth === undefined || (await gethProgram(part.geth)) !== undefined) parts.push(part)
    else
      console.log(
        `${part.name}: skipped, as there is no ${part.geth} ${GETH_VERSION} of go-ethereum, and no Go to build it`,
      )
  }
  return parts
}

/** The runs that fill the table. */
const tableRuns = (): Run[] =>
  Array.from({ length: SHARES }, (_, share) => {
    const args = ['--seed', `${nextSeed()}`, '--share', `${share}/${SHARES}`]
    const env = { KESTREL_STRESS: `${1 + nextSeed()}` }
    return () => run('table', 'coverage.ts', args, env)
  })

/** Runs for the executions that are missing, the longest first: each part has its share of all. */
function comparisons(parts: readonly Part[]): Run[] {
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0)
  return parts.flatMap((part) => {
    const missing = (wanted * part.weight) / weights - (counts.get(part.name)?.executions ?? 0)
    const runs = Math.ceil(missing / Math.min(part.most, Math.max(2000, missing / jobs)))
    const size = Math.ceil(missing / Math.max(1, runs))
    return Array.from({ length: Math.max(0, runs) }, () => () => {
      return run(part.name, part.script, part.args(nextSeed(), size))
    })
  })
}

/** Runs up to `jobs` at a time, and no more of them after a difference. */
async function all(runs: Iterable<Run>): Promise<void> {
  const left = runs[Symbol.iterator]()
  const work = async (): Promise<void> => {
    for (let next = left.next(); !next.done && differences === 0; next = left.next()) await next.value()
  }
  await Promise.all(Array.from({ length: jobs }, work))
}

console.log(`prove: ${wanted} executions with seed ${seed}, ${jobs} at a time`)
const parts = await availableParts()
await all([...tableRuns(), ...comparisons(parts)])
while (executions < wanted && differences === 0) await all(comparisons(parts))

const { table } = forkChain('amsterdam')
const empty = emptyCells(cells, table)
console.log(
  `\nopcodes, their outcomes, and how often each was seen interpreted/compiled/paused:\n${tableText(cells, table)}\n`,
)
for (const cell of empty) console.log(`never seen: ${cell}`)
for (const [part, count] of counts)
  console.log(`${part}: ${count.executions} executions, ${count.differences} differences`)
console.log(`${executions} executions with seed ${seed}, ${differences} differences, ${empty.length} empty cells`)
if (differences > 0 || empty.length > 0) process.exitCode = 1
