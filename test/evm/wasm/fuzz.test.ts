// Our interpreter against the library's on random programs of some hundred seeds: gas, output, logs, errors, call trees, state.
// More seeds: `npm run fuzz`.
import { expect, test } from 'vitest'
import { compare } from './differential.ts'

const SEEDS_PER_TEST = 8

test.each([1, 1001, 2001, 3001, 4001, 5001])(
  'our interpreter and the library’s agree on worlds from seed %i',
  async (first) => {
    let executions = 0
    for (let seed = first; seed < first + SEEDS_PER_TEST; seed++) {
      const result = await compare(seed, 3)
      expect(result.difference).toBeUndefined()
      executions += result.executions
    }
    // Each world has at least one transaction, and its last one is run again with three lower gas limits.
    expect(executions).toBeGreaterThanOrEqual(SEEDS_PER_TEST * 4)
  },
)
