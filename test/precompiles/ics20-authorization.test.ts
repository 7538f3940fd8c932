// IBC transfer grants by the Authorization contract: one amount of the base coin for all channels of the chain, because the
// specification says that `approve` takes "native or IBC message types".
import { type Abi, encodeFunctionData, type Hex, maxUint256, parseAbi, parseEventLogs } from 'viem'
import { describe, expect, it } from 'vitest'
import { allocation, approve, CONTRACT, ics20Chain, owner, transfer } from './ics20-support.ts'

const AUTHORIZATION = '0x0000000000000000000000000000000000000a00'
const STAKING = '0x0000000000000000000000000000000000000800'
const URL = '/ibc.applications.transfer.v1.MsgTransfer'
const abi = parseAbi([
  'function approve(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function revoke(address spender, string[] methods) returns (bool revoked)',
  'function increaseAllowance(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function decreaseAllowance(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function allowance(address owner, address spender, string method) view returns (uint256 remaining)',
  'event Approval(address indexed owner, address indexed spender, string[] methods, uint256 value)',
  'event AllowanceChange(address indexed owner, address indexed spender, string[] methods, uint256[] values)',
])
const grant = (name: 'approve' | 'increaseAllowance' | 'decreaseAllowance', amount: bigint, method = URL): Hex =>
  encodeFunctionData({ abi: abi as Abi, functionName: name, args: [CONTRACT, amount, [method]] })
const revoke = encodeFunctionData({ abi, functionName: 'revoke', args: [CONTRACT, ['MSG_TRANSFER']] })

async function open() {
  const chain = await ics20Chain()
  const { viem, send } = chain
  return {
    ...chain,
    left: (method = URL) =>
      viem.readContract({ address: AUTHORIZATION, abi, functionName: 'allowance', args: [owner, CONTRACT, method] }),
    grant: async (data: Hex) => {
      const { logs, status } = await send(data, { to: AUTHORIZATION })
      return { status, args: parseEventLogs({ abi, logs })[0]?.args }
    },
  }
}

describe('transfer grants at the authorization contract', () => {
  it('allow the given amount over all channels together', async () => {
    const { grant: act, send, refusal, left, allowance } = await open()
    expect(await act(grant('approve', 10n, 'MSG_TRANSFER'))).toMatchObject({
      status: 'success',
      args: { owner, spender: CONTRACT, methods: ['MSG_TRANSFER'], value: 10n },
    })
    expect([await left(), await left('MSG_TRANSFER')]).toEqual([10n, 10n])
    // Two ends of the loopback and four simulated chains, each with the same limit.
    expect((await allowance()).map(({ sourceChannel, spendLimit }) => [sourceChannel, spendLimit[0]?.amount])).toEqual(
      [0, 1, 2, 3, 4, 5].map((n) => [`channel-${n}`, 10n]),
    )
    const by = { to: CONTRACT }
    expect((await send(transfer({ amount: 4n, memo: 'any' }), by)).status).toBe('success')
    expect((await send(transfer({ amount: 3n, channel: 'channel-2' }), by)).status).toBe('success')
    expect(await left()).toBe(3n)
    expect(await refusal(transfer({ amount: 4n }), by)).toBe(
      'requested amount is more than spend limit: insufficient funds',
    )
    await send(transfer({ amount: 3n, channel: 'channel-1' }), by)
    expect(await left()).toBe(0n)
    expect(await refusal(transfer({ amount: 1n }), by)).toMatch(/does not exist or is expired$/)
  })

  it('are raised, lowered and revoked', async () => {
    const { grant: act, refusal, left } = await open()
    const missing = `authorization to ${URL} for address ${CONTRACT} does not exist or is expired`
    expect(await refusal(grant('increaseAllowance', 5n), { to: AUTHORIZATION })).toBe(missing)
    await act(grant('approve', 10n))
    expect((await act(grant('increaseAllowance', 5n))).args).toMatchObject({ methods: [URL], values: [15n] })
    expect((await act(grant('decreaseAllowance', 12n))).args).toMatchObject({ values: [3n] })
    expect(await refusal(grant('decreaseAllowance', 4n), { to: AUTHORIZATION })).toMatch(/4 > 3$/)
    expect(await left()).toBe(3n)
    await act(revoke)
    expect(await left()).toBe(0n)
    expect(await refusal(revoke, { to: AUTHORIZATION })).toBe(missing)
    await act(grant('approve', maxUint256))
    expect(await left()).toBe(maxUint256)
    await act(grant('approve', 0n))
    expect(await left()).toBe(0n)
  })

  it('cover the base coin only, and do not exist for the staking contract', async () => {
    const { grant: act, refusal } = await open()
    await act(grant('approve', 10n))
    const uatom = transfer({ amount: 1n, channel: 'channel-2', denom: 'transfer/channel-2/uatom' })
    expect(await refusal(uatom, { to: CONTRACT })).toBeDefined()
    expect(await refusal(grant('approve', 1n), { to: STAKING })).toBe(`invalid staking transaction type: ${URL}`)
  })

  it('and grants of the ICS20 contract replace each other', async () => {
    const { grant: act, send, refusal, left, allowance } = await open()
    await send(approve(allocation(5n)))
    expect((await act(grant('increaseAllowance', 2n))).args).toMatchObject({ values: [7n] })
    expect(await left()).toBe(7n)
    await send(approve(allocation(5n), allocation(6n, { sourceChannel: 'channel-1' })))
    expect(await left()).toBe(11n)
    expect(await refusal(grant('increaseAllowance', 2n), { to: AUTHORIZATION })).toBe(
      'several channels have an allocation of akest: use the ICS20 functions',
    )
    await act(grant('approve', 1n))
    expect([await left(), (await allowance()).length]).toEqual([1n, 6])
    await send(approve(allocation(5n)))
    expect([await left(), (await allowance()).length]).toEqual([5n, 1])
  })
})
