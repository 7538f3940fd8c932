// Transfers and calls to a module account, and an account that delegates to a native contract (EIP-7702: "when a precompile
// address is the target of a delegation, the retrieved code is considered empty"), on both engines.
import { decodeErrorResult, type Hex, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'

const CONTRACT = '0xcccccccccccccccccccccccccccccccccccccccc'
const STAKING = '0x0000000000000000000000000000000000000800'
const FEES = MODULE_ACCOUNT.feeCollector
const COIN = 10n ** 18n
const reasonOf = (data: unknown) =>
  decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: data as Hex }).args[0]

const engines = ['wasm', 'library'] as const

describe.each(engines)('on %s', (engine) => {
  it('a module account refuses coins and calls with a reason, and returns the remaining gas', async () => {
    const { viem, raw, walletOf } = await testChain({ engine })
    const wallet = walletOf(0)
    const hash = await wallet.sendTransaction({ to: FEES, value: COIN, gas: 500_000n })
    const { status, gasUsed } = await viem.waitForTransactionReceipt({ hash })
    expect([status, gasUsed]).toEqual(['reverted', 21_000n])
    // Only the fee has arrived.
    expect(await viem.getBalance({ address: FEES })).toBeLessThan(COIN)
    const coins = 'module account fee_collector is not allowed to receive funds: unauthorized'
    const request = { from: account(0).address, to: FEES }
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_fillTransaction', 'eth_sendTransaction']) {
      const { error } = await raw(method, { ...request, value: '0x1' })
      expect([error?.code, error?.message, reasonOf(error?.data)]).toEqual([3, `execution reverted: ${coins}`, coins])
    }
    const { error } = await raw('eth_estimateGas', { ...request, data: '0x12345678' })
    expect(reasonOf(error?.data)).toBe('module account fee_collector has no functions')
  })

  it('a contract that sends coins to a module account gets the reason', async () => {
    const { raw, dev } = await testChain({ engine })
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(MODULE_ACCOUNT.gov) })
    const { error } = await raw('eth_call', { to: CONTRACT, data: '0x12345678' }, 'latest')
    expect(reasonOf(error?.data)).toBe('module account gov has no functions')
  })

  it.each([
    ['a native contract', STAKING],
    ['a module account', FEES],
  ] as const)('an account that delegates to %s has empty code', async (_, contractAddress) => {
    const { viem, walletOf } = await testChain({ engine })
    const wallet = walletOf(1)
    const authorization = await wallet.signAuthorization({ contractAddress, executor: 'self' })
    const hash = await wallet.sendTransaction({ authorizationList: [authorization], to: account(1).address })
    await viem.waitForTransactionReceipt({ hash })
    expect(await viem.getCode({ address: account(1).address })).toBe(`0xef0100${contractAddress.slice(2)}`)
    const before = await viem.getBalance({ address: account(1).address })
    const sent = await walletOf(0).sendTransaction({
      to: account(1).address,
      value: COIN,
      data: '0x12345678',
      gas: 500_000n,
    })
    const { status, gasUsed } = await viem.waitForTransactionReceipt({ hash: sent })
    expect(status).toBe('success')
    // 21,000 and the floor of four bytes (EIP-7623: 10 gas a token, 4 tokens for each non-zero byte).
    expect(gasUsed).toBe(21_160n)
    expect(await viem.getBalance({ address: account(1).address })).toBe(before + COIN)
  })
})
