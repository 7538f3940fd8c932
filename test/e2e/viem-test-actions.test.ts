// Every action of viem's test client, mode `anvil`, against a real node: each check looks at what the action changed. An action that
// viem adds has no check and does not compile.
import { createTestClient, http, parseEther, type TestActions, testActions } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'

const alice = account(0).address
const bob = account(1).address
const stranger = '0x00000000000000000000000000000000000000aa'
/** `return(0, 32)` of slot 0. */
const READER = '0x5f545f5260205ff3'

let forked: Forked
beforeAll(async () => {
  forked = await chainToFork()
})
afterAll(() => forked[Symbol.asyncDispose]())

async function begin() {
  const test = await testChain()
  const send = (value: bigint, index = 0) => test.walletOf(index).sendTransaction({ to: bob, value })
  const block = () => test.viem.getBlock()
  return { ...test, send, block }
}

/** A transaction that waits in the pool. */
async function waiting() {
  const test = await begin()
  await test.dev.setAutomine(false)
  return { ...test, hash: await test.send(1n) }
}

const checks: Record<keyof TestActions, () => Promise<void>> = {
  async dropTransaction() {
    const { dev, hash } = await waiting()
    await dev.dropTransaction({ hash })
    expect(await dev.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
  },
  async dumpState() {
    const { dev, viem } = await begin()
    await dev.setBalance({ address: stranger, value: 77n })
    const state = await dev.dumpState()
    const other = await begin()
    await other.dev.loadState({ state })
    expect(await other.viem.getBalance({ address: stranger })).toBe(77n)
    expect(await viem.getBalance({ address: stranger })).toBe(77n)
  },
  async getAutomine() {
    const { dev } = await begin()
    expect(await dev.getAutomine()).toBe(true)
    await dev.setAutomine(false)
    expect(await dev.getAutomine()).toBe(false)
  },
  async getTxpoolContent() {
    const { dev, hash } = await waiting()
    expect((await dev.getTxpoolContent()).pending[alice]?.[0]?.hash).toBe(hash)
  },
  async getTxpoolStatus() {
    const { dev } = await waiting()
    expect(await dev.getTxpoolStatus()).toEqual({ pending: 1, queued: 0 })
  },
  async impersonateAccount() {
    const { dev, viem, rpc } = await begin()
    await dev.setBalance({ address: stranger, value: parseEther('1') })
    await dev.impersonateAccount({ address: stranger })
    const hash = (await rpc('eth_sendTransaction', { from: stranger, to: bob, value: '0x1' })) as `0x${string}`
    expect((await viem.getTransactionReceipt({ hash })).from).toBe(stranger)
  },
  async increaseTime() {
    const { dev, block, mine } = await begin()
    const { timestamp } = await block()
    await dev.increaseTime({ seconds: 1_000 })
    await mine()
    expect((await block()).timestamp - timestamp).toBeGreaterThanOrEqual(1_000n)
  },
  async inspectTxpool() {
    const { dev } = await waiting()
    expect((await dev.inspectTxpool()).pending[alice]?.[0]).toContain('1 wei')
  },
  async loadState() {
    const { dev, viem } = await begin()
    const state = await dev.dumpState()
    await dev.setNonce({ address: alice, nonce: 9 })
    await dev.loadState({ state })
    expect(await viem.getTransactionCount({ address: alice })).toBe(0)
  },
  async mine() {
    const { dev, block } = await begin()
    const { timestamp } = await block()
    await dev.mine({ blocks: 3, interval: 10 })
    expect((await block()).number).toBe(3n)
    expect((await block()).timestamp - timestamp).toBeGreaterThanOrEqual(20n)
  },
  async removeBlockTimestampInterval() {
    const { dev, block, mine } = await begin()
    await mine()
    await dev.setBlockTimestampInterval({ interval: 5_000 })
    await mine()
    await dev.removeBlockTimestampInterval()
    const { timestamp } = await block()
    await mine()
    expect((await block()).timestamp - timestamp).toBeLessThan(5_000n)
  },
  async reset() {
    const { dev, viem, send } = await begin()
    await send(1n)
    await dev.reset()
    expect(await viem.getBlockNumber()).toBe(0n)
    // The answers are of another node, of the chain with the id 4242.
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    const forking = createTestClient({ mode: 'anvil', transport: http(fork.rpcUrl) })
    await fork.request('anvil_mine', ['0x5'])
    await forking.reset({ jsonRpcUrl: origin.rpcUrl, blockNumber: 0n })
    expect(await fork.request('eth_blockNumber')).toBe('0x0')
    expect(await fork.request('eth_chainId')).toBe('0x1092')
  },
  async revert() {
    const { dev, viem, send } = await begin()
    const id = await dev.snapshot()
    await send(1n)
    await dev.revert({ id })
    expect(await viem.getBlockNumber()).toBe(0n)
  },
  async sendUnsignedTransaction() {
    const { dev, viem } = await begin()
    await dev.setBalance({ address: stranger, value: parseEther('1') })
    const hash = await dev.sendUnsignedTransaction({ from: stranger, to: bob, value: 3n })
    expect(await viem.getTransaction({ hash })).toMatchObject({ from: stranger, value: 3n })
  },
  async setAutomine() {
    const { dev, viem, send } = await begin()
    await dev.setAutomine(false)
    await send(1n)
    expect(await viem.getBlockNumber()).toBe(0n)
    await dev.setAutomine(true)
    await expect.poll(() => viem.getBlockNumber()).toBe(1n)
  },
  async setBalance() {
    const { dev, viem } = await begin()
    await dev.setBalance({ address: stranger, value: 5n })
    expect(await viem.getBalance({ address: stranger })).toBe(5n)
  },
  async setBlockGasLimit() {
    const { dev, block, mine } = await begin()
    await dev.setBlockGasLimit({ gasLimit: 420_000n })
    await mine()
    expect((await block()).gasLimit).toBe(420_000n)
  },
  async setBlockTimestampInterval() {
    const { dev, block, mine } = await begin()
    await dev.setBlockTimestampInterval({ interval: 5 })
    await mine()
    const { timestamp } = await block()
    await mine()
    expect((await block()).timestamp - timestamp).toBe(5n)
  },
  async setCode() {
    const { dev, viem } = await begin()
    await dev.setCode({ address: stranger, bytecode: READER })
    expect(await viem.getCode({ address: stranger })).toBe(READER)
  },
  async setCoinbase() {
    const { dev, block, mine } = await begin()
    await dev.setCoinbase({ address: stranger })
    await mine()
    expect((await block()).miner).toBe(stranger)
  },
  async setIntervalMining() {
    const { dev, viem } = await begin()
    await dev.setIntervalMining({ interval: 1 })
    await expect.poll(() => viem.getBlockNumber(), { timeout: 10_000 }).toBeGreaterThan(0n)
  },
  async setLoggingEnabled() {
    const { dev } = await begin()
    // Its effect is on the terminal only, where the level is set at the start.
    await expect(dev.setLoggingEnabled(true)).resolves.toBeUndefined()
  },
  async setMinGasPrice() {
    const { dev } = await begin()
    // As anvil: with EIP-1559 the base fee is the least price.
    await expect(dev.setMinGasPrice({ gasPrice: 1n })).rejects.toThrow(/not supported when EIP-1559 is active/)
  },
  async setNextBlockBaseFeePerGas() {
    const { dev, block, mine } = await begin()
    await dev.setNextBlockBaseFeePerGas({ baseFeePerGas: 20_000_000_000n })
    await mine()
    expect((await block()).baseFeePerGas).toBe(20_000_000_000n)
  },
  async setNextBlockTimestamp() {
    const { dev, block, mine } = await begin()
    const timestamp = (await block()).timestamp + 12_345n
    await dev.setNextBlockTimestamp({ timestamp })
    await mine()
    expect((await block()).timestamp).toBe(timestamp)
  },
  async setNonce() {
    const { dev, viem } = await begin()
    await dev.setNonce({ address: stranger, nonce: 12 })
    expect(await viem.getTransactionCount({ address: stranger })).toBe(12)
  },
  async setRpcUrl() {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy)
    proxy.refusal = { status: 503, body: '' }
    try {
      const client = createTestClient({ mode: 'anvil', transport: http(fork.rpcUrl) })
      await client.setRpcUrl(origin.rpcUrl)
      expect(await fork.request('eth_getBalance', [stranger, 'latest'])).toBe('0x0')
    } finally {
      proxy.refusal = undefined
    }
  },
  async setStorageAt() {
    const { dev, viem } = await begin()
    const value = `0x${'00'.repeat(31)}09` as const
    await dev.setStorageAt({ address: stranger, index: 0, value })
    expect(await viem.getStorageAt({ address: stranger, slot: '0x0' })).toBe(value)
  },
  async snapshot() {
    const { dev, viem } = await begin()
    const id = await dev.snapshot()
    await dev.setBalance({ address: stranger, value: 1n })
    await dev.revert({ id })
    expect(await viem.getBalance({ address: stranger })).toBe(0n)
  },
  async stopImpersonatingAccount() {
    const { dev, raw } = await begin()
    await dev.impersonateAccount({ address: stranger })
    await dev.stopImpersonatingAccount({ address: stranger })
    expect((await raw('eth_sendTransaction', { from: stranger, to: bob })).error?.message).toBe('unknown account')
  },
}

describe('an action of viem’s test client', () => {
  it('is checked here, each of them', () => {
    const client = createTestClient({ mode: 'anvil', transport: http('http://127.0.0.1:9') })
    expect(Object.keys(checks).toSorted()).toEqual(Object.keys(testActions({ mode: 'anvil' })(client)).toSorted())
  })

  it.each(Object.entries(checks))('%s has its effect', async (_, check) => {
    await check()
  })
})
