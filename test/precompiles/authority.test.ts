// The authority matrix: who may act for whom, by caller, origin, owner and grant. Error texts are those of Evmos' precompiles.
import { getAddress } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { UNLIMITED } from '../../src/modules/authz/authz.ts'
import { MESSAGE } from '../../src/modules/authz/messages.ts'
import { type Modules, openModules } from '../../src/modules/index.ts'
import {
  type Act,
  authorize,
  authorizeTransfer,
  granterOf,
  requireDirect,
  requireOwner,
  requireOwnerOrSigner,
} from '../../src/precompiles/authority.ts'
import type { ReadCall } from '../../src/precompiles/define.ts'
import { alice, bob, emptyView, moduleContext, nativeSpec } from '../support/native.ts'

const contract = hexToAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const listed = hexToAddress('0x1111111111111111111111111111111111111111')
const unlisted = hexToAddress('0x2222222222222222222222222222222222222222')

let modules: Modules
let gas: bigint
beforeEach(async () => {
  modules = openModules(moduleContext(await emptyView()))
  modules.authz.initGenesis(undefined)
  gas = 0n
})

const call = (caller: ReadCall['caller'], origin = alice): ReadCall => ({
  caller,
  origin,
  value: 0n,
  block: { number: 1n, timestamp: 1_700_000_000n, proposer: bob },
  spec: nativeSpec,
  modules,
  codeOf: () => new Uint8Array(0),
  charge: (more) => {
    gas += more
  },
})
const staking = (amount: bigint, validator = listed): Act => ({ message: MESSAGE.delegate, amount, validator })
const reward: Act = { message: MESSAGE.withdrawReward }
const missing = (message: string) =>
  `authorization to ${message} for address ${getAddress(contract)} does not exist or is expired`

describe('a call for the caller itself', () => {
  it.each([
    ['an account', alice],
    ['a contract', contract],
  ])('%s needs no grant and pays no gas for the check', (_, owner) => {
    for (const act of [staking(5n), reward]) expect(authorize(call(owner), owner, act, () => 'done')).toBe('done')
    authorizeTransfer(call(owner), owner, transfer())
    requireOwner(call(owner), owner, 'spender')
    expect(gas).toBe(0n)
  })
})

describe('a contract acting for the account that signed', () => {
  it('needs a grant of exactly this message', () => {
    const perform = vi.fn()
    modules.authz.approve(alice, contract, MESSAGE.undelegate, UNLIMITED, [listed])
    modules.authz.approve(alice, contract, MESSAGE.setWithdrawAddress, UNLIMITED, [])
    modules.authz.approve(bob, contract, MESSAGE.delegate, UNLIMITED, [listed])
    expect(() => authorize(call(contract), alice, staking(5n), perform)).toThrow(missing(MESSAGE.delegate))
    expect(() => authorize(call(contract), alice, reward, perform)).toThrow(missing(MESSAGE.withdrawReward))
    expect(perform).not.toHaveBeenCalled()
  })

  it('reduces a stake grant, for 6,000 gas and 30 for each listed validator', () => {
    modules.authz.approve(alice, contract, MESSAGE.delegate, 5n, [listed, bob])
    expect(authorize(call(contract), alice, staking(2n), () => 'done')).toBe('done')
    expect(gas).toBe(6_060n)
    expect(modules.authz.allowance(alice, contract, MESSAGE.delegate)).toBe(3n)
    const perform = vi.fn()
    expect(() => authorize(call(contract), alice, staking(4n), perform)).toThrow(
      'amount 4 greater than allowed limit 3',
    )
    expect(perform).not.toHaveBeenCalled()
  })

  it('does not reduce a generic grant', () => {
    modules.authz.approve(alice, contract, MESSAGE.withdrawReward, 1n, [])
    for (let i = 0; i < 2; i++) expect(authorize(call(contract), alice, reward, () => 'done')).toBe('done')
    expect(gas).toBe(12_000n)
  })

  it('fails for an unlisted validator only after the checks of the action itself', () => {
    modules.authz.approve(alice, contract, MESSAGE.delegate, 5n, [listed])
    const act = staking(1n, unlisted)
    const fail = () => {
      throw new Error('validator does not exist')
    }
    expect(() => authorize(call(contract), alice, act, fail)).toThrow('validator does not exist')
    expect(() => authorize(call(contract), alice, act, () => 'done')).toThrow(
      /^cannot delegate\/undelegate to kestvaloper1\w+ validator: unauthorized$/,
    )
  })

  it('reduces a transfer grant', () => {
    expect(() => authorizeTransfer(call(contract), alice, transfer())).toThrow(
      `authorization to ${getAddress(contract)} for address ${getAddress(alice)} does not exist or is expired`,
    )
    const spendLimit = [{ denom: 'akest', amount: 5n }]
    modules.authz.grantTransfer(alice, contract, [{ ...CHANNEL, spendLimit, allowList: [], allowedPacketData: [] }])
    gas = 0n
    authorizeTransfer(call(contract), alice, transfer())
    expect(gas).toBe(6_000n)
    expect(modules.authz.allowance(alice, contract, MESSAGE.transfer)).toBe(4n)
  })

  it('is refused for actions that cannot be granted', () => {
    expect(() => requireOwner(call(contract), alice, 'spender')).toThrow('not from a smart contract')
  })
})

