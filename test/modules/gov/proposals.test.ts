// The life of proposals without an EVM: deposits, votes, the tally, and the end of the deposits.
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { A, B, delegator, evmParams, GOV, govChain, MIN, P } from './support.ts'

const alice = delegator(0)
const bob = delegator(1)
const text = (of: typeof alice) => toBech32('kest', of)
/** The initial balance: the deposits of these tests are small beside 18 decimals. */
const INITIAL_BALANCE = 1_000n * P

describe('deposits of proposals', () => {
  it('begin the vote at once when they reach the minimum', async () => {
    const chain = await govChain()
    const id = chain.submit()
    expect(id).toBe(1n)
    expect(chain.gov.proposal(id)).toMatchObject({
      status: 'voting',
      proposer: alice,
      submitTime: chain.time,
      depositEndTime: chain.time + 172_800n,
      votingStartTime: chain.time,
      votingEndTime: chain.time + 30n,
      totalDeposit: MIN,
    })
    expect([chain.balance(alice), chain.balance(GOV)]).toEqual([INITIAL_BALANCE - MIN, MIN])
    expect(chain.submit()).toBe(2n)
  })

  it('add up until they reach the minimum, also from a first deposit of zero', async () => {
    const chain = await govChain()
    const id = chain.submit([], { deposit: 0n })
    chain.next(0n, 100n)
    chain.gov.deposit(id, bob, MIN - 100_000n)
    expect(chain.gov.proposal(id)).toMatchObject({ status: 'deposit', votingStartTime: 0n, votingEndTime: 0n })
    chain.gov.deposit(id, bob, 50_000n + 50_000n)
    expect(chain.gov.proposal(id)).toMatchObject({ status: 'voting', votingStartTime: chain.time, totalDeposit: MIN })
    // Deposits are also accepted during the vote.
    chain.gov.deposit(id, alice, 5n * MIN)
    expect([chain.gov.depositOf(id, alice), chain.gov.depositOf(id, bob)]).toEqual([5n * MIN, MIN])
    expect(chain.gov.depositOf(id, delegator(2))).toBeUndefined()
    expect(chain.balance(GOV)).toBe(6n * MIN)
  })

  it('are refused when too small or too large, and when the proposal has ended or does not exist', async () => {
    const chain = await govChain({ votingPeriod: 10 })
    const id = chain.submit([], { deposit: 0n })
    const refusal = (amount: bigint, of = id) => chain.attempt(({ gov }) => gov.deposit(of, bob, amount))
    expect(refusal(0n)).toBe(': invalid coins')
    // The least deposit is a hundredth of the minimum.
    expect(refusal(99_999n)).toBe(
      'received 99999akest but need at least one of the following: 100000akest: minimum deposit is too small',
    )
    expect(refusal(100_000n)).toBeUndefined()
    expect(refusal(2_000n * P)).toMatch(/^spendable balance 999\d+akest is smaller than 2\d+akest: insufficient funds$/)
    expect(refusal(MIN, 2n)).toBe("proposal 2 doesn't exist")
    expect(refusal(MIN, 0n)).toBe("proposal 0 doesn't exist")
    expect(refusal(MIN)).toBeUndefined()
    chain.pass(id)
    expect(refusal(MIN)).toBe('1: inactive proposal')
  })

  it('have a minimum initial amount if the parameters set one', async () => {
    const chain = await govChain({ minInitialDepositRatio: '0.25' })
    const refusal = (deposit: bigint, expedited = false) =>
      chain.attempt(() => chain.submit([], { deposit, expedited }))
    expect(refusal(0n)).toBe('was (), need (2500000akest): minimum deposit is too small')
    expect(refusal(2_499_999n)).toBe('was (2499999akest), need (2500000akest): minimum deposit is too small')
    expect(refusal(2_500_000n)).toBeUndefined()
    // An expedited proposal needs five times as much.
    expect(refusal(2_500_000n, true)).toBe('was (2500000akest), need (12500000akest): minimum deposit is too small')
  })

  it('are refunded when they miss the minimum in time, and the proposal is deleted', async () => {
    const chain = await govChain({ maxDepositPeriod: 100 })
    const id = chain.submit([evmParams('kestrel_0')], { deposit: MIN - 1n })
    chain.gov.deposit(id, bob, 100_000n)
    expect(chain.gov.proposal(id).status).toBe('voting')
    const other = chain.submit([], { deposit: MIN - 1n, by: bob })
    chain.next(0n, 99n)
    expect(chain.attempt(({ gov }) => gov.proposal(other))).toBeUndefined()
    chain.next(0n, 1n)
    chain.next()
    expect(chain.attempt(({ gov }) => gov.proposal(other))).toBe("proposal 2 doesn't exist")
    expect(chain.attempt(({ gov }) => gov.messages(other))).toBe("proposal 2 doesn't exist")
    expect(chain.gov.deposits(other).length).toBe(0)
    expect([chain.balance(alice), chain.balance(bob), chain.balance(GOV)]).toEqual([
      INITIAL_BALANCE,
      INITIAL_BALANCE,
      0n,
    ])
    // A proposal's number is not used again.
    expect(chain.submit()).toBe(3n)
  })

  it('that miss the minimum in time are burnt if the parameters say so', async () => {
    const chain = await govChain({ maxDepositPeriod: 100, burnProposalDepositPrevote: true })
    const supply = chain.modules.bank.supply()
    chain.conclude(chain.submit([], { deposit: 7n }))
    expect([chain.balance(alice), chain.balance(GOV)]).toEqual([INITIAL_BALANCE - 7n, 0n])
    expect(chain.modules.bank.supply()).toBe(supply - 7n)
  })
})

