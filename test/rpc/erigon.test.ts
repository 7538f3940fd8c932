// Methods of Erigon, less common methods of go-ethereum, and the forms of block numbers that every method accepts.
import { once } from 'node:events'
import { toHex } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { methods } from '../../src/rpc/methods/index.ts'
import { testChain } from '../support/chain.ts'
import { deployToken, token } from '../support/contracts.ts'

type Log = { readonly transactionHash: string; readonly blockNumber: string; readonly timestamp: string }
type Header = { readonly number: string; readonly timestamp: string; readonly hash: string }

/** A chain of five blocks: a token and four transfers. */
async function transfers() {
  const chain = await testChain()
  const { address } = await deployToken(chain, 0)
  const hashes: string[] = []
  const call = { address, abi: token.abi, functionName: 'transfer', args: [chain.bob.address, 1n] } as const
  for (let i = 0; i < 4; i++) hashes.push(await chain.walletOf(0).writeContract(call))
  return {
    ...chain,
    address,
    hashes,
    header: async (of: unknown) => (await chain.rpc('eth_getHeaderByNumber', of)) as Header,
  }
}

describe('block numbers of Erigon’s methods', () => {
  test('are accepted as JSON numbers, padded and plain quantities', async () => {
    const { rpc, header, bob, address } = await transfers()
    const third = await header('0x3')
    expect([await header(3), await header('0x03'), await header('0x0003')]).toEqual([third, third, third])
    for (const number of [3, '0x3', '0x03']) {
      expect(await rpc('erigon_getHeaderByNumber', number)).toEqual(third)
      expect(await rpc('ots_hasCode', address, number)).toBe(true)
      expect(await rpc('ots_hasCode', bob.address, number)).toBe(false)
      expect(await rpc('ots_getBlockDetails', number)).toMatchObject({ block: { number: '0x3' } })
      expect(await rpc('trace_block', number)).toHaveLength(1)
      expect(await rpc('eth_getLogs', { fromBlock: number, toBlock: number })).toHaveLength(1)
      expect(await rpc('eth_getTransactionByBlockNumberAndIndex', number, 0)).toMatchObject({ transactionIndex: '0x0' })
      expect(await rpc('eth_getTransactionByBlockNumberAndIndex', number, '0x00')).toMatchObject({ blockNumber: '0x3' })
      expect(await rpc('debug_traceBlockByNumber', number)).toHaveLength(1)
    }
    expect(await rpc('ots_hasCode', address, { blockNumber: 0 })).toBe(false)
  })

  test('may be JSON numbers in every method', () => {
    const named = /QUANTITY.*TAG/
    for (const [name, { params }] of methods) {
      for (const schema of params) {
        if (!named.test(schema.description ?? '')) continue
        expect(schema.safeParse(1).success, name).toBe(true)
        expect(schema.safeParse('0x01').success, name).toBe(true)
      }
    }
  })

  test('are found by time: the first block with this timestamp, otherwise the last before it', async () => {
    const { rpc, header } = await transfers()
    const genesis = await header('earliest')
    const second = await header(2)
    const head = await header('latest')
    const at = async (time: bigint | number) =>
      ((await rpc('erigon_getBlockByTimestamp', time.toString(), false)) as Header).number
    await rpc('evm_increaseTime', 1000)
    await rpc('evm_mine')
    expect(await at(BigInt(head.timestamp) + 500n)).toBe(head.number)
    expect(await at(2n ** 40n)).toBe('0x6')
    expect(await at(0)).toBe('0x0')
    expect(await at(BigInt(genesis.timestamp))).toBe('0x0')
    const found = await header(await at(BigInt(second.timestamp)))
    expect(found.timestamp).toBe(second.timestamp)
    // Each block after the genesis is at least a second later, so that no earlier block has this time.
    expect(BigInt(found.number)).toBeGreaterThan(0n)
    expect((await header(toHex(BigInt(found.number) - 1n))).timestamp).not.toBe(second.timestamp)
  })
})

