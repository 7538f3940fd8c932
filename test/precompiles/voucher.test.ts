// A voucher as an ERC-20 token, through a running node and viem's ERC-20 ABI. V1 is the specification's vector.
import { encodeFunctionData, erc20Abi, getAddress, type Hex, maxUint256, parseEventLogs, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { traceHash } from '../../src/modules/transfer/denoms.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { forwarder } from '../support/forwarder.ts'
import { BANK, bankAbi, CONTRACT, ics20Chain, other, owner, textOf, transfer } from './ics20-support.ts'

/** V1: the contract of transfer/channel-0/uatom. */
const VOUCHER_CONTRACT = getAddress('0xf36e4C1F926001CEaDa9cA97ea622B25f41e5eB2')
const ATOM = 'ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2'
const ALL = 1_000_000n

/** A chain on which the first account has vouchers of atoms that came through channel-0. */
async function open(native: Parameters<typeof ics20Chain>[1] = {}) {
  const chain = await ics20Chain(
    {
      transfer: {
        loopback: [],
        sinks: [{ channel: 'channel-0', behaviour: 'ack-error' }],
        vouchers: [{ trace: 'transfer/channel-0/uatom', balances: { [owner]: String(ALL) } }],
      },
    },
    native,
  )
  const { viem } = chain
  const token = { address: VOUCHER_CONTRACT, abi: erc20Abi } as const
  return {
    ...chain,
    async act(data: Hex, { to = VOUCHER_CONTRACT, from = 0 }: { to?: Hex; from?: number } = {}) {
      const receipt = await chain.send(data, { to, from })
      return { ...receipt, events: parseEventLogs({ abi: erc20Abi, logs: receipt.logs }) }
    },
    balanceOf: (of: Hex) => viem.readContract({ ...token, functionName: 'balanceOf', args: [of] }),
    allowed: (of: Hex, by: Hex) => viem.readContract({ ...token, functionName: 'allowance', args: [of, by] }),
  }
}

const move = (to: Hex, value: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] })
const allow = (spender: Hex, value: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, value] })
const moveFrom = (from: Hex, to: Hex, value: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [from, to, value] })

