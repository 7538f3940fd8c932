// IBC transfers and their grants, through a running node. Interface, selectors and topics are the published ones; numbers in
// titles are the specification's behaviour vectors, V1 to V3 its numeric ones.
import {
  concatHex,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  maxUint256,
  numberToHex,
  size,
  stringToHex,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { traceHash } from '../../src/modules/transfer/denoms.ts'
import { encodePacketData, escrowAddress, packetCommitment } from '../../src/modules/transfer/packets.ts'
import { ics20 } from '../../src/precompiles/ics20.ts'
import { forwarder } from '../support/forwarder.ts'
import {
  abi,
  allocation,
  approve,
  COIN,
  CONTRACT,
  ICS20,
  ics20Chain,
  lateAbi,
  other,
  owner,
  textOf,
  transfer,
} from './ics20-support.ts'

const URL = '/ibc.applications.transfer.v1.MsgTransfer'
const ESCROW = getAddress('0xeD23C6F4443f49c4B08F856350A5D2C65A203235')
const VOUCHER = `ibc/${traceHash('transfer/channel-1/akest').slice(2).toUpperCase()}`
const UATOM = traceHash('transfer/channel-2/uatom').slice(2).toUpperCase()
const missing = `authorization to ${CONTRACT} for address ${owner} does not exist or is expired`
const none = { revisionNumber: 0n, revisionHeight: 0n }

const change = (functionName: 'increaseAllowance' | 'decreaseAllowance', amount: bigint, denom = 'akest'): Hex =>
  encodeFunctionData({ abi, functionName, args: [CONTRACT, 'transfer', 'channel-0', denom, amount] })
const revoke = encodeFunctionData({ abi, functionName: 'revoke', args: [CONTRACT] })
const lateApprove = (allowedPacketData: readonly string[]): Hex =>
  encodeFunctionData({
    abi: lateAbi,
    functionName: 'approve',
    args: [CONTRACT, [{ ...allocation(5n), allowedPacketData }]],
  })

describe('the interface', () => {
  it('has the published selectors and topics', () => {
    const selectors = ics20.abi.flatMap((entry) => (entry.type === 'function' ? [toFunctionSelector(entry)] : []))
    expect(new Set(selectors)).toEqual(
      new Set([
        ...['0xe3fee927', '0x74a8f103', '0x54de647b', '0xb3f536ec', '0x632535b9'],
        ...['0xa815cdd9', '0x22b6fad6', '0xb5cb6e7d', '0xdd62ed3e', '0x473c90c7'],
      ]),
    )
    const topics = ics20.abi.flatMap((entry) => (entry.type === 'event' ? [toEventSelector(entry)] : []))
    expect(new Set(topics)).toEqual(
      new Set([
        '0xc01eca5e742fe6641c4be501c2bebf224472f69176a0552e87e30147a6411303',
        '0x01f58391af9eac9d85fa81459399abe8bfde1bc054b61ee395352df5544f59dd',
        '0xa06ad91d0cb6560b4d0727dd1712d4a83202cea387ff2e8f8c9d3e195bb72d1f',
        '0x5a22c7e8af595d94a6d652de8e346a8ecdfe49fc2e0e976f33c9fc9358390ea4',
      ]),
    )
  })
})

describe('transfer grants at the ICS20 contract', () => {
  it('40: for two channels log twice, topic 1 the grantee and topic 2 the granter', async () => {
    const { send, allowance } = await ics20Chain()
    const allocations = [allocation(5n), allocation(6n, { sourceChannel: 'channel-1', allowList: ['kest1friend'] })]
    const { events, logs } = await send(approve(...allocations))
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual(
      allocations.map(({ sourcePort, sourceChannel, spendLimit }) => [
        'IBCTransferAuthorization',
        { grantee: CONTRACT, granter: owner, sourcePort, sourceChannel, spendLimit },
      ]),
    )
    expect(logs[0]?.address).toBe(ICS20)
    expect(await allowance()).toEqual(allocations)
    expect(await allowance(other)).toEqual([])
  })

  it('40: are refused for unknown channels and for a channel that is listed twice', async () => {
    const { refusal, send, allowance } = await ics20Chain()
    const nowhere = approve(allocation(5n), allocation(5n, { sourceChannel: 'channel-9' }))
    expect(await refusal(nowhere)).toBe('port ID (transfer) channel ID (channel-9): channel not found')
    expect((await send(nowhere)).status).toBe('reverted')
    expect(await allowance()).toEqual([])
    expect(await refusal(approve(allocation(5n), allocation(6n)))).toBe(
      'duplicate source channel ID: channel-0: invalid channel',
    )
    expect(await refusal(approve())).toBe('allocations cannot be empty: invalid transfer authorization')
    const nobody = encodeFunctionData({
      abi,
      functionName: 'approve',
      args: [`0x${'00'.repeat(20)}`, [allocation(5n)]],
    })
    expect(await refusal(nobody)).toBe(`invalid grantee address: 0x${'00'.repeat(20)}`)
  })

  it('are raised and lowered, and the logs have the remaining amount', async () => {
    const { send, refusal, allowance } = await ics20Chain()
    expect(await refusal(change('increaseAllowance', 1n))).toBe(missing)
    await send(approve(allocation(5n)))
    const raised = await send(change('increaseAllowance', 7n))
    const lowered = await send(change('decreaseAllowance', 2n))
    expect([...raised.events, ...lowered.events].map(({ args }) => args)).toEqual([
      { owner, spender: CONTRACT, methods: [URL], values: [12n] },
      { owner, spender: CONTRACT, methods: [URL], values: [10n] },
    ])
    expect(await refusal(change('decreaseAllowance', 11n))).toBe('negative amount when decreasing allowance')
    expect(await refusal(change('increaseAllowance', maxUint256))).toBe('integer overflow when increasing allowance')
    expect(await refusal(change('increaseAllowance', 1n, 'other'))).toBe(
      'no matching allocation found for source port: transfer, source channel: channel-0, and denom: other',
    )
    await send(change('decreaseAllowance', 10n))
    expect(await allowance()).toEqual([])
  })

  it('are revoked with a log without data', async () => {
    const { send, refusal, allowance } = await ics20Chain()
    expect(await refusal(revoke)).toBe(missing)
    await send(approve(allocation(5n)))
    const { events, logs } = await send(revoke)
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['RevokeIBCTransferAuthorization', { owner, spender: CONTRACT }],
    ])
    expect(logs[0]?.data).toBe('0x')
    expect(await allowance()).toEqual([])
  })

  it('10: belong to the caller, or to the signer on chains with that rule, where queries take the grantee first', async () => {
    const { send, allowance } = await ics20Chain()
    await send(approve(allocation(5n)), { to: CONTRACT })
    expect([await allowance(owner), await allowance(CONTRACT)]).toEqual([[], [allocation(5n)]])
    const compat = {
      allowanceOrder: 'grantee-first',
      entriesAsStruct: false,
      decCoinRaw: false,
      distributionGrants: true,
    } as const
    const late = await ics20Chain({}, { authz: { granter: 'origin' }, compat })
    await late.send(approve(allocation(5n)), { to: CONTRACT })
    expect([await late.allowance(CONTRACT, owner), await late.allowance(owner)]).toEqual([[allocation(5n)], []])
  })

  it('cost gas by size without prices of work: 25,000 for each allocation and 100 for each receiver', async () => {
    const { send } = await ics20Chain({}, { nativeGas: undefined })
    const gasOf = async (data: Hex) => {
      const { gasUsed } = await send(data)
      // 21,000, the calldata (EIP-2028: 16 and 4 a byte), and 2,000 + 30 a byte for the input.
      const bytes = [...Buffer.from(data.slice(2), 'hex')]
      const calldata = bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n)
      return gasUsed - 21_000n - calldata - 2_000n - 30n * BigInt(size(data) - 4)
    }
    expect(await gasOf(approve(allocation(5n)))).toBe(30_000n)
    const two = [allocation(5n, { allowList: ['a', 'b'] }), allocation(5n, { sourceChannel: 'channel-1' })]
    expect(await gasOf(approve(...two))).toBe(55_200n)
    expect(await gasOf(lateApprove(['a', 'b', 'c']))).toBe(30_300n)
    expect(await gasOf(revoke)).toBe(8_000n)
    expect(await gasOf(transfer())).toBe(60_000n)
  })
})