describe('votes on proposals', () => {
  it('replace earlier votes of the same account, and the current tally can be queried at any time', async () => {
    const chain = await govChain()
    const id = chain.submit()
    chain.staking.delegate(bob, A, 30n * P)
    chain.next()
    chain.vote(id, A, 'yes')
    expect(chain.gov.tally(id)).toEqual({ yes: 130n * P, abstain: 0n, no: 0n, noWithVeto: 0n })
    chain.vote(id, bob, 'no')
    expect(chain.gov.tally(id)).toEqual({ yes: 100n * P, abstain: 0n, no: 30n * P, noWithVeto: 0n })
    chain.vote(id, bob, 'abstain')
    expect(chain.gov.tally(id)).toEqual({ yes: 100n * P, abstain: 30n * P, no: 0n, noWithVeto: 0n })
    // Tokens bonded after the vote count.
    chain.staking.delegate(bob, B, 5n * P)
    expect(chain.gov.tally(id)).toEqual({ yes: 100n * P, abstain: 35n * P, no: 0n, noWithVeto: 0n })
    expect(chain.gov.votes(id).length).toBe(2)
  })

  it('are refused before and after the voting period', async () => {
    const chain = await govChain()
    const id = chain.submit([], { deposit: 0n })
    const refusal = (of = id) => chain.attempt(() => chain.vote(of, A, 'yes'))
    expect(refusal()).toBe('1: inactive proposal')
    expect(refusal(2n)).toBe("proposal 2 doesn't exist")
    chain.gov.deposit(id, bob, MIN)
    expect(refusal()).toBeUndefined()
    chain.conclude(id)
    expect(refusal()).toBe('1: inactive proposal')
  })

  it('count in the block in which the voting period ends, and are refused in the next', async () => {
    const chain = await govChain()
    const id = chain.submit()
    chain.next(0n, 29n)
    chain.next(0n, 1n)
    expect(chain.gov.proposal(id).votingEndTime).toBe(chain.time)
    chain.vote(id, A, 'yes')
    chain.next()
    expect(chain.gov.proposal(id)).toMatchObject({ status: 'passed', tally: { yes: 100n * P } })
    expect(chain.gov.votes(id).length).toBe(0)
    expect(chain.gov.tally(id)).toEqual({ yes: 100n * P, abstain: 0n, no: 0n, noWithVeto: 0n })
  })

  it('of a jailed validator and its delegators do not count', async () => {
    const chain = await govChain()
    const id = chain.submit()
    chain.vote(id, A, 'no')
    chain.vote(id, B, 'yes')
    chain.staking.jail(A)
    expect(chain.gov.tally(id)).toEqual({ yes: 50n * P, abstain: 0n, no: 0n, noWithVeto: 0n })
    chain.conclude(id)
    expect(chain.gov.proposal(id).status).toBe('passed')
  })

  it('have metadata of up to 255 bytes', async () => {
    const chain = await govChain()
    const id = chain.submit()
    const refusal = (metadata: string) =>
      chain.attempt(({ gov }) => gov.vote(id, A, { options: [{ option: 'yes', weight: P }], metadata }))
    expect(refusal('é'.repeat(127))).toBeUndefined()
    expect(refusal('é'.repeat(128))).toBe('got metadata with length 256: metadata too long')
  })
})

