// The README's table: what the last full run measured, between two marks. Nobody writes it by hand.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Report, tableOf } from './report.ts'

const README = join(import.meta.dirname, '..', 'README.md')
const MARKED = /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/

/** Puts the table in its place. Throws when the place is gone. */
export async function writeReadme(report: Report): Promise<void> {
  const text = await readFile(README, 'utf8')
  if (!MARKED.test(text)) throw new Error('README.md has no place for the table')
  // A function, because a table may hold what a replacement text would read as a pattern.
  await writeFile(
    README,
    text.replace(MARKED, (_, begin, end) => `${begin}${tableOf(report)}\n\n${end}`),
  )
}
