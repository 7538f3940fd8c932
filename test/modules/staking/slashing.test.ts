// Slashes of validators, unbonding entries and redelegations in one block.
import { describe, expect, it } from 'vitest'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { chainWith, DAY, delegator, genesisValidator, operator, P } from './support.ts'

const d0 = delegator(0)
const d1 = delegator(1)
const a = operator(0)
const b = operator(1)
const two = () => chainWith([genesisValidator(0, 100n * P), genesisValidator(1, 100n * P)])
const tenth = P / 10n

describe('slashing', () => {
  it('burns the fraction of the power at the infraction height, and first calls the hook with the effective fraction', async () => {
    const chain = await two()
    const supply = chain.bank.supply()
    expect(chain.staking.slash(a, { height: 1n, power: 100n, fraction: P / 20n })).toBe(5n * P)
    expect(chain.hookCalls).toEqual([`slashed aa0 ${P / 20n}`])
    expect(chain.staking.validator(a)).toMatchObject({ tokens: 95n * P, shares: 100n * P * P })
    expect(chain.balance(MODULE_ACCOUNT.bondedPool)).toBe(195n * P)
    expect(chain.bank.supply()).toBe(supply - 5n * P)
    expect(chain.staking.invariants()).toEqual([])
    chain.next()
    expect(chain.staking.bondedValidators()).toEqual([
      { operator: b, power: 100n },
      { operator: a, power: 95n },
    ])
  })

  it('rounds the effective fraction up', async () => {
    const chain = await chainWith([genesisValidator(0, 3n * P)])
    // 1 coin of 3 is 0.333…, rounded up.
    chain.staking.slash(a, { height: 1n, power: 1n, fraction: P })
    expect(chain.hookCalls).toEqual(['slashed aa0 333333333333333334'])
  })

  it('slashes unbonding entries that were created after the infraction', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 40n * P)
    chain.staking.undelegate(d0, a, 10n * P)
    chain.next()
    chain.staking.undelegate(d0, a, 20n * P)
    chain.next()
    // At block 2 the validator had 130 coins; the entry of block 1 was no longer part of its power.
    expect(chain.staking.slash(a, { height: 2n, power: 130n, fraction: tenth })).toBe(11n * P)
    expect(chain.staking.unbonding(d0, a)).toMatchObject([
      { balance: 10n * P },
      { initialBalance: 20n * P, balance: 18n * P },
    ])
    expect(chain.balance(MODULE_ACCOUNT.notBondedPool)).toBe(28n * P)
    expect(chain.staking.validator(a)?.tokens).toBe(99n * P)
    expect(chain.staking.invariants()).toEqual([])
    // A second slash is computed on the entry's initial balance, and its balance stays at least 0.
    chain.staking.slash(a, { height: 2n, power: 0n, fraction: P })
    expect(chain.staking.unbonding(d0, a)).toMatchObject([{ balance: 10n * P }, { balance: 0n }])
    expect(chain.staking.validator(a)?.tokens).toBe(99n * P)
    chain.next(21n * DAY)
    chain.next()
    expect(chain.balance(d0)).toBe(970n * P)
    expect(chain.staking.invariants()).toEqual([])
  })

  it('slashes redelegated tokens by removing shares at the destination', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 50n * P)
    chain.next()
    chain.staking.redelegate(d0, a, b, 50n * P)
    chain.next()
    chain.hookCalls.length = 0
    // A tenth of 150 coins is 15, of which the redelegation owes 5.
    expect(chain.staking.slash(a, { height: 2n, power: 150n, fraction: tenth })).toBe(10n * P)
    expect(chain.staking.validator(b)).toMatchObject({ tokens: 145n * P, shares: 145n * P * P })
    expect(chain.staking.delegation(d0, b)).toEqual({ shares: 45n * P * P })
    expect(chain.hookCalls).toEqual(['before dd0 aa1', 'after dd0 aa1', `slashed aa0 ${tenth}`])
    expect(chain.staking.invariants()).toEqual([])
  })

  it('first burns tokens that are unbonding from the destination', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 50n * P)
    chain.next()
    chain.staking.redelegate(d0, a, b, 50n * P)
    chain.staking.undelegate(d0, b, 2n * P)
    chain.next()
    expect(chain.staking.slash(a, { height: 2n, power: 150n, fraction: tenth })).toBe(10n * P)
    // The entry pays 2 of the 5; the remaining 48 pay 3.
    expect(chain.staking.unbonding(d0, b)).toMatchObject([{ balance: 0n }])
    expect(chain.staking.delegation(d0, b)).toEqual({ shares: 45n * P * P })
    expect(chain.staking.invariants()).toEqual([])
  })

  it('does not slash entries that were created before the infraction or are mature', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 50n * P)
    chain.staking.redelegate(d0, a, b, 50n * P)
    chain.staking.delegate(d1, a, 10n * P)
    chain.staking.undelegate(d1, a, 10n * P)
    chain.next(21n * DAY)
    // Mature, though not completed before the end of this block.
    expect(chain.staking.slash(a, { height: 1n, power: 100n, fraction: tenth })).toBe(10n * P)
    expect(chain.staking.unbonding(d1, a)).toMatchObject([{ balance: 10n * P }])
    expect(chain.staking.delegation(d0, b)).toEqual({ shares: 50n * P * P })
  })

  it('burns at most the tokens of the validator, and refuses invalid slashes', async () => {
    const chain = await two()
    expect(chain.staking.slash(a, { height: 1n, power: 500n, fraction: P })).toBe(100n * P)
    expect(chain.hookCalls).toEqual([`slashed aa0 ${P}`])
    const refusal = (height: bigint, fraction: bigint, of = b) =>
      chain.attempt((staking) => staking.slash(of, { height, power: 1n, fraction }))
    expect(refusal(1n, P + 1n)).toBe('slash fraction must be between 0 and 1: invalid request')
    expect(refusal(2n, P)).toBe('cannot slash for an infraction in the future: invalid request')
    expect(refusal(1n, P, operator(5))).toBe('validator does not exist')
    chain.staking.jail(b)
    chain.next(21n * DAY)
    chain.next()
    expect(refusal(1n, P)).toBe('cannot slash an unbonded validator')
  })

  it('does not unjail a validator whose self-delegation is too small', async () => {
    const chain = await chainWith([genesisValidator(0, 100n * P, { minSelfDelegation: 95n * P })])
    chain.staking.jail(a)
    chain.staking.slash(a, { height: 1n, power: 100n, fraction: tenth })
    expect(chain.attempt((staking) => staking.unjail(a))).toBe(
      "validator's self delegation less than minimum; cannot be unjailed",
    )
    chain.staking.delegate(a, a, 6n * P)
    expect(chain.attempt((staking) => staking.unjail(a))).toBeUndefined()
    chain.staking.undelegate(a, a, 96n * P)
    expect(chain.attempt((staking) => staking.unjail(a))).toBe('validator has no self-delegation; cannot be unjailed')
  })
})
