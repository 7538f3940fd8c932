// startNode of the package: its options are all flags of `kestrel start`. `npm run check:pack` tests the rest.
import { describe, expect, it } from 'vitest'
import { type RunningNode, type StartOptions, startNode } from '../src/library.ts'

it.each<[StartOptions, RegExp]>([
  [{ datadir: '' }, /--datadir: expected a path/],
  [{ blockTime: -1 }, /--block-time: expected a number of seconds/],
  [{ genesis: 'g.json', timestamp: 1 }, /--timestamp <seconds>' cannot be used with option '--genesis/],
  [{ timestamp: -1 }, /--timestamp: expected/],
  [{ genesis: 'g.json', chainId: 1 }, /--chain-id <id>' cannot be used with option '--genesis/],
  [{ corsOrigins: ['nowhere'] }, /--cors-origins: expected origins/],
  [JSON.parse('{"mining":"no"}'), /mining: expected a boolean/],
  [JSON.parse('{"gasLimit":true}'), /gasLimit: expected a value/],
])('refuses %j', async (options, words) => {
  await expect(startNode(options)).rejects.toThrow(words)
})

it('startNode accepts lists, numbers, big integers and switches', async () => {
  await using node = await startNode({
    chainId: 2n ** 40n,
    accounts: 1,
    balance: '0.5',
    mining: false,
    hosts: ['node.test'],
    activate: ['kestrel_0'],
  })
  expect(node.chainId).toBe(2 ** 40)
  expect(node.accounts.map(({ address }) => address)).toEqual(['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'])
  expect(await node.request('eth_getBalance', [node.accounts[0]?.address, 'latest'])).toBe('0x6f05b59d3b20000')
  expect(await node.request('anvil_getAutomine')).toBe(false)
  expect(await node.request('kestrel_getEvmParams', ['latest'])).toMatchObject({ extraEips: ['kestrel_0'] })
})

describe('block 0 of a new chain', () => {
  type Block = { readonly hash: string; readonly timestamp: string }
  const block = (node: RunningNode, tag: string) => node.request<Block>('eth_getBlockByNumber', [tag, false])
  const now = () => Math.floor(Date.now() / 1000)
  /** Whether `deadline` is in the future for code in the next block. */
  const holds = async (node: RunningNode, deadline: number) =>
    Number((await block(node, 'pending')).timestamp) <= deadline

  it('has the time of the start, so that a deadline calculated from `latest` is valid in the first transaction', async () => {
    const before = now()
    await using node = await startNode()
    const { timestamp } = await block(node, 'latest')
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before)
    expect(Number(timestamp)).toBeLessThanOrEqual(now())
    expect(await holds(node, Number(timestamp) + 3600)).toBe(true)
    const { head } = (await (await fetch(`${node.url}/health`)).json()) as { head: { age: number } }
    expect(head.age).toBeLessThanOrEqual(now() - before)
  })

  it('has the timestamp of the option `timestamp`, from which the clock continues, and a hash determined by the options', async () => {
    const options = { timestamp: 1_700_000_000 }
    await using node = await startNode(options)
    await using same = await startNode(options)
    await using other = await startNode({ timestamp: 1_700_000_001n })
    const first = await block(node, 'latest')
    expect(Number(first.timestamp)).toBe(options.timestamp)
    expect(await block(same, 'latest')).toEqual(first)
    expect((await block(other, 'latest')).hash).not.toBe(first.hash)
    expect(await holds(node, options.timestamp + 3600)).toBe(true)
    await node.request('evm_increaseTime', [100_000])
    await node.request('evm_mine')
    await node.request('hardhat_reset')
    expect(await block(node, 'latest')).toEqual(first)
    expect(await holds(node, options.timestamp + 3600)).toBe(true)
  })
})
