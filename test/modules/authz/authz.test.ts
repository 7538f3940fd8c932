// The authz module without an EVM: granting, using, changing, revoking and expiry. Error texts and numbers are those of Evmos'
// precompiles; V16 is the specification's worked example of an allowance.
import fc from 'fast-check'
import { getAddress, keccak256, numberToHex, pad } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { ChainError } from '../../../src/lib/errors.ts'
import { hexToAddress } from '../../../src/lib/hex.ts'
import { Authz, UNLIMITED } from '../../../src/modules/authz/authz.ts'
import { MESSAGE, messageNamed } from '../../../src/modules/authz/messages.ts'
import type { ModuleContext } from '../../../src/modules/module.ts'
import type { StateView } from '../../../src/state/types.ts'
import { alice, bob, emptyView, moduleContext, nativeSpec } from '../../support/native.ts'

const ONE = 10n ** 18n
const NOW = 1_700_000_000n
const YEAR = 31_536_000n
const [first, second, third] = [1, 2, 3].map((n) => hexToAddress(`0x${String(n).repeat(40)}`)) as [
  typeof alice,
  typeof alice,
  typeof alice,
]
const validators = [first, second]
const { delegate, undelegate, redelegate, withdrawReward, clawback } = MESSAGE

let view: StateView
const at = (timestamp: bigint, change: Partial<ModuleContext> = {}) =>
  new Authz(moduleContext(view, { block: { number: 1n, timestamp, proposer: alice }, ...change }), {
    openValidators: () => validators,
    channels: () => [],
  })
let authz: Authz
beforeEach(async () => {
  view = await emptyView()
  authz = at(NOW)
  authz.initGenesis(undefined)
})

const missing = (message: string) =>
  `authorization to ${message} for address ${getAddress(bob)} does not exist or is expired`
/** Uses a stake grant as a contract would. */
const use = (amount: bigint, validator = first) => {
  authz.requireStake(alice, bob, delegate, amount)
  authz.spendStake(alice, bob, delegate, amount, validator)
}

describe('message names of grants', () => {
  it('are the constants of the published interfaces, which are type URLs', () => {
    const names = {
      MSG_DELEGATE: '/cosmos.staking.v1beta1.MsgDelegate',
      MSG_UNDELEGATE: '/cosmos.staking.v1beta1.MsgUndelegate',
      MSG_REDELEGATE: '/cosmos.staking.v1beta1.MsgBeginRedelegate',
      MSG_CANCEL_UNDELEGATION: '/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation',
      MSG_SET_WITHDRAWER_ADDRESS: '/cosmos.distribution.v1beta1.MsgSetWithdrawAddress',
      MSG_WITHDRAW_DELEGATOR_REWARD: '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
      MSG_WITHDRAW_VALIDATOR_COMMISSION: '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission',
      MSG_FUND_VESTING_ACCOUNT: '/evmos.vesting.v2.MsgFundVestingAccount',
      MSG_CLAWBACK: '/evmos.vesting.v2.MsgClawback',
      MSG_TRANSFER: '/ibc.applications.transfer.v1.MsgTransfer',
      MSG_UPDATE_VESTING_FUNDER: '/evmos.vesting.v2.MsgUpdateVestingFunder',
    }
    for (const [name, url] of Object.entries(names)) {
      expect([messageNamed(name), messageNamed(url)]).toEqual([url, url])
    }
    expect(messageNamed('MSG_CANCEL_UNBONDING_DELEGATION')).toBe(names.MSG_CANCEL_UNDELEGATION)
  })

  it('are case-sensitive; any other text is refused', () => {
    for (const name of ['msg_delegate', '', ' MSG_DELEGATE', 'cosmos.staking.v1beta1.MsgDelegate', 'constructor']) {
      expect(messageNamed(name)).toBeUndefined()
    }
  })
})