describe('an ICS20 transfer', () => {
  it('41: by its sender gets sequence 1, escrows, commits and logs', async () => {
    const { send, viem, balance, raw } = await ics20Chain()
    const { result } = await raw('eth_call', { from: owner, to: ICS20, data: transfer() }, 'latest')
    expect(BigInt(result as Hex)).toBe(1n)
    const before = await balance(owner)
    const receipt = await send(transfer({ memo: 'hello' }))
    expect(await balance(ESCROW)).toBe(COIN)
    expect(await balance(owner)).toBe(before - COIN - receipt.gasUsed * receipt.effectiveGasPrice)
    expect(receipt.logs).toHaveLength(1)
    expect(receipt.logs[0]?.topics).toEqual([
      '0xc01eca5e742fe6641c4be501c2bebf224472f69176a0552e87e30147a6411303',
      `0x${owner.slice(2).toLowerCase().padStart(64, '0')}`,
      keccak256(stringToHex(textOf(other))),
    ])
    expect(receipt.events[0]?.args).toMatchObject({
      sourcePort: 'transfer',
      sourceChannel: 'channel-0',
      denom: 'akest',
      amount: COIN,
      memo: 'hello',
    })
    const second = await raw('eth_call', { from: owner, to: ICS20, data: transfer() }, 'latest')
    expect(BigInt(second.result as Hex)).toBe(2n)
    // The commitment in V3's form, of this packet, in the contract's storage.
    const commitment = packetCommitment({
      source: { port: 'transfer', channel: 'channel-0' },
      destination: { port: 'transfer', channel: 'channel-1' },
      sequence: 1n,
      timeout: { height: none, timestamp: 4_000_000_000_000_000_000n },
      data: encodePacketData({
        amount: COIN,
        denom: 'akest',
        memo: 'hello',
        receiver: textOf(other),
        sender: textOf(owner),
      }),
    })
    const slot = slotOfCommitment('transfer/channel-0', 1n)
    expect(await viem.getStorageAt({ address: ICS20, slot })).toBe(commitment)
  })

  it('42: needs a timeout, and the memo that its grant allows', async () => {
    const { refusal, send } = await ics20Chain()
    expect(await refusal(transfer({ timestamp: 0n }))).toBe(
      'packet timeout height and packet timeout timestamp cannot both be 0: invalid packet',
    )
    await send(approve(allocation(5n)))
    expect(await refusal(transfer({ amount: 1n, memo: 'any' }), { to: CONTRACT })).toBeUndefined()
    await send(lateApprove([]))
    expect(await refusal(transfer({ amount: 1n, memo: 'any' }), { to: CONTRACT })).toBe(
      'memo must be empty because allowed packet data in allocation is empty: invalid transfer authorization',
    )
    expect(await refusal(transfer({ amount: 1n }), { to: CONTRACT })).toBeUndefined()
    await send(lateApprove(['this']))
    expect(await refusal(transfer({ amount: 1n, memo: 'that' }), { to: CONTRACT })).toBe(
      'not allowed memo: that: invalid transfer authorization',
    )
  })

  it('43: by a contract is limited by its grant and uses it up', async () => {
    const { refusal, send, allowance, balance } = await ics20Chain()
    const through = { to: CONTRACT }
    expect(await refusal(transfer({ amount: 1n }), through)).toBe(missing)
    await send(approve(allocation(5n, { allowList: [textOf(other)] })))
    expect(await refusal(transfer({ amount: 6n }), through)).toBe(
      'requested amount is more than spend limit: insufficient funds',
    )
    expect(await refusal(transfer({ amount: 1n, denom: `ibc/${UATOM}` }), through)).toBe(
      'requested amount is more than spend limit: insufficient funds',
    )
    expect(await refusal(transfer({ amount: 1n, receiver: textOf(owner) }), through)).toBe(
      'not allowed receiver address for transfer: invalid address',
    )
    expect(await refusal(transfer({ amount: 1n, channel: 'channel-1' }), through)).toBe(
      'requested port and channel allocation does not exist: not found',
    )
    expect((await send(transfer({ amount: 5n }), through)).status).toBe('success')
    expect([await allowance(), await balance(ESCROW)]).toEqual([[], 5n])
    expect(await refusal(transfer({ amount: 1n }), through)).toBe(missing)
  })

  it('44: does not change a limit of 2^256 - 1', async () => {
    const { send, allowance } = await ics20Chain()
    await send(approve(allocation(maxUint256)))
    await send(transfer({ amount: 5n }), { to: CONTRACT })
    expect(await allowance()).toEqual([allocation(maxUint256)])
  })

  it('needs a call or a signature of its sender', async () => {
    const { refusal, send, dev, balance } = await ics20Chain()
    await send(approve(allocation(maxUint256)))
    const foreign = `origin address ${other} is not the same as sender address ${owner}`
    expect(await refusal(transfer(), { from: 1 })).toBe(foreign)
    expect(await refusal(transfer(), { from: 1, to: CONTRACT })).toBe(foreign)
    // A contract's own coins need no grant.
    await dev.setBalance({ address: CONTRACT, value: COIN })
    await send(transfer({ sender: CONTRACT }), { from: 1, to: CONTRACT })
    expect([await balance(CONTRACT), await balance(ESCROW)]).toEqual([0n, COIN])
  })

  it('14, 22, 31: fails in static and delegate calls and with a value', async () => {
    const { refusal, dev } = await ics20Chain()
    for (const kind of ['staticcall', 'delegatecall', 'callcode'] as const) {
      await dev.setCode({ address: CONTRACT, bytecode: forwarder(ICS20, kind) })
      expect(await refusal(transfer(), { to: CONTRACT })).toBe('write protection')
    }
    expect(await refusal(transfer(), { value: 1n })).toBe('extension methods do not accept value')
  })

  it('30: succeeds with the estimated gas, and has no effect with less', async () => {
    const { send, viem, balance } = await ics20Chain()
    const data = transfer()
    const gas = await viem.estimateGas({ account: owner, to: ICS20, data })
    const short = await send(data, { gas: gas - 1n })
    expect([short.status, short.gasUsed, await balance(ESCROW)]).toEqual(['reverted', gas - 1n, 0n])
    expect((await send(data, { gas })).status).toBe('success')
  })
})

