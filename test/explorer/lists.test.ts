// Lists of transactions, transfers and messages: filters against a naive scan, complete pagination, and stable pages while the
// chain grows. Then the API's errors.
import { type Hex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { scenario } from './scenario.ts'

const COUNT = 24

const on = scenario(async ({ deploy, call, send, rpc, walletOf, bob }) => {
  const coin = await deploy('Coin', ['Silver', 'SLV', 6, 1_000_000n])
  const wrapped = await deploy('Wrapped', [false])
  const art = await deploy('Art', [false])
  const frames = await deploy('Frames')
  // Several transactions of all kinds in one block.
  await rpc('evm_setAutomine', false)
  const wallet = walletOf(0)
  const gas = 1_000_000n
  for (let i = 0; i < COUNT / 4; i++) {
    await wallet.sendTransaction({ to: bob.address, value: BigInt(i), gas })
    await wallet.writeContract({ ...coin, functionName: 'transfer', args: [bob.address, BigInt(i)], gas })
    await wallet.writeContract({ ...wrapped, functionName: 'deposit', value: BigInt(i), gas })
    await wallet.writeContract({ ...frames, functionName: 'descend', args: [BigInt(i), 1n], gas })
    if (i % 3 === 2) await rpc('evm_mine')
  }
  await rpc('evm_setAutomine', true)
  await call(art, 'mint', [bob.address, 1n])
  await send(0, bob.address, parseEther('1'))
  return { coin, wrapped, art, frames }
})

type Row = {
  hash: Hex
  method: string | null
  transaction_types: string[]
  block_number: number
  position: number
  token_type: string
  transaction_hash: Hex
}
type Items = Row[]
const hashesOf = (items: Items) => items.map(({ hash }) => hash)

/** Every transaction of the chain by JSON-RPC, newest first. */
async function everything(): Promise<Hex[]> {
  const { viem } = on()
  const hashes: Hex[] = []
  for (let number = await viem.getBlockNumber({ cacheTime: 0 }); number > 0n; number--) {
    hashes.push(...(await viem.getBlock({ blockNumber: number })).transactions.toReversed())
  }
  return hashes
}

describe('filters of lists', () => {
  it('equal filtering the whole list', async () => {
    const { readAll } = on()
    const all: Items = await readAll('/transactions')
    expect(hashesOf(all)).toEqual(await everything())
    const types = ['coin_transfer', 'contract_call', 'contract_creation', 'token_transfer', 'token_creation']
    for (const type of [...types, 'coin_transfer,contract_creation', '[token_transfer,nonsense]']) {
      const allowed = type.replace(/[[\]]/g, '').split(',')
      const expected = all.filter((row) => row.transaction_types.some((kind) => allowed.includes(kind)))
      expect(expected.length, type).toBeGreaterThan(0)
      expect(hashesOf(await readAll(`/transactions?type=${type}`, 7)), type).toEqual(hashesOf(expected))
    }
    for (const method of ['transfer', 'deposit', 'transfer,deposit', '0xd0e30db0']) {
      const allowed = method.replace('0xd0e30db0', 'deposit').split(',')
      const expected = all.filter((row) => allowed.includes(row.method ?? ''))
      expect(expected.length, method).toBeGreaterThan(0)
      expect(hashesOf(await readAll(`/transactions?method=${method}`, 5)), method).toEqual(hashesOf(expected))
      const both = expected.filter((row) => row.transaction_types.includes('coin_transfer'))
      const path = `/transactions?method=${method}&type=coin_transfer`
      expect(hashesOf(await readAll(path, 2)), path).toEqual(hashesOf(both))
    }
  })

  it('without a match return an empty list', async () => {
    const { read } = on()
    for (const query of ['type=blob_transaction', 'method=nobodyHasThis', 'method=transfer&type=contract_creation']) {
      expect(await read(`/transactions?${query}`)).toEqual({ items: [], next_page_params: null, total_count: 0 })
    }
  })

  it('with an empty value have no effect', async () => {
    const { read } = on()
    expect(await read('/transactions?type=&method=&filter=&page=')).toEqual(await read('/transactions'))
    expect(await read('/transactions/?filter=validated')).toEqual(await read('/transactions'))
  })

  it('select token types', async () => {
    const { readAll, made } = on()
    const all: Items = await readAll('/token-transfers')
    expect(all.map((row) => row.token_type)).toContain('ERC-721')
    for (const type of ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-721,ERC-20', 'ERC-404']) {
      const expected = all.filter((row) => type.split(',').includes(row.token_type))
      expect(await readAll(`/token-transfers?type=${type}`, 3)).toEqual(expected)
    }
    expect((await readAll('/token-transfers?type=ERC-721')).map(({ token }) => token.address)).toEqual([
      made.art.address,
    ])
  })
})

describe('pages of lists', () => {
  it('of every size make up the whole list', async () => {
    const { readAll, read } = on()
    for (const path of ['/transactions', '/token-transfers', '/internal-transactions', '/blocks']) {
      const whole = await readAll(path, 100)
      const { total_count } = await read(path)
      expect(whole).toHaveLength(total_count)
      for (const size of [1, 7, whole.length]) expect(await readAll(path, size), `${path} by ${size}`).toEqual(whole)
    }
  })

  it('follow page and items_count: by default 50 items, at most 100', async () => {
    const { read, readAll } = on()
    const whole = await readAll('/transactions', 100)
    const third = await read('/transactions?page=3&items_count=4')
    expect(third.items).toEqual(whole.slice(8, 12))
    expect(third.next_page_params).toEqual({ page: 4, items_count: 4, anchor: whole.length })
    expect((await read('/transactions')).items).toHaveLength(Math.min(50, whole.length))
    expect((await read('/transactions?items_count=999')).items).toEqual(whole.slice(0, 100))
    expect((await read('/transactions?page=999')).items).toEqual([])
  })

  it('keep their items while blocks arrive', async () => {
    const { read, send, bob } = on()
    for (const query of ['', 'type=coin_transfer']) {
      const first = await read(`/transactions?items_count=3&${query}`)
      const { page, items_count, anchor } = first.next_page_params
      const path = `/transactions?page=${page}&items_count=${items_count}&anchor=${anchor}&${query}`
      const before: Items = (await read(path)).items
      await send(0, bob.address, 1n)
      await send(0, bob.address, 2n)
      const after: Items = (await read(path)).items
      expect(hashesOf(after)).toEqual(hashesOf(before))
      const drifted: Items = (await read(`/transactions?page=${page}&items_count=${items_count}&${query}`)).items
      expect(hashesOf(drifted)).not.toEqual(hashesOf(before))
    }
  })

  it('follow a rollback of the chain', async () => {
    const { read, rpc, send, bob } = on()
    const before: Items = (await read('/transactions')).items
    const snapshot = await rpc('evm_snapshot')
    const { transactionHash } = await send(0, bob.address, 3n)
    expect((await read('/transactions')).items[0].hash).toBe(transactionHash)
    await rpc('evm_revert', snapshot)
    expect(hashesOf((await read('/transactions')).items)).toEqual(hashesOf(before))
  })
})

it('internal transactions of the chain are listed newest first', async () => {
  const { readAll } = on()
  const all: (Row & { index: number })[] = await readAll('/internal-transactions')
  const naive = []
  for (const hash of hashesOf(await readAll('/transactions'))) {
    naive.push(...(await readAll(`/transactions/${hash}/internal-transactions`)).toReversed())
  }
  expect(all.length).toBeGreaterThan(10)
  expect(all).toEqual(naive)
})

describe('an error answer', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const invalid = (name: string) => ({
    message: 'Invalid parameter(s)',
    errors: [{ title: 'Invalid value', source: { pointer: `/${name}` }, detail: expect.stringMatching(/^Invalid/) }],
  })
  const notFound = { message: 'Not found' }

  it.each<[string, number, unknown]>([
    ['/nothing-here', 400, { message: 'Unknown API v2 action' }],
    ['/%E0%A4%A', 400, { message: 'Bad request' }],
    [`/transactions/${hash}`, 404, notFound],
    [`/transactions/${hash}/logs`, 404, notFound],
    [`/transactions/${hash}/token-transfers`, 404, notFound],
    [`/transactions/${hash}/internal-transactions`, 404, notFound],
    [`/transactions/${hash}/state-changes`, 404, notFound],
    [`/transactions/${hash}/raw-trace`, 404, notFound],
    ['/transactions/0x12', 422, invalid('transaction_hash_param')],
    ['/transactions/nonsense/logs', 422, invalid('transaction_hash_param')],
    [`/transactions/${hash}/summary`, 404, notFound],
    ['/transactions?filter=nonsense', 422, invalid('filter')],
    ['/transactions?type=nonsense', 422, invalid('type')],
    ['/transactions?page=0', 422, invalid('page')],
    ['/transactions?page=-1', 422, invalid('page')],
    ['/transactions?items_count=many', 422, invalid('items_count')],
    ['/transactions?items_count=1.5', 422, invalid('items_count')],
    ['/token-transfers?type=ERC-1', 422, invalid('type')],
    ['/blocks/999999999', 404, notFound],
    ['/blocks/99999999999999999', 404, notFound],
    [`/blocks/${hash}`, 404, notFound],
    [`/blocks/${hash}/transactions`, 404, notFound],
    ['/blocks/999999999/withdrawals', 404, notFound],
    ['/blocks/latest', 422, invalid('block_hash_or_number_param')],
    ['/blocks/-1', 422, invalid('block_hash_or_number_param')],
    ['/blocks/0xabc/transactions', 422, invalid('block_hash_or_number_param')],
    ['/blocks?type=nonsense', 422, invalid('type')],
    [`/blocks/${hash}/countdown`, 422, invalid('block_hash_or_number_param')],
    ['/blocks/0/countdown', 404, { message: expect.any(String) }],
    ['/main-page/transactions/watchlist', 401, { message: 'Unauthorized' }],
  ])('%s is %i', async (path, status, body) => {
    expect(await on().get(path)).toMatchObject({ status, body })
  })
})
