// Genesis validators, the bonded set, and the messages of operators.
import { ed25519 } from '@noble/curves/ed25519.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { fromHex, hexToHash } from '../../../src/lib/hex.ts'
import { DEFAULT_PARAMS, readStakingGenesis } from '../../../src/modules/staking/genesis.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { chainWith, DAY, delegator, genesisValidator, operator, P, START } from './support.ts'

const d0 = delegator(0)
const a = operator(0)
const b = operator(1)
const c = operator(2)
const key = (byte: string) => hexToHash(`0x${byte.repeat(32)}`)
const description = (moniker: string) => ({ moniker, identity: '', website: '', securityContact: '', details: '' })

describe('genesis validators', () => {
  it('bonds the strongest validators; the operators pay the self-delegations', async () => {
    const validators = [1n, 3n, 2n, 3n].map((coins, i) => genesisValidator(i, coins * P))
    const chain = await chainWith(validators, { params: { maxValidators: 3 } })
    expect(chain.staking.bondedValidators()).toEqual([
      { operator: operator(1), power: 3n },
      { operator: operator(3), power: 3n },
      { operator: operator(2), power: 2n },
    ])
    expect(chain.staking.validators().map(({ status }) => status)).toEqual(['unbonded', 'bonded', 'bonded', 'bonded'])
    expect(chain.balance(operator(1))).toBe(3n * P)
    expect([chain.balance(MODULE_ACCOUNT.bondedPool), chain.balance(MODULE_ACCOUNT.notBondedPool)]).toEqual([8n * P, P])
    expect(chain.staking.totalBonded()).toBe(8n * P)
    expect(chain.staking.validator(a)).toMatchObject({
      jailed: false,
      tokens: P,
      shares: P * P,
      unbondingHeight: 0n,
      unbondingTime: 0n,
      commission: { rate: P / 10n, maxRate: P / 5n, maxChangeRate: P / 100n, updateTime: START },
      description: description('validator 0'),
    })
    expect(chain.staking.invariants()).toEqual([])
  })

  it('takes parameters and delegations from the genesis section', async () => {
    const chain = await chainWith([genesisValidator(0, P)], {
      params: { unbondingTime: 60, minCommissionRate: '0.05' },
      delegations: [{ delegator: d0, validator: a, amount: '5' }],
    })
    expect(chain.staking.params()).toEqual({ ...DEFAULT_PARAMS, unbondingTime: 60n, minCommissionRate: P / 20n })
    expect(chain.staking.delegation(d0, a)).toEqual({ shares: 5n * P })
    expect(DEFAULT_PARAMS).toMatchObject({ unbondingTime: 1_814_400n, maxValidators: 100n, maxEntries: 7n })
  })

  it('refuses an invalid field and names it', async () => {
    const problem = (json: unknown) => {
      try {
        return readStakingGenesis([], json) && undefined
      } catch (error) {
        return String(error)
      }
    }
    const name = 'ChainError: kestrel.modules.staking'
    expect(problem({ params: { unbondingTime: 0 } })).toBe(
      `${name}.params.unbondingTime: expected a whole number from 1 to 864000000`,
    )
    expect(problem({ params: { maxEntries: 'x' } })).toBe(
      `${name}.params.maxEntries: expected a whole number from 1 to 100`,
    )
    expect(problem({ params: { minCommissionRate: '1.5' } })).toMatch(
      /params.minCommissionRate: expected a decimal string/,
    )
    expect(problem({ nonsense: 1 })).toBe(`${name}.nonsense: unknown field`)
    expect(problem({ delegations: [{ delegator: '0x1', validator: a, amount: 1 }] })).toBe(
      `${name}.delegations.0.delegator: expected an address of 20 bytes of hex`,
    )
    expect(problem([])).toMatch(/^ChainError: kestrel.modules.staking: /)
    await expect(chainWith([genesisValidator(0, 0n)])).rejects.toThrow(
      'kestrel.validators.0.selfDelegation: invalid delegation amount',
    )
    const stranger = { delegator: a, validator: b, amount: 1 }
    await expect(chainWith([genesisValidator(0, P)], { delegations: [stranger] })).rejects.toThrow(
      'kestrel.modules.staking.delegations.0: validator does not exist',
    )
  })

  it('derives a consensus key when none is given', async () => {
    const chain = await chainWith([genesisValidator(0, P), genesisValidator(1, P, { consensusKey: key('77') })])
    const derived = ed25519.getPublicKey(keccak_256(fromHex(a)))
    expect(chain.staking.validator(a)?.consensusKey).toBe(`0x${Buffer.from(derived).toString('hex')}`)
    expect(chain.staking.validator(b)?.consensusKey).toBe(key('77'))
  })
})

