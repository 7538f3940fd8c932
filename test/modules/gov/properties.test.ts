// After any sequence of proposal operations no coin is lost or made, the invariants hold after every block, and every deposit
// of a finished proposal has been refunded or burnt.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { VOTE_OPTIONS, type VoteOption } from '../../../src/modules/gov/layout.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { A, B, delegator, evmParams, type GovChain, govChain, MIN, P } from './support.ts'

const ACCOUNTS = [A, B, delegator(0), delegator(1), delegator(2), delegator(3)]
const OPTIONS = VOTE_OPTIONS.filter((option): option is VoteOption => option !== 'none')

const person = fc.constantFrom(...ACCOUNTS)
const id = fc.bigInt(1n, 5n)
const amount = fc.constantFrom(0n, 100_000n, MIN / 2n, MIN, 5n * MIN)
const option = fc.constantFrom(...OPTIONS)

type Step = (chain: GovChain) => unknown
const attempt =
  (run: Step): Step =>
  (chain) =>
    chain.attempt(() => run(chain))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(person, amount, fc.boolean(), fc.boolean())
    .map(([by, deposit, expedited, fails]) =>
      attempt((chain) => chain.submit([evmParams(...(fails ? ['x_1', 'x_1'] : ['x_1']))], { by, deposit, expedited })),
    ),
  fc.tuple(id, person, amount).map(([of, by, sum]) => attempt((chain) => chain.gov.deposit(of, by, sum))),
  fc.tuple(id, person, option).map(([of, by, choice]) => attempt((chain) => chain.vote(of, by, choice))),
  fc.tuple(id, person).map(([of, by]) => attempt((chain) => chain.gov.cancel(of, by))),
  fc.tuple(person, fc.constantFrom(A, B)).map(([by, at]) => attempt((chain) => chain.staking.delegate(by, at, 7n * P))),
  fc.constantFrom(1n, 10n, 40n).map((seconds) => (chain: GovChain) => chain.next(0n, seconds)),
)

const held = (chain: GovChain): bigint =>
  [...ACCOUNTS, ...Object.values(MODULE_ACCOUNT)].reduce((sum, of) => sum + chain.balance(of), 0n)

it('the invariants of governance hold after any sequence of deposits, votes and cancellations', async () => {
  const params = fc.record({
    burnVoteQuorum: fc.boolean(),
    burnProposalDepositPrevote: fc.boolean(),
    proposalCancelRatio: fc.constantFrom('0', '0.5', '0.333333333333333333', '1'),
  })
  await fc.assert(
    fc.asyncProperty(params, fc.array(step, { minLength: 5, maxLength: 30 }), async (given, steps) => {
      const chain = await govChain({ maxDepositPeriod: 60, ...given })
      for (const run of steps) {
        run(chain)
        expect(chain.modules.gov.invariants()).toEqual([])
        expect(held(chain)).toBe(chain.modules.bank.supply())
      }
      chain.next(0n, 1_000n)
      chain.next()
      // A failed expedited proposal has a second vote. Its time is over here; it ends with the next block.
      chain.next()
      expect(chain.balance(MODULE_ACCOUNT.gov)).toBe(0n)
      for (let of = 1n; of <= chain.gov.lastId(); of++) {
        expect(['none', 'passed', 'rejected', 'failed']).toContain(chain.gov.status(of))
      }
      expect(chain.staking.invariants()).toEqual([])
    }),
    { numRuns: 12 },
  )
})
