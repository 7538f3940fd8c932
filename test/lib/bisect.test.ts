// Binary search for the first number that satisfies a condition, against a linear search.
import { expect, it } from 'vitest'
import { firstWhere } from '../../src/lib/bisect.ts'

it('firstWhere finds the first number of every range for every threshold', async () => {
  for (let low = 0n; low <= 5n; low++) {
    for (let high = low; high <= 12n; high++) {
      for (let threshold = 0n; threshold <= 14n; threshold++) {
        const expected = threshold < low ? low : threshold > high ? high : threshold
        expect(await firstWhere(low, high, (number) => number >= threshold)).toBe(expected)
      }
    }
  }
})

it('firstWhere tests a number for each halving of the range', async () => {
  const tested: bigint[] = []
  const first = await firstWhere(0n, 1_000_000n, async (number) => {
    tested.push(number)
    return number >= 777_777n
  })
  expect(first).toBe(777_777n)
  expect(tested.length).toBeLessThanOrEqual(20)
})
