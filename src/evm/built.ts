// What `npm run build` makes beside the program, in dist/: beside the bundle when the node runs from there, and found there
// as well when it runs from its sources.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
/** From a bundle's own folder, from its folder of chunks, and from src/evm. */
const PLACES = ['.', '..', '../../dist']

/** The bytes of a file in dist/; undefined: it has not been built. */
export function builtFile(name: string): Buffer | undefined {
  const path = PLACES.map((place) => join(here, place, name)).find((path) => existsSync(path))
  return path === undefined ? undefined : readFileSync(path)
}
