// The documentation for developers names only existing files and folders.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (page: string): string => readFileSync(join(root, page), 'utf8')
const pages = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/glossary.md',
  'src/tables/README.md',
  'src/evm/wasm/README.md',
  'src/evm/wasm-compiler/README.md',
]
const rooms = readdirSync(join(root, 'src'))

/** Paths in backticks that begin with a room or with `src`, `test`, `docs`, `scripts`, `web`. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z0-9-]+)(\/[a-zA-Z0-9_./-]*)`/g)]
    .filter(([, first = '']) => rooms.includes(first) || ['src', 'test', 'docs', 'scripts', 'web'].includes(first))
    .map(([, first = '', rest = '']) => (rooms.includes(first) ? `src/${first}${rest}` : first + rest))

it.each(pages)('%s names existing files', (page) => {
  const text = read(page)
  const links = [...text.matchAll(/\]\(((?!http)[^)#]+)\)/g)].map(([, path = '']) => join(page, '..', path))
  const paths = [...namedIn(text), ...links]
  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