describe('packets of ICS20 transfers', () => {
  it('45: arrive over the loop as vouchers, which can be returned', async () => {
    const { send, mine, balance, denomTrace, balances } = await ics20Chain()
    await send(transfer())
    await mine()
    const face = getAddress(`0x${VOUCHER.slice(-40)}`)
    expect((await balances(other)).slice(1)).toEqual([{ contractAddress: face, amount: COIN }])
    expect(await denomTrace(VOUCHER)).toEqual({ path: 'transfer/channel-1', baseDenom: 'akest' })
    const back = transfer({ channel: 'channel-1', denom: VOUCHER, sender: other, receiver: owner })
    const { events } = await send(back, { from: 1 })
    expect(events[0]?.args).toMatchObject({ sender: other, denom: VOUCHER, amount: COIN })
    expect([(await balances(other)).length, await balance(ESCROW)]).toEqual([1, COIN])
    const before = await balance(owner)
    await mine()
    expect([await balance(owner), await balance(ESCROW)]).toEqual([before + COIN, 0n])
  })

  it.each([
    ['ack-success', 'channel-2', false],
    ['ack-error', 'channel-3', true],
    ['timeout', 'channel-4', true],
  ])('46: to a simulated chain of kind %s are answered in the next block', async (_, channel, refunds) => {
    const { send, mine, balance, raw } = await ics20Chain()
    await send(transfer({ channel, receiver: 'osmo1whoever' }))
    const before = await balance(owner)
    const escrow = getAddress(escrowAddress({ port: 'transfer', channel }))
    expect(await balance(escrow)).toBe(COIN)
    await mine()
    expect(await balance(owner)).toBe(refunds ? before + COIN : before)
    expect(await balance(escrow)).toBe(refunds ? 0n : COIN)
    const { result } = await raw('eth_call', { from: owner, to: ICS20, data: transfer({ channel }) }, 'latest')
    expect(BigInt(result as Hex)).toBe(2n)
  })

  it('without an acknowledgement are refunded at their timeout height', async () => {
    const { send, mine, balance, viem } = await ics20Chain()
    const height = { revisionNumber: 1n, revisionHeight: (await viem.getBlockNumber()) + 4n }
    await send(transfer({ channel: 'channel-5', timestamp: 0n, height }))
    const escrow = getAddress(escrowAddress({ port: 'transfer', channel: 'channel-5' }))
    await mine(2)
    expect(await balance(escrow)).toBe(COIN)
    await mine()
    expect([await balance(escrow), await viem.getBlockNumber()]).toEqual([0n, height.revisionHeight])
  })

  it('are removed when the call that sent them is reverted', async () => {
    const { send, dev, mine, balance, balances } = await ics20Chain()
    // Calls ICS20 and then reverts.
    await dev.setCode({ address: CONTRACT, bytecode: `0x365f5f375f5f365f5f73${ICS20.slice(2)}5af15f5ffd` })
    await dev.setBalance({ address: CONTRACT, value: COIN })
    expect((await send(transfer({ sender: CONTRACT }), { to: CONTRACT })).status).toBe('reverted')
    await mine(2)
    expect([await balance(CONTRACT), await balance(ESCROW)]).toEqual([COIN, 0n])
    expect(await balances(other)).toHaveLength(1)
  })
})

