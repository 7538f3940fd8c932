// Reads the engine that `npm run build` writes to dist/, and checks that it was built from the current sources.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../lib/built-files.ts'
import { ENGINE_ENTRY, ENGINE_HASH_LENGTH, engineSourceHash } from './engine-sources.ts'

const here = dirname(fileURLToPath(import.meta.url))
/** The folder with package.json, if this file runs from src/evm. */
const ROOT = join(here, '../..')

/** The bytes of a file in dist/; undefined: not built. */
export function readBuiltFile(name: string): Buffer | undefined {
  const path = builtFile(name)
  return path === undefined ? undefined : readFileSync(path)
}

/** Whether the engine has been built and, if its sources are available, whether it was built from them. */
export function engineState(): 'present' | 'missing' | 'stale' {
  const engine = readBuiltFile('engine.wasm')
  if (engine === undefined) return 'missing'
  const runsFromSources = here === join(ROOT, 'src/evm') && existsSync(join(ROOT, ENGINE_ENTRY))
  return !runsFromSources || engineHash(engine) === engineSourceHash(ROOT) ? 'present' : 'stale'
}

/** The hash that the build appended to the module. */
export const engineHash = (engine: Uint8Array): string =>
  Buffer.from(engine.subarray(-ENGINE_HASH_LENGTH)).toString('latin1')
