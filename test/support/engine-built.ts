// Before any test: dist/ must be built from these sources, because tests start its programs, read its pages and run its engine.
// With an old build they would test the old sources. Without engine.wasm the reference engine would run in its place, and tests
// that compare the two would compare it with itself.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isBuildCurrent } from '../../scripts/build-stamp.ts'
import { reportEngine } from '../../src/evm/engine-selection.ts'

const ROOT = join(import.meta.dirname, '../..')

export function setup(project: TestProject): void {
  buildIfStale()
  // In watch mode the sources change between runs.
  project.onTestsRerun(async () => buildIfStale())
}

/** Rebuilds dist/ if it was built from other sources, and logs that. Throws when the build fails. */
function buildIfStale(): void {
  if (!isBuildCurrent(ROOT)) {
    console.info('dist/ was not built from these sources: running `node build.js`')
    execFileSync(process.execPath, [join(ROOT, 'build.js')], { stdio: 'inherit' })
  }
  const { warning } = reportEngine('compiled')
  if (warning !== undefined) throw new Error(warning)
}