describe('a stake grant', () => {
  it('V16: decreases with each use and is removed when used up', () => {
    authz.approve(alice, bob, delegate, ONE, validators)
    use(4n * 10n ** 17n)
    expect(authz.allowance(alice, bob, delegate)).toBe(6n * 10n ** 17n)
    expect(() => use(7n * 10n ** 17n)).toThrow(
      'amount 700000000000000000 greater than allowed limit 600000000000000000',
    )
    use(6n * 10n ** 17n)
    expect(authz.allowance(alice, bob, delegate)).toBe(0n)
    expect(() => use(1n)).toThrow(missing(delegate))
  })

  it('without a limit is not changed by use', () => {
    authz.approve(alice, bob, delegate, UNLIMITED, validators)
    use(UNLIMITED)
    use(ONE)
    expect(authz.allowance(alice, bob, delegate)).toBe(2n ** 256n - 1n)
  })

  it('is stored per granter, grantee and message', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    expect(authz.allowance(bob, alice, delegate)).toBe(0n)
    expect(authz.allowance(alice, bob, undelegate)).toBe(0n)
    expect(() => authz.requireStake(alice, bob, undelegate, 1n)).toThrow(missing(undelegate))
    expect(() => authz.requireStake(bob, alice, delegate, 1n)).toThrow('does not exist or is expired')
  })

  it('lists the validators that it was granted for', () => {
    authz.approve(alice, bob, delegate, 5n, [first, second])
    expect(authz.requireStake(alice, bob, delegate, 1n)).toBe(2)
    use(1n, second)
    const operator = toBech32('kestvaloper', third)
    expect(() => use(1n, third)).toThrow(`cannot delegate/undelegate to ${operator} validator: unauthorized`)
    expect(authz.allowance(alice, bob, delegate)).toBe(4n)
  })

  it('is refused without a validator', () => {
    expect(() => authz.approve(alice, bob, delegate, 5n, [])).toThrow('both allowed & deny list cannot be empty')
    authz.approve(alice, bob, withdrawReward, 5n, [])
    expect(authz.allowance(alice, bob, withdrawReward)).toBe(UNLIMITED)
  })

  it('is replaced by the next one, including its validators', () => {
    authz.approve(alice, bob, delegate, UNLIMITED, [first, second])
    authz.approve(alice, bob, delegate, 7n, [third])
    expect(authz.allowance(alice, bob, delegate)).toBe(7n)
    expect(authz.requireStake(alice, bob, delegate, 7n)).toBe(1)
    expect(() => use(1n, first)).toThrow('unauthorized')
  })

  it('may have the same account as granter and grantee', () => {
    authz.approve(alice, alice, delegate, 7n, validators)
    expect(authz.allowance(alice, alice, delegate)).toBe(7n)
  })
})

describe('revoking a stake grant', () => {
  it('removes the grant, and fails the second time', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    authz.revoke(alice, bob, delegate)
    expect(authz.allowance(alice, bob, delegate)).toBe(0n)
    expect(() => authz.revoke(alice, bob, delegate)).toThrow(missing(delegate))
  })

  it('also happens when an amount of zero is approved', () => {
    expect(() => authz.approve(alice, bob, delegate, 0n, validators)).toThrow(missing(delegate))
    authz.approve(alice, bob, clawback, 1n, [])
    authz.approve(alice, bob, clawback, 0n, [])
    expect(authz.allowance(alice, bob, clawback)).toBe(0n)
  })

  it('clears its storage except for the entry in the expiry queue', () => {
    const slots = new Map<bigint, bigint>()
    const recording: StateView = Object.create(view, {
      slots: {
        value: (...args: Parameters<StateView['slots']>) => {
          const inner = view.slots(...args)
          return {
            load: inner.load,
            store: (slot: bigint, word: bigint) => {
              slots.set(slot, word)
              inner.store(slot, word)
            },
          }
        },
      },
    })
    const watched = new Authz(moduleContext(recording), { openValidators: () => validators, channels: () => [] })
    watched.approve(alice, bob, undelegate, 5n, validators)
    expect([...slots.values()].filter((word) => word !== 0n).length).toBeGreaterThan(8)
    watched.revoke(alice, bob, undelegate)
    // The expiry queue: granter, grantee, message (1 in stored order), expiration, and its tail.
    expect([...slots.values()].filter((word) => word !== 0n).sort()).toEqual(
      [BigInt(alice), BigInt(bob), 1n, NOW + YEAR, 1n].sort(),
    )
  })
})

