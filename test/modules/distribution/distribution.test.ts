// Fee allocation, withdrawal of rewards and commission, the community pool, slash events, and removal of a validator.
import { describe, expect, it } from 'vitest'
import { type Address, hexToAddress, ZERO_ADDRESS } from '../../../src/lib/hex.ts'
import { distributionLayout } from '../../../src/modules/distribution/layout.ts'
import { initGenesis, openModules } from '../../../src/modules/index.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import { emptyView, moduleContext, nativeSpec } from '../../support/native.ts'
import { type Chain, chainWith, DAY, delegator, operator, P, validator } from './support.ts'

const A = operator(0)
const B = operator(1)
const D = delegator(0)
const E = delegator(1)
const fresh = hexToAddress('0xfefefefefefefefefefefefefefefefefefefefe')

const storage = (chain: Chain) => distributionLayout.open(chain.view.slots(NATIVE_CONTRACT.distribution, 'write'))
const held = (chain: Chain) => chain.balance(MODULE_ACCOUNT.distribution) * P

describe('the allocation of fees', () => {
  it('happens at the beginning of the next block, from block 2 on', async () => {
    const chain = await chainWith([validator(0, P)])
    chain.number = 0n
    chain.next(7n)
    expect([
      chain.number,
      chain.balance(MODULE_ACCOUNT.feeCollector),
      chain.distribution.outstandingRewards(A),
    ]).toEqual([1n, 7n, 0n])
    chain.next(5n)
    expect([chain.balance(MODULE_ACCOUNT.feeCollector), chain.distribution.outstandingRewards(A)]).toEqual([
      0n,
      12n * P,
    ])
  })

  it('gives all fees to the community pool when no validator is bonded', async () => {
    const chain = await chainWith([])
    chain.next(7n)
    expect(chain.distribution.communityPool()).toBe(7n * P)
  })

  it('allocates no fees to validators that are not bonded', async () => {
    const chain = await chainWith([validator(0, 3n * P), validator(1, P)], { staking: { maxValidators: 1 } })
    chain.next(10n)
    expect([chain.distribution.outstandingRewards(A), chain.distribution.outstandingRewards(B)]).toEqual([10n * P, 0n])
    chain.staking.jail(A)
    // The set of the block that collected the fees was fixed at the end of the block before.
    chain.next(10n)
    expect([chain.distribution.outstandingRewards(A), chain.distribution.outstandingRewards(B)]).toEqual([
      10n * P,
      10n * P,
    ])
  })

  it('is limited to 2^128 base units a block, so that the sums fit their storage slots', async () => {
    const chain = await chainWith([validator(0, P)])
    chain.next(2n ** 250n)
    expect(chain.distribution.outstandingRewards(A)).toBe(2n ** 128n * P)
    chain.next()
    expect(chain.distribution.outstandingRewards(A)).toBe(2n ** 129n * P)
  })

  it('gives the rewards of a validator without tokens to the community pool', async () => {
    const chain = await chainWith([validator(0, P), validator(1, P)])
    chain.staking.slash(A, { height: chain.number, power: 1n, fraction: P })
    chain.number += 1n
    chain.view.addBalance(MODULE_ACCOUNT.feeCollector, 10n)
    chain.distribution.beginBlock()
    expect(chain.distribution.outstandingRewards(A)).toBe(5n * P)
    expect(chain.distribution.delegationRewards(A, A)).toBe(0n)
    expect(chain.distribution.withdrawDelegationRewards(A, A)).toBe(0n)
    expect([chain.distribution.outstandingRewards(A), chain.distribution.communityPool()]).toEqual([0n, 5n * P])
  })
})

