// Our engine does what the library's interpreter does, on random programs of some hundred seeds: gas, output, logs,
// errors, call trees, state. More of them: `npm run fuzz`.
import { expect, test } from 'vitest'
import { compare } from './differential.ts'

const SEEDS_PER_TEST = 8

test.each([1, 1001, 2001, 3001, 4001, 5001])('both engines agree on worlds from seed %i', async (first) => {
  let executions = 0
  for (let seed = first; seed < first + SEEDS_PER_TEST; seed++) {
    const result = await compare(seed, 3)
    expect(result.difference).toBeUndefined()
    executions += result.executions
  }
  // A world has a transaction at least, and each is cut three times.
  expect(executions).toBeGreaterThanOrEqual(SEEDS_PER_TEST * 4)
})
