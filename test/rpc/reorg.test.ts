// anvil_reorg on a running node. Words of errors are those of anvil 1.7.1; what clients see is what the specifications of logs and
// subscriptions say of a reorganisation.
import { encodeAbiParameters, type Hex, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'
import { chainToFork, forkOf } from '../support/forked.ts'

const from = account(0).address
const to = account(1).address
const other = '0x00000000000000000000000000000000000000aa'

type Test = Awaited<ReturnType<typeof testChain>>
type Block = { number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex; mixHash: Hex; transactions: Hex[] }
const blockAt = ({ rpc }: Test, number: number) => rpc('eth_getBlockByNumber', toHex(number), false) as Promise<Block>
const send = ({ rpc }: Test, value: Hex, sender: string = from) =>
  rpc('eth_sendTransaction', { from: sender, to, value }) as Promise<Hex>

/** `log1(0, 32, number())` of the first word of its input. */
const LOGGER = '0x5f355f524360205fa100'

describe('anvil_reorg', () => {
  it('replaces the newest blocks by as many others at the same heights and times', async () => {
    const test = await testChain()
    const { rpc, mine } = test
    await mine(5)
    const before = await Promise.all([3, 4, 5].map((number) => blockAt(test, number)))
    expect(await rpc('anvil_reorg', 2, [])).toBeNull()
    const after = await Promise.all([3, 4, 5].map((number) => blockAt(test, number)))
    expect(await rpc('eth_blockNumber')).toBe('0x5')
    expect(after[0]).toEqual(before[0])
    expect(after[1]?.parentHash).toBe(before[0]?.hash)
    expect(after[2]?.parentHash).toBe(after[1]?.hash)
    for (const at of [1, 2]) {
      expect(after[at]?.hash).not.toBe(before[at]?.hash)
      expect(after[at]?.timestamp).toBe(before[at]?.timestamp)
      expect(await rpc('eth_getBlockByHash', before[at]?.hash, false)).toBeNull()
    }
  })

  it('takes objects and signed bytes, in their blocks and order, with the nonces that follow', async () => {
    const test = await testChain()
    const { rpc, walletOf, viem } = test
    await rpc('anvil_impersonateAccount', other)
    await rpc('anvil_setBalance', other, toHex(10n ** 18n))
    for (let i = 0; i < 3; i++) await send(test, '0x1')
    const raw = await walletOf(2).signTransaction({
      ...(await viem.prepareTransactionRequest({ account: account(2), to, value: 9n, type: 'eip1559' })),
    })
    await rpc('anvil_reorg', 3, [
      [{ from, to, value: '0x5' }, 2],
      [{ from, to, value: '0x3' }, 0],
      [raw, 0],
      [{ to, value: '0x4' }, 0],
    ])
    const blocks = (await Promise.all([1, 2, 3].map((number) => rpc('eth_getBlockByNumber', toHex(number), true)))) as {
      transactions: { from: Hex; nonce: Hex; value: Hex }[]
    }[]
    const short = blocks.map(({ transactions }) => transactions.map(({ from, nonce, value }) => [from, nonce, value]))
    const alice = from.toLowerCase()
    expect(short).toEqual([
      [
        [alice, '0x0', '0x3'],
        [account(2).address.toLowerCase(), '0x0', '0x9'],
        [alice, '0x1', '0x4'],
      ],
      [],
      [[alice, '0x2', '0x5']],
    ])
    await rpc('anvil_reorg', 1, [[{ from: other, to, value: '0x1' }, 0]])
    const impersonated = (await rpc('eth_getBlockByNumber', 'latest', true)) as (typeof blocks)[0]
    expect(impersonated.transactions.map(({ from }) => from)).toEqual([other])
  })

  it('drops the transactions of the replaced blocks, keeps those of the pool, and leaves out those that cannot run', async () => {
    const test = await testChain()
    const { rpc } = test
    const gone = await send(test, '0x1')
    await send(test, '0x2')
    await rpc('evm_setAutomine', false)
    const waiting = await send(test, '0x7', to)
    await rpc('anvil_reorg', 2, [[{ from, to, nonce: '0x9' }, 0]])
    expect(await rpc('eth_getTransactionByHash', gone)).toBeNull()
    expect(await rpc('eth_getTransactionReceipt', gone)).toBeNull()
    expect(await rpc('eth_getTransactionCount', from, 'latest')).toBe('0x0')
    expect(await rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    expect((await blockAt(test, 1)).transactions).toEqual([])
    await rpc('anvil_mine')
    expect((await blockAt(test, 3)).transactions).toEqual([waiting])
  })

  it('tells filters the removed logs and the new ones, as after a reorganisation of a network', async () => {
    const test = await testChain()
    const { rpc } = test
    await rpc('anvil_setCode', other, LOGGER)
    const filter = await rpc('eth_newFilter', { address: other })
    const blocks = await rpc('eth_newBlockFilter')
    const data = encodeAbiParameters([{ type: 'uint256' }], [7n])
    await rpc('eth_sendTransaction', { from, to: other, data, gas: '0x100000' })
    const [first] = (await rpc('eth_getFilterChanges', filter)) as { blockHash: Hex; data: Hex }[]
    expect(first?.data).toBe(data)
    await rpc('eth_getFilterChanges', blocks)
    const next = encodeAbiParameters([{ type: 'uint256' }], [8n])
    await rpc('anvil_reorg', 1, [[{ from, to: other, data: next, gas: '0x100000' }, 0]])
    const { hash } = await blockAt(test, 1)
    expect(await rpc('eth_getFilterChanges', filter)).toMatchObject([
      { data, removed: true, blockHash: first?.blockHash },
      { data: next, blockHash: hash },
    ])
    expect(await rpc('eth_getFilterChanges', blocks)).toEqual([hash])
    expect(await rpc('eth_getLogs', { fromBlock: '0x0', address: other })).toMatchObject([{ data: next }])
  })

  it('refuses what is deeper than the chain, a position beyond the depth, and what it cannot read, in the words of anvil', async () => {
    const test = await testChain()
    const { raw, mine } = test
    await mine(3)
    const { hash } = await blockAt(test, 3)
    const error = async (...params: unknown[]) => (await raw('anvil_reorg', ...params)).error
    expect(await error(4, [])).toEqual({
      code: -32602,
      message: 'Reorg depth must not exceed current chain height: current height 3, depth 4',
    })
    expect(await error(2, [[{ from, to }, 2]])).toEqual({
      code: -32602,
      message:
        'Block number for reorg tx will exceed the reorged chain height. Block number 2 must not exceed (depth-1) 1',
    })
    for (const params of [
      [0, []],
      [1, [['0x1234', 0]]],
      [1, [[{ from: other, to }, 0]]],
      [1, 'x'],
      ['x', []],
    ]) {
      expect((await error(...params))?.code, JSON.stringify(params)).toBeLessThan(0)
    }
    expect((await error(1_000_000_000, []))?.message).toBe('reorg depth must not exceed 1000')
    expect((await blockAt(test, 3)).hash).toBe(hash)
  })

  it('undoes changes of the state that were made after the first removed block, and keeps those before it', async () => {
    const { rpc, mine } = await testChain()
    await rpc('anvil_setBalance', other, '0x1')
    await mine(1)
    await rpc('anvil_setBalance', other, '0x2')
    await rpc('anvil_reorg', 1, [])
    expect(await rpc('eth_getBalance', other, 'latest')).toBe('0x1')
  })

  it('drops the snapshots of the removed blocks, and keeps earlier ones', async () => {
    const { rpc, mine } = await testChain()
    await mine(2)
    const early = await rpc('evm_snapshot')
    await mine(2)
    const late = await rpc('evm_snapshot')
    await rpc('anvil_reorg', 1, [])
    expect(await rpc('evm_revert', late)).toBe(false)
    expect(await rpc('evm_revert', early)).toBe(true)
    expect(await rpc('eth_blockNumber')).toBe('0x2')
  })

  it('replaces the blocks of a fork, with transactions that need the state of the forked chain, and none before it', async () => {
    await using forked = await chainToFork()
    const { origin, proxy } = forked
    const holder = '0x00000000000000000000000000000000000000bb'
    await origin.request('anvil_setBalance', [holder, toHex(10n ** 18n)])
    await origin.request('anvil_mine', ['0x2'])
    await using fork = await forkOf(proxy)
    const height = Number(await fork.request('eth_blockNumber'))
    await fork.request('anvil_mine', ['0x2'])
    await fork.request('anvil_impersonateAccount', [holder])
    await fork.request('anvil_reorg', [2, [[{ from: holder, to: other, value: '0x5' }, 1]]])
    expect(Number(await fork.request('eth_blockNumber'))).toBe(height + 2)
    expect(await fork.request('eth_getBalance', [other, 'latest'])).toBe('0x5')
    await expect(fork.request('anvil_reorg', [3, []])).rejects.toThrow(
      'Reorg depth must not exceed current blocks of the fork: 2 blocks, depth 3',
    )
  })
})
