// Files that `npm run build` writes to dist/. They are located relative to the bundle, which is in dist/ or its folder of
// chunks, or relative to the sources when the node runs unbundled.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ChainError } from './errors.ts'

/** Candidates for dist/, relative to this file: this is a bundle, a chunk of one, or a source. */
const DIST_FOLDERS = ['.', '..', '../../dist']

/** The path of a file in dist/, by its name relative to dist/; undefined when it has not been built. */
export const builtFile = (name: string): string | undefined =>
  DIST_FOLDERS.map((folder) => join(import.meta.dirname, folder, name)).find((path) => existsSync(path))

/**
 * The program of a worker thread, `dist/NAME.js`. `rooms` are the folders of src/ whose code the thread runs. Throws
 * ChainError `not-found` when the program is missing, or is older than the sources that run here.
 */
export function threadProgram(name: string, rooms: readonly string[]): URL {
  const here = fileURLToPath(import.meta.url)
  const folder = dirname(here)
  const isSource = here.endsWith('.ts')
  const paths = isSource ? [`../../dist/${name}.js`] : [`${name}.js`, `../${name}.js`]
  const program = paths.map((path) => join(folder, path)).find((path) => existsSync(path))
  if (program === undefined) throw new ChainError('not-found', `dist/${name}.js is missing; run \`npm run build\``)
  if (isSource && newestChange(join(folder, '..'), rooms) > statSync(program).mtimeMs) {
    throw new ChainError('not-found', `dist/${name}.js is older than the sources; run \`npm run build\``)
  }
  return pathToFileURL(program)
}

/** The modification time of the newest source of these rooms, in milliseconds since 1970. */
function newestChange(sources: string, rooms: readonly string[]): number {
  const folders = rooms.map((room) => join(sources, room))
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  const programs = files.filter(({ name }) => name.endsWith('.ts'))
  return Math.max(...programs.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs))
}
