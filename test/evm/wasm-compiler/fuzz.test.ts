// Compiled code against the interpreters on random programs of fixed seeds, with everything compiled before it runs: against
// the library's on contracts that call each other, against our own on code that computes. More: `npm run fuzz`.
import { beforeAll, expect, test } from 'vitest'
import { acquireInstance } from '../../../src/evm/wasm/instance-pool.ts'
import { compilation } from '../../../src/evm/wasm-compiler/module-cache.ts'
import { compare, PAIRINGS, type Pairing } from '../wasm/differential.ts'

beforeAll(() => {
  // Without the engine the library would be compared with itself.
  expect(acquireInstance()).toBeDefined()
  compilation.heat = 0
})

const RUNS: readonly (readonly [string, number, Pairing, number])[] = [
  ['calls', 10_001, PAIRINGS.compiler, 8],
  ['calls', 20_001, PAIRINGS.compiler, 8],
  ['costs less than in the fork', 50_001, PAIRINGS['cheap compiler'], 8],
  ['costs less than in the fork', 60_001, PAIRINGS.cheap, 8],
  ['computes', 30_001, PAIRINGS.dense, 25],
  ['computes', 40_001, PAIRINGS.dense, 25],
]

test.each(RUNS)('compiled code agrees on code that %s, from seed %i', async (_, first, pairing, seeds) => {
  for (let seed = first; seed < first + seeds; seed++) {
    const { difference } = await compare(seed, 3, pairing)
    expect(difference).toBeUndefined()
  }
})
