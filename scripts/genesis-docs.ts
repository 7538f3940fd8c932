// Writes the tables of docs/genesis.md. Run it when the genesis file has changed: `npm run genesis-docs`.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withTables } from './genesis-reference.ts'

const page = join(import.meta.dirname, '../docs/genesis.md')
await writeFile(page, withTables(await readFile(page, 'utf8')))
