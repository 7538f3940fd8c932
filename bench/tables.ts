// Writes the tables of the last full run: all rows into docs/bench.md, some into the README, each between two marker
// comments. The tables are never edited by hand.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Measured } from './measure.ts'
import { type Report, slowerRows, summaryOf, tableOf } from './report.ts'

const root = join(import.meta.dirname, '..')
const MARKED = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/

/** The eight rows of the README's table: one for each kind of work that users wait for, including slower ones. */
const HEADLINES: readonly (readonly [group: string, name: string])[] = [
  ['reads', 'eth_blockNumber'],
  ['calls', 'balanceOf, token plain, 16 connections'],
  ['latency', 'plain transfer'],
  ['bursts', '10,000 ERC-20 transfers'],
  ['compute', 'recursion (fib)'],
  ['logs', 'one sender, 200 logs'],
  ['traces', 'callTracer, a transfer, token plain'],
  ['startup', 'start until the first answer'],
]

const isHeadline = (row: Measured): boolean =>
  HEADLINES.some(([group, name]) => row.group === group && row.name === name)

/** Replaces the tables between their markers. Throws when a marker is missing. */
export async function writeTables(report: Report): Promise<void> {
  await replace('README.md', tableOf({ ...report, rows: report.rows.filter(isHeadline) }))
  const parts = [
    'Rows by group:',
    summaryOf(report),
    'Rows in which kestrel is slower or uses more CPU, worst first:',
    slowerRows(report),
    'All rows:',
    tableOf(report),
  ]
  await replace('docs/bench.md', parts.join('\n\n'))
}

async function replace(page: string, table: string): Promise<void> {
  const path = join(root, page)
  const text = await readFile(path, 'utf8')
  if (!MARKED.test(text)) throw new Error(`${page} has no place for the table`)
  // Pass a function, because `$` in a table would be read as a replacement pattern.
  await writeFile(
    path,
    text.replace(MARKED, (_, begin, end) => `${begin}${table}\n\n${end}`),
  )
}