describe('rewards of delegators', () => {
  it('35: are zero when withdrawn a second time in one block', async () => {
    const chain = await chainWith([validator(0, P)])
    chain.next(9n)
    expect([
      chain.distribution.withdrawDelegationRewards(A, A),
      chain.distribution.withdrawDelegationRewards(A, A),
    ]).toEqual([9n, 0n])
    expect(chain.distribution.delegationRewards(A, A)).toBe(0n)
  })

  it('are truncated; the remainder goes to the community pool', async () => {
    const chain = await chainWith([validator(0, (5n * P) / 2n)])
    chain.staking.delegate(D, A, P / 2n)
    chain.next(9n)
    // Three units for each coin.
    expect([chain.distribution.delegationRewards(D, A), chain.distribution.delegationRewards(A, A)]).toEqual([
      (3n * P) / 2n,
      (15n * P) / 2n,
    ])
    expect(chain.gain(D, ({ distribution }) => distribution.withdrawDelegationRewards(D, A))).toBe(1n)
    expect(chain.distribution.communityPool()).toBe(P / 2n)
    expect(chain.gain(A, ({ distribution }) => distribution.withdrawDelegationRewards(A, A))).toBe(7n)
    expect([chain.distribution.communityPool(), chain.distribution.outstandingRewards(A), held(chain)]).toEqual([
      P,
      0n,
      P,
    ])
  })

  it('cannot be withdrawn without a validator and a delegation', async () => {
    const chain = await chainWith([validator(0, P)])
    expect(chain.attempt(({ distribution }) => distribution.withdrawDelegationRewards(D, B))).toBe(
      'no validator distribution info',
    )
    expect(chain.attempt(({ distribution }) => distribution.withdrawDelegationRewards(D, A))).toBe(
      'no delegation distribution info',
    )
    expect(chain.distribution.delegationRewards(D, A)).toBeUndefined()
  })

  it('are withdrawn by every change of shares: undelegating, redelegating, delegating again', async () => {
    const chain = await chainWith([validator(0, 2n * P), validator(1, P)])
    chain.staking.delegate(D, A, 2n * P)
    // Two units for each coin, then three, then two.
    chain.next(10n)
    expect(chain.gain(D, ({ staking }) => staking.undelegate(D, A, P))).toBe(4n)
    const height = chain.number
    chain.next(12n)
    expect(chain.gain(D, ({ staking }) => staking.cancelUnbonding(D, A, P, height))).toBe(3n)
    chain.next(10n)
    expect(chain.gain(D, ({ staking }) => staking.redelegate(D, A, B, P))).toBe(4n)
    expect([chain.distribution.delegationRewards(D, A), chain.distribution.delegationRewards(D, B)]).toEqual([0n, 0n])
    expect(chain.gain(D, ({ staking }) => staking.redelegate(D, A, B, P))).toBe(0n)
    expect([chain.distribution.delegationRewards(D, A), chain.distribution.delegationRewards(D, B)]).toEqual([
      undefined,
      0n,
    ])
  })

  it('end with the delegation, and the starting info is deleted', async () => {
    const chain = await chainWith([validator(0, P)])
    chain.staking.delegate(D, A, P)
    chain.next(8n)
    expect(chain.gain(D, ({ staking }) => staking.undelegate(D, A, P))).toBe(4n)
    expect(chain.distribution.delegationRewards(D, A)).toBeUndefined()
    expect(storage(chain).validatorRewards.at(A).startingInfos.at(D).get()).toEqual({
      previousPeriod: 0n,
      stake: 0n,
      height: 0n,
    })
    expect(chain.distribution.invariants()).toEqual([])
  })

  it('are not reduced by a slash that came before the delegation in the same block', async () => {
    const chain = await chainWith([validator(0, 100n * P)])
    chain.staking.slash(A, { height: chain.number, power: 100n, fraction: P / 2n })
    chain.staking.delegate(D, A, 50n * P)
    expect(chain.distribution.slashEventCount(D, A)).toBe(0)
    chain.next(10n * P)
    expect(chain.distribution.delegationRewards(D, A)).toBe(5n * P * P)
    // The operator's delegation is older than the slash.
    expect([chain.distribution.slashEventCount(A, A), chain.distribution.delegationRewards(A, A)]).toEqual([
      1,
      5n * P * P,
    ])
  })

  it('are reduced by every slash after the delegation began, including one in the same block', async () => {
    const chain = await chainWith([validator(0, 100n * P)])
    chain.staking.delegate(D, A, 100n * P)
    chain.staking.slash(A, { height: chain.number, power: 200n, fraction: P / 2n })
    chain.next(10n * P)
    chain.staking.slash(A, { height: chain.number, power: 100n, fraction: P / 2n })
    chain.next(10n * P)
    expect(chain.distribution.slashEventCount(D, A)).toBe(2)
    expect(chain.distribution.delegationRewards(D, A)).toBe(10n * P * P)
    chain.distribution.withdrawDelegationRewards(D, A)
    expect(chain.distribution.slashEventCount(D, A)).toBe(0)
  })
})

