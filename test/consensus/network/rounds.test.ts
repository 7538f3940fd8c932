// The estimated number of failed rounds of a height, and the share of proposals that follows from it.
import { expect, it } from 'vitest'
import { Rounds, shareAfter } from '../../../src/consensus/network/rounds.ts'

/** Rounds with a simulated clock. */
function clocked() {
  const clock = { now: 0 }
  return { clock, rounds: new Rounds({ proposeTimeout: 3000, commitTimeout: 1000 }, () => clock.now) }
}

it('failed rounds: counts the proposals of a height, from 0 for each height', () => {
  const { clock, rounds } = clocked()
  expect(rounds.failed).toBe(0)
  rounds.proposed()
  rounds.proposed()
  expect(rounds.failed).toBe(2)
  clock.now = 2_000
  rounds.committed()
  expect(rounds.failed).toBe(0)
})

it('failed rounds: counts timeouts without a proposal, after the wait between blocks', () => {
  const { clock, rounds } = clocked()
  clock.now = 3_999
  expect(rounds.failed).toBe(0)
  clock.now = 4_000
  expect(rounds.failed).toBe(1)
  clock.now = 10_000
  expect(rounds.failed).toBe(3)
  rounds.committed()
  clock.now = 13_999
  expect(rounds.failed).toBe(0)
})

it('shareAfter: a proposal has half of the gas after one failed round, then one transaction, then none', () => {
  const shares = [0, 1, 2, 3, 4, 1000].map(shareAfter)
  expect(shares.map(({ gas }) => gas)).toEqual([1, 0.5, 0.125, 0, 0, 0])
  expect(shares.map(({ transactions }) => transactions)).toEqual([Infinity, Infinity, 1, 0, 0, 0])
})
