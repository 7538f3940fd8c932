// The results as a Markdown table, as JSON and as a chart.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chart } from './chart.ts'
import type { Name } from './contenders.ts'
import type { Ceiling } from './load/generator.ts'
import type { Measured } from './measure.ts'
import { compare, formatRatio, formatValue, type Summary, summarize } from './statistics.ts'

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
export function ratioOf({ values, better }: Measured): Summary | undefined {
  const { kestrel, peer } = values
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
    const ratio = ratioOf(row)
    const ratios =
      ratio === undefined
        ? ['', '']
        : [`${formatRatio(ratio.median)}${markOf(ratio)}`, `${formatRatio(ratio.least)}–${formatRatio(ratio.most)}`]
    return [row.group, row.name, row.unit, cell(row, 'kestrel', ceiling), cell(row, 'peer', ceiling), ...ratios]
  })
  const failures = failuresIn(rows)
  const head = ['group', 'work', 'unit', 'kestrel', nameOf(report), 'ratio', 'of single rounds']
  const { http, socket } = ceiling
  return [
    `${circumstances(report)}.`,
    '',
    align([head, head.map(() => '-'), ...table]),
    '',
    `Ratio: above 1, kestrel is faster. ▲ a lead: ${LEAD} or more. ▼ slower than ${nameOf(report)}.`,
    `The client reaches ${formatValue(socket)} requests/s where nothing has to be done for them, and ${formatValue(http)} at a bare \`node:http\` server; * is near the former.`,
    ...(failures.length === 0 ? [] : ['', 'Failed:', ...failures]),
  ].join('\n')
}

/** A lead of at least this ratio also holds on another machine and another day. */
const LEAD = 1.5
const markOf = ({ median }: Summary): string => (median >= LEAD ? ' ▲' : median < 1 ? ' ▼' : '')

/** The peer without its version, for a column heading. */
const nameOf = ({ peer }: Report): string => (peer ?? 'peer').split(' ')[0] ?? 'peer'

/** The rows in which kestrel is slower, worst first, as a list; a sentence if there are none. */
export function slowerRows(report: Report): string {
  const slower = report.rows.flatMap((row) => {
    const ratio = ratioOf(row)?.median
    return ratio === undefined || ratio >= 1 ? [] : [{ row, ratio }]
  })
  if (slower.length === 0) return `No row is slower than ${nameOf(report)}.`
  const lines = slower
    .sort((one, other) => one.ratio - other.ratio)
    .map(({ row, ratio }) => [
      row.group,
      row.name,
      row.unit,
      cell(row, 'kestrel', report.ceiling),
      cell(row, 'peer', report.ceiling),
      formatRatio(ratio),
    ])
  const head = ['group', 'work', 'unit', 'kestrel', nameOf(report), 'ratio']
  return align([head, head.map(() => '-'), ...lines])
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
  const rows = report.rows.map((row) => ({ ...row, ratio: ratioOf(row) }))
  await writeFile(join(folder, 'latest.json'), `${JSON.stringify({ ...report, rows }, undefined, 2)}\n`)
  const bars = report.rows.flatMap((row) => {
    const ratio = ratioOf(row)?.median
    return ratio === undefined ? [] : [{ group: row.title, name: row.name, ratio }]
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

/** Pads the cells to one width per column; numbers align right. */
function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const isText = (column: number) => column < 3
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
