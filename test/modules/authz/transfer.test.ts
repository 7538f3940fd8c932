// Grants of IBC transfers: valid allocations, and what a transfer deducts from them. Error texts are those of ibc-go's transfer
// authorization; numbers in titles are the specification's behaviour vectors.
import fc from 'fast-check'
import { getAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Allocation, TransferUse } from '../../../src/modules/authz/allocations.ts'
import { Authz } from '../../../src/modules/authz/authz.ts'
import { MESSAGE } from '../../../src/modules/authz/messages.ts'
import type { StateView } from '../../../src/state/types.ts'
import { alice, bob, emptyView, moduleContext } from '../../support/native.ts'

const MAX = 2n ** 256n - 1n
const YEAR = 31_536_000n
const RECEIVER = 'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv'
const VOUCHER = `ibc/${'2'.repeat(64)}`

let view: StateView
const NOTHING = { openValidators: () => [], channels: () => [] }
let authz: Authz
beforeEach(async () => {
  view = await emptyView()
  authz = new Authz(moduleContext(view), NOTHING)
  authz.initGenesis(undefined)
})

const allocation = (change: Partial<Allocation> = {}): Allocation => ({
  sourcePort: 'transfer',
  sourceChannel: 'channel-0',
  spendLimit: [{ denom: 'akest', amount: 100n }],
  allowList: [],
  allowedPacketData: ['*'],
  ...change,
})
const transfer = (change: Partial<TransferUse> = {}): TransferUse => ({
  sourcePort: 'transfer',
  sourceChannel: 'channel-0',
  denom: 'akest',
  amount: 1n,
  receiver: RECEIVER,
  memo: '',
  ...change,
})
const akest = { sourcePort: 'transfer', sourceChannel: 'channel-0', denom: 'akest' }
const grant = (...allocations: Allocation[]) => authz.grantTransfer(alice, bob, allocations)
const use = (change: Partial<TransferUse> = {}) => authz.useTransfer(alice, bob, transfer(change))
const left = () => authz.transferAllocations(alice, bob)
const missing = `authorization to ${getAddress(bob)} for address ${getAddress(alice)} does not exist or is expired`

describe('granting a transfer', () => {
  it('stores the allocations as given, coins sorted', () => {
    const given = allocation({
      spendLimit: [
        { denom: VOUCHER, amount: 5n },
        { denom: 'akest', amount: 7n },
      ],
      allowList: [RECEIVER, 'anyone'],
      allowedPacketData: [],
    })
    const other = allocation({
      sourceChannel: 'channel-1',
      allowedPacketData: ['a memo that is longer than thirty-one bytes'],
    })
    grant(given, other)
    expect(left()).toEqual([{ ...given, spendLimit: [...given.spendLimit].reverse() }, other])
  })

  it('replaces the whole previous grant', () => {
    grant(allocation({ allowList: [RECEIVER] }), allocation({ sourceChannel: 'channel-1' }))
    grant(allocation({ sourceChannel: 'channel-2' }))
    expect(left()).toEqual([allocation({ sourceChannel: 'channel-2' })])
  })

  it('40: refuses allocations that no transfer could use', () => {
    const coins = (...spendLimit: Allocation['spendLimit']) => allocation({ spendLimit })
    const refusals: [Allocation[], string][] = [
      [[], 'allocations cannot be empty: invalid transfer authorization'],
      [[allocation(), allocation({ sourcePort: 'other' })], 'duplicate source channel ID: channel-0: invalid channel'],
      [[coins()], 'spend limit cannot be nil: invalid coins'],
      [[coins({ denom: 'akest', amount: 0n })], 'coin 0akest amount is not positive: invalid coins'],
      [[coins({ denom: '1x', amount: 1n })], 'invalid denom: 1x: invalid coins'],
      [
        [coins({ denom: 'akest', amount: 1n }, { denom: 'akest', amount: 2n })],
        'duplicate denomination akest: invalid coins',
      ],
      [
        [allocation({ sourcePort: 'p' })],
        'invalid source port ID: identifier p has invalid length: 1, must be between 2-128 characters',
      ],
      [[allocation({ sourcePort: ' ' })], 'invalid source port ID: identifier cannot be blank'],
      [
        [allocation({ sourceChannel: 'chan-0' })],
        'invalid source channel ID: identifier chan-0 has invalid length: 6, must be between 8-64 characters',
      ],
      [
        [allocation({ sourceChannel: 'channel/0' })],
        "invalid source channel ID: identifier channel/0 cannot contain separator '/'",
      ],
      [
        [allocation({ sourceChannel: 'channel 0' })],
        'invalid source channel ID: identifier channel 0 must contain only alphanumeric',
      ],
      [
        [allocation({ allowList: [RECEIVER, RECEIVER] })],
        'duplicate entry in allow list: invalid transfer authorization',
      ],
    ]
    for (const [allocations, refusal] of refusals) expect(() => grant(...allocations)).toThrow(refusal)
    expect(left()).toEqual([])
  })

  it('expires after a year', () => {
    grant(allocation())
    const at = (seconds: bigint) =>
      new Authz(
        moduleContext(view, { block: { number: 2n, timestamp: 1_700_000_000n + seconds, proposer: alice } }),
        NOTHING,
      )
    expect(at(YEAR - 1n).transferAllocations(alice, bob)).toHaveLength(1)
    expect(at(YEAR).transferAllocations(alice, bob)).toEqual([])
    expect(() => at(YEAR).useTransfer(alice, bob, transfer())).toThrow(missing)
  })

  it('47: applies to one pair of granter and grantee', () => {
    grant(allocation())
    expect(authz.transferAllocations(bob, alice)).toEqual([])
  })
})

