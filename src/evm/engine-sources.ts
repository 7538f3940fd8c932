// The inputs of dist/engine.wasm: sources, compiler flags, and a hash of both, which build.js writes into the file, so that a
// run from sources can detect a stale file. Imports nothing of ours, because build.js loads it directly.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = 'src/evm/wasm/assembly'
/** Files outside the folder that it imports. */
const SHARED = ['src/evm/wasm/layout.ts', 'src/evm/gas/gas-rules.ts']

export const ENGINE_ENTRY = `${FOLDER}/index.ts`

/** Flags of the AssemblyScript compiler. Its own data lie after the addresses below 8,192, which layout.ts assigns. */
export const ENGINE_FLAGS: readonly string[] = [
  ...['-O3', '--runtime', 'stub', '--noAssert', '--enable', 'bulk-memory', '--enable', 'simd'],
  ...['--memoryBase', '8192', '--initialMemory', '148', '--exportTable', '--disableWarning'],
]

/** The module's last custom section, with the hash as 64 hex characters. */
export const ENGINE_SECTION = 'sources'
export const ENGINE_HASH_LENGTH = 64

/** SHA-256, in hex, of sources, flags and the compiler's version. `root`: the folder with package.json. */
export function engineSourceHash(root: string): string {
  const own = readdirSync(join(root, FOLDER)).filter((name) => name.endsWith('.ts'))
  const files = [...own.sort().map((name) => `${FOLDER}/${name}`), ...SHARED]
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const hash = createHash('sha256').update(JSON.stringify([ENGINE_FLAGS, devDependencies.assemblyscript]))
  for (const file of files) {
    const text = readFileSync(join(root, file))
    hash.update(`\n${file} ${text.length}\n`).update(text)
  }
  return hash.digest('hex')
}
