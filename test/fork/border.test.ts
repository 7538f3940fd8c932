// Questions to a fork that concern blocks before it, or both sides of the border. The other chain is a kestrel of its own behind a proxy.
import { encodeDeployData, encodeFunctionData, type Hex, pad, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunningNode } from '../../src/library.ts'
import { token } from '../support/contracts.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'

const HOLDER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const STRANGER = '0x00000000000000000000000000000000000a11ce'

type Log = { readonly blockNumber: Hex; readonly timestamp: Hex }
type Trace = { readonly blockNumber: number; readonly action: { readonly to?: Hex } }

let forked: Forked
let fork: RunningNode
let tokenAt: Hex
/** Hashes of the transfers before the fork, and of those on it. */
const before: Hex[] = []
const after: Hex[] = []
let first: bigint
let border: bigint

const send = (node: RunningNode, request: object) =>
  node.request<Hex>('eth_sendTransaction', [{ from: node.accounts[0]?.address, gas: '0x186a0', ...request }])
const pay = (node: RunningNode, amount: bigint) =>
  send(node, {
    to: tokenAt,
    data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [STRANGER, amount] }),
  })
const number = async (node: RunningNode) => BigInt(await node.request<Hex>('eth_blockNumber'))
/** Without some methods, as many servers are. */
const without = (...methods: string[]) => {
  forked.proxy.spoil = ({ method }) =>
    methods.includes(method)
      ? { result: undefined, error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
      : undefined
}

beforeAll(async () => {
  forked = await chainToFork()
  const { origin, proxy } = forked
  const data = encodeDeployData({ ...token, args: ['Forked', parseEther('1000')] })
  const deployed = await send(origin, { data, gas: '0x2dc6c0' })
  tokenAt = (await origin.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [deployed])).contractAddress
  first = await number(origin)
  for (const amount of [1n, 2n, 3n]) before.push(await pay(origin, amount))
  // In another second than block 0.
  await origin.request('evm_increaseTime', [100])
  await origin.request('anvil_mine', ['0x3'])
  border = await number(origin)
  fork = await forkOf(proxy)
  for (const amount of [4n, 5n]) after.push(await pay(fork, amount))
  // Of the forked chain only, and so unknown to the fork.
  await pay(origin, 6n)
})
afterAll(async () => {
  await fork.stop()
  await forked[Symbol.asyncDispose]()
})
beforeEach(() => {
  forked.proxy.spoil = () => undefined
  forked.proxy.forget()
})

describe('erigon_getLatestLogs over the border', () => {
  const ask = (limits: object, filter: object = {}) =>
    fork.request<Log[]>('erigon_getLatestLogs', [{ address: tokenAt, ...filter }, limits])
  const numbers = (logs: readonly Log[]) => logs.map(({ blockNumber }) => BigInt(blockNumber))

  it('gives the newest logs of both sides, newest first', async () => {
    const newest = [border + 2n, border + 1n, first + 3n, first + 2n, first + 1n, first]
    for (const count of [1, 2, 3, 6]) expect(numbers(await ask({ logCount: count }))).toEqual(newest.slice(0, count))
    for (const count of [2, 4]) expect(numbers(await ask({ blockCount: count }))).toEqual(newest.slice(0, count))
    expect(numbers(await ask({ logCount: 100 }))).toEqual(newest)
    const range = { fromBlock: toHex(first + 1n), toBlock: toHex(border) }
    expect(numbers(await ask({ logCount: 2 }, range))).toEqual([first + 3n, first + 2n])
  })

  it('gives each log the timestamp of its block, also where the server’s logs have none', async () => {
    const { proxy, origin } = forked
    const range = { fromBlock: '0x0', toBlock: toHex(border) }
    const logs = await origin.request<object[]>('eth_getLogs', [{ address: tokenAt, ...range }])
    const bare = logs.map((log) => ({ ...log, blockTimestamp: undefined }))
    proxy.spoil = ({ method }) => (method === 'eth_getLogs' ? { result: bare } : undefined)
    const [, , log] = await ask({ logCount: 3 })
    const block = await origin.request<{ timestamp: Hex }>('eth_getBlockByNumber', [toHex(first + 3n), false])
    expect(log).toMatchObject({ blockNumber: toHex(first + 3n), timestamp: block.timestamp })
  })

  it('asks nothing if this side has enough', async () => {
    await ask({ logCount: 2 })
    expect(forked.proxy.methods).not.toContain('eth_getLogs')
  })

  it('asks for shorter ranges until the server takes them', async () => {
    const { proxy } = forked
    proxy.spoil = ({ method, params }) => {
      const [{ fromBlock = '0x0', toBlock = '0x0' }] = params as [{ fromBlock?: Hex; toBlock?: Hex }]
      const isLong = BigInt(toBlock) - BigInt(fromBlock) >= 2n
      return method === 'eth_getLogs' && isLong
        ? { result: undefined, error: { code: -32602, message: 'at most 2 blocks' } }
        : undefined
    }
    expect(await ask({ logCount: 100 })).toHaveLength(6)
    const all = await fork.request<Log[]>('erigon_getLogs', [{ address: tokenAt, fromBlock: 'earliest' }])
    expect(all).toEqual((await ask({ logCount: 100 })).toReversed())
  })
})