describe('the ERC-20 contract of a voucher', () => {
  it('V1: has the last 20 bytes of the hash as its address, code and nonce, and returns its metadata', async () => {
    const { viem } = await open()
    expect([
      await viem.getCode({ address: VOUCHER_CONTRACT }),
      await viem.getTransactionCount({ address: VOUCHER_CONTRACT }),
    ]).toEqual(['0xfe', 1])
    const ask = (functionName: 'name' | 'symbol' | 'decimals' | 'totalSupply') =>
      viem.readContract({ address: VOUCHER_CONTRACT, abi: erc20Abi, functionName })
    const all = await Promise.all([ask('name'), ask('symbol'), ask('decimals'), ask('totalSupply')])
    expect(all).toEqual(['Atom', 'ATOM', 6, ALL])
  })

  it('transfers vouchers, logs it, and costs about as much as an ERC-20 transfer, beside its work', async () => {
    const { act, balanceOf, balances } = await open({ nativeGas: undefined })
    const data = move(other, 5n)
    const { logs, events, gasUsed } = await act(data)
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['Transfer', { from: owner, to: other, value: 5n }],
    ])
    expect(getAddress(logs[0]?.address ?? '0x')).toBe(VOUCHER_CONTRACT)
    expect([await balanceOf(owner), await balanceOf(other)]).toEqual([ALL - 5n, 5n])
    expect((await balances(other)).at(-1)).toEqual({ contractAddress: VOUCHER_CONTRACT, amount: 5n })
    const bytes = [...Buffer.from(data.slice(2), 'hex')]
    const calldata = bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 0n)
    // 21,000, the calldata, 2,000 and 30 a byte for two words of input, and 25,000 for the function.
    expect(gasUsed).toBe(21_000n + calldata + 2_000n + 1_920n + 25_000n)
  })

  it('stores allowances for transferFrom', async () => {
    const { act, dev, allowed, balanceOf, refusal } = await open()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(VOUCHER_CONTRACT) })
    const through = { to: CONTRACT, from: 1 }
    expect(await refusal(moveFrom(owner, other, 1n), through)).toBe('ERC20: insufficient allowance')
    const { events } = await act(allow(CONTRACT, 5n))
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['Approval', { owner, spender: CONTRACT, value: 5n }],
    ])
    const moved = await act(moveFrom(owner, other, 3n), through)
    expect(moved.events.map(({ args }) => args)).toEqual([{ from: owner, to: other, value: 3n }])
    expect([await allowed(owner, CONTRACT), await balanceOf(other)]).toEqual([2n, 3n])
    expect(await refusal(moveFrom(owner, other, 3n), through)).toBe('ERC20: insufficient allowance')
    await act(allow(CONTRACT, maxUint256))
    await act(moveFrom(owner, other, 3n), through)
    expect(await allowed(owner, CONTRACT)).toBe(maxUint256)
  })

  it('refuses transfers without balance, allowance or receiver', async () => {
    const { refusal, act, balanceOf } = await open()
    expect(await refusal(move(other, ALL + 1n), { to: VOUCHER_CONTRACT })).toBe(
      'ERC20: transfer amount exceeds balance',
    )
    expect(await refusal(move(zeroAddress, 1n), { to: VOUCHER_CONTRACT })).toBe('ERC20: transfer to the zero address')
    expect(await refusal(allow(zeroAddress, 1n), { to: VOUCHER_CONTRACT })).toBe('ERC20: approve to the zero address')
    expect(await refusal(move(MODULE_ACCOUNT.gov, 1n), { to: VOUCHER_CONTRACT })).toBe(
      `${toBech32('kest', MODULE_ACCOUNT.gov)} is not allowed to receive funds: unauthorized`,
    )
    expect(await refusal(move(other, 1n), { to: VOUCHER_CONTRACT, value: 1n })).toBe(
      'extension methods do not accept value',
    )
    expect((await act(move(other, ALL + 1n))).status).toBe('reverted')
    expect(await balanceOf(owner)).toBe(ALL)
  })

  it('can be read but not written in a static call', async () => {
    const { dev, raw, refusal } = await open()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(VOUCHER_CONTRACT, 'staticcall') })
    expect(await refusal(move(other, 1n), { to: CONTRACT })).toBe('write protection')
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
    const { result } = await raw('eth_call', { to: CONTRACT, data }, 'latest')
    expect(BigInt(result as Hex)).toBe(ALL)
  })

  it('holds the same vouchers that IBC transfers', async () => {
    const { send, act, balanceOf, mine } = await open()
    await act(move(other, 5n))
    const back = transfer({ denom: ATOM, amount: 4n, sender: other, receiver: 'cosmos1whoever' })
    await send(back, { from: 1 })
    expect(await balanceOf(other)).toBe(1n)
    // The other chain refuses the packet.
    await mine()
    expect(await balanceOf(other)).toBe(5n)
    // The contract's address is accepted as denomination too.
    await send(transfer({ denom: VOUCHER_CONTRACT, amount: 5n, sender: other, receiver: 'cosmos1whoever' }), {
      from: 1,
    })
    expect(await balanceOf(other)).toBe(0n)
  })

  it('is created with the first voucher', async () => {
    const { send, mine, viem } = await ics20Chain()
    const voucherContract = getAddress(`0x${traceHash('transfer/channel-1/akest').slice(-40)}`)
    await send(transfer({ receiver: textOf(other) }))
    await mine()
    const now = await viem.getBlockNumber()
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'symbol' })
    const symbol = (blockNumber: bigint) => viem.call({ to: voucherContract, data, blockNumber })
    expect((await symbol(now - 1n)).data).toBeUndefined()
    expect(Buffer.from((await symbol(now)).data?.slice(2) ?? '', 'hex').toString()).toContain('KEST')
  })

  it('is listed by the bank contract', async () => {
    const { viem, balances } = await open()
    const [base, atoms] = await balances(owner)
    expect([base?.contractAddress, atoms]).toEqual([zeroAddress, { contractAddress: VOUCHER_CONTRACT, amount: ALL }])
    const ask = { address: BANK, abi: bankAbi } as const
    expect(await viem.readContract({ ...ask, functionName: 'supplyOf', args: [VOUCHER_CONTRACT] })).toBe(ALL)
    const all = await viem.readContract({ ...ask, functionName: 'totalSupply' })
    expect(all.slice(1)).toEqual([{ contractAddress: VOUCHER_CONTRACT, amount: ALL }])
  })
})
