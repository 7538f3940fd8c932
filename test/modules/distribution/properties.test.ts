// Random operations with the real staking module. After each sequence the invariants hold, the coins add up, and every
// delegator has been paid what a simple model computes, which divides the fees of every block among all delegations.
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Address } from '../../../src/lib/hex.ts'
import { distributionLayout } from '../../../src/modules/distribution/layout.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import { accounts, type Operation, operation, perform, TAX, VALIDATORS, withdrawAddress } from './operations.ts'
import { type Chain, chainWith, DAY, operator, P, slashWorkOfBlock, validator } from './support.ts'

/** The rewards of every account over time, in 10^-36 of a unit, by exact shares of every block's fees. */
class Model {
  readonly owed = new Map<Address, bigint>()

  share(chain: Chain, fees: bigint): void {
    const bonded = chain.staking.bondedValidators()
    const total = bonded.reduce((sum, { power }) => sum + power, 0n)
    for (const { operator, power } of bonded) {
      this.pay(chain, operator, (fees * P * P * (100n - TAX) * power) / (100n * total))
    }
  }

  /** `reward`: in 10^-36 of a unit. */
  pay({ staking }: Chain, operator: Address, reward: bigint): void {
    const { commission, shares = 0n } = staking.validator(operator) ?? {}
    const taken = (reward * (commission?.rate ?? 0n)) / P
    this.#add(operator, taken)
    for (const { delegator, shares: owned } of staking.delegationsTo(operator)) {
      this.#add(delegator, ((reward - taken) * owned) / shares)
    }
  }

  #add(of: Address, amount: bigint): void {
    this.owed.set(of, (this.owed.get(of) ?? 0n) + amount)
  }
}

async function run(operations: readonly Operation[], slashing: object | undefined, version: number) {
  const chain = await chainWith(
    VALIDATORS.map((coins, i) => validator(i, coins * P, [0n, 5n, 10n, 100n][i])),
    { tax: TAX, staking: { maxValidators: 3, maxEntries: 3 }, slashing, version },
  )
  for (const of of accounts) chain.distribution.setWithdrawAddress(of, withdrawAddress(of))
  const model = new Model()
  for (const of of operations) {
    if (of.kind !== 'next') {
      const refusal = chain.attempt((modules) => perform(modules, chain, of))
      if (of.kind === 'deposit' && refusal === undefined) model.pay(chain, operator(of.place), of.amount * P * P)
      continue
    }
    chain.next(of.fees, of.days * DAY + 5n)
    model.share(chain, of.fees)
  }
  return { chain, model }
}

const operations = fc.array(operation, { minLength: 10, maxLength: 60 })
/** Enough runs to reach most interleavings, few enough for every run of the suite. */
const runs = { numRuns: 30 }

describe.each([
  ['in one block, fees at once', undefined, 1],
  ['over several blocks, fees at once', { version: 2 }, 1],
  ['over several blocks, fees pending', { version: 2 }, 2],
] as const)('the distribution under any sequence of operations, slashes executed %s', (_, slashing, version) => {
  // One entry for each block, so that most slashes take several blocks with this small number of accounts.
  beforeEach(() => slashWorkOfBlock(1))
  it('satisfies the invariants, and the module account holds exactly the outstanding rewards and the pool', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (all) => {
        const { chain } = await run(all, slashing, version)
        chain.next()
        expect(chain.staking.invariants()).toEqual([])
        expect(chain.distribution.invariants()).toEqual([])
        chain.distribution.settle()
        const outstanding = accounts.reduce((sum, of) => sum + chain.distribution.outstandingRewards(of), 0n)
        expect(chain.balance(MODULE_ACCOUNT.distribution) * P).toBe(outstanding + chain.distribution.communityPool())
        const holders = [...accounts, ...accounts.map(withdrawAddress), ...Object.values(MODULE_ACCOUNT)]
        expect(holders.reduce((sum, of) => sum + chain.balance(of), 0n)).toBe(chain.modules.bank.supply())
      }),
      runs,
    )
  })

  it('stores no historical rewards without references', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (all) => {
        const { chain } = await run(all, slashing, version)
        chain.next()
        const state = distributionLayout.open(chain.view.slots(NATIVE_CONTRACT.distribution, 'read'))
        for (const at of VALIDATORS.map((_, i) => operator(i))) {
          const { historicalRewards, currentRewards, slashEvents } = state.validatorRewards.at(at)
          let counted = 0n
          for (let period = 0n; period < 200n; period++) counted += historicalRewards.at(period).get().referenceCount
          const needed = chain.staking.delegationsTo(at).length + slashEvents.length
          expect(counted).toBe(currentRewards.get().period === 0n ? 0n : BigInt(needed + 1))
        }
      }),
      runs,
    )
  })

  it('pays every delegator its share of the fees', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (all) => {
        const { chain, model } = await run(all, slashing, version)
        chain.next()
        for (const at of chain.staking.operators()) {
          chain.attempt(({ distribution }) => distribution.withdrawValidatorCommission(at))
          for (const { delegator: of } of chain.staking.delegationsTo(at))
            chain.distribution.withdrawDelegationRewards(of, at)
        }
        for (const of of accounts) {
          const deficit = (model.owed.get(of) ?? 0n) - chain.balance(withdrawAddress(of)) * P * P
          // The ratio of each period loses up to a unit for each staked coin, each payment up to a unit.
          expect(Number(deficit / P) / 1e18).toBeLessThan(1_000)
          expect(Number(deficit / P) / 1e18).toBeGreaterThan(-1e-6)
        }
      }),
      runs,
    )
  })
})