describe('revoking a transfer grant', () => {
  it('removes the whole grant, and fails the second time', () => {
    grant(allocation(), allocation({ sourceChannel: 'channel-1' }))
    authz.revokeTransfer(alice, bob)
    expect(left()).toEqual([])
    expect(() => authz.revokeTransfer(alice, bob)).toThrow(missing)
  })
})

describe('using a transfer grant', () => {
  it("lowers the limit of the transfer's channel and coin", () => {
    grant(
      allocation({
        spendLimit: [
          { denom: 'akest', amount: 100n },
          { denom: VOUCHER, amount: 5n },
        ],
      }),
      allocation({ sourceChannel: 'channel-1' }),
    )
    use({ amount: 30n })
    expect(left().map(({ spendLimit }) => spendLimit.map(({ amount }) => amount))).toEqual([[70n, 5n], [100n]])
    use({ amount: 70n })
    expect(left().map(({ spendLimit }) => spendLimit)).toEqual([
      [{ denom: VOUCHER, amount: 5n }],
      [{ denom: 'akest', amount: 100n }],
    ])
    use({ denom: VOUCHER, amount: 5n })
    expect(left()).toEqual([allocation({ sourceChannel: 'channel-1' })])
  })

  it('43: refuses more than the limit, and removes the grant when it is used up', () => {
    const tooMuch = 'requested amount is more than spend limit: insufficient funds'
    expect(() => use()).toThrow(missing)
    grant(allocation())
    expect(() => use({ amount: 101n })).toThrow(tooMuch)
    expect(() => use({ denom: VOUCHER })).toThrow(tooMuch)
    expect(() => use({ sourceChannel: 'channel-1' })).toThrow(
      'requested port and channel allocation does not exist: not found',
    )
    expect(() => use({ sourcePort: 'other' })).toThrow(
      'requested port and channel allocation does not exist: not found',
    )
    use({ amount: 100n })
    expect(left()).toEqual([])
    expect(() => use()).toThrow(missing)
  })

  it('43: is refused for receivers outside the list, if there is one', () => {
    grant(allocation({ allowList: [RECEIVER] }))
    expect(() => use({ receiver: 'somebody' })).toThrow('not allowed receiver address for transfer: invalid address')
    use()
    expect(left()).toEqual([allocation({ allowList: [RECEIVER], spendLimit: [{ denom: 'akest', amount: 99n }] })])
  })

  it('44: does not change a limit of 2^256 - 1', () => {
    const unlimited = allocation({ spendLimit: [{ denom: 'akest', amount: MAX }] })
    grant(unlimited)
    use({ amount: 10n ** 30n })
    expect(left()).toEqual([unlimited])
  })

  it('42: is refused with a memo that the grant does not list', () => {
    grant(allocation({ allowedPacketData: [] }))
    use({ memo: ' ' })
    expect(() => use({ memo: 'hello' })).toThrow(
      'memo must be empty because allowed packet data in allocation is empty: invalid transfer authorization',
    )
    grant(allocation({ allowedPacketData: ['*'] }))
    use({ memo: 'hello' })
    grant(allocation({ allowedPacketData: [' hello', '*'] }))
    use({ memo: 'hello ' })
    expect(() => use({ memo: 'goodbye' })).toThrow('not allowed memo: goodbye: invalid transfer authorization')
    expect(left()[0]?.allowedPacketData).toEqual([' hello', '*'])
  })

  it('never transfers more than was granted, in any sequence of uses', () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 60n }), { maxLength: 8 })
    fc.assert(
      fc.property(amounts, (tried) => {
        grant(allocation())
        let out = 0n
        for (const amount of tried) {
          const fits = out + amount <= 100n
          if (fits && out < 100n) use({ amount })
          else expect(() => use({ amount })).toThrow()
          if (fits) out += amount
        }
        expect(authz.allowance(alice, bob, MESSAGE.transfer)).toBe(100n - out)
      }),
      { numRuns: 50 },
    )
  })
})

