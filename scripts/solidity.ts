// Writes the generated files of `solidity/`. Run it when an ABI or its texts have changed: `npm run solidity`.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { solidityFiles } from './solidity-source.ts'

const folder = join(import.meta.dirname, '../solidity')
await mkdir(join(folder, 'abi'), { recursive: true })
for (const [path, text] of solidityFiles()) await writeFile(join(folder, path), text)
