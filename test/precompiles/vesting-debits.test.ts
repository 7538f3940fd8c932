// The locked coins of a clawback account cannot leave it: by transfers, gas, code that runs in its name (EIP-7702) or other
// native contracts; the pool checks this too. Numbers in titles are the specification's vectors.
import {
  type Address,
  concatHex,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseGwei,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { account } from '../support/chain.ts'
import { delegate, STAKING } from './staking-support.ts'
import { COIN, FUNDER, fund, funder, HOLDER, holder, STRANGER, stranger, vestingChain } from './vesting-support.ts'

const CODE = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const TARGET = getAddress('0xdddddddddddddddddddddddddddddddddddddddd')
const DISTRIBUTION = '0x0000000000000000000000000000000000000801'
const LOCKED =
  'clawback vesting account has insufficient unlocked tokens to execute transaction: insufficient unlocked coins error'

/** A chain on which the holder has V12's grant of 1000 coins, at T, and `own` coins in addition. */
async function granted(own: bigint) {
  const chain = await vestingChain()
  await chain.grant()
  await chain.dev.setBalance({ address: holder, value: 1_000n * COIN + own })
  return chain
}

const push = (value: bigint): Hex => concatHex(['0x7f', numberToHex(value, { size: 32 })])
/** Runtime code that calls TARGET with a value and stores 1 + success in slot 0. */
const paying = (value: bigint, opcode: Hex = '0xf1'): Hex =>
  concatHex(['0x5f5f5f5f', push(value), '0x73', TARGET, '0x5a', opcode, '0x6001015f5500'])
/** The same with CREATE; stores 1 + the new address. */
const creating = (value: bigint): Hex => concatHex(['0x5f5f', push(value), '0xf0', '0x6001015f5500'])
const DESTROYING = concatHex(['0x73', TARGET, '0xff'])

describe('a transaction of a clawback account', () => {
  it('51: may send the spendable balance only', async () => {
    const { send, refusal, mineAt, balance, T } = await granted(10n * COIN)
    expect(await refusal('0x', { to: TARGET, from: HOLDER, value: 10n * COIN })).toBeUndefined()
    expect(await refusal('0x', { to: TARGET, from: HOLDER, value: 10n * COIN + 1n })).toBe(LOCKED)
    expect(await refusal('0x', { to: TARGET, from: HOLDER, value: 2_000n * COIN })).toMatch(
      /^insufficient funds for gas/,
    )
    await expect(send('0x', { to: TARGET, from: HOLDER, value: 11n * COIN })).rejects.toThrow(/insufficient funds/i)
    expect((await send('0x', { to: TARGET, from: HOLDER, value: 9n * COIN })).status).toBe('success')
    await mineAt(T + 2_000n)
    expect((await send('0x', { to: TARGET, from: HOLDER, value: 500n * COIN })).status).toBe('success')
    expect(await balance(TARGET)).toBe(509n * COIN)
    await expect(send('0x', { to: TARGET, from: HOLDER, value: COIN })).rejects.toThrow(/insufficient funds/i)
  })

  it('pays gas from the spendable balance', async () => {
    const { walletOf, send, rpc } = await granted(parseGwei('30000'))
    const transaction = { to: TARGET, value: 0n, gas: 21_000n, maxPriorityFeePerGas: 1n } as const
    const costly = { ...transaction, maxFeePerGas: parseGwei('2') }
    await expect(walletOf(HOLDER).sendTransaction(costly)).rejects.toThrow(/insufficient funds/i)
    await walletOf(HOLDER).sendTransaction({ ...transaction, maxFeePerGas: parseGwei('1.4') })
    expect(await rpc('eth_getTransactionCount', holder, 'latest')).toBe('0x2')
    expect((await send('0x', { to: holder, value: COIN })).status).toBe('success')
    await walletOf(HOLDER).sendTransaction(costly)
  })

  it('is estimated with the gas that the spendable balance can pay for', async () => {
    const { raw } = await granted(parseGwei('30000'))
    const request = { from: holder, to: TARGET, maxFeePerGas: numberToHex(parseGwei('2')) }
    expect((await raw('eth_estimateGas', request)).error?.message).toMatch(/gas required exceeds allowance \(15000\)/)
    const cheaper = { ...request, maxFeePerGas: numberToHex(parseGwei('1.4')) }
    expect((await raw('eth_estimateGas', cheaper)).result).toBe(numberToHex(21_000))
  })

  it('is admitted to the pool by the balance that is spendable in the next block', async () => {
    const { viem, dev, walletOf, T } = await granted(COIN)
    const { timestamp } = await viem.getBlock()
    await dev.increaseTime({ seconds: Number(T + 2_010n - timestamp) })
    const hash = await walletOf(HOLDER).sendTransaction({ to: TARGET, value: 500n * COIN, gas: 21_000n })
    expect((await viem.waitForTransactionReceipt({ hash })).status).toBe('success')
  })

  it('51, V12: may delegate vested coins, locked or not', async () => {
    const { send, refusal, mineAt, balance, T } = await granted(0n)
    await mineAt(T + 1_000n)
    const call = (amount: bigint) => ({
      data: delegate(amount, holder),
      options: { to: STAKING, from: HOLDER } as const,
    })
    const { data, options } = call(250n * COIN + 1n)
    expect(await refusal(data, options)).toBe(
      `cannot delegate unvested coins. coins available for delegation < delegation amount (${250n * COIN} < ${250n * COIN + 1n}): insufficient vested coins error`,
    )
    expect(await refusal(call(250n * COIN).data, options)).toBeUndefined()
    // Coins of its own for the gas.
    await send('0x', { to: holder, value: COIN })
    expect((await send(call(250n * COIN).data, options)).status).toBe('success')
    expect(await balance(holder)).toBeGreaterThan(750n * COIN)
    expect(await refusal('0x', { to: TARGET, from: HOLDER, value: COIN })).toBe(LOCKED)
  })
})

describe('native contracts called by a clawback account', () => {
  it('debit the spendable balance only', async () => {
    const { refusal, send, T } = await granted(2n * COIN)
    const abi = parseAbi(['function fundCommunityPool(address depositor, uint256 amount) returns (bool success)'])
    const give = (amount: bigint) =>
      encodeFunctionData({ abi, functionName: 'fundCommunityPool', args: [holder, amount] })
    expect(await refusal(give(2n * COIN + 1n), { to: DISTRIBUTION, from: HOLDER })).toBe(
      `spendable balance ${2n * COIN}akest is smaller than ${2n * COIN + 1n}akest: insufficient funds`,
    )
    expect((await send(give(COIN), { to: DISTRIBUTION, from: HOLDER })).status).toBe('success')
    // Funding another vesting account is refused too.
    expect(await refusal(fund(T, [], [[1n, COIN]], holder), { from: HOLDER })).toMatch(/can only accept grants/)
  })
})

describe('code that runs in the name of a clawback account', () => {
  /** The holder's account has this code; any account may call it. */
  async function delegated(code: Hex, own: bigint) {
    const chain = await granted(own)
    await chain.dev.setCode({ address: CODE, bytecode: code })
    await chain.dev.setCode({ address: holder, bytecode: concatHex(['0xef0100', CODE]) })
    return {
      ...chain,
      async run(from: number = STRANGER) {
        const receipt = await chain.send('0x', { to: holder, from })
        const slot = await chain.viem.getStorageAt({ address: holder, slot: '0x0' })
        return [receipt.status, BigInt(slot ?? '0x0')] as const
      },
    }
  }

  it('may send the spendable coins; more fails like an insufficient balance', async () => {
    const { run, balance, mineAt, dev, rpc, T } = await delegated(paying(10n * COIN), 15n * COIN)
    expect(await run()).toEqual(['success', 2n])
    expect(await run()).toEqual(['success', 1n])
    expect(await balance(TARGET)).toBe(10n * COIN)
    await mineAt(T + 2_000n)
    expect(await run()).toEqual(['success', 2n])
    await dev.setCode({ address: CODE, bytecode: paying(506n * COIN) })
    expect(await run()).toEqual(['success', 1n])
    const { number } = (await rpc('eth_getBlockByNumber', 'latest', false)) as { number: Hex }
    const [trace] = (await rpc('debug_traceBlockByNumber', number, { tracer: 'callTracer' })) as [
      { result: { calls: { error: string; value: Hex }[] } },
    ]
    expect(trace.result.calls).toMatchObject([
      { error: 'insufficient balance for transfer', value: numberToHex(506n * COIN) },
    ])
  })

  it('costs the same gas for a refused call as for an insufficient balance', async () => {
    const { dev, send } = await delegated(paying(20n * COIN), 15n * COIN)
    // The first run makes the slot non-zero.
    await send('0x', { to: holder, from: STRANGER })
    const refused = await send('0x', { to: holder, from: STRANGER })
    await dev.setCode({ address: CODE, bytecode: paying(2_000n * COIN) })
    const poor = await send('0x', { to: holder, from: STRANGER })
    expect(refused.gasUsed).toBe(poor.gasUsed)
  })

  it('may pass a value to CALLCODE, which transfers nothing', async () => {
    const { run } = await delegated(paying(20n * COIN, '0xf2'), 15n * COIN)
    expect(await run()).toEqual(['success', 2n])
  })

  it('cannot create a contract with locked coins', async () => {
    const { run, dev } = await delegated(creating(20n * COIN), 15n * COIN)
    expect(await run()).toEqual(['success', 1n])
    await dev.setCode({ address: CODE, bytecode: creating(5n * COIN) })
    const [status, slot] = await run()
    expect([status, slot > 1n]).toEqual(['success', true])
  })

  it('cannot transfer locked coins with SELFDESTRUCT', async () => {
    const { run, balance, mineAt, T } = await delegated(DESTROYING, 15n * COIN)
    expect(await run()).toEqual(['reverted', 0n])
    expect([await balance(TARGET), await balance(holder)]).toEqual([0n, 1_015n * COIN])
    await mineAt(T + 4_000n)
    expect(await run()).toEqual(['success', 0n])
    expect(await balance(TARGET)).toBe(1_015n * COIN)
  })
})

describe('ordinary accounts related to clawback accounts', () => {
  it('can spend all their coins', async () => {
    const { dev, send, balance } = await granted(0n)
    await dev.setCode({ address: CODE, bytecode: paying(7n * COIN) })
    await dev.setBalance({ address: CODE, value: 7n * COIN })
    expect((await send('0x', { to: CODE, from: STRANGER })).status).toBe('success')
    expect(await balance(TARGET)).toBe(7n * COIN)
    const value = (await balance(stranger)) - COIN
    expect((await send('0x', { to: TARGET, from: STRANGER, value })).status).toBe('success')
  })

  it('that fund a grant are not restricted by it', async () => {
    const { send, balance } = await granted(0n)
    const value = (await balance(funder)) - COIN
    expect((await send('0x', { to: account(5).address as Address, from: FUNDER, value })).status).toBe('success')
  })
})
