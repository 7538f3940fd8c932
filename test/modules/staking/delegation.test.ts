// Delegating, undelegating, cancelling an unbonding and redelegating, and the staking hooks that they call.
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { chainWith, DAY, delegator, genesisValidator, operator, P, START } from './support.ts'

const d0 = delegator(0)
const d1 = delegator(1)
const a = operator(0)
const b = operator(1)
const c = operator(2)
const three = () =>
  chainWith([genesisValidator(0, 100n * P), genesisValidator(1, 100n * P), genesisValidator(2, 100n * P)])
const one = () => chainWith([genesisValidator(0, 100n * P)])

describe('delegating', () => {
  it('moves coins to the bonded pool and mints one share for each token', async () => {
    const chain = await one()
    expect(chain.staking.delegate(d0, a, 7n * P)).toBe(7n * P * P)
    expect(chain.staking.delegation(d0, a)).toEqual({ shares: 7n * P * P })
    expect(chain.balance(d0)).toBe(993n * P)
    expect(chain.balance(MODULE_ACCOUNT.bondedPool)).toBe(107n * P)
    expect(chain.staking.validator(a)).toMatchObject({ tokens: 107n * P, shares: 107n * P * P })
    chain.staking.delegate(d0, a, 1n)
    expect(chain.staking.delegationsOf(d0)).toEqual([{ operator: a, shares: (7n * P + 1n) * P }])
    expect(chain.staking.delegationsTo(a)).toEqual([
      { delegator: a, shares: 100n * P * P },
      { delegator: d0, shares: (7n * P + 1n) * P },
    ])
    expect(chain.staking.invariants()).toEqual([])
  })

  it('mints more shares for a token after a slash (V10)', async () => {
    const chain = await one()
    chain.staking.slash(a, { height: 1n, power: 100n, fraction: P / 20n })
    expect(chain.staking.validator(a)).toMatchObject({ tokens: 95n * P, shares: 100n * P * P })
    expect(chain.staking.delegate(d0, a, 19n * P)).toBe(20n * P * P)
    expect(chain.staking.validator(a)).toMatchObject({ tokens: 114n * P, shares: 120n * P * P })
    chain.staking.undelegate(d0, a, (19n * P) / 2n)
    expect(chain.staking.delegation(d0, a)).toEqual({ shares: 10n * P * P })
  })

  it('truncates shares and rounds tokens (V11)', async () => {
    const chain = await chainWith([genesisValidator(0, 3n * P)])
    chain.staking.slash(a, { height: 1n, power: 3n, fraction: P / 100n })
    const shares = chain.staking.delegate(d0, a, P)
    expect(shares).toBe(1_010_101_010_101_010_101_010_101_010_101_010_101n)
    expect(chain.staking.tokensFromShares(a, shares)).toBe(P * P)
  })

  it('refuses invalid delegations and leaves the state unchanged', async () => {
    const chain = await one()
    const before = chain.view.root()
    expect(chain.attempt((staking) => staking.delegate(d0, a, 0n))).toBe('invalid delegation amount: invalid request')
    expect(chain.attempt((staking) => staking.delegate(d0, b, 1n))).toBe('validator does not exist')
    expect(chain.attempt((staking) => staking.delegate(d0, a, 1_001n * P))).toBe(
      'spendable balance 1000000000000000000000akest is smaller than 1001000000000000000000akest: insufficient funds',
    )
    expect(chain.view.root()).toBe(before)
    chain.staking.slash(a, { height: 1n, power: 100n, fraction: P })
    expect(chain.attempt((staking) => staking.delegate(d0, a, 1n))).toBe(
      'cannot delegate to validators with invalid (zero) ex-rate',
    )
    expect(chain.attempt((staking) => staking.undelegate(a, a, 1n))).toBe('insufficient delegation shares')
  })
})