describe('the end of a vote', () => {
  it('refunds the deposits when the proposal passes or is rejected', async () => {
    for (const option of ['yes', 'no', 'abstain'] as const) {
      const chain = await govChain()
      const id = chain.submit()
      chain.gov.deposit(id, bob, 3n * MIN)
      chain.vote(id, A, option)
      chain.conclude(id)
      expect(chain.gov.proposal(id)).toMatchObject({
        status: option === 'yes' ? 'passed' : 'rejected',
        totalDeposit: 4n * MIN,
      })
      expect([chain.balance(alice), chain.balance(bob), chain.balance(GOV)]).toEqual([
        INITIAL_BALANCE,
        INITIAL_BALANCE,
        0n,
      ])
      expect(chain.gov.deposits(id).length).toBe(0)
      expect(chain.gov.invariants()).toEqual([])
    }
  })

  it('burns the deposits after a veto', async () => {
    const chain = await govChain()
    const supply = chain.modules.bank.supply()
    const id = chain.submit()
    chain.gov.deposit(id, bob, 3n * MIN)
    chain.vote(id, A, 'noWithVeto')
    chain.vote(id, B, 'yes')
    chain.conclude(id)
    expect(chain.gov.proposal(id).status).toBe('rejected')
    expect([chain.balance(alice), chain.balance(bob), chain.balance(GOV)]).toEqual([
      INITIAL_BALANCE - MIN,
      INITIAL_BALANCE - 3n * MIN,
      0n,
    ])
    expect(chain.modules.bank.supply()).toBe(supply - 4n * MIN)
  })

  it('comes for several proposals in one block, in order of their end times', async () => {
    const chain = await govChain()
    const first = chain.submit([evmParams('kestrel_0')])
    chain.next(0n, 3n)
    const second = chain.submit([evmParams('kestrel_0', 'kestrel_1')])
    for (const id of [first, second]) chain.vote(id, A, 'yes')
    chain.next(0n, 100n)
    chain.next()
    expect([first, second].map((id) => chain.gov.proposal(id).status)).toEqual(['passed', 'passed'])
    // The proposal that ends later decides the final list.
    expect(chain.modules.params.activeProposals()).toEqual(['kestrel_0', 'kestrel_1'])
  })
})

