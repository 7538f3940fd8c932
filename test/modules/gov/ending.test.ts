// The end of proposals in several blocks: the same result as in version 1 of the rules, which ends them in one.
import { describe, expect, it } from 'vitest'
import { GOV_WORK } from '../../../src/modules/gov/ending.ts'
import type { VoteOption } from '../../../src/modules/gov/layout.ts'
import { A, B, delegator, GOV, type GovChain, govChain, MIN, P } from './support.ts'

const OPTIONS: readonly VoteOption[] = ['yes', 'no', 'abstain', 'yes', 'noWithVeto', 'yes']
/** Votes and deposits of more than one block. */
const MANY = Math.ceil((1.5 * GOV_WORK.ofBlock) / GOV_WORK.vote)
const people = Array.from({ length: MANY }, (_, index) => delegator(1_000 + index))
const first = delegator(1_000)
const DEPOSIT = MIN / 10n

/** A proposal with many votes and deposits, in the block in which its voting period has ended. `veto`: most vote so. */
async function ended(version: 1 | 2, { veto = false, expedited = false } = {}): Promise<[GovChain, bigint]> {
  const chain = await govChain({}, undefined, { version })
  // Shares of A are worth less than tokens, so that powers are rounded.
  chain.staking.slash(A, { height: chain.number, power: 100n, fraction: P / 7n })
  const id = chain.submit([], { deposit: 5n * MIN, expedited })
  const { gov, staking } = chain.modules
  for (const [index, of] of people.entries()) {
    chain.view.setBalance(of, 10n * P)
    staking.delegate(of, index % 2 === 0 ? A : B, P + BigInt(index))
    gov.deposit(id, of, DEPOSIT)
    chain.vote(id, of, veto ? 'noWithVeto' : (OPTIONS[index % OPTIONS.length] ?? 'yes'))
  }
  chain.vote(id, B, 'yes')
  chain.next(0n, chain.gov.proposal(id).votingEndTime - chain.time)
  return [chain, id]
}

const isOver = (chain: GovChain, id: bigint) => !['deposit', 'voting', 'none'].includes(chain.gov.status(id))

/** Ends blocks until the proposal has ended; returns their number. */
function blocksToEnd(chain: GovChain, id: bigint): number {
  for (let blocks = 0; ; blocks++) {
    if (isOver(chain, id)) return blocks
    chain.next()
    expect(chain.gov.invariants()).toEqual([])
  }
}

/** What the end has done. */
const resultOf = (chain: GovChain, id: bigint) => ({
  status: chain.gov.status(id),
  tally: chain.gov.tally(id),
  votes: chain.gov.votes(id).length,
  deposits: chain.gov.deposits(id).length,
  held: chain.balance(GOV),
  balances: people.map(chain.balance),
})

describe('the end of a proposal with many votes and deposits', () => {
  it.each([{}, { veto: true }])('has the same result in several blocks as in one: %j', async (how) => {
    const [atOnce, id] = await ended(1, how)
    const [inPieces] = await ended(2, how)
    expect(blocksToEnd(atOnce, id)).toBe(1)
    // One and a half blocks of votes, and as many of deposits.
    expect(blocksToEnd(inPieces, id)).toBe(4)
    expect(resultOf(inPieces, id)).toEqual(resultOf(atOnce, id))
    expect(inPieces.gov.status(id)).toBe(how.veto ? 'rejected' : 'passed')
    expect(inPieces.balance(first)).toBe(9n * P - (how.veto ? DEPOSIT : 0n))
  })

  it('counts delegations and validators as they were when the count began', async () => {
    const [atOnce, id] = await ended(1)
    const [inPieces] = await ended(2)
    blocksToEnd(atOnce, id)
    inPieces.next()
    const waiting = inPieces.gov.votes(id).length
    expect(waiting).toBeGreaterThan(100)
    // The first voters are counted last.
    expect(inPieces.gov.voteOf(id, first)).toBeDefined()
    inPieces.staking.undelegate(first, A, P / 2n)
    inPieces.staking.delegate(delegator(1_001), A, 5n * P)
    inPieces.staking.delegate(delegator(0), A, 500n * P)
    inPieces.staking.slash(B, { height: inPieces.number, power: 50n, fraction: P / 3n })
    expect(inPieces.gov.votes(id).length).toBe(waiting - 2)
    blocksToEnd(inPieces, id)
    expect(inPieces.gov.tally(id)).toEqual(atOnce.gov.tally(id))
  })

  it('accepts no votes, deposits and cancellation meanwhile', async () => {
    const [chain, id] = await ended(2)
    expect(chain.attempt(({ gov }) => gov.deposit(id, delegator(1), DEPOSIT))).toBeUndefined()
    chain.next(0n, 0n)
    const refused = `${id}: inactive proposal`
    expect(chain.attempt(() => chain.vote(id, delegator(1), 'no'))).toBe(refused)
    expect(chain.attempt(({ gov }) => gov.deposit(id, delegator(1), DEPOSIT))).toBe(refused)
    expect(chain.attempt(({ gov }) => gov.cancel(id, delegator(0)))).toBe(
      'proposal should be in the deposit or voting period: invalid proposal',
    )
    blocksToEnd(chain, id)
    expect(chain.gov.status(id)).toBe('passed')
  })

  it('continues as an ordinary proposal if it was expedited and failed', async () => {
    const results = []
    for (const version of [1, 2] as const) {
      const [chain, id] = await ended(version, { expedited: true })
      while (chain.gov.proposal(id).isExpedited) chain.next(0n, 0n)
      results.push({ ...resultOf(chain, id), ...chain.gov.proposal(id) })
    }
    expect(results[1]).toEqual(results[0])
    expect(results[0]).toMatchObject({ status: 'voting', votes: 0, isExpedited: false })
  })
})

describe('many proposals without enough deposit', () => {
  it('are removed in order of time and id, a bounded number in each block', async () => {
    const chain = await govChain({ maxDepositPeriod: 100 }, undefined, { version: 2 })
    const count = 600n
    for (let i = 0n; i < count; i++) chain.submit([], { deposit: 1n })
    const left = () =>
      [...Array(Number(count)).keys()].filter((id) => chain.gov.status(BigInt(id + 1)) !== 'none').length
    chain.next(0n, 100n)
    const before = chain.balance(delegator(0))
    const ended = []
    for (let was = left(); was > 0; was = left()) {
      chain.next()
      ended.push(was - left())
      expect(chain.gov.status(count - BigInt(left()))).toBe('none')
    }
    expect(ended.length).toBeGreaterThan(1)
    expect(Math.max(...ended)).toBeLessThanOrEqual(GOV_WORK.ofBlock / (GOV_WORK.proposal + GOV_WORK.deposit) + 1)
    expect(chain.balance(delegator(0))).toBe(before + count)
    expect(chain.balance(GOV)).toBe(0n)
  })
})