describe('queries of the ICS20 contract', () => {
  it('47: of unknown names return empty results', async () => {
    const { denomTrace, denomHash, allowance } = await ics20Chain()
    expect(await denomTrace(`ibc/${'0'.repeat(64)}`)).toEqual({ path: '', baseDenom: '' })
    expect(await denomHash('transfer/channel-2/uosmo')).toBe('')
    expect(await denomHash('transfer/channel-2/uatom')).toBe(UATOM)
    expect(await allowance(other, owner)).toEqual([])
  })

  it('read hashes with and without ibc/ in any case, and refuse malformed ones', async () => {
    const { denomTrace, refusal } = await ics20Chain()
    for (const text of [UATOM, `ibc/${UATOM}`, UATOM.toLowerCase()]) {
      expect(await denomTrace(text)).toEqual({ path: 'transfer/channel-2', baseDenom: 'uatom' })
    }
    const query = (hash: string) => encodeFunctionData({ abi, functionName: 'denomTrace', args: [hash] })
    expect(await refusal(query('ibc/12'))).toMatch(/^invalid denom trace hash: ibc\/12, error: /)
    const hashQuery = (trace: string) => encodeFunctionData({ abi, functionName: 'denomHash', args: [trace] })
    expect(await refusal(hashQuery('transfer/channel-2/'))).toBe('base denomination cannot be blank')
    expect(await refusal(hashQuery('(transfer)/channel-2/uatom'))).toMatch(/^invalid port ID at position 0: /)
  })

  it('page traces by hash, each page sorted by path', async () => {
    const denoms = ['uatom', 'uosmo', 'ustars', 'aevmos', 'ujuno']
    const vouchers = denoms.map((denom) => ({ trace: `transfer/channel-2/${denom}`, balances: { [owner]: '1' } }))
    const sinks = [{ channel: 'channel-2', behaviour: 'never' }]
    const { viem } = await ics20Chain({ transfer: { sinks, vouchers } })
    const page = (request: object) =>
      viem.readContract({
        address: ICS20,
        abi,
        functionName: 'denomTraces',
        args: [{ key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false, ...request }],
      } as const)
    const trace = (baseDenom: string) => ({ path: 'transfer/channel-2', baseDenom })
    const byHash = [...denoms].sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))
    const [all, { total, nextKey }] = await page({})
    expect([all, total, nextKey]).toEqual([[...denoms].sort().map(trace), 5n, '0x'])
    const [first, response] = await page({ limit: 2n })
    expect(first).toEqual(byHash.slice(0, 2).sort().map(trace))
    expect(response).toEqual({ nextKey: hashOf(byHash[2] ?? ''), total: 0n })
    const [rest] = await page({ key: response.nextKey, limit: 9n })
    expect(rest).toEqual(byHash.slice(2).sort().map(trace))
  })

  const hashOf = (denom: string) => traceHash(`transfer/channel-2/${denom}`)
})

/** `commitments` comes after two booleans, the three slots of an enumerable, and `sequences`. */
function slotOfCommitment(end: string, sequence: bigint): Hex {
  const word = (value: bigint) => numberToHex(value, { size: 32 })
  const outer = keccak256(concatHex([stringToHex(end), word(6n)]))
  return keccak256(concatHex([word(sequence), outer]))
}