describe('the bonded set', () => {
  const two = (json?: unknown) =>
    chainWith([genesisValidator(0, 10n * P), genesisValidator(1, 20n * P), genesisValidator(2, 15n * P)], {
      params: { maxValidators: 2 },
      ...(json as object),
    })

  it('changes at the end of a block, by power', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 6n * P)
    expect(chain.staking.validator(a)?.status).toBe('unbonded')
    expect(chain.balance(MODULE_ACCOUNT.notBondedPool)).toBe(16n * P)
    chain.next()
    expect(chain.staking.bondedValidators()).toEqual([
      { operator: b, power: 20n },
      { operator: a, power: 16n },
    ])
    expect(chain.staking.validator(c)).toMatchObject({
      status: 'unbonding',
      unbondingHeight: 1n,
      unbondingTime: START + 21n * DAY,
    })
    expect(chain.balance(MODULE_ACCOUNT.bondedPool)).toBe(36n * P)
    expect(chain.balance(MODULE_ACCOUNT.notBondedPool)).toBe(15n * P)
    expect(chain.staking.invariants()).toEqual([])
  })

  it('orders validators of equal power by operator', async () => {
    const chain = await two()
    chain.staking.delegate(d0, a, 5n * P)
    chain.next()
    // a and c have 15 each; c was bonded, but a's address is lower.
    expect(chain.staking.bondedValidators().map((of) => of.operator)).toEqual([b, a])
  })

  it('bonds an unbonding validator again, and completes an unbonding only at its time', async () => {
    const chain = await two()
    chain.staking.jail(b)
    chain.next(DAY)
    expect(chain.staking.validator(b)?.status).toBe('unbonding')
    chain.staking.unjail(b)
    chain.next(19n * DAY)
    expect(chain.staking.validator(b)?.status).toBe('bonded')
    chain.staking.jail(b)
    chain.next(2n * DAY)
    // The first unbonding would be complete now.
    chain.next()
    expect(chain.staking.validator(b)?.status).toBe('unbonding')
    chain.next(21n * DAY)
    chain.next()
    expect(chain.staking.validator(b)).toMatchObject({ status: 'unbonded', tokens: 20n * P })
    expect(chain.staking.invariants()).toEqual([])
  })

  it('unbonds a validator without power and removes it when the unbonding is complete', async () => {
    const chain = await two()
    chain.staking.undelegate(b, b, 20n * P)
    chain.next()
    expect(chain.staking.bondedValidators().map((of) => of.operator)).toEqual([c, a])
    expect(chain.staking.validator(b)).toMatchObject({ status: 'unbonding', tokens: 0n, shares: 0n })
    chain.hookCalls.length = 0
    chain.next(21n * DAY)
    chain.next()
    expect(chain.staking.validator(b)).toBeUndefined()
    expect(chain.staking.operators()).toEqual([a, c])
    expect(chain.hookCalls).toEqual(['removed aa1'])
    expect(chain.balance(b)).toBe(40n * P)
    expect(chain.staking.invariants()).toEqual([])
  })

  it('removes an unbonded validator at once when its last share is removed', async () => {
    const chain = await two()
    chain.staking.undelegate(a, a, 10n * P)
    expect(chain.staking.validator(a)).toBeUndefined()
    expect(chain.staking.unbonding(a, a)).toHaveLength(1)
    expect(chain.hookCalls).toEqual(['before aa0 aa0', 'removed aa0'])
    chain.next(21n * DAY)
    chain.next()
    expect(chain.balance(a)).toBe(20n * P)
    expect(chain.staking.invariants()).toEqual([])
  })

  it('excludes jailed validators until they are unjailed', async () => {
    const chain = await two()
    chain.staking.jail(b, START + 600n)
    expect(chain.attempt((staking) => staking.jail(b))).toBe('validator is already jailed')
    chain.next()
    expect(chain.staking.bondedValidators().map((of) => of.operator)).toEqual([c, a])
    expect(chain.attempt((staking) => staking.unjail(b))).toBe('validator still jailed; cannot be unjailed')
    expect(chain.attempt((staking) => staking.unjail(a))).toBe('validator not jailed; cannot be unjailed')
    // A jailed validator still accepts delegations.
    chain.staking.delegate(d0, b, P)
    chain.next(600n)
    chain.staking.unjail(b)
    chain.next()
    expect(chain.staking.bondedValidators()).toEqual([
      { operator: b, power: 21n },
      { operator: c, power: 15n },
    ])
    expect(chain.staking.invariants()).toEqual([])
  })
})

