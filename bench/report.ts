// The results as a Markdown table, as JSON and as a chart.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chart } from './chart.ts'
import type { Name } from './contenders.ts'
import type { Ceiling } from './load/generator.ts'
import type { Measured } from './measure.ts'
import { compare, formatRatio, formatTime, formatValue, type Summary, summarize } from './statistics.ts'

export type Report = {
  /** ISO 8601. */
  readonly date: string
  readonly cpu: string
  readonly cores: number
  readonly node: string
  /** Version and commit of this kestrel. */
  readonly kestrel: string
  /** The program compared with, `anvil 1.7.1` or a commit; undefined when kestrel is measured alone. */
  readonly peer: string | undefined
  /** Load average of the machine over one minute before the run. */
  readonly load: number
  readonly rounds: number
  readonly isQuick: boolean
  readonly ceiling: Ceiling
  readonly rows: readonly Measured[]
}

/** A rate above this share of the client's ceiling depends more on the client than on the node. */
const NEAR_CEILING = 0.8

/** Above 1: kestrel is faster. undefined when a node has no value. */
export const ratioOf = ({ values, better }: Measured): Summary | undefined => ratio(values, better)

/** Above 1: kestrel's process uses less CPU for the same work. undefined when it was not measured on both. */
export const cpuRatioOf = ({ cpu }: Measured): Summary | undefined => ratio(cpu, 'less')

function ratio({ kestrel, peer }: Measured['values'], better: Measured['better']): Summary | undefined {
  return kestrel === undefined || peer === undefined ? undefined : compare(kestrel, peer, better)
}

/** Date and machine of the run. */
export function circumstances({ date, cpu, cores, node, kestrel, peer, load, rounds, isQuick }: Report): string {
  const machine = `${cpu}, ${cores} ${cores === 1 ? 'core' : 'cores'}`
  const versions = `Node ${node.replace(/^v/, '')}, kestrel ${kestrel}, ${peer ?? 'nothing beside it'}`
  const what = `${isQuick ? 'quick run (its figures mean nothing)' : 'medians'} of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`
  return `${date.slice(0, 10)}, ${machine}, ${versions}, ${what}, load before the run ${load.toFixed(1)}`
}

export function tableOf(report: Report): string {
  const { ceiling, rows } = report
  const table = rows.map((row) => {
    const wall = ratioOf(row)
    const rounds = wall === undefined ? '' : `${formatRatio(wall.least)}–${formatRatio(wall.most)}`
    const limit = limitOf(row) === undefined ? '' : ' †'
    return [
      ...[row.group, row.name + limit, row.unit, cell(row, 'kestrel', ceiling), cell(row, 'peer', ceiling)],
      ...[marked(wall), rounds, cpuCell(row, 'kestrel'), cpuCell(row, 'peer'), marked(cpuRatioOf(row))],
    ]
  })
  const failures = failuresIn(rows)
  const peer = nameOf(report)
  const head = [
    'group',
    'work',
    'unit',
    'kestrel',
    peer,
    'ratio',
    'of single rounds',
    'CPU kestrel',
    `CPU ${peer}`,
    'ratio',
  ]
  return [
    `${circumstances(report)}.`,
    '',
    align([head, head.map(() => '-'), ...table]),
    '',
    `Ratio: above 1, kestrel is faster, or uses less CPU. ▲ a lead: ${LEAD} or more. ▼ behind. CPU: of the whole process, all threads, for one piece of work.`,
    ...(table.flat().some((text) => text.endsWith('*')) ? [clientLimit(ceiling)] : []),
    ...limitsIn(rows),
    ...(failures.length === 0 ? [] : ['', 'Failed:', ...failures]),
  ].join('\n')
}

const clientLimit = ({ socket, http }: Report['ceiling']): string =>
  `The client reaches ${formatValue(socket)} requests/s where nothing has to be done for them, and ${formatValue(http)} at a bare \`node:http\` server; * is near the former.`

/** Rows in which a program for Node.js cannot lead on two cores, and why. */
const LIMITS: Readonly<Record<string, string>> = {
  'reads, eth_blockNumber':
    'two thirds of its CPU are the work of the system for a socket, equal for both, and one thread answers: 1.2 at best',
  'startup, start until the first answer': 'V8 reads and compiles the program at each start',
  'startup, resident memory after the start': 'a Node.js process that does nothing has 43 MB',
  'compute, ecrecover': 'the curve is native code in both, and nearly all of the work: 1.1 at best',
}

/** The reason why a row that is no lead cannot be one. */
const limitOf = (row: Measured): string | undefined =>
  (ratioOf(row)?.median ?? LEAD) < LEAD ? LIMITS[`${row.group}, ${row.name}`] : undefined

/** The footnote of each row that is marked with †. */
const limitsIn = (rows: readonly Measured[]): string[] =>
  rows.flatMap((row) => {
    const reason = limitOf(row)
    return reason === undefined ? [] : [`† ${row.name}: Node.js cannot lead here: ${reason}.`]
  })