describe('commission of validators', () => {
  it('is withdrawn in whole units; the remainder stays accumulated', async () => {
    const chain = await chainWith([validator(0, P, 25n)])
    chain.next(10n)
    expect(chain.distribution.accumulatedCommission(A)).toBe((5n * P) / 2n)
    expect(chain.gain(A, ({ distribution }) => distribution.withdrawValidatorCommission(A))).toBe(2n)
    expect(chain.distribution.accumulatedCommission(A)).toBe(P / 2n)
    expect(chain.distribution.outstandingRewards(A)).toBe(8n * P)
    chain.next(10n)
    expect(chain.distribution.withdrawValidatorCommission(A)).toBe(3n)
  })

  it('36: cannot be withdrawn when it is zero or less than one unit, or without a validator', async () => {
    const chain = await chainWith([validator(0, P, 25n)])
    const refusal = 'no validator commission to withdraw'
    expect(chain.attempt(({ distribution }) => distribution.withdrawValidatorCommission(A))).toBe(refusal)
    chain.next(3n)
    expect(chain.distribution.accumulatedCommission(A)).toBe((3n * P) / 4n)
    expect(chain.attempt(({ distribution }) => distribution.withdrawValidatorCommission(A))).toBe(refusal)
    expect(chain.attempt(({ distribution }) => distribution.withdrawValidatorCommission(B))).toBe(refusal)
  })
})

describe('the withdraw address', () => {
  it('33: receives rewards and commission; by default it is the delegator’s address', async () => {
    const chain = await chainWith([validator(0, P, 50n)])
    expect(chain.distribution.withdrawAddress(A)).toBe(A)
    chain.distribution.setWithdrawAddress(A, fresh)
    chain.next(10n)
    expect(chain.gain(A, ({ distribution }) => distribution.withdrawDelegationRewards(A, A))).toBe(0n)
    expect(chain.balance(fresh)).toBe(5n)
    chain.distribution.withdrawValidatorCommission(A)
    expect([chain.balance(fresh), chain.distribution.withdrawAddress(A)]).toEqual([10n, fresh])
    chain.distribution.setWithdrawAddress(A, A)
    expect(chain.distribution.withdrawAddress(A)).toBe(A)
  })

  it('33: cannot be a module account, native contract or precompile', async () => {
    const chain = await chainWith([])
    const low = (tail: string) => hexToAddress(`0x${tail.padStart(40, '0')}`)
    const blocked: readonly Address[] = [
      ...Object.values(MODULE_ACCOUNT),
      ...['1', '9', '11', '100', '400', '800', '801', '802', '803', '804', '805', '806', 'a00'].map(low),
    ]
    for (const to of blocked) {
      expect(
        chain.attempt(({ distribution }) => distribution.setWithdrawAddress(D, to)),
        to,
      ).toMatch(/^kest1[a-z0-9]{38} is not allowed to receive external funds: unauthorized$/)
    }
    // From Evmos: evmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd8974jnh is the distribution's account.
    expect(MODULE_ACCOUNT.distribution).toBe('0x93354845030274cd4bf1686abd60ab28ec52e1a7')
    for (const to of ['12', 'ff', '101', '7ff', '807'].map(low)) chain.distribution.setWithdrawAddress(D, to)
    expect(chain.attempt(({ distribution }) => distribution.setWithdrawAddress(D, ZERO_ADDRESS))).toBe(
      `invalid withdraw address: ${ZERO_ADDRESS}`,
    )
  })

  it('cannot be changed when withdrawAddrEnabled is false', async () => {
    const chain = await chainWith([])
    storage(chain).params.update({ withdrawAddrEnabled: false })
    expect(chain.attempt(({ distribution }) => distribution.setWithdrawAddress(D, E))).toBe(
      'set withdraw address disabled',
    )
  })
})

