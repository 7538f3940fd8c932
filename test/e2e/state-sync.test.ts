// A node that began with another one's state snapshot, as seen by clients of JSON-RPC and the explorer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { reindex } from '../../src/chain/reindex.ts'
import { StateRestore } from '../../src/chain/state-sync/restore.ts'
import { StateSnapshots } from '../../src/chain/state-sync/state-snapshots.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { fromHex, ZERO_HASH } from '../../src/lib/hex.ts'
import { createLogger } from '../../src/lib/log.ts'
import { type Node, startNode } from '../../src/node.ts'
import { encodeBlock } from '../../src/primitives/block.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { presets } from '../../src/spec/presets.ts'
import { openMemoryStore, openStore } from '../../src/state/kv.ts'
import { contract } from '../indexer/token-chain.ts'
import { account, nodeOptions, rawRequest, request, withClients } from '../support/chain.ts'
import { everyRow } from '../support/stores.ts'

const spec = presets.kestrel({ timestamp: 1_700_000_000n })
let origin: Node
let joined: Node
let token: `0x${string}`
let creation: `0x${string}`
const folder = mkdtempSync(join(tmpdir(), 'kestrel-joined-'))
const BASE = 20

const rpc = (method: string, ...params: unknown[]) => request(joined.url, method, params)
const refusal = async (method: string, ...params: unknown[]) => (await rawRequest(joined.url, method, params)).error
// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
const explorer = async (of: Node, path: string): Promise<any> => {
  const response = await fetch(`${of.url}/api/v2${path}`)
  return { ...Object(await response.json()), httpStatus: response.status }
}