/** A lead of at least this ratio also holds on another machine and another day. */
const LEAD = 1.5
const marked = (ratio: Summary | undefined): string =>
  ratio === undefined ? '' : `${formatRatio(ratio.median)}${ratio.median >= LEAD ? ' ▲' : ratio.median < 1 ? ' ▼' : ''}`

/** The peer without its version, for a column heading. */
const nameOf = ({ peer }: Report): string => (peer ?? 'peer').split(' ')[0] ?? 'peer'

/** How many rows of each group are ahead, and their median ratios: what a text about the table may say. */
export function summaryOf({ rows }: Report): string {
  const groups = [...new Set(rows.map(({ group }) => group))].flatMap((group) => {
    const of = rows.filter((row) => row.group === group)
    const cells = [ratioOf, cpuRatioOf].flatMap((ratio) => {
      const ratios = of.flatMap((row) => ratio(row)?.median ?? [])
      if (ratios.length === 0) return ['', '']
      return [`${ratios.filter((of) => of >= 1).length} of ${ratios.length}`, formatRatio(summarize(ratios).median)]
    })
    return cells[0] === '' ? [] : [[group, ...cells]]
  })
  // Without the peer's name: go-ethereum stands beside kestrel in the group of imports.
  const head = ['group', 'rows not slower', 'median ratio', 'not more CPU', 'median ratio']
  return align([head, head.map(() => '-'), ...groups], 1)
}

/** The rows in which kestrel is slower or uses more CPU, worst first, as a list; a sentence if there are none. */
export function slowerRows(report: Report): string {
  const slower = report.rows.flatMap((row) => {
    const [wall, cpu] = [ratioOf(row)?.median, cpuRatioOf(row)?.median]
    const least = Math.min(wall ?? 1, cpu ?? 1)
    return least >= 1 ? [] : [{ row, wall, cpu, least }]
  })
  if (slower.length === 0) return 'No row is behind.'
  const lines = slower
    .sort((one, other) => one.least - other.least)
    .map(({ row, wall, cpu }) => {
      const ratios = [wall, cpu].map((of) => (of === undefined ? '' : formatRatio(of)))
      return [row.group, row.name, ...ratios]
    })
  const head = ['group', 'work', 'ratio', 'ratio of CPU']
  return align([head, head.map(() => '-'), ...lines], 2)
}

/** Groups the failures by message, with the rows of each. */
function failuresIn(rows: readonly Measured[]): string[] {
  const names = new Map<string, string[]>()
  for (const { group, name, failures } of rows) {
    for (const [of, failure] of Object.entries(failures)) {
      const key = `${group}, ${of === 'peer' ? 'the other' : of}: ${failure.replace(/\s+/g, ' ')}`
      names.set(key, [...(names.get(key) ?? []), name])
    }
  }
  return [...names].map(([failure, of]) => `- ${failure} (${of.join('; ')})`)
}

/** Writes `latest.json` and `latest.svg`; renames the previous `latest.json` to `previous.json`. */
export async function writeReport(report: Report, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await rename(join(folder, 'latest.json'), join(folder, 'previous.json')).catch(() => undefined)
  const rows = report.rows.map((row) => ({ ...row, ratio: ratioOf(row), cpuRatio: cpuRatioOf(row) }))
  await writeFile(join(folder, 'latest.json'), `${JSON.stringify({ ...report, rows }, undefined, 2)}\n`)
  const bars = report.rows.flatMap((row) => {
    const ratio = ratioOf(row)?.median
    return ratio === undefined ? [] : [{ group: row.title, name: row.name, ratio, cpu: cpuRatioOf(row)?.median }]
  })
  await writeFile(join(folder, 'latest.svg'), chart(`kestrel and ${nameOf(report)}`, circumstances(report), bars))
}

function cell({ values, notes, failures, isLoad }: Measured, name: Name, ceiling: Ceiling): string {
  const known = values[name]
  if (known === undefined) return failures[name] === undefined ? '' : 'failed'
  const { median } = summarize(known)
  const note = notes[name] === undefined ? '' : ` (${notes[name]})`
  return `${formatValue(median)}${isLoad && median > NEAR_CEILING * ceiling.socket ? '*' : ''}${note}`
}

function cpuCell({ cpu }: Measured, name: Name): string {
  const known = cpu[name]
  return known === undefined ? '' : formatTime(summarize(known).median)
}

/** Pads the cells to one width per column; columns after those of text align right. */
function align(rows: readonly (readonly string[])[], texts = 3): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const isText = (column: number) => column < texts
  const lines = rows.map((row) => {
    const cells = row.map((text, column) => {
      const width = widths[column] ?? 0
      if (text === '-') return isText(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`
      return isText(column) ? text.padEnd(width) : text.padStart(width)
    })
    return `| ${cells.join(' | ')} |`
  })
  return lines.join('\n')
}