describe('trace_filter over the border', () => {
  const ask = (filter: object) => fork.request<Trace[]>('trace_filter', [filter])
  const to = () => ({ fromBlock: 'earliest', toAddress: [tokenAt] })
  const blocks = (traces: readonly Trace[]) => traces.map(({ blockNumber }) => BigInt(blockNumber))
  const calls = () => [first, first + 1n, first + 2n, first + 3n, border + 1n, border + 2n]

  it.each([
    ['the answer of the forked chain', []],
    ['traces made here', ['trace_filter', 'trace_block', 'trace_transaction', 'debug_traceBlockByNumber']],
  ])('joins %s and its own', async (_, missing) => {
    without(...missing)
    expect(blocks(await ask(to()))).toEqual(calls())
    expect(blocks(await ask({ ...to(), after: 2, count: 3 }))).toEqual(calls().slice(2, 5))
    expect(blocks(await ask({ ...to(), count: 2 }))).toEqual(calls().slice(0, 2))
    expect(blocks(await ask({ ...to(), toBlock: toHex(border) }))).toEqual(calls().slice(0, 4))
    expect(blocks(await ask({ ...to(), fromBlock: toHex(border + 1n) }))).toEqual(calls().slice(4))
    const hash = { fromBlock: toHex(first + 1n), toBlock: toHex(first + 1n) }
    expect(await ask(hash)).toEqual(await forked.origin.request('trace_filter', [hash]))
  })

  it('finds only what matches both lists, also if the server finds what matches one of them', async () => {
    const { proxy, origin } = forked
    const sender = origin.accounts[0]?.address
    const union = await origin.request<Trace[]>('trace_filter', [{ fromBlock: '0x0', fromAddress: [sender] }])
    const calledOthers = { action: { from: sender, to: STRANGER, callType: 'call' }, type: 'call', result: null }
    proxy.spoil = ({ method }) =>
      method === 'trace_filter'
        ? { result: [{ ...calledOthers, blockNumber: 1 }, ...union.filter(({ blockNumber }) => blockNumber <= border)] }
        : undefined
    expect(blocks(await ask({ ...to(), fromAddress: [sender], count: 5 }))).toEqual(calls().slice(0, 5))
  })

  it('is refused with the forked chain’s reason', async () => {
    forked.proxy.spoil = ({ method }) =>
      method === 'trace_filter' ? { result: undefined, error: { code: -32000, message: 'ask for less' } } : undefined
    await expect(ask(to())).rejects.toThrow(/http:\/\/127\.0\.0\.1:\d+ refuses: ask for less/)
  })
})

describe('methods that are about one block or account', () => {
  it('are answered by the forked chain for blocks of before', async () => {
    const { origin } = forked
    const { hash } = await origin.request<{ hash: Hex }>('eth_getBlockByNumber', [toHex(first), false])
    const call = { from: HOLDER, to: tokenAt, data: '0x18160ddd' }
    for (const [method, ...params] of [
      ['eth_feeHistory', '0x2', toHex(first), [50]],
      ['eth_estimateGas', call, toHex(first)],
      ['eth_createAccessList', call, toHex(first)],
      ['debug_getRawHeader', toHex(first)],
      ['debug_getRawTransaction', before[0]],
      ['erigon_blockNumber', toHex(first)],
      ['erigon_getHeaderByNumber', toHex(first)],
      ['erigon_getHeaderByHash', hash],
      ['ots_getHeaderByNumber', toHex(first)],
      ['ots_getBlockDetails', toHex(first)],
      ['ots_getBlockDetailsByHash', hash],
      ['ots_hasCode', tokenAt, toHex(first - 1n)],
      ['ots_hasCode', tokenAt, toHex(first)],
      ['ots_getContractCreator', tokenAt],
      ['ots_getTransactionBySenderAndNonce', origin.accounts[0]?.address, '0x1'],
      ['eth_getTransactionBySenderAndNonce', origin.accounts[0]?.address, '0x1'],
      ['erigon_getLogs', { blockHash: hash }],
    ] as const)
      expect([method, await fork.request(method, params)]).toEqual([method, await origin.request(method, params)])
    expect(await fork.request('debug_getRawTransaction', [pad('0x1')])).toBe('0x')
  })

  it('are refused in the name of a forked chain that does not have them', async () => {
    without('ots_hasCode')
    const asked = fork.request('ots_hasCode', [STRANGER, toHex(first)])
    await expect(asked).rejects.toThrow(/the forked chain \(http:\/\/127\.0\.0\.1:\d+\): the method ots_/)
  })

  it('find the block of a timestamp on both sides', async () => {
    const { origin } = forked
    const blockOf = (node: RunningNode, at: bigint) =>
      node.request<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', [toHex(at), false])
    const foundBy = async (time: bigint | Hex) =>
      (
        await fork.request<{ number: Hex }>('erigon_getBlockByTimestamp', [
          typeof time === 'bigint' ? toHex(time) : time,
        ])
      ).number
    for (const at of [first, first + 1n, border, border + 1n, border + 2n]) {
      const { timestamp } = await blockOf(at > border ? fork : origin, at)
      const found = BigInt(await foundBy(timestamp))
      // Blocks may share a second: the first one of it is meant.
      expect((await blockOf(fork, found)).timestamp).toBe(timestamp)
      if (found > 0n) expect(BigInt((await blockOf(fork, found - 1n)).timestamp)).toBeLessThan(BigInt(timestamp))
    }
    expect(await foundBy(0n)).toBe('0x0')
    const { timestamp } = await blockOf(fork, border + 2n)
    expect(await foundBy(BigInt(timestamp) + 100n)).toBe(toHex(border + 2n))
  })
})
