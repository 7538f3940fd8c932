// `npm run bench`: kestrel and anvil, or kestrel of another commit, do the same work in turns (A B A B …), row by row. A full
// run against anvil prints a table, writes `results/` (JSON, chart) and updates README and docs/bench.md; other runs write only
// to `--out`.
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { Bench, Group } from './bench.ts'
import { buildOf, commitHere } from './build-of.ts'
import { anvil, anvilVersion, type Contender, findAnvil, kestrel } from './contenders.ts'
import { bursts } from './groups/bursts.ts'
import { calls } from './groups/calls.ts'
import { compute } from './groups/compute.ts'
import { fork } from './groups/fork.ts'
import { fresh } from './groups/fresh.ts'
import { genesis } from './groups/genesis.ts'
import { imports } from './groups/imports.ts'
import { latency } from './groups/latency.ts'
import { logs } from './groups/logs.ts'
import { micro } from './groups/micro.ts'
import { networks } from './groups/networks.ts'
import { overload } from './groups/overload.ts'
import { reads } from './groups/reads.ts'
import { size } from './groups/size.ts'
import { startup } from './groups/startup.ts'
import { traces } from './groups/traces.ts'
import { waits } from './groups/waits.ts'
import { measureCeiling, startGenerator } from './load/generator.ts'
import { measure } from './measure.ts'
import { type Report, tableOf, writeReport } from './report.ts'
import { writeTables } from './tables.ts'

const GROUPS: readonly Group[] = [
  reads,
  calls,
  logs,
  latency,
  fresh,
  bursts,
  compute,
  traces,
  waits,
  overload,
  startup,
  fork,
  size,
  imports,
  genesis,
  networks,
  micro,
]
/** Rounds of a full run, the fewest whose results are written. */
const ROUNDS = 5
const RESULTS = join(import.meta.dirname, 'results')

type Options = {
  only?: readonly Group[]
  rounds?: number
  quick?: true
  out?: string
  against?: string
  dirty?: true
  chain?: string
  anvil: boolean
}

// Exit through the exit handlers, which stop the nodes and remove the temporary folders.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

await new Command('bench')
  .description('measure kestrel beside anvil')
  .option('--only <groups>', GROUPS.map(({ name }) => name).join(','), namedGroups)
  .option('--rounds <number>', `measurements of each row (default: ${ROUNDS}, quick: 1)`, wholeNumber)
  .option('--quick', 'small sizes, to see that all works; its figures mean nothing')
  .option('--out <dir>', 'where to write results (default: bench/results, for a full run)')
  .option(
    '--chain <dir>',
    'the chain that the groups size and import measure (default: one of 60,000 transactions is made)',
  )
  .option('--dirty', 'write the results although files differ from the commit')
  .option('--against <commit>', 'compare with kestrel of another commit instead of anvil')
  .option('--no-anvil', 'measure kestrel alone')
  .action(bench)
  .parseAsync()

async function bench({ only, rounds, quick, out, dirty, chain, against, anvil: isWanted }: Options): Promise<void> {
  const groups = only ?? GROUPS
  const peer = against === undefined ? anvilHere(isWanted) : commit(against)
  const isFull = only === undefined && !quick && (rounds ?? ROUNDS) >= ROUNDS
  const folder = out ?? (isFull && against === undefined && peer !== undefined ? RESULTS : undefined)
  const built = commitHere()
  if (folder === RESULTS && !dirty && (built === undefined || built.endsWith('-dirty')))
    throw new Error('results are written from a clean commit only: commit first, or pass --dirty, or --out DIR')
  const contenders: readonly Contender[] = peer === undefined ? [kestrel()] : [kestrel(), peer.contender]
  const load = loadavg()[0] ?? 0
  const generator = startGenerator()
  const context: Bench = { generator, chain, size: (full, small) => (quick ? small : full) }
  const how = { rounds: rounds ?? (quick ? 1 : ROUNDS), log: (line: string) => console.warn(line) }
  try {
    const ceiling = await measureCeiling(generator, 16, context.size(3, 0.5))
    const measured = []
    for (const group of groups) measured.push(...(await measure(group, contenders, context, how)))
    const report: Report = {
      date: new Date().toISOString(),
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      node: process.version,
      kestrel: [packageJson.version, built ?? []].flat().join(' '),
      peer: peer?.name,
      load,
      rounds: how.rounds,
      isQuick: quick ?? false,
      ceiling,
      rows: measured,
    }
    console.log(tableOf(report))
    if (measured.some(({ failures }) => Object.keys(failures).length > 0)) process.exitCode = 1
    if (folder !== undefined) await writeReport(report, folder)
    if (folder === RESULTS) await writeTables(report)
  } finally {
    generator.close()
    for (const contender of contenders) await contender.stopAll()
  }
}

type Peer = { readonly name: string; readonly contender: Contender }

function anvilHere(isWanted: boolean): Peer | undefined {
  const program = isWanted ? findAnvil() : undefined
  if (program !== undefined) return { name: `anvil ${anvilVersion(program)}`, contender: anvil(program) }
  console.warn('without anvil (npm package @foundry-rs/anvil): kestrel is measured alone')
  return undefined
}

function commit(of: string): Peer {
  console.warn(`building ${of}`)
  const { commit: name, main } = buildOf(of)
  return { name, contender: kestrel('peer', main) }
}

function namedGroups(text: string): readonly Group[] {
  return text.split(',').map((name) => {
    const group = GROUPS.find((of) => of.name === name.trim())
    if (group === undefined) throw new InvalidArgumentError(`no group ${name}`)
    return group
  })
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('expected a whole number above 0')
  return Number(text)
}