describe('undelegating', () => {
  it('pays out in the first block whose time is 21 days later (V17)', async () => {
    const chain = await one()
    chain.staking.delegate(d0, a, 10n * P)
    expect(chain.staking.undelegate(d0, a, 4n * P)).toBe(1_701_814_400n)
    expect(chain.staking.unbonding(d0, a)).toEqual([
      { id: 1n, creationHeight: 1n, completionTime: 1_701_814_400n, initialBalance: 4n * P, balance: 4n * P },
    ])
    expect(chain.balance(MODULE_ACCOUNT.notBondedPool)).toBe(4n * P)
    chain.next(21n * DAY - 1n)
    chain.next(1n)
    expect(chain.balance(d0)).toBe(990n * P)
    expect(chain.time).toBe(START + 21n * DAY)
    chain.next()
    expect(chain.balance(d0)).toBe(994n * P)
    expect(chain.staking.unbonding(d0, a)).toEqual([])
    expect(chain.staking.unbondingOf(d0)).toEqual([])
    expect(chain.staking.invariants()).toEqual([])
  })

  it('merges entries of one block and allows seven (23)', async () => {
    const chain = await one()
    chain.staking.delegate(d0, a, 100n * P)
    chain.staking.undelegate(d0, a, P)
    chain.staking.undelegate(d0, a, 2n * P)
    expect(chain.staking.unbonding(d0, a).map(({ balance }) => balance)).toEqual([3n * P])
    for (let i = 0; i < 6; i++) {
      chain.next()
      chain.staking.undelegate(d0, a, P)
    }
    chain.next()
    expect(chain.attempt((staking) => staking.undelegate(d0, a, P))).toBe(
      'too many unbonding delegation entries for (delegator, validator) tuple',
    )
    expect(chain.staking.unbonding(d0, a).map(({ id }) => id)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n])
    expect(chain.staking.invariants()).toEqual([])
    chain.next(21n * DAY)
    chain.next()
    expect(chain.balance(d0)).toBe(1_000n * P - 91n * P)
  })

  it('refuses more tokens than delegated, and deletes the delegation with its last share (27)', async () => {
    const chain = await one()
    expect(chain.attempt((staking) => staking.undelegate(d0, b, 1n))).toBe('validator does not exist')
    expect(chain.attempt((staking) => staking.undelegate(d0, a, 1n))).toBe(
      'no delegation for (address, validator) tuple',
    )
    chain.staking.delegate(d0, a, 5n)
    expect(chain.attempt((staking) => staking.undelegate(d0, a, 6n))).toBe('invalid shares amount: invalid request')
    expect(chain.attempt((staking) => staking.undelegate(d0, a, 0n))).toBe('invalid shares amount: invalid request')
    chain.staking.undelegate(d0, a, 5n)
    expect(chain.staking.delegation(d0, a)).toBeUndefined()
    expect(chain.staking.delegationsOf(d0)).toEqual([])
  })

  it('jails a validator whose self-delegation falls below its minimum', async () => {
    const chain = await chainWith([
      genesisValidator(0, 100n * P, { minSelfDelegation: 50n * P }),
      genesisValidator(1, P),
    ])
    chain.staking.undelegate(a, a, 50n * P)
    expect(chain.staking.validator(a)?.jailed).toBe(false)
    chain.staking.undelegate(a, a, 1n)
    expect(chain.staking.validator(a)).toMatchObject({ jailed: true, status: 'bonded' })
    chain.next()
    expect(chain.staking.validator(a)).toMatchObject({ status: 'unbonding', unbondingHeight: 1n })
    expect(chain.staking.bondedValidators()).toEqual([{ operator: b, power: 1n }])
    expect(chain.staking.invariants()).toEqual([])
  })
})

describe('cancelling an unbonding', () => {
  const unbonding = async () => {
    const chain = await one()
    chain.staking.delegate(d0, a, 10n * P)
    chain.staking.undelegate(d0, a, 4n * P)
    chain.next()
    return chain
  }

  it('delegates an entry again, partly or completely (24)', async () => {
    const chain = await unbonding()
    expect(chain.staking.cancelUnbonding(d0, a, P, 1n)).toBe(P * P)
    expect(chain.staking.unbonding(d0, a)).toMatchObject([{ initialBalance: 3n * P, balance: 3n * P }])
    expect(chain.staking.delegation(d0, a)).toEqual({ shares: 7n * P * P })
    expect(chain.balance(d0)).toBe(990n * P)
    expect(chain.staking.invariants()).toEqual([])
    chain.staking.cancelUnbonding(d0, a, 3n * P, 1n)
    expect(chain.staking.unbonding(d0, a)).toEqual([])
    expect(chain.balance(MODULE_ACCOUNT.notBondedPool)).toBe(0n)
    chain.next(21n * DAY)
    chain.next()
    expect(chain.balance(d0)).toBe(990n * P)
    expect(chain.staking.invariants()).toEqual([])
  })

  it('refuses an entry that does not exist', async () => {
    const chain = await unbonding()
    const refusal = (amount: bigint, height: bigint, of = d0) =>
      chain.attempt((staking) => staking.cancelUnbonding(of, a, amount, height))
    expect(refusal(0n, 1n)).toBe('invalid amount: invalid request')
    expect(refusal(1n, 0n)).toBe('invalid height: invalid request')
    expect(refusal(1n, 2n ** 63n)).toBe('invalid height: invalid request')
    expect(refusal(1n, 2n)).toBe('unbonding delegation entry is not found at block height 2: not found')
    expect(refusal(5n * P, 1n)).toBe('amount is greater than the unbonding delegation entry balance: invalid request')
    const names = [toBech32('kest', d1), toBech32('kestvaloper', a)]
    expect(refusal(1n, 1n, d1)).toBe(
      `unbonding delegation with delegator ${names[0]} not found for validator ${names[1]}: not found`,
    )
    chain.staking.jail(a)
    expect(refusal(1n, 1n)).toBe('validator for this address is currently jailed')
  })
})

