// Slashes of validators, unbonding entries and redelegations in one block.
import { describe, expect, it } from 'vitest'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { chainWith, DAY, delegator, genesisValidator, operator, P } from './support.ts'

const [d0, d1] = [delegator(0), delegator(1)]
const [a, b] = [operator(0), operator(1)]
const two = () => chainWith([genesisValidator(0, 100n * P), genesisValidator(1, 100n * P)])
const tenth = P / 10n

describe('slashing', () => {
  it('burns the fraction of the power at the infraction height, and calls the hook with the effective fraction before', async () => {
    const chain = await two()
    const supply = chain.bank.supply()
    expect(chain.staking.slash(a, { height: 1n, power: 100n, fraction: P / 20n })).toBe(5n * P)
    expect(chain.told).toEqual([`slashed aa0 ${P / 20n}`])
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
    // 1 coin of 3: 0.333…, up.
    chain.staking.slash(a, { height: 1n, power: 1n, fraction: P })
    expect(chain.told).toEqual(['slashed aa0 333333333333333334'])
  })

  it('slashes unbonding entries that were created after the infraction', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 40n * P)
    chain.staking.undelegate(d0, a, 10n * P)
    chain.next()
    chain.staking.undelegate(d0, a, 20n * P)
    chain.next()
    // At block 2 the validator had 130 coins; the entry of block 1 was no longer behind it.
    expect(chain.staking.slash(a, { height: 2n, power: 130n, fraction: tenth })).toBe(11n * P)
    expect(chain.staking.unbonding(d0, a)).toMatchObject([
      { balance: 10n * P },
      { initialBalance: 20n * P, balance: 18n * P },
    ])
    expect(chain.balance(MODULE_ACCOUNT.notBondedPool)).toBe(28n * P)
    expect(chain.staking.validator(a)?.tokens).toBe(99n * P)
    expect(chain.staking.invariants()).toEqual([])
    // A second slash counts the entry at its first balance, and never below nothing.
    chain.staking.slash(a, { height: 2n, power: 0n, fraction: P })
    expect(chain.staking.unbonding(d0, a)).toMatchObject([{ balance: 10n * P }, { balance: 0n }])
    expect(chain.staking.validator(a)?.tokens).toBe(99n * P)
    chain.next(21n * DAY)
    chain.next()
    expect(chain.balance(d0)).toBe(970n * P)
    expect(chain.staking.invariants()).toEqual([])
  })

  it('slashes redelegated tokens: shares of the destination are removed', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 50n * P)
    chain.next()
    chain.staking.redelegate(d0, a, b, 50n * P)
    chain.next()
    chain.told.length = 0
    // 150 coins at block 2; 5 of the 15 are owed by what has moved.
    expect(chain.staking.slash(a, { height: 2n, power: 150n, fraction: tenth })).toBe(10n * P)
    expect(chain.staking.validator(b)).toMatchObject({ tokens: 145n * P, shares: 145n * P * P })
    expect(chain.staking.delegation(d0, b)).toEqual({ shares: 45n * P * P })
    expect(chain.told).toEqual(['before dd0 aa1', 'after dd0 aa1', `slashed aa0 ${tenth}`])
    expect(chain.staking.invariants()).toEqual([])
  })

  it('burns first tokens that are unbonding from the destination', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 50n * P)
    chain.next()
    chain.staking.redelegate(d0, a, b, 50n * P)
    chain.staking.undelegate(d0, b, 2n * P)
    chain.next()
    expect(chain.staking.slash(a, { height: 2n, power: 150n, fraction: tenth })).toBe(10n * P)
    // 2 of the 5 out of the entry, 3 out of the 48 that are left.
    expect(chain.staking.unbonding(d0, b)).toMatchObject([{ balance: 0n }])
    expect(chain.staking.delegation(d0, b)).toEqual({ shares: 45n * P * P })
    expect(chain.staking.invariants()).toEqual([])
  })

  it('does not slash entries that were created before the infraction or are complete', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 50n * P)
    chain.staking.redelegate(d0, a, b, 50n * P)
    chain.staking.delegate(d1, a, 10n * P)
    chain.staking.undelegate(d1, a, 10n * P)
    chain.next(21n * DAY)
    // Due, though not paid out before this block ends.
    expect(chain.staking.slash(a, { height: 1n, power: 100n, fraction: tenth })).toBe(10n * P)
    expect(chain.staking.unbonding(d1, a)).toMatchObject([{ balance: 10n * P }])
    expect(chain.staking.delegation(d0, b)).toEqual({ shares: 50n * P * P })
  })

  it('burns at most the tokens of the validator, and refuses invalid slashes', async () => {
    const chain = await two()
    expect(chain.staking.slash(a, { height: 1n, power: 500n, fraction: P })).toBe(100n * P)
    expect(chain.told).toEqual([`slashed aa0 ${P}`])
    const why = (height: bigint, fraction: bigint, of = b) =>
      chain.attempt((staking) => staking.slash(of, { height, power: 1n, fraction }))
    expect(why(1n, P + 1n)).toBe('slash fraction must be between 0 and 1: invalid request')
    expect(why(2n, P)).toBe('cannot slash for an infraction in the future: invalid request')
    expect(why(1n, P, operator(5))).toBe('validator does not exist')
    chain.staking.jail(b)
    chain.next(21n * DAY)
    chain.next()
    expect(why(1n, P)).toBe('cannot slash an unbonded validator')
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
