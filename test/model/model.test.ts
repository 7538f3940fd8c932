// A short random history on the node and on the model, so that the model is right about the node; `npm run test:model` runs long ones.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mul, quo, quoRoundUp } from './dec.ts'
import { randomHistory } from './run.ts'

it('agrees with the node on a random history', async () => {
  const { history, actions, differences } = await randomHistory(20, 34)
  expect(differences).toEqual([])
  expect(history).toHaveLength(20)
  expect(actions).toBeGreaterThan(50)
})

it('imports nothing of the code that it judges', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts'))
  expect(files).toContain('staking.ts')
  const imported = files.flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    return [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, path = '']) => path)
  })
  expect(imported).toContain('./dec.ts')
  expect(imported.filter((path) => path.startsWith('.') && !path.startsWith('./'))).toEqual(['../support/solc.ts'])
})

it('rounds decimals half to even, as LegacyDec does', () => {
  const tiny = 1n
  const half = 10n ** 18n / 2n
  // 0.5, 1.5 and 2.5 of the smallest decimal.
  expect([mul(tiny, half), mul(3n, half), mul(5n, half)]).toEqual([0n, 2n, 2n])
  // 2/3 and its ceiling.
  expect(quo(2n, 3n)).toBe(666_666_666_666_666_667n)
  expect(quoRoundUp(1n, 3n)).toBe(333_333_333_333_333_334n)
})