describe('the community pool', () => {
  it('can be funded by any account', async () => {
    const chain = await chainWith([])
    expect(chain.gain(D, ({ distribution }) => distribution.fundCommunityPool(D, 5n))).toBe(-5n)
    expect([chain.distribution.communityPool(), held(chain)]).toEqual([5n * P, 5n * P])
    expect(chain.attempt(({ distribution }) => distribution.fundCommunityPool(D, 10n ** 30n))).toMatch(
      /insufficient funds$/,
    )
    chain.view.setBalance(D, 2n ** 255n)
    expect(chain.attempt(({ distribution }) => distribution.fundCommunityPool(D, 2n ** 254n))).toBe(
      'community pool overflow: invalid request',
    )
  })
})

describe('slash events of a validator', () => {
  it('39: are found by height', async () => {
    const chain = await chainWith([validator(0, 1_000n * P)])
    const slash = () => chain.staking.slash(A, { height: chain.number, power: 100n, fraction: P / 10n })
    for (const blocks of [2, 0, 3]) {
      for (let i = 0; i < blocks; i++) chain.next()
      slash()
    }
    // Slashes at heights 3, 3 and 6; each ends a period, starting with period 2 (the self-delegation ended period 1).
    const heights = (from: bigint, to: bigint) => {
      const found = chain.distribution.slashEvents(A, from, to)
      return Array.from({ length: found.length }, (_, place) => [found.at(place).height, found.at(place).period])
    }
    expect(heights(0n, 10n)).toEqual([
      [3n, 2n],
      [3n, 3n],
      [6n, 4n],
    ])
    expect(heights(3n, 5n)).toEqual([
      [3n, 2n],
      [3n, 3n],
    ])
    expect([heights(4n, 6n), heights(4n, 5n), heights(7n, 9n), heights(0n, 2n)]).toEqual([[[6n, 4n]], [], [], []])
    expect(chain.distribution.slashEvents(A, 3n, 3n).at(0).fraction).toBe(P / 100n)
    expect(chain.distribution.slashEvents(B, 0n, 10n).length).toBe(0)
  })
})

describe('a validator that is removed', () => {
  it('pays its commission to the operator and the rest to the community pool, and deletes its records', async () => {
    const chain = await chainWith([validator(0, 3n * P, 10n), validator(1, P)], { staking: { maxValidators: 1 } })
    chain.staking.slash(A, { height: chain.number, power: 3n, fraction: P / 2n })
    chain.next(7n)
    chain.distribution.setWithdrawAddress(A, fresh)
    const tokens = chain.staking.validator(A)?.tokens ?? 0n
    chain.staking.undelegate(A, A, tokens)
    // 6.3 units for 1.5 coins, paid in whole units for each coin; the commission of 0.7 is less than one unit.
    expect(chain.balance(fresh)).toBe(6n)
    chain.next(0n, 21n * DAY)
    chain.next()
    expect(chain.staking.validator(A)).toBeUndefined()
    expect(held(chain)).toBe(P)
    expect(chain.distribution.communityPool()).toBe(P)
    const { outstandingRewards, accumulatedCommission, currentRewards, slashEvents, historicalRewards } =
      storage(chain).validatorRewards.at(A)
    expect([outstandingRewards.get(), accumulatedCommission.get(), slashEvents.length]).toEqual([0n, 0n, 0])
    expect(currentRewards.get()).toEqual({ period: 0n, rewards: 0n })
    for (let period = 0n; period < 8n; period++) {
      expect(historicalRewards.at(period).get()).toEqual({ cumulativeRewardRatio: 0n, referenceCount: 0n })
    }
    expect(chain.distribution.invariants()).toEqual([])
  })

  it('pays whole units of commission', async () => {
    const chain = await chainWith([validator(0, 3n * P, 50n), validator(1, P)], { staking: { maxValidators: 1 } })
    chain.next(7n)
    chain.staking.undelegate(A, A, 3n * P)
    const before = chain.balance(A)
    chain.next(0n, 21n * DAY)
    chain.next()
    // The tokens, and 3 of 3.5 units.
    expect(chain.balance(A) - before).toBe(3n * P + 3n)
    expect(chain.distribution.communityPool()).toBe(P)
  })
})

