// Writes the tables of docs/cli.md and docs/anvil.md. Run it when src/cli/options.ts or src/cli/anvil.ts has changed: `npm run cli-docs`.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withAnvilTable, withOptionTables } from './option-texts.ts'

for (const [name, written] of [
  ['cli.md', withOptionTables],
  ['anvil.md', withAnvilTable],
] as const) {
  const page = join(import.meta.dirname, '../docs', name)
  await writeFile(page, written(await readFile(page, 'utf8')))
}
