// The reward parts of the specification's worked examples V6 to V11. P is one coin.
import { describe, expect, it } from 'vitest'
import { distributionLayout } from '../../../src/modules/distribution/layout.ts'
import { NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import { type Chain, chainWith, delegator, operator, P, validator } from './support.ts'

const A = operator(0)
const B = operator(1)
const C = operator(2)
const D = delegator(0)
const MILLI = 10n ** 15n

const stored = (chain: Chain, of = A) =>
  distributionLayout.open(chain.view.slots(NATIVE_CONTRACT.distribution, 'read')).validatorRewards.at(of)

/** Cumulative reward ratio at the end of the period before the current one. */
function lastRatio(chain: Chain, of = A): bigint {
  const { currentRewards, historicalRewards } = stored(chain, of)
  return historicalRewards.at(currentRewards.get().period - 1n).get().cumulativeRewardRatio
}

/** Ends the current period, as every withdrawal does. */
const endPeriod = (chain: Chain, of = A) => chain.distribution.withdrawDelegationRewards(of, of)

describe('fees', () => {
  it('V6: are split by power, then between operator and delegators', async () => {
    const chain = await chainWith([validator(0, 40n * P, 10n), validator(1, 40n * P, 5n)], { tax: 2n })
    chain.staking.delegate(D, A, 20n * P)
    chain.next(P)
    const { distribution } = chain
    expect(distribution.outstandingRewards(A)).toBe(588n * MILLI * P)
    expect(distribution.accumulatedCommission(A)).toBe(58_800_000_000_000_000n * P)
    expect(stored(chain).currentRewards.get().rewards).toBe(529_200_000_000_000_000n * P)
    expect(distribution.outstandingRewards(B)).toBe(392n * MILLI * P)
    expect(distribution.accumulatedCommission(B)).toBe(19_600_000_000_000_000n * P)
    expect(stored(chain, B).currentRewards.get().rewards).toBe(372_400_000_000_000_000n * P)
    expect(distribution.communityPool()).toBe(20n * MILLI * P)
    expect(distribution.delegationRewards(A, A)).toBe(352_800_000_000_000_000n * P)
    expect(distribution.delegationRewards(D, A)).toBe(176_400_000_000_000_000n * P)
    const before = [lastRatio(chain, A), lastRatio(chain, B)]
    endPeriod(chain, A)
    endPeriod(chain, B)
    // 0.00882 and 0.00931 for each token.
    expect([lastRatio(chain, A) - (before[0] ?? 0n), lastRatio(chain, B) - (before[1] ?? 0n)]).toEqual([
      8_820_000_000_000_000n,
      9_310_000_000_000_000n,
    ])
  })

  it('V7: are fully accounted for after truncation', async () => {
    const chain = await chainWith(
      [0, 1, 2].map((i) => validator(i, P, 10n)),
      { tax: 2n },
    )
    chain.next(1_000n)
    const { distribution } = chain
    for (const of of [A, B, C]) {
      expect(distribution.outstandingRewards(of)).toBe(326_666_666_666_666_666_340n)
      expect(distribution.accumulatedCommission(of)).toBe(32_666_666_666_666_666_634n)
      expect(stored(chain, of).currentRewards.get().rewards).toBe(293_999_999_999_999_999_706n)
      expect(distribution.delegationRewards(of, of)).toBe(293n * P)
    }
    expect(distribution.communityPool()).toBe(20_000_000_000_000_000_980n)
    expect(chain.gain(A, () => endPeriod(chain))).toBe(293n)
    expect(lastRatio(chain)).toBe(293n)
    // The remainder that the ratio truncates stays outstanding: 326.66… - 293.
    expect(distribution.outstandingRewards(A)).toBe(33_666_666_666_666_666_340n)
  })
})

describe('delegations', () => {
  it('V8: earn rewards from their first block on; delegating again withdraws the rewards', async () => {
    const chain = await chainWith([validator(0, 100n * P)])
    chain.next(10n * P)
    chain.staking.delegate(D, A, 100n * P)
    expect(lastRatio(chain)).toBe(P / 10n)
    chain.next(10n * P)
    expect([chain.distribution.delegationRewards(A, A), chain.distribution.delegationRewards(D, A)]).toEqual([
      15n * P * P,
      5n * P * P,
    ])
    expect(chain.gain(D, ({ staking }) => staking.delegate(D, A, 20n * P))).toBe(-15n * P)
    expect(lastRatio(chain)).toBe(15n * 10n ** 16n)
    expect(chain.distribution.delegationRewards(D, A)).toBe(0n)
    // The creation of the validator ended period 1, D's delegations periods 2 and 3.
    expect(stored(chain).startingInfos.at(D).get()).toEqual({ previousPeriod: 3n, stake: 120n * P * P, height: 3n })
    expect(chain.gain(A, () => endPeriod(chain))).toBe(15n * P)
  })

  it('V9: earn less after a slash', async () => {
    const chain = await chainWith([validator(0, 100n * P)])
    chain.next(10n * P)
    chain.staking.slash(A, { height: chain.number, power: 100n, fraction: P / 2n })
    expect(lastRatio(chain)).toBe(P / 10n)
    chain.next(10n * P)
    expect(chain.distribution.delegationRewards(A, A)).toBe(20n * P * P)
    expect(chain.gain(A, () => endPeriod(chain))).toBe(20n * P)
    expect(lastRatio(chain)).toBe((P * 3n) / 10n)
    expect(stored(chain).startingInfos.at(A).get().stake).toBe(50n * P * P)
  })

  it('V11: have the tokens of their shares, rounded down, as stake', async () => {
    const chain = await chainWith([validator(0, 3n * P)])
    chain.staking.slash(A, { height: chain.number, power: 3n, fraction: P / 100n })
    expect(chain.staking.delegate(D, A, P)).toBe(1_010_101_010_101_010_101_010_101_010_101_010_101n)
    expect(stored(chain).startingInfos.at(D).get().stake).toBe(999_999_999_999_999_999_999_999_999_999_999_999n)
    expect(chain.staking.tokensFromShares(A, 1_010_101_010_101_010_101_010_101_010_101_010_101n)).toBe(P * P)
  })
})