describe('changing the limit of a transfer grant', () => {
  it('raises and lowers the limit of one coin on one channel', () => {
    grant(allocation(), allocation({ sourceChannel: 'channel-1' }))
    expect(authz.increaseTransfer(alice, bob, akest, 5n)).toBe(105n)
    expect(authz.decreaseTransfer(alice, bob, akest, 15n)).toBe(90n)
    expect(left().map(({ spendLimit }) => spendLimit[0]?.amount)).toEqual([90n, 100n])
  })

  it('to zero removes the coin, then the allocation, then the grant', () => {
    grant(allocation(), allocation({ sourceChannel: 'channel-1' }))
    expect(authz.decreaseTransfer(alice, bob, akest, 100n)).toBe(0n)
    expect(left()).toEqual([allocation({ sourceChannel: 'channel-1' })])
    authz.decreaseTransfer(alice, bob, { ...akest, sourceChannel: 'channel-1' }, 100n)
    expect(() => authz.revokeTransfer(alice, bob)).toThrow(missing)
  })

  it('is refused below zero, above 2^256 - 1, and when there is no limit', () => {
    expect(() => authz.increaseTransfer(alice, bob, akest, 1n)).toThrow(missing)
    expect(() => authz.decreaseTransfer(alice, bob, akest, 1n)).toThrow(missing)
    grant(allocation())
    expect(() => authz.increaseTransfer(alice, bob, akest, MAX - 99n)).toThrow(
      'integer overflow when increasing allowance',
    )
    expect(() => authz.decreaseTransfer(alice, bob, akest, 101n)).toThrow('negative amount when decreasing allowance')
    for (const elsewhere of [{ sourcePort: 'port' }, { sourceChannel: 'channel-1' }, { denom: 'atom' }]) {
      const of = { ...akest, ...elsewhere }
      const refusal = `no matching allocation found for source port: ${of.sourcePort}, source channel: ${of.sourceChannel}, and denom: ${of.denom}`
      expect(() => authz.increaseTransfer(alice, bob, of, 1n)).toThrow(refusal)
      expect(() => authz.decreaseTransfer(alice, bob, of, 1n)).toThrow(refusal)
    }
    expect(left()).toEqual([allocation()])
  })

  it('does not raise an unlimited amount', () => {
    grant(allocation({ spendLimit: [{ denom: 'akest', amount: MAX }] }))
    expect(authz.increaseTransfer(alice, bob, akest, 5n)).toBe(MAX)
    expect(authz.decreaseTransfer(alice, bob, akest, 5n)).toBe(MAX - 5n)
  })
})

describe('the allowance of a transfer grant', () => {
  it('is the sum of the base coin over all channels, 2^256 - 1 at most', () => {
    expect(authz.allowance(alice, bob, MESSAGE.transfer)).toBe(0n)
    grant(
      allocation({ spendLimit: [{ denom: VOUCHER, amount: 9n }] }),
      allocation({ sourceChannel: 'channel-1' }),
      allocation({ sourceChannel: 'channel-2' }),
    )
    expect(authz.allowance(alice, bob, MESSAGE.transfer)).toBe(200n)
    grant(allocation(), allocation({ sourceChannel: 'channel-1', spendLimit: [{ denom: 'akest', amount: MAX }] }))
    expect(authz.allowance(alice, bob, MESSAGE.transfer)).toBe(MAX)
  })
})
