// Writes the tables of options of docs/cli.md. Run it when src/cli/options.ts has changed: `npm run cli-docs`.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withOptionTables } from './option-texts.ts'

const page = join(import.meta.dirname, '../docs/cli.md')
await writeFile(page, withOptionTables(await readFile(page, 'utf8')))