describe('validator operators', () => {
  const of = (change: object = {}) => ({
    operator: d0,
    consensusKey: key('11'),
    description: description('new'),
    commission: { rate: P / 10n, maxRate: P / 2n, maxChangeRate: P / 20n },
    minSelfDelegation: P,
    value: 50n * P,
    ...change,
  })

  it('create validators, which are bonded at the end of the block', async () => {
    const chain = await chainWith([genesisValidator(0, P)])
    chain.staking.createValidator(of())
    expect(chain.hookCalls).toEqual(['created dd0', 'before dd0 dd0', 'after dd0 dd0'])
    expect(chain.staking.validator(d0)).toMatchObject({ status: 'unbonded', tokens: 50n * P, consensusKey: key('11') })
    expect(chain.balance(d0)).toBe(950n * P)
    chain.next()
    expect(chain.staking.bondedValidators().map(({ operator }) => operator)).toEqual([d0, a])
    expect(chain.staking.invariants()).toEqual([])
    const other = { operator: delegator(1), consensusKey: key('22') }
    const refusal = (change: object) => chain.attempt((staking) => staking.createValidator(of({ ...other, ...change })))
    expect(refusal({ operator: a })).toBe(
      'validator already exist for this operator address; must use new validator operator address',
    )
    expect(refusal({ consensusKey: key('11') })).toBe(
      'validator already exist for this pubkey; must use new validator pubkey',
    )
    expect(refusal({ minSelfDelegation: 0n })).toBe(
      'minimum self delegation must be a positive integer: invalid request',
    )
    expect(refusal({ value: P - 1n })).toBe(
      "validator's self delegation must be greater than their minimum self delegation",
    )
    expect(refusal({ value: 0n })).toBe('invalid delegation amount: invalid request')
    const rates = (rate: bigint, maxRate: bigint, maxChangeRate: bigint) => ({
      commission: { rate, maxRate, maxChangeRate },
    })
    expect(refusal(rates(P, P + 1n, 0n))).toBe('commission cannot be more than 100%')
    expect(refusal(rates(2n, 1n, 1n))).toBe('commission cannot be more than the max rate')
    expect(refusal(rates(1n, 1n, 2n))).toBe('commission change rate cannot be more than the max rate')
    expect(refusal({ description: description('') })).toBe('empty moniker: invalid request')
    // 24 characters of three bytes each.
    expect(refusal({ description: description('文'.repeat(24)) })).toBe(
      'invalid moniker length; got: 72, max: 70: invalid request',
    )
    expect(refusal({ value: 1_001n * P })).toMatch(/: insufficient funds$/)
    expect(refusal({})).toBeUndefined()
  })

  it('cannot set a commission below the minimum of the chain', async () => {
    const chain = await chainWith([], { params: { minCommissionRate: '0.05' } })
    const commission = { rate: P / 100n, maxRate: P, maxChangeRate: P }
    expect(chain.attempt((staking) => staking.createValidator(of({ commission })))).toBe(
      'cannot set validator commission to less than minimum rate of 0.050000000000000000: commission cannot be less than min rate',
    )
  })

  it('edit their validators within the limits', async () => {
    const chain = await chainWith([genesisValidator(0, 10n * P)])
    const same = '[do-not-modify]'
    const keep = { ...description(same), identity: same, website: same, securityContact: same, details: 'told' }
    const edit = (change: object) =>
      chain.attempt((staking) =>
        staking.editValidator(a, {
          description: keep,
          commissionRate: undefined,
          minSelfDelegation: undefined,
          ...change,
        }),
      )
    expect(edit({})).toBeUndefined()
    expect(chain.staking.validator(a)?.description).toEqual({ ...description('validator 0'), details: 'told' })
    expect(edit({ commissionRate: P / 10n })).toBe('commission cannot be changed more than once in 24h')
    chain.next(DAY)
    expect(edit({ commissionRate: P / 10n + P / 100n + 1n })).toBe(
      'commission cannot be changed more than max change rate',
    )
    expect(edit({ commissionRate: P / 5n + 1n })).toBe('commission cannot be more than the max rate')
    expect(edit({ commissionRate: P + 1n })).toBe(
      'commission rate must be between 0 and 1 (inclusive): invalid request',
    )
    expect(edit({ commissionRate: P / 10n + P / 100n, minSelfDelegation: 2n })).toBeUndefined()
    expect(chain.staking.validator(a)).toMatchObject({
      commission: { rate: 11n * 10n ** 16n, maxRate: P / 5n, updateTime: START + DAY },
      minSelfDelegation: 2n,
    })
    expect(edit({ minSelfDelegation: 2n })).toBe('minimum self delegation cannot be decrease')
    expect(edit({ minSelfDelegation: 10n * P + 1n })).toBe(
      "validator's self delegation must be greater than their minimum self delegation",
    )
    expect(
      chain.attempt((staking) =>
        staking.editValidator(b, { description: keep, commissionRate: undefined, minSelfDelegation: undefined }),
      ),
    ).toBe('validator does not exist')
  })
})
