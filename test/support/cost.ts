// The cost of a test file, derived from its imports, because a hand-kept list of slow files would be wrong after a rename. It
// decides which files `npm run test:fast` runs, and which start first in `npm test`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ROOT = join(import.meta.dirname, '../..')

/**
 * `process`: starts programs, compilers or browsers, or runs Ethereum's own tests, mostly 5 to 40 s. `node`: starts a node, 1
 * to 10 s.
 */
export type Cost = 'process' | 'node' | 'unit'

// Contract verification compiles in child processes of the node.
const PROCESSES =
  /^(node:child_process|test\/support\/(process|solc|browser)\.ts|test\/explorer\/contracts\/support\.ts|test\/conformance\/.*)$/
const NODES = /^(src\/node\.ts|src\/server\.ts|test\/support\/chain\.ts)$/

/** The cost of a test file by its imports, including those of imported test support. `file` is relative to the repository. */
export function costOf(file: string): Cost {
  const reached = importsOf(file)
  // Iterating a set visits elements added during the iteration.
  for (const path of reached) if (path.startsWith('test/')) for (const next of importsOf(path)) reached.add(next)
  reached.add(file)
  if ([...reached].some((path) => PROCESSES.test(path))) return 'process'
  return [...reached].some((path) => NODES.test(path)) ? 'node' : 'unit'
}

/** The modules that a file imports: repository files by path, packages by name. */
function importsOf(file: string): Set<string> {
  // Some tests contain programs as text; their imports are not files of this repository.
  const text = file.endsWith('.ts') && existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : ''
  const names = [...text.matchAll(/^(?:import|export)\b[^'"]*['"]([^'"]+)['"]/gm)].map(([, name = '']) => name)
  return new Set(names.map((name) => (name.startsWith('.') ? posix.join(dirname(file), name) : name)))
}

/** Random programs, long sequences of operations, and tables of cases: a third of the time of all unit tests. */
const WIDE = /\/(fuzz|properties|vectors)\.test\.ts$/

/** The test files without a node or another program, except the wide ones: they test most of the code in little time. */
export const unitTests = (): string[] =>
  readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.split(sep).join('/')}`)
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/clients/'))
    .filter((file) => !WIDE.test(file) && costOf(file) === 'unit')
    .sort()

const ORDER: readonly Cost[] = ['process', 'node', 'unit']

/**
 * Starts expensive files first, so that none starts when all other workers are done. Files of equal cost keep vitest's order.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      ORDER.indexOf(costOf(relative(ROOT, moduleId).split(sep).join('/')))
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