describe('redelegating', () => {
  it('moves tokens at once and stores an entry for 21 days', async () => {
    const chain = await three()
    chain.staking.delegate(d0, a, 10n * P)
    expect(chain.staking.redelegate(d0, a, b, 4n * P)).toBe(1_701_814_400n)
    expect(chain.staking.redelegation(d0, a, b)).toEqual([
      { id: 1n, creationHeight: 1n, completionTime: 1_701_814_400n, initialBalance: 4n * P, sharesDst: 4n * P * P },
    ])
    expect(chain.staking.delegationsOf(d0)).toEqual([
      { operator: a, shares: 6n * P * P },
      { operator: b, shares: 4n * P * P },
    ])
    expect([...chain.staking.redelegationsOf(d0)]).toEqual([...chain.staking.redelegationsFrom(a)])
    expect([...chain.staking.redelegationsFrom(a)]).toMatchObject([{ delegator: d0, source: a, destination: b }])
    chain.next(21n * DAY)
    chain.next()
    expect(chain.staking.redelegation(d0, a, b)).toEqual([])
    expect([...chain.staking.redelegationsOf(d0), ...chain.staking.redelegationsFrom(a)]).toEqual([])
    expect(chain.staking.invariants()).toEqual([])
  })

  it('refuses a transitive redelegation until the first is complete (25)', async () => {
    const chain = await three()
    chain.staking.delegate(d0, a, 10n * P)
    chain.staking.redelegate(d0, a, b, 4n * P)
    const hop = () => chain.attempt((staking) => staking.redelegate(d0, b, c, P))
    const refusal =
      'redelegation to this validator already in progress; first redelegation to this validator must complete before next redelegation'
    expect(hop()).toBe(refusal)
    // Another delegator may redelegate.
    chain.staking.delegate(d1, b, P)
    expect(chain.attempt((staking) => staking.redelegate(d1, b, c, P))).toBeUndefined()
    chain.next(21n * DAY)
    expect(hop()).toBe(refusal)
    chain.next()
    expect(hop()).toBeUndefined()
  })

  it('allows seven entries and refuses invalid redelegations (26)', async () => {
    const chain = await three()
    chain.staking.delegate(d0, a, 10n * P)
    const refusal = (from: typeof a, to: typeof a, amount: bigint) =>
      chain.attempt((staking) => staking.redelegate(d0, from, to, amount))
    expect(refusal(a, a, 1n)).toBe('cannot redelegate to the same validator')
    expect(refusal(a, operator(9), 1n)).toBe('redelegation destination validator not found')
    expect(refusal(operator(9), a, 1n)).toBe('validator does not exist')
    expect(refusal(b, a, 1n)).toBe('no delegation for (address, validator) tuple')
    expect(refusal(a, b, 11n * P)).toBe('invalid shares amount: invalid request')
    expect(refusal(a, b, 0n)).toBe('invalid shares amount: invalid request')
    for (let i = 0; i < 7; i++) expect(refusal(a, b, P)).toBeUndefined()
    expect(refusal(a, b, P)).toBe('too many redelegation entries for (delegator, src-validator, dst-validator) tuple')
    expect(refusal(a, c, P)).toBeUndefined()
  })

  it('completes with the unbonding of the source validator, and at once if that is unbonded', async () => {
    const chain = await three()
    chain.staking.delegate(d0, a, 10n * P)
    chain.staking.jail(a)
    chain.next(DAY)
    // This is block 2, a day after `a` began to unbond in block 1.
    expect(chain.staking.redelegate(d0, a, b, P)).toBe(START + 21n * DAY)
    expect(chain.staking.redelegation(d0, a, b)).toMatchObject([{ creationHeight: 1n }])
    expect(chain.staking.invariants()).toEqual([])
    // Undelegating always takes the full unbonding time.
    expect(chain.staking.undelegate(d0, a, P)).toBe(START + 22n * DAY)
    chain.next(20n * DAY)
    chain.next()
    expect(chain.staking.validator(a)?.status).toBe('unbonded')
    expect(chain.staking.redelegate(d0, a, b, P)).toBe(chain.time)
    expect(chain.staking.redelegation(d0, a, b)).toEqual([])
    expect(chain.staking.invariants()).toEqual([])
  })
})

describe('the staking hooks', () => {
  it('run before and after every change of shares', async () => {
    const chain = await three()
    chain.staking.delegate(d0, a, 10n)
    chain.staking.undelegate(d0, a, 2n)
    chain.staking.redelegate(d0, a, b, 3n)
    chain.staking.cancelUnbonding(d0, a, 2n, 1n)
    // The last shares: no delegation is left, so there is no hook after it.
    chain.staking.undelegate(d0, a, 7n)
    expect(chain.hookCalls).toEqual([
      ...['before dd0 aa0', 'after dd0 aa0'],
      ...['before dd0 aa0', 'after dd0 aa0'],
      ...['before dd0 aa0', 'after dd0 aa0', 'before dd0 aa1', 'after dd0 aa1'],
      ...['before dd0 aa0', 'after dd0 aa0'],
      'before dd0 aa0',
    ])
  })
})
