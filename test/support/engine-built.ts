// Before any test: our engine has to be there, built from these sources. Without it the library's interpreter would run in its
// place, and tests that compare the two would compare the library with itself.
import { reportEngine } from '../../src/evm/engine-selection.ts'

export function setup(): void {
  const { warning } = reportEngine('compiled')
  if (warning !== undefined) throw new Error(warning)
}