describe('changing the limit of a stake grant', () => {
  it('raises and lowers the limit and returns the new one', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    expect(authz.increaseAllowance(alice, bob, delegate, 3n)).toBe(8n)
    expect(authz.decreaseAllowance(alice, bob, delegate, 6n)).toBe(2n)
    expect(authz.increaseAllowance(alice, bob, delegate, 0n)).toBe(2n)
    expect(authz.allowance(alice, bob, delegate)).toBe(2n)
  })

  it('does not change a grant without a limit', () => {
    authz.approve(alice, bob, delegate, UNLIMITED, validators)
    expect(authz.increaseAllowance(alice, bob, delegate, UNLIMITED)).toBe(UNLIMITED)
    expect(authz.decreaseAllowance(alice, bob, delegate, 1n)).toBe(UNLIMITED)
    use(UNLIMITED)
    expect(authz.allowance(alice, bob, delegate)).toBe(UNLIMITED)
  })

  it('fails above 2^256 - 1, where the grant still has a limit', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    expect(() => authz.increaseAllowance(alice, bob, delegate, UNLIMITED - 4n)).toThrow(
      'integer overflow when increasing allowance',
    )
    expect(authz.increaseAllowance(alice, bob, delegate, UNLIMITED - 5n)).toBe(UNLIMITED)
    use(1n)
    expect(authz.allowance(alice, bob, delegate)).toBe(UNLIMITED - 1n)
  })

  it('refuses to add 2^256 - 1, even to zero', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    authz.decreaseAllowance(alice, bob, delegate, 5n)
    expect(() => authz.increaseAllowance(alice, bob, delegate, UNLIMITED)).toThrow('integer overflow')
  })

  it('to zero keeps the grant, which then allows nothing', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    expect(() => authz.decreaseAllowance(alice, bob, delegate, 6n)).toThrow(
      'amount by which the allowance should be decreased is greater than the authorization limit: 6 > 5',
    )
    expect(authz.decreaseAllowance(alice, bob, delegate, 5n)).toBe(0n)
    expect(() => use(1n)).toThrow('amount 1 greater than allowed limit 0')
    expect(authz.increaseAllowance(alice, bob, delegate, 1n)).toBe(1n)
  })

  it('is refused without a grant', () => {
    expect(() => authz.increaseAllowance(alice, bob, redelegate, 1n)).toThrow(missing(redelegate))
    expect(() => authz.decreaseAllowance(alice, bob, redelegate, 1n)).toThrow(missing(redelegate))
  })

  it('does not change the expiration of the grant', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    const later = at(NOW + YEAR - 1n)
    later.increaseAllowance(alice, bob, delegate, 1n)
    later.decreaseAllowance(alice, bob, delegate, 1n)
    expect(later.allowance(alice, bob, delegate)).toBe(5n)
    expect(at(NOW + YEAR).allowance(alice, bob, delegate)).toBe(0n)
  })
})

describe('a generic grant', () => {
  it('is not reduced by use', () => {
    expect(() => authz.requireGeneric(alice, bob, withdrawReward)).toThrow(missing(withdrawReward))
    authz.approve(alice, bob, withdrawReward, 1n, [])
    authz.requireGeneric(alice, bob, withdrawReward)
    authz.requireGeneric(alice, bob, withdrawReward)
    expect(authz.allowance(alice, bob, withdrawReward)).toBe(UNLIMITED)
    authz.revoke(alice, bob, withdrawReward)
    expect(() => authz.requireGeneric(alice, bob, withdrawReward)).toThrow(missing(withdrawReward))
  })
})

describe('the expiry of a grant', () => {
  it('is a year after the grant and ends everything it allows', () => {
    authz.approve(alice, bob, delegate, UNLIMITED, validators)
    authz.approve(alice, bob, withdrawReward, 1n, [])
    const alive = at(NOW + YEAR - 1n)
    expect(alive.requireStake(alice, bob, delegate, 1n)).toBe(2)
    alive.requireGeneric(alice, bob, withdrawReward)
    const dead = at(NOW + YEAR)
    expect(dead.allowance(alice, bob, delegate)).toBe(0n)
    expect(dead.allowance(alice, bob, withdrawReward)).toBe(0n)
    expect(() => dead.requireStake(alice, bob, delegate, 1n)).toThrow(missing(delegate))
    expect(() => dead.requireGeneric(alice, bob, withdrawReward)).toThrow(missing(withdrawReward))
    expect(() => dead.revoke(alice, bob, delegate)).toThrow(missing(delegate))
    expect(() => dead.increaseAllowance(alice, bob, delegate, 1n)).toThrow(missing(delegate))
  })

  it('is extended by granting again', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    at(NOW + 10n).approve(alice, bob, delegate, 6n, validators)
    expect(at(NOW + YEAR + 9n).allowance(alice, bob, delegate)).toBe(6n)
    expect(at(NOW + YEAR + 10n).allowance(alice, bob, delegate)).toBe(0n)
  })

  it('is at the expiration that the genesis sets', () => {
    authz.initGenesis({ defaultExpiration: 60 })
    authz.approve(alice, bob, delegate, 5n, validators)
    expect(at(NOW + 59n).allowance(alice, bob, delegate)).toBe(5n)
    expect(at(NOW + 60n).allowance(alice, bob, delegate)).toBe(0n)
  })

  // The grant's first slot holds its expiration; its place follows Solidity's rule for mappings, computed here with viem.
  const element = (key: `0x${string}`, slot: `0x${string}`) => keccak256(`${pad(key)}${slot.slice(2)}` as `0x${string}`)
  const expirationOf = (granter: `0x${string}`, grantee: `0x${string}`, message: number) =>
    BigInt(element(numberToHex(message), element(grantee, element(granter, pad('0x1')))))
  const stored = (slot: bigint) => view.storage(hexToAddress('0x0000000000000000000000000000000000000A00'), slot)

  it("clears the grant's storage at the beginning of a block", () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    const slot = expirationOf(alice, bob, 0)
    expect(stored(slot)).toBe(NOW + YEAR)
    at(NOW + YEAR - 1n).beginBlock()
    expect(stored(slot)).toBe(NOW + YEAR)
    at(NOW + YEAR).beginBlock()
    expect(stored(slot)).toBe(0n)
  })

  it('of a replaced grant does not clear the new one', () => {
    authz.approve(alice, bob, delegate, 5n, validators)
    at(NOW + 10n).approve(alice, bob, delegate, 6n, validators)
    at(NOW + YEAR).beginBlock()
    expect(at(NOW + YEAR).allowance(alice, bob, delegate)).toBe(6n)
    at(NOW + YEAR + 10n).beginBlock()
    expect(stored(expirationOf(alice, bob, 0))).toBe(0n)
  })

  it('of many grants is processed over several blocks, 200 in each', () => {
    const grantees = Array.from({ length: 201 }, (_, i) => hexToAddress(pad(numberToHex(i + 1), { size: 20 })))
    for (const grantee of grantees) authz.approve(alice, grantee, withdrawReward, 1n, [])
    const left = () => grantees.filter((grantee) => stored(expirationOf(alice, grantee, 5)) !== 0n)
    at(NOW + YEAR).beginBlock()
    expect(left()).toEqual(grantees.slice(200))
    at(NOW + YEAR + 1n).beginBlock()
    expect(left()).toEqual([])
  })
})