describe('a call for a third account', () => {
  const stranger = getAddress(bob)
  const owner = getAddress(alice)

  it.each([
    ['delegate', `origin address ${stranger} is not the same as delegator address ${owner}`],
    ['undelegate', `origin address ${stranger} is not the same as delegator address ${owner}`],
    ['redelegate', `origin address ${stranger} is not the same as delegator address ${owner}`],
    ['cancelUnbonding', `origin address ${stranger} is not the same as delegator address ${owner}`],
  ] as const)('12: is refused %s, with a grant and without', (name, why) => {
    const act: Act = { message: MESSAGE[name], amount: 1n, validator: listed }
    modules.authz.approve(alice, contract, act.message, UNLIMITED, [listed])
    modules.authz.approve(alice, bob, act.message, UNLIMITED, [listed])
    expect(() => authorize(call(contract, bob), alice, act, () => 'done')).toThrow(why)
    expect(() => authorize(call(bob, bob), alice, act, () => 'done')).toThrow(why)
  })

  it.each([
    ['setWithdrawAddress', `tx origin address ${stranger} does not match the delegator address ${owner}`],
    ['withdrawReward', `tx origin address ${stranger} does not match the delegator address ${owner}`],
    ['withdrawCommission', `tx origin address ${stranger} does not match the delegator address ${owner}`],
    ['fundVesting', `tx origin address ${stranger} does not match the from address ${owner}`],
    ['clawback', `tx origin address ${stranger} does not match the funder address ${owner}`],
    ['updateVestingFunder', `tx origin address ${stranger} does not match the funder address ${owner}`],
  ] as const)('is refused %s, with a grant and without', (name, why) => {
    const act: Act = { message: MESSAGE[name] }
    modules.authz.approve(alice, contract, act.message, 1n, [])
    expect(() => authorize(call(contract, bob), alice, act, () => 'done')).toThrow(why)
    expect(() => authorize(call(bob, bob), alice, act, () => 'done')).toThrow(why)
  })

  it('is refused for transfers, and for actions that cannot be granted', () => {
    expect(() => authorizeTransfer(call(contract, bob), alice, transfer())).toThrow(
      `origin address ${stranger} is not the same as sender address ${owner}`,
    )
    expect(() => requireOwner(call(contract, bob), alice, 'spender')).toThrow(
      `tx origin address ${stranger} does not match the spender address ${owner}`,
    )
  })
})

describe('a direct call', () => {
  it('is a call that the transaction itself makes', () => {
    requireDirect(call(alice))
    expect(() => requireDirect(call(contract))).toThrow(
      'this method can only be called directly to the precompile, not from a smart contract',
    )
  })
})

describe('the granter', () => {
  it('is the caller, or the origin on chains with that rule', () => {
    expect(granterOf(call(contract))).toBe(contract)
    expect(granterOf({ ...call(contract), spec: { ...nativeSpec, authz: { granter: 'origin' } } })).toBe(alice)
  })
})

const CHANNEL = { sourcePort: 'transfer', sourceChannel: 'channel-0' }
const transfer = () => ({ ...CHANNEL, denom: 'akest', amount: 1n, receiver: 'somebody', memo: '' })

describe('an action that accounts may take for themselves only', () => {
  const onEvmos = { ...nativeSpec, authz: { granter: 'origin' } } as const

  it('is refused for a contract that the account calls', () => {
    requireOwnerOrSigner(call(alice), alice, 'from')
    requireOwnerOrSigner(call(contract, alice), contract, 'from')
    expect(() => requireOwnerOrSigner(call(contract, alice), alice, 'from')).toThrow('can only be called directly')
    expect(() => requireOwnerOrSigner(call(contract, bob), alice, 'from')).toThrow('does not match the from address')
  })

  it('is allowed through any contract when the signer has granted it', () => {
    requireOwnerOrSigner({ ...call(contract, alice), spec: onEvmos }, alice, 'from')
    expect(() => requireOwnerOrSigner({ ...call(alice, bob), spec: onEvmos }, alice, 'from')).toThrow('does not match')
  })
})

describe('on a chain without grants of distribution messages', () => {
  const spec = { ...nativeSpec, compat: { ...nativeSpec.compat, distributionGrants: false } }

  it('a contract may claim rewards of the signer only', () => {
    expect(authorize({ ...call(contract), spec }, alice, reward, () => 'done')).toBe('done')
    expect(() => authorize({ ...call(contract, bob), spec }, alice, reward, () => 'done')).toThrow('does not match')
    expect(() => authorize({ ...call(contract), spec }, alice, staking(1n), () => 'done')).toThrow(
      missing(MESSAGE.delegate),
    )
  })
})
