// eth_callMany, eth_callBundle and eth_sendBundle on a running node. Shapes are those of reth and Flashbots; amounts are arithmetic.
import { concat, type Hex, keccak256, pad, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'
import { chainToFork, forkOf } from '../support/forked.ts'
import { plainSpec } from '../support/plain-spec.ts'

const from = account(0).address
const to = account(1).address
const counter = '0x00000000000000000000000000000000000000cc'
/** `sstore(0, sload(0) + 1); return(number, timestamp, sload(0))` */
const COUNTING = '0x60015f54015f55435f52426020525f5460405260605ff3'
/** `revert(0, 0)` */
const REVERTING = '0x5f5ffd'
const reverting = '0x00000000000000000000000000000000000000dd'

type Test = Awaited<ReturnType<typeof testChain>>
async function signed({ walletOf, viem }: Test, fields: { to: Hex; value?: bigint; nonce?: number; gas?: bigint }) {
  const request = {
    account: account(0),
    gas: 100_000n,
    maxPriorityFeePerGas: 1_000n,
    type: 'eip1559',
    ...fields,
  } as const
  return walletOf(0).signTransaction(await viem.prepareTransactionRequest(request))
}

describe('eth_callMany', () => {
  it('runs each call on the state after the ones before it, and each bundle a block and a second later', async () => {
    const { rpc, mine } = await testChain()
    await rpc('anvil_setCode', counter, COUNTING)
    await mine(3)
    const { number, timestamp } = (await rpc('eth_getBlockByNumber', 'latest', false)) as {
      number: Hex
      timestamp: Hex
    }
    const call = { from, to: counter }
    const answer = await rpc('eth_callMany', [{ transactions: [call, call] }, { transactions: [call] }], {
      blockNumber: 'latest',
    })
    const words = (...of: (number | bigint)[]) => ({ value: concat(of.map((word) => pad(toHex(word), { size: 32 }))) })
    expect(answer).toEqual([
      [words(BigInt(number), BigInt(timestamp), 1), words(BigInt(number), BigInt(timestamp), 2)],
      [words(BigInt(number) + 1n, BigInt(timestamp) + 1n, 3)],
    ])
    expect(await rpc('eth_getStorageAt', counter, '0x0', 'latest')).toBe(pad('0x0', { size: 32 }))
  })

  it('answers a failed call with its error, and takes overrides of the state and the block', async () => {
    const { rpc } = await testChain()
    const answer = await rpc(
      'eth_callMany',
      [
        {
          transactions: [
            { from, to: counter },
            { from, to: reverting },
          ],
          blockOverride: { number: '0x99', time: '0x77' },
        },
      ],
      { blockNumber: 'latest', transactionIndex: -1 },
      { [counter]: { code: COUNTING }, [reverting]: { code: REVERTING } },
    )
    const value = concat([0x99, 0x77, 1].map((word) => pad(toHex(word), { size: 32 })))
    expect(answer).toEqual([[{ value }, { error: 'execution reverted' }]])
  })

  it('refuses no bundles, and more calls than its limit', async () => {
    const { raw } = await testChain()
    expect((await raw('eth_callMany', [])).error).toEqual({ code: -32602, message: 'bundles are empty.' })
    const transactions = Array.from({ length: 1001 }, () => ({ to }))
    expect((await raw('eth_callMany', [{ transactions }])).error?.code).toBe(-32005)
  })
})

type Bundle = Record<string, unknown> & { results: Record<string, unknown>[] }

describe('eth_callBundle', () => {
  it('reports what each transaction paid, and changes nothing', async () => {
    const test = await testChain({ spec: plainSpec(from) })
    const { rpc, mine } = test
    await rpc('anvil_setCode', reverting, REVERTING)
    await mine(1)
    const coinbase = '0x00000000000000000000000000000000000000ee'
    const first = await signed(test, { to: coinbase, value: 5n, nonce: 0 })
    const second = await signed(test, { to: reverting, nonce: 1 })
    const bundle = { txs: [first, second], blockNumber: '0x2', stateBlockNumber: 'latest', coinbase }
    const answer = (await rpc('eth_callBundle', bundle)) as Bundle
    // A transfer uses 21,000 gas; a tip of 1,000 wei per gas is 21,000,000 wei, and the transfer itself adds 5.
    expect(answer.results[0]).toEqual({
      coinbaseDiff: '21000005',
      ethSentToCoinbase: '5',
      fromAddress: from.toLowerCase(),
      gasFees: '21000000',
      gasPrice: '1000',
      gasUsed: 21_000,
      toAddress: coinbase,
      txHash: keccak256(first),
      value: '0x',
    })
    // Two PUSH0 of 2 gas each before the revert.
    expect(answer.results[1]).toMatchObject({ error: 'execution reverted', revert: '0x', gasUsed: 21_004 })
    expect(answer).toMatchObject({
      bundleHash: keccak256(concat([keccak256(first), keccak256(second)])),
      coinbaseDiff: String(21_000_005 + 21_004_000),
      ethSentToCoinbase: '5',
      gasFees: String(21_000_000 + 21_004_000),
      stateBlockNumber: 1,
      totalGasUsed: 42_004,
    })
    expect(await rpc('eth_getTransactionCount', from, 'latest')).toBe('0x0')
  })

  it('refuses an empty bundle, and one with a transaction that no block may contain', async () => {
    const test = await testChain()
    const { raw } = test
    const call = async (txs: Hex[], blockNumber = '0x1') =>
      (await raw('eth_callBundle', { txs, blockNumber, stateBlockNumber: 'latest' })).error
    expect(await call([])).toEqual({ code: -32602, message: 'bundle missing txs' })
    const late = await signed(test, { to, nonce: 7 })
    expect(await call([late], '0x0')).toEqual({ code: -32602, message: 'bundle missing blockNumber' })
    expect((await call([late]))?.message).toMatch(/^nonce too high.*; txhash 0x/)
    expect((await call(['0x1234']))?.code).toBeLessThan(0)
  })
})

describe('eth_sendBundle', () => {
  it('makes one block of exactly its transactions, in order, also without automatic mining', async () => {
    const test = await testChain()
    const { rpc } = test
    await rpc('evm_setAutomine', false)
    const waiting = await rpc('eth_sendTransaction', {
      from: account(3).address,
      to,
      value: '0x1',
      gasPrice: toHex(10n ** 12n),
    })
    const txs = [await signed(test, { to, value: 1n, nonce: 0 }), await signed(test, { to, value: 2n, nonce: 1 })]
    const hashes = txs.map((raw) => keccak256(raw))
    const { bundleHash } = (await rpc('eth_sendBundle', { txs, blockNumber: '0x1' })) as { bundleHash: Hex }
    expect(bundleHash).toBe(keccak256(concat(hashes)))
    const { transactions } = (await rpc('eth_getBlockByNumber', '0x1', false)) as { transactions: Hex[] }
    expect(transactions).toEqual(hashes)
    await rpc('anvil_mine')
    expect(await rpc('eth_getBlockByNumber', '0x2', false)).toMatchObject({ transactions: [waiting] })
  })

  it('makes no block when one fails, unless that may fail', async () => {
    const test = await testChain()
    const { rpc, raw } = test
    await rpc('anvil_setCode', reverting, REVERTING)
    const txs = [await signed(test, { to, value: 1n, nonce: 0 }), await signed(test, { to: reverting, nonce: 1 })]
    const failing = keccak256(txs[1] as Hex)
    expect((await raw('eth_sendBundle', { txs, blockNumber: '0x1' })).error?.message).toBe(
      `execution reverted; txhash ${failing}`,
    )
    const late = await signed(test, { to, nonce: 7 })
    expect((await raw('eth_sendBundle', { txs: [late], blockNumber: '0x1' })).error?.message).toMatch(/^nonce too high/)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await rpc('eth_getTransactionCount', from, 'latest')).toBe('0x0')
    await rpc('eth_sendBundle', { txs, blockNumber: '0x1', revertingTxHashes: [failing] })
    expect(await rpc('eth_getTransactionReceipt', failing)).toMatchObject({ status: '0x0', blockNumber: '0x1' })
  })

  it('refuses a bundle for another block or time than the next', async () => {
    const test = await testChain()
    const { raw } = test
    const txs = [await signed(test, { to, value: 1n, nonce: 0 })]
    const error = async (target: object) => (await raw('eth_sendBundle', { txs, ...target })).error
    expect(await error({ blockNumber: '0x2' })).toEqual({
      code: -32602,
      message: 'bundle for block 2, but the next block is 1',
    })
    expect((await error({ blockNumber: '0x1', maxTimestamp: 5 }))?.message).toMatch('bundle for another time')
  })

  it('runs on a fork with what it needs of the forked chain', async () => {
    await using forked = await chainToFork()
    const { origin, proxy } = forked
    await origin.request('anvil_setCode', [counter, COUNTING])
    await origin.request('anvil_setBalance', [account(5).address, toHex(10n ** 18n)])
    await origin.request('anvil_mine', ['0x1'])
    await using fork = await forkOf(proxy)
    const fields = {
      chainId: 4242,
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      to: counter,
      nonce: 0,
    } as const
    const raw = await account(5).signTransaction({ type: 'eip1559', ...fields })
    const next = toHex(Number(await fork.request('eth_blockNumber')) + 1)
    const called = { txs: [raw], blockNumber: next, stateBlockNumber: 'latest' }
    expect((await fork.request<Bundle>('eth_callBundle', [called])).results).toMatchObject([{ txHash: keccak256(raw) }])
    await fork.request('eth_sendBundle', [{ txs: [raw], blockNumber: next }])
    expect(await fork.request('eth_getTransactionReceipt', [keccak256(raw)])).toMatchObject({
      status: '0x1',
      blockNumber: next,
    })
    expect(await fork.request('eth_getStorageAt', [counter, '0x0', 'latest'])).toBe(pad('0x1', { size: 32 }))
  })
})