describe('any sequence of grants, uses and revocations', () => {
  type Step = { readonly how: 'approve' | 'increase' | 'decrease' | 'use' | 'revoke' | 'wait'; readonly amount: bigint }
  type Model = { readonly limit: bigint; readonly isUnlimited: boolean; readonly dies: bigint } | undefined

  /** The grant after a step, or `refused`. */
  function after(grant: Model, { how, amount }: Step, now: bigint): Model | 'refused' {
    if (how === 'approve' && amount > 0n) return { limit: amount, isUnlimited: amount === UNLIMITED, dies: now + YEAR }
    if (grant === undefined) return 'refused'
    const { limit, isUnlimited } = grant
    if (how === 'approve' || how === 'revoke') return undefined
    if (isUnlimited) return grant
    if (how === 'increase')
      return amount === UNLIMITED || limit + amount > UNLIMITED ? 'refused' : { ...grant, limit: limit + amount }
    if (amount > limit) return 'refused'
    if (how === 'use' && amount === limit) return undefined
    return { ...grant, limit: limit - amount }
  }

  const step = fc.record<Step>({
    how: fc.constantFrom('approve', 'increase', 'decrease', 'use', 'revoke', 'wait'),
    amount: fc.oneof(fc.bigInt({ min: 0n, max: 9n }), fc.constantFrom(UNLIMITED, UNLIMITED - 5n)),
  })

  it('leaves the same grant as a model of the rules', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        view.checkpoint()
        let now = NOW
        let grant: Model
        for (const { how, amount } of steps) {
          if (how === 'wait') now += amount > 5n ? YEAR : amount
          if (grant !== undefined && grant.dies <= now) grant = undefined
          const open = at(now)
          open.beginBlock()
          if (how === 'wait') continue
          const expected = after(grant, { how, amount }, now)
          const act = {
            approve: () => open.approve(alice, bob, delegate, amount, validators),
            increase: () => open.increaseAllowance(alice, bob, delegate, amount),
            decrease: () => open.decreaseAllowance(alice, bob, delegate, amount),
            use: () => {
              open.requireStake(alice, bob, delegate, amount)
              open.spendStake(alice, bob, delegate, amount, second)
            },
            revoke: () => open.revoke(alice, bob, delegate),
          }[how]
          if (expected === 'refused') expect(act).toThrow(ChainError)
          else {
            act()
            grant = expected
          }
          expect(open.allowance(alice, bob, delegate)).toBe(grant?.limit ?? 0n)
        }
        view.revert()
      }),
    )
  })
})

describe('the genesis section of authz', () => {
  it('refuses unknown fields and names them', () => {
    expect(() => authz.initGenesis({ defaultExpiration: 0 })).toThrow('kestrel.modules.authz.defaultExpiration: ')
    expect(() => authz.initGenesis({ defaultExpiration: '60' })).toThrow('kestrel.modules.authz.defaultExpiration: ')
    expect(() => authz.initGenesis({ expiration: 60 })).toThrow('kestrel.modules.authz.expiration: unknown field')
    expect(() => authz.initGenesis([])).toThrow('kestrel.modules.authz: ')
  })
})

it('an authz module opened for reading refuses to write', () => {
  authz.approve(alice, bob, delegate, 5n, validators)
  const reader = at(NOW, { access: 'read', spec: nativeSpec })
  expect(reader.allowance(alice, bob, delegate)).toBe(5n)
  expect(() => reader.revoke(alice, bob, delegate)).toThrow()
  expect(reader.allowance(alice, bob, delegate)).toBe(5n)
})
