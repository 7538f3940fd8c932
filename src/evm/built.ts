// What `npm run build` makes beside the program, in dist/: beside the bundle when the node runs from there, and found there
// as well when it runs from its sources.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENGINE_ENTRY, ENGINE_HASH_LENGTH, engineSourceHash } from './engine-sources.ts'

const here = dirname(fileURLToPath(import.meta.url))
/** From a bundle's own folder, from its folder of chunks, and from src/evm. */
const PLACES = ['.', '..', '../../dist']
/** The folder with package.json, when this runs from src/evm. */
const ROOT = join(here, '../..')

/** The bytes of a file in dist/; undefined: it has not been built. */
export function builtFile(name: string): Buffer | undefined {
  const path = PLACES.map((place) => join(here, place, name)).find((path) => existsSync(path))
  return path === undefined ? undefined : readFileSync(path)
}

/** Whether the engine has been built, and, where its sources are beside this file, whether it was built from them. */
export function engineState(): 'present' | 'missing' | 'stale' {
  const engine = builtFile('engine.wasm')
  if (engine === undefined) return 'missing'
  const runsFromSources = here === join(ROOT, 'src/evm') && existsSync(join(ROOT, ENGINE_ENTRY))
  return !runsFromSources || engineHash(engine) === engineSourceHash(ROOT) ? 'present' : 'stale'
}

/** The hash that the build has written at the module's end. */
export const engineHash = (engine: Uint8Array): string =>
  Buffer.from(engine.subarray(-ENGINE_HASH_LENGTH)).toString('latin1')