describe('expedited proposals', () => {
  it('need more deposit and a larger majority, in less time', async () => {
    const chain = await govChain()
    const id = chain.submit([], { expedited: true, deposit: 5n * MIN - 1n })
    expect(chain.gov.proposal(id).status).toBe('deposit')
    // The least deposit is a hundredth of the expedited minimum.
    expect(chain.attempt(({ gov }) => gov.deposit(id, bob, 100_000n))).toContain(
      'need at least one of the following: 500000akest',
    )
    chain.gov.deposit(id, bob, 500_000n)
    expect(chain.gov.proposal(id).votingEndTime).toBe(chain.time + 15n)
    // 100 of 150 is not more than 66.7 %.
    chain.staking.delegate(bob, A, P)
    chain.vote(id, A, 'yes')
    chain.vote(id, B, 'no')
    chain.conclude(id)
    // 101 of 151 is.
    expect(chain.gov.proposal(id)).toMatchObject({ status: 'passed', tally: { yes: 101n * P, no: 50n * P } })
  })

  it('that fail continue as ordinary ones, with a new vote', async () => {
    const chain = await govChain()
    const began = chain.time
    const id = chain.submit([], { expedited: true, deposit: 5n * MIN })
    chain.vote(id, A, 'yes')
    chain.vote(id, B, 'no')
    chain.conclude(id)
    expect(chain.gov.proposal(id)).toMatchObject({ status: 'voting', isExpedited: false, votingEndTime: began + 30n })
    expect([chain.gov.votes(id).length, chain.balance(GOV)]).toEqual([0, 5n * MIN])
    chain.vote(id, A, 'yes')
    chain.vote(id, B, 'no')
    chain.conclude(id)
    expect(chain.gov.proposal(id).status).toBe('passed')
    expect(chain.balance(alice)).toBe(INITIAL_BALANCE)
  })

  it('end after a veto', async () => {
    const chain = await govChain()
    const id = chain.submit([], { expedited: true, deposit: 5n * MIN })
    chain.vote(id, A, 'noWithVeto')
    chain.conclude(id)
    expect(chain.gov.proposal(id).status).toBe('rejected')
    expect([chain.balance(alice), chain.balance(GOV)]).toEqual([INITIAL_BALANCE - 5n * MIN, 0n])
  })
})

describe('cancelling a proposal', () => {
  it('burns half of every deposit', async () => {
    const chain = await govChain()
    const supply = chain.modules.bank.supply()
    const id = chain.submit()
    chain.gov.deposit(id, bob, 100_001n)
    chain.vote(id, A, 'yes')
    chain.gov.cancel(id, alice)
    // 5,000,000 of 10,000,000; 50,000 of 100,001.
    expect([chain.balance(alice), chain.balance(bob)]).toEqual([
      INITIAL_BALANCE - 5_000_000n,
      INITIAL_BALANCE - 50_000n,
    ])
    expect([chain.balance(GOV), chain.modules.bank.supply()]).toEqual([0n, supply - 5_050_000n])
    expect(chain.attempt(({ gov }) => gov.proposal(id))).toBe("proposal 1 doesn't exist")
    expect([chain.gov.votes(id).length, chain.gov.deposits(id).length]).toEqual([0, 0])
    chain.next(0n, 1_000_000n)
    chain.next()
    expect(chain.gov.invariants()).toEqual([])
  })

  it('pays that half to the account that the parameters name, or to the community pool', async () => {
    const to = await govChain({ proposalCancelDest: text(bob), proposalCancelRatio: '0.1' })
    to.gov.cancel(to.submit(), alice)
    expect([to.balance(alice), to.balance(bob), to.balance(GOV)]).toEqual([
      INITIAL_BALANCE - MIN / 10n,
      INITIAL_BALANCE + MIN / 10n,
      0n,
    ])

    const pool = await govChain({ proposalCancelDest: text(MODULE_ACCOUNT.distribution) })
    pool.gov.cancel(pool.submit([], { deposit: 1_000n }), alice)
    expect([pool.balance(alice), pool.distribution.communityPool()]).toEqual([INITIAL_BALANCE - 500n, 500n * P])
    expect(pool.distribution.invariants()).toEqual([])
  })

  it('is allowed to the proposer only, and until the vote ends', async () => {
    const chain = await govChain()
    const id = chain.submit()
    const refusal = (by: typeof alice, of = id) => chain.attempt(({ gov }) => gov.cancel(of, by))
    expect(refusal(bob)).toBe(`invalid proposer ${text(bob)}: invalid proposer`)
    expect(refusal(alice, 5n)).toBe("proposal 5 doesn't exist")
    // The block is late: the voting period is over before the block ends.
    chain.next(0n, 31n)
    expect(refusal(alice)).toBe('voting period is already ended for this proposal 1: voting period already ended')
    chain.next()
    expect(refusal(alice)).toBe('proposal should be in the deposit or voting period: invalid proposal')
  })
})
