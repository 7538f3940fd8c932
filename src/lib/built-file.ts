// Files that `npm run build` makes beside the program, in dist/: found beside the bundle, from its folder of chunks, and
// from the sources.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const PLACES = ['.', '..', '../../dist']

/** The path of a file in dist/, by its name from there; undefined: it has not been built. */
export const builtFile = (name: string): string | undefined =>
  PLACES.map((place) => join(import.meta.dirname, place, name)).find((path) => existsSync(path))
