// The tables of the last full run: all of it in docs/bench.md, some rows in the README. Each stands between two marks; nobody
// writes them by hand.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Measured } from './measure.ts'
import { type Report, tableOf } from './report.ts'

const root = join(import.meta.dirname, '..')
const MARKED = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/

/** What most people ask first; by group: all of it, or the works that are named. */
const HEADLINES: Readonly<Record<string, readonly string[] | 'all'>> = {
  reads: 'all',
  latency: 'all',
  bursts: 'all',
  compute: ['recursion (fib)', 'quicksort', 'keccak', 'ecrecover', 'SSTORE, 300 slots'],
  traces: ['callTracer, 300 calls'],
  startup: 'all',
}

const isHeadline = ({ group, name }: Measured): boolean => {
  const names = HEADLINES[group] ?? []
  return names === 'all' || names.includes(name)
}

/** Puts the tables in their places. Throws when a place is gone. */
export async function writeTables(report: Report): Promise<void> {
  await replace('docs/bench.md', tableOf(report))
  await replace('README.md', tableOf({ ...report, rows: report.rows.filter(isHeadline) }))
}

async function replace(page: string, table: string): Promise<void> {
  const path = join(root, page)
  const text = await readFile(path, 'utf8')
  if (!MARKED.test(text)) throw new Error(`${page} has no place for the table`)
  // A function, because a table may hold what a replacement text would read as a pattern.
  await writeFile(
    path,
    text.replace(MARKED, (_, begin, end) => `${begin}${table}\n\n${end}`),
  )
}
