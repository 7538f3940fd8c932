// Writes the tables of the last full run: all rows into docs/bench.md, some into the README, each between two marker
// comments. The tables are never edited by hand.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Measured } from './measure.ts'
import { type Report, slowerRows, tableOf } from './report.ts'

const root = join(import.meta.dirname, '..')
const MARKED = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/

/** Rows of the README's table, by group: all rows of the group, or the named ones. */
const HEADLINES: Readonly<Record<string, readonly string[] | 'all'>> = {
  reads: 'all',
  calls: 'all',
  latency: 'all',
  bursts: 'all',
  compute: ['recursion (fib)', 'quicksort', 'keccak', 'ecrecover', 'SSTORE, 300 slots'],
  traces: ['callTracer, a transfer, token plain', 'struct logger, a transfer, token plain', 'callTracer, 300 calls'],
  startup: 'all',
}

const isHeadline = ({ group, name }: Measured): boolean => {
  const names = HEADLINES[group] ?? []
  return names === 'all' || names.includes(name)
}

/** Replaces the tables between their markers. Throws when a marker is missing. */
export async function writeTables(report: Report): Promise<void> {
  await replace('docs/bench.md', tableOf(report))
  const short = tableOf({ ...report, rows: report.rows.filter(isHeadline) })
  await replace('README.md', `${short}\n\nAll rows in which kestrel is the slower one:\n\n${slowerRows(report)}`)
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
