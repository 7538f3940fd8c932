// Before any test: dist/ has to be built from these sources. Tests start its programs, read its pages and run its engine; on an
// older build they would say nothing about the sources. Without engine.wasm the library's interpreter would run in its place, and
// tests that compare the two would compare the library with itself.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isBuildCurrent } from '../../scripts/build-stamp.ts'
import { reportEngine } from '../../src/evm/engine-selection.ts'

const ROOT = join(import.meta.dirname, '../..')

export function setup(project: TestProject): void {
  buildIfStale()
  // In watch mode the sources change between the runs.
  project.onTestsRerun(async () => buildIfStale())
}

/** Builds dist/ again, and says so, when it was built from other sources. Throws when the build fails. */
function buildIfStale(): void {
  if (!isBuildCurrent(ROOT)) {
    console.info('dist/ was not built from these sources: running `node build.js`')
    execFileSync(process.execPath, [join(ROOT, 'build.js')], { stdio: 'inherit' })
  }
  const { warning } = reportEngine('compiled')
  if (warning !== undefined) throw new Error(warning)
}