test('logs of erigon_ methods have the timestamp of their block', async () => {
  const { rpc, address, hashes, header } = await transfers()
  const all = (await rpc('erigon_getLogs', { address, fromBlock: 'earliest' })) as Log[]
  // The first log is of the deployment.
  expect(all.map(({ transactionHash }) => transactionHash).slice(1)).toEqual(hashes)
  for (const { blockNumber, timestamp } of all) expect(timestamp).toBe((await header(blockNumber)).timestamp)
  const newest = [...all].reverse()
  expect(await rpc('erigon_getLatestLogs', { address }, { logCount: 3 })).toEqual(newest.slice(0, 3))
  expect(await rpc('erigon_getLatestLogs', { address }, { blockCount: 2 })).toEqual(newest.slice(0, 2))
  const { hash } = await header(3)
  expect(await rpc('erigon_getLogsByHash', hash)).toEqual([[all[2]]])
  expect(await rpc('erigon_getBlockReceiptsByBlockHash', hash)).toEqual(await rpc('eth_getBlockReceipts', hash))
  expect(await rpc('erigon_getHeaderByHash', hash)).toEqual(await header(3))
  expect([await rpc('erigon_blockNumber'), await rpc('erigon_blockNumber', 'earliest')]).toEqual(['0x5', '0x0'])
  await expect(rpc('erigon_getLatestLogs', { address }, { logCount: 1, blockCount: 1 })).rejects.toThrow('ambigious')
})

test('admin_nodeInfo, debug_memStats and debug_gcStats have the fields of Go’s types', async () => {
  const { rpc } = await testChain()
  const genesis = ((await rpc('eth_getBlockByNumber', 'earliest', false)) as Header).hash
  expect(await rpc('admin_nodeInfo')).toMatchObject({
    name: await rpc('web3_clientVersion'),
    ports: { discovery: 0, listener: 0 },
    protocols: { eth: { network: 125, genesis, head: genesis } },
  })
  expect(await rpc('admin_peers')).toEqual([])
  const memory = (await rpc('debug_memStats')) as Record<string, number> & { PauseNs: number[] }
  expect(memory.PauseNs).toHaveLength(256)
  for (const field of ['Alloc', 'Sys', 'HeapAlloc', 'HeapSys']) expect(memory[field], field).toBeGreaterThan(1_000_000)
  const collections = (await rpc('debug_gcStats')) as { NumGC: number; Pause: number[]; PauseEnd: string[] }
  expect(collections.Pause).toHaveLength(collections.PauseEnd.length)
})

test('debug_memStats and debug_gcStats are not enabled in production', async () => {
  const { raw } = await testChain({ rpc: { development: false } })
  for (const method of ['debug_memStats', 'debug_gcStats']) expect((await raw(method)).error?.code).toBe(-32601)
})

test('transactionReceipts subscriptions send the receipts of a block in one message, all or those of given transactions', async () => {
  const { url, walletOf, bob, rpc, raw } = await testChain({ automine: false })
  const socket = new WebSocket(url.replace('http', 'ws'))
  onTestFinished(() => socket.terminate())
  const messages: {
    id?: number
    result?: string
    error?: unknown
    params?: { subscription: string; result: unknown }
  }[] = []
  socket.on('message', (message) => messages.push(JSON.parse(String(message))))
  await once(socket, 'open')
  const subscribe = async (...params: unknown[]) => {
    const id = messages.length + 1
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
    return vi.waitFor(() => {
      const answer = messages.find((message) => message.id === id)
      if (answer === undefined) throw new Error('no answer')
      return answer
    })
  }
  const hashes: string[] = []
  for (const index of [0, 1, 2])
    hashes.push(await walletOf(index).sendTransaction({ to: bob.address, value: 1n, gas: 21_000n }))
  const all = (await subscribe('transactionReceipts')).result
  const one = (await subscribe('transactionReceipts', { transactionHashes: [hashes[1]] })).result
  await subscribe('transactionReceipts', { transactionHashes: [`0x${'ff'.repeat(32)}`] })
  const tooMany = await subscribe('transactionReceipts', { transactionHashes: Array(201).fill(hashes[0]) })
  expect(tooMany.error).toMatchObject({ code: -32602 })
  const wrongHash = await subscribe('transactionReceipts', { transactionHashes: ['0x12'] })
  expect(wrongHash.error).toMatchObject({ code: -32602 })
  expect((await raw('eth_subscribe', 'transactionReceipts')).error).toBeDefined()
  await rpc('evm_mine')
  // An empty block sends no message, and this one would come before the receipts of the next.
  await rpc('evm_mine')
  const receiptsFor = (subscription: string | undefined) =>
    messages.flatMap(({ params }) => (params?.subscription === subscription ? [params?.result] : []))
  await vi.waitFor(() => expect(receiptsFor(one)).toHaveLength(1))
  const receipts = (await rpc('eth_getBlockReceipts', '0x1')) as { transactionHash: string }[]
  expect(receipts).toHaveLength(3)
  expect(receiptsFor(all)).toEqual([receipts])
  expect(receiptsFor(one)).toEqual([receipts.filter(({ transactionHash }) => transactionHash === hashes[1])])
  expect(messages.filter(({ params }) => params !== undefined)).toHaveLength(2)
})
