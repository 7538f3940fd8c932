// Programs of worker threads: `npm run build` bundles each to a file in dist/, also for a node that runs from its sources.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ChainError } from './errors.ts'

/**
 * A thread's program, `dist/NAME.js`: beside the bundle, whose code is in dist/ itself or in a folder of it; or as the sources
 * were built last. `rooms`: folders of src/ whose code the thread runs. Throws ChainError `not-found` when it is missing, or
 * older than the sources that run here.
 */
export function threadProgram(name: string, rooms: readonly string[]): URL {
  const here = fileURLToPath(import.meta.url)
  const folder = dirname(here)
  const isSource = here.endsWith('.ts')
  const places = isSource ? [`../../dist/${name}.js`] : [`${name}.js`, `../${name}.js`]
  const program = places.map((place) => join(folder, place)).find((path) => existsSync(path))
  if (program === undefined) throw new ChainError('not-found', `dist/${name}.js is missing; run \`npm run build\``)
  if (isSource && newestOf(join(folder, '..'), rooms) > statSync(program).mtimeMs) {
    throw new ChainError('not-found', `dist/${name}.js is older than the sources; run \`npm run build\``)
  }
  return pathToFileURL(program)
}

/** When the newest file of these rooms was written. */
function newestOf(sources: string, rooms: readonly string[]): number {
  const folders = rooms.map((room) => join(sources, room))
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  return Math.max(...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs))
}

const PLACES = ['.', '..', '../../dist']

/** The path of a file in dist/, by its name from there; undefined: it has not been built. */
export const builtFile = (name: string): string | undefined =>
  PLACES.map((place) => join(import.meta.dirname, place, name)).find((path) => existsSync(path))