describe('inflation', () => {
  it('is distributed with the fees of every block', async () => {
    const chain = await chainWith([validator(0, P)], { inflation: { perBlock: '1000', stakingShare: '0.5333' } })
    const supply = () => chain.modules.bank.supply()
    const before = supply()
    // Block 1 does not allocate fees.
    expect([chain.distribution.outstandingRewards(A), chain.balance(MODULE_ACCOUNT.feeCollector)]).toEqual([0n, 533n])
    chain.next()
    expect(supply() - before).toBe(1_000n)
    expect(chain.distribution.outstandingRewards(A)).toBe(1_066n * P)
    expect(chain.distribution.communityPool()).toBe(934n * P)
    expect(chain.balance(MODULE_ACCOUNT.mint)).toBe(0n)
  })
})

describe('the genesis section of the distribution module', () => {
  const open = async (modules: Record<string, unknown>) => {
    const view = await emptyView()
    const block = { number: 0n, timestamp: 0n, proposer: A }
    initGenesis(view, { ...nativeSpec, modules }, 0n, block)
    return openModules(moduleContext(view, { access: 'read' })).distribution.params()
  }

  it('has a community tax of 2 % by default', async () => {
    const expected = { communityTax: 2n * 10n ** 16n, withdrawAddrEnabled: true }
    expect(await open({})).toEqual(expected)
    expect(await open({ distribution: { params: { communityTax: '0.02' } } })).toEqual(expected)
    expect(await open({ distribution: { params: { communityTax: '1', withdrawAddrEnabled: false } } })).toEqual({
      communityTax: P,
      withdrawAddrEnabled: false,
    })
  })

  it.each([
    [
      { distribution: { params: { communityTax: 0.02 } } },
      'kestrel.modules.distribution.params.communityTax: expected',
    ],
    [
      { distribution: { params: { communityTax: '1.1' } } },
      'kestrel.modules.distribution.params.communityTax: expected',
    ],
    [{ distribution: { pool: 1 } }, 'kestrel.modules.distribution.pool: unknown field'],
    [{ inflation: { perBlock: -1 } }, 'kestrel.modules.inflation.perBlock: expected'],
    [{ inflation: { stakingShare: '2' } }, 'kestrel.modules.inflation.stakingShare: expected'],
  ])('names the invalid field: %j', async (modules, refusal) => {
    await expect(open(modules)).rejects.toThrow(refusal)
  })
})

describe('the invariants of the distribution module', () => {
  const broken = async (breakIt: (chain: Chain) => void) => {
    const chain = await chainWith([validator(0, P, 10n)])
    chain.staking.delegate(D, A, P)
    chain.next(1_000n)
    expect(chain.distribution.invariants()).toEqual([])
    breakIt(chain)
    return chain.distribution.invariants()
  }

  it('report a deficit of the module account, but not coins that were sent to it', async () => {
    expect(await broken((chain) => chain.view.addBalance(MODULE_ACCOUNT.distribution, 5n))).toEqual([])
    expect(await broken((chain) => chain.view.addBalance(MODULE_ACCOUNT.distribution, -5n))).toEqual([
      '995.000000000000000000 held, 1000.000000000000000000 due',
    ])
  })

  it("report outstanding rewards below the sum of the delegations' rewards", async () => {
    expect(
      await broken((chain) =>
        storage(chain)
          .validatorRewards.at(A)
          .outstandingRewards.set(999n * P),
      ),
    ).toEqual([`${A} owes 1000.000000000000000000 of 999.000000000000000000`])
  })

  it('report a starting stake above the tokens of the delegation', async () => {
    const more = await broken((chain) =>
      storage(chain)
        .validatorRewards.at(A)
        .startingInfos.at(D)
        .update({ stake: 2n * P * P }),
    )
    expect(more).toContain(
      `stake of ${D} at ${A} is 2000000000000000000.000000000000000000, worth 1000000000000000000.000000000000000000`,
    )
  })

  it('report wrong reference counts, and delegations without starting info', async () => {
    const stored = (chain: Chain) => storage(chain).validatorRewards.at(A)
    expect(await broken((chain) => stored(chain).historicalRewards.at(2n).update({ referenceCount: 3n }))).toEqual([
      `reference count of period 2 of ${A} is not 2`,
    ])
    expect(await broken((chain) => stored(chain).startingInfos.at(D).clear())).toContain(
      `delegation of ${D} to ${A} has no starting info`,
    )
  })
})