beforeAll(async () => {
  origin = await startNode(nodeOptions({ spec }))
  const { walletOf, viem, mine } = withClients(origin)
  const alice = walletOf(0)
  const bob = walletOf(1)
  const { abi, bytecode } = contract('Coin')
  creation = await alice.deployContract({ abi, bytecode, args: ['Coin', 'CO', 18, 10n ** 21n], gas: 8_000_000n })
  token = (await viem.waitForTransactionReceipt({ hash: creation })).contractAddress ?? '0x'
  for (const to of [account(1).address, account(2).address, `0x${'77'.repeat(20)}` as const])
    await alice.writeContract({ address: token, abi, functionName: 'transfer', args: [to, 1_000n], gas: 500_000n })
  await bob.sendTransaction({ to: `0x${'88'.repeat(20)}`, value: 5n })
  await mine(BASE - Number(origin.chain.head.number) - 1)
  const failures: unknown[] = []
  const made = await StateSnapshots.open(origin.chain, {
    folder: join(folder, 'snapshots'),
    indexer,
    interval: BigInt(BASE),
    chunkSize: 20_000,
    onError: (error) => failures.push(error),
  })
  await bob.writeContract({
    address: token,
    abi,
    functionName: 'transfer',
    args: [account(3).address, 7n],
    gas: 500_000n,
  })
  await made.settled()
  expect(failures).toEqual([])
  const [snapshot] = made.list()
  if (snapshot === undefined) throw new Error('there is no snapshot')
  expect(snapshot.height).toBe(BigInt(BASE))
  await alice.writeContract({
    address: token,
    abi,
    functionName: 'transfer',
    args: [account(4).address, 9n],
    gas: 500_000n,
  })
  await mine(2)

  const datadir = join(folder, 'chain')
  const store = await openStore(datadir)
  const restore = new StateRestore({ store, spec, runtime: new Runtime(spec), indexer })
  const hash = (await origin.chain.header({ number: BigInt(BASE) }))?.hash ?? ZERO_HASH
  expect(await restore.offer(snapshot, { blockHash: hash })).toBe('accept')
  for (let index = 0; index < snapshot.chunks; index++) {
    const chunk = await made.chunk(snapshot.height, snapshot.format, index)
    expect(await restore.apply(index, chunk ?? new Uint8Array(0), 'origin')).toMatchObject({ result: 'accept' })
  }
  await made.close()
  await store.close()
  joined = await startNode(
    nodeOptions({ datadir, spec: undefined, log: createLogger({ level: 'error', json: false }) }),
  )
  for (let number = BASE + 1; number <= Number(origin.chain.head.number); number++) {
    const block = await origin.chain.block({ number: BigInt(number) })
    if (block !== undefined) await joined.chain.importBlock(encodeBlock(block))
  }
  return async () => {
    await joined.close()
    await origin.close()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)

describe('a node that began with a state snapshot', () => {
  it('has the same index after a reindex', async () => {
    const rows = await everyRow(joined.chain.store)
    const copy = await openMemoryStore()
    await copy.write(Array.from(rows, ([key, value]) => ({ type: 'put', key: fromHex(key), value: fromHex(value) })))
    await reindex(copy, new Runtime(spec), indexer, () => undefined)
    expect(await everyRow(copy)).toEqual(rows)
    await copy.close()
  })

  it('has the blocks from its base on, and treats earlier ones as unknown', async () => {
    expect(await rpc('eth_blockNumber')).toBe(await request(origin.url, 'eth_blockNumber'))
    for (const method of ['eth_getBlockByNumber', 'eth_getHeaderByNumber']) {
      expect(await rpc(method, 'latest', ...(method === 'eth_getBlockByNumber' ? [true] : []))).toEqual(
        await request(origin.url, method, ['latest', ...(method === 'eth_getBlockByNumber' ? [true] : [])]),
      )
    }
    expect(await rpc('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ number: '0x14' })
    for (const number of ['0x0', '0x1', '0x13']) {
      expect(await rpc('eth_getBlockByNumber', number, false)).toBeNull()
      expect(await rpc('eth_getBlockReceipts', number)).toBeNull()
      expect(await refusal('eth_getBalance', account(0).address, number)).toMatchObject({ message: 'header not found' })
    }
    expect(await rpc('eth_getTransactionReceipt', creation)).toBeNull()
    expect(await rpc('eth_getTransactionByHash', creation)).toBeNull()
    expect(await rpc('eth_getBalance', account(0).address, 'earliest')).toBe(
      await request(origin.url, 'eth_getBalance', [account(0).address, '0x14']),
    )
    expect(await rpc('eth_getProof', token, ['0x0'], 'latest')).toEqual(
      await request(origin.url, 'eth_getProof', [token, ['0x0'], 'latest']),
    )
    expect(await rpc('eth_capabilities')).toMatchObject({
      blocks: { oldestBlock: '0x14' },
      logs: { oldestBlock: '0x14' },
      state: { oldestBlock: '0x14' },
    })
    expect(await rpc('eth_config')).toEqual(await request(origin.url, 'eth_config'))
    expect(await rpc('eth_feeHistory', '0x100', 'latest', [50])).toMatchObject({ oldestBlock: '0x14' })
    expect(await rpc('debug_traceBlockByNumber', '0x14', { tracer: 'callTracer' })).toEqual(
      await request(origin.url, 'debug_traceBlockByNumber', ['0x14', { tracer: 'callTracer' }]),
    )
    expect(await rpc('dev_invariants')).toEqual([])
  })

  it('reports the first block with logs', async () => {
    const since = { code: -32000, message: 'this node has blocks since block 20 only' }
    for (const fromBlock of ['0x0', '0x13'])
      expect(await refusal('eth_getLogs', { fromBlock, toBlock: 'latest' })).toMatchObject(since)
    const logsFrom = (url: string, fromBlock: string) => request(url, 'eth_getLogs', [{ fromBlock, address: token }])
    const logs = await logsFrom(joined.url, 'earliest')
    expect(logs).toHaveLength(2)
    expect(logs).toEqual(await logsFrom(origin.url, '0x14'))
    expect(await refusal('ots_getContractCreator', token)).toMatchObject(since)
    expect(await rpc('trace_filter', { fromBlock: 'earliest', fromAddress: [account(1).address] })).toHaveLength(1)
  })

  it('shows accounts, contracts and tokens from before its base', async () => {
    const same = async (path: string, ...fields: string[]) => {
      const one = await explorer(joined, path)
      const other = await explorer(origin, path)
      expect(one.httpStatus).toBe(200)
      const of = (answer: Record<string, unknown>) => fields.map((field) => answer[field])
      expect(of(one)).toEqual(of(other))
      return one
    }
    for (const of of [account(0).address, account(5).address, `0x${'88'.repeat(20)}`])
      await same(`/addresses/${of}`, 'coin_balance', 'is_contract')
    await same(`/addresses/${token}`, 'is_contract', 'token')
    await same(`/tokens/${token}`, 'name', 'symbol', 'decimals', 'total_supply', 'type')
    // One holder has only these tokens, so its account does not exist.
    const { items: holders } = await same(`/tokens/${token}/holders`, 'items', 'total_count')
    expect(holders).toHaveLength(6)
    for (const of of [account(1).address, `0x${'77'.repeat(20)}`])
      expect(await (await fetch(`${joined.url}/api/v2/addresses/${of}/token-balances`)).json()).toEqual(
        await (await fetch(`${origin.url}/api/v2/addresses/${of}/token-balances`)).json(),
      )
    const { items } = await explorer(joined, '/addresses')
    const richest = (await explorer(origin, '/addresses')).items
    const balances = (all: { hash: string; coin_balance: string }[]) => all.map((of) => [of.hash, of.coin_balance])
    expect(balances(items)).toEqual(balances(richest))
    await same('/blocks/20', 'hash', 'transactions_count', 'internal_transactions_count', 'gas_used', 'rewards')
    await same('/blocks/20/transactions', 'items')
    await same(`/transactions/${(await origin.chain.block({ number: 20n }))?.transactions[0]?.hash}`, 'token_transfers')
  })

  it('counts and lists from its base on', async () => {
    const count = Number(joined.chain.head.number) - BASE + 1
    const stats = await explorer(joined, '/stats')
    expect(stats).toMatchObject({ first_block: BASE, total_blocks: count, total_transactions: 2 })
    const list = await explorer(joined, '/blocks?items_count=2')
    expect(list).toMatchObject({
      total_count: count,
      items: [{ height: BASE + count - 1 }, { height: BASE + count - 2 }],
    })
    const last = await explorer(joined, `/blocks?items_count=2&page=2&anchor=${count}`)
    expect(last.items.map(({ height }: { height: number }) => height)).toEqual([BASE + 1, BASE].slice(0, count - 2))
    expect(await explorer(joined, '/blocks/19')).toMatchObject({ httpStatus: 404 })
    expect(await explorer(joined, `/transactions/${creation}`)).toMatchObject({ httpStatus: 404 })
    for (const path of [
      ...['/main-page/blocks', '/main-page/transactions', '/stats/charts/transactions', '/search?q=19'],
      ...[`/addresses/${account(0).address}/coin-balance-history`, `/addresses/${token}/transactions`],
      ...[`/addresses/${account(0).address}/coin-balance-history-by-day`, `/addresses/${account(0).address}/counters`],
      ...['/native/validators', '/native/parameters/history', '/smart-contracts', '/tokens'],
    ]) {
      const response = await fetch(`${joined.url}/api/v2${path}`)
      expect([path, response.status]).toEqual([path, (await fetch(`${origin.url}/api/v2${path}`)).status])
    }
    for (const query of [
      'module=block&action=getblocknobytime&timestamp=1700000001&closest=after',
      `module=logs&action=getLogs&fromBlock=0&address=${token}`,
      `module=account&action=txlist&address=${account(0).address}`,
    ]) {
      const answer = await fetch(`${joined.url}/api?${query}`)
      expect([query, answer.status]).toEqual([query, 200])
    }
  })
})
