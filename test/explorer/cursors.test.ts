// Blockscout's cursors: behind any item of a list, its cursor gives the rest of the list, page by page.
import { describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { people, playRandomly } from './random-history.ts'
import { type Scenario, scenario } from './scenario.ts'

// Responses are accessed without types: their schemas have been checked.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

const [alice = '0x', bob = '0x'] = people

const on = scenario(async (scene: Scenario) => {
  const made = await playRandomly(scene)
  for (let round = 0; round < 4; round++) {
    await scene.node.chain.produce({
      withdrawals: [alice, bob, alice].map((address, i) => ({
        index: BigInt(40 + 3 * round + i),
        validatorIndex: 5n,
        address: hexToAddress(address.toLowerCase()),
        amount: 1n,
      })),
    })
  }
  for (const value of [7n, 8n, 9n]) await scene.walletOf(0).sendTransaction({ to: bob, value, gas: 21_000n })
  return made
})

type Cursor = (item: Any) => Readonly<Record<string, unknown>>
const transaction: Cursor = (of) => ({ block_number: of.block_number, index: of.position })
const transfer: Cursor = (of) => ({ block_number: of.block_number, index: of.log_index })
const call: Cursor = (of) => ({
  block_number: of.block_number,
  transaction_index: of.transaction_index,
  index: of.index,
})
const log: Cursor = (of) => ({ block_number: of.block_number, index: of.index })
const block: Cursor = (of) => ({ block_number: of.height })
const holder: Cursor = (of) => ({ address_hash: of.address.hash, value: of.value })
const withdrawal: Cursor = (of) => ({ index: of.index })

/** Lists in which no two items share a cursor, with the query of a cursor's item. */
async function lists(): Promise<readonly (readonly [path: string, cursor: Cursor])[]> {
  const { made, read } = on()
  const { coin, art, items } = made
  const all = (await read('/internal-transactions?items_count=100')).items
  const { block_number, transaction_hash } = all.find(({ index }: Any) => index > 2)
  const busy = (await read('/blocks?items_count=100')).items.find((of: Any) => of.transactions_count > 4).height
  const ofToken = `/tokens/${coin.address}`
  const sorted = ['value', 'fee'].flatMap((sort) => ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}`))
  return [
    ['/transactions', transaction],
    ['/transactions?type=contract_call,coin_transfer', transaction],
    ['/transactions?filter=pending', ({ hash }) => ({ hash, inserted_at: '2026-01-01T00:00:00Z' })],
    [`/addresses/${alice}/transactions`, transaction],
    [`/addresses/${alice}/transactions?sort=block_number&order=asc`, transaction],
    ...sorted.map((query) => [`/addresses/${alice}/transactions?${query}`, ({ hash }: Any) => ({ hash })] as const),
    [`/blocks/${busy}/transactions`, transaction],
    [`/blocks/${busy}/transactions?type=contract_call`, transaction],
    ['/blocks', block],
    ['/internal-transactions', call],
    [`/addresses/${made.frames.address}/internal-transactions`, call],
    [`/transactions/${transaction_hash}/internal-transactions`, call],
    [`/internal-transactions?transaction_hash=${transaction_hash}`, call],
    [`/blocks/${block_number}/internal-transactions`, ({ transaction_index, index }) => ({ transaction_index, index })],
    [`/addresses/${coin.address}/logs`, log],
    [`/addresses/${alice}/coin-balance-history`, ({ block_number: number }) => ({ block_number: number })],
    [`${ofToken}/holders`, holder],
    [`/tokens/${items.address}/instances/1/holders`, holder],
    ['/addresses', ({ hash, coin_balance }) => ({ hash, fetched_coin_balance: coin_balance })],
    ['/addresses?sort=balance&order=asc', ({ hash, coin_balance }) => ({ hash, fetched_coin_balance: coin_balance })],
    ['/tokens', ({ address_hash }) => ({ contract_address_hash: address_hash })],
    ['/tokens?order=asc&sort=holders_count', ({ address_hash }) => ({ contract_address_hash: address_hash })],
    ['/tokens?q=silver', ({ address_hash }) => ({ contract_address_hash: address_hash })],
    [`/tokens/${art.address}/instances`, ({ id }) => ({ unique_token: id })],
    [`/tokens/${art.address}/instances?holder_address_hash=${alice}`, ({ id }) => ({ unique_token: id })],
    [
      `/addresses/${alice}/nft`,
      (of) => ({ token_contract_address_hash: of.token.address_hash, token_id: of.id, token_type: of.token_type }),
    ],
    [`/addresses/${alice}/nft/collections`, (of) => ({ token_contract_address_hash: of.token.address_hash })],
    ['/withdrawals', withdrawal],
    [`/addresses/${alice}/withdrawals`, withdrawal],
    ['/smart-contracts', ({ address }) => ({ hash: address.hash })],
  ]
}

/** The items behind a cursor, page by page. */
async function behind(path: string, cursor: Readonly<Record<string, unknown>>): Promise<Any[]> {
  const { read } = on()
  const found: Any[] = []
  for (let query: Readonly<Record<string, unknown>> | null = { ...cursor, items_count: 7 }; query !== null; ) {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const page: Any = await read(`${path}${path.includes('?') ? '&' : '?'}${text}`)
    found.push(...page.items)
    query = page.next_page_params
  }
  return found
}

/** Confirmations change when a block comes; the rest of the items does not. */
const some = (length: number): number[] =>
  [...new Set([0, 1, 6, 7, Math.floor(length / 2), length - 2, length - 1])].filter((i) => i >= 0 && i < length)

describe('a cursor of Blockscout', () => {
  it('gives the items behind its own', async () => {
    const { readAll } = on()
    for (const [path, cursor] of await lists()) {
      const whole: Any[] = await readAll(path, 100)
      expect(whole.length, path).toBeGreaterThan(0)
      for (const i of some(whole.length)) {
        const query = cursor(whole[i])
        expect(await behind(path, query), `${path} behind ${JSON.stringify(query)}`).toEqual(whole.slice(i + 1))
      }
    }
  }, 120_000)

  it('of transfers passes all of one log, or a part of a batch', async () => {
    const { readAll, made } = on()
    const isThird = ({ total, token_type }: Any) => token_type === 'ERC-1155' && total.token_id === '3'
    const { transaction_hash, to } = (await readAll('/token-transfers', 100)).find(isThird)
    for (const path of [
      '/token-transfers',
      `/tokens/${made.items.address}/transfers`,
      `/addresses/${to.hash}/token-transfers`,
      `/addresses/${to.hash}/token-transfers?type=ERC-1155`,
    ]) {
      const whole: Any[] = await readAll(path, 100)
      for (const i of some(whole.length)) {
        const of = whole[i]
        const rest = whole
          .slice(i + 1)
          .filter(({ block_number, log_index }) => block_number !== of.block_number || log_index !== of.log_index)
        expect(await behind(path, transfer(of)), path).toEqual(rest)
      }
      const batch = whole.filter((of) => of.transaction_hash === transaction_hash)
      const [{ block_hash: batch_block_hash, transaction_hash: batch_transaction_hash, log_index: batch_log_index }] =
        batch
      const at = whole.indexOf(batch[0])
      // Newest first: the last id of a batch of three comes first.
      for (const index_in_batch of [2, 1, 0]) {
        const query = { batch_block_hash, batch_transaction_hash, batch_log_index, index_in_batch }
        expect(await behind(path, query), `${path} ${index_in_batch}`).toEqual(whole.slice(at + 3 - index_in_batch))
      }
    }
    const path = `/transactions/${transaction_hash}/token-transfers`
    expect(await behind(path, { block_number: 1, index: 0 })).toEqual(await readAll(path))
  })

  it('above the head gives the whole list, and below the first block nothing', async () => {
    const { readAll } = on()
    const whole = await readAll('/transactions', 100)
    expect(await behind('/transactions', { block_number: 2 ** 39, index: 0 })).toEqual(whole)
    expect(await behind('/transactions', { block_number: 0, index: 0 })).toEqual([])
    expect(await behind('/blocks', { block_number: 2 ** 39 })).toEqual(await readAll('/blocks', 100))
  })

  it('does not change which messages a transaction has', async () => {
    const { readAll, read } = on()
    const all: Any[] = await readAll('/internal-transactions', 100)
    const { transaction_hash: hash } = all.find(({ index }) => index > 2)
    const own = all.filter((of) => of.transaction_hash === hash)
    expect(await readAll(`/internal-transactions?transaction_hash=${hash}`, 2)).toEqual(own)
    expect((await read(`/internal-transactions?transaction_hash=0x${'12'.repeat(32)}`)).items).toEqual([])
  })

  it('is refused if it is malformed or incomplete', async () => {
    const { get, made } = on()
    const refused = [
      '/transactions?block_number=x&index=0',
      '/transactions?block_number=1',
      '/transactions?index=1',
      '/transactions?block_number=-1&index=0',
      '/internal-transactions?block_number=1&index=1',
      '/blocks?block_number=1e3',
      `/addresses/${alice}/logs?block_number=1`,
      `/tokens/${made.coin.address}/holders?value=1`,
      `/tokens/${made.coin.address}/holders?value=x&address_hash=${alice}`,
      `/tokens?contract_address_hash=${alice}`,
      `/addresses/${alice}/nft?token_id=1`,
      `/token-transfers?batch_block_hash=0x${'12'.repeat(32)}&batch_log_index=1&index_in_batch=0`,
      `/addresses/${alice}/transactions?sort=value&hash=0x${'12'.repeat(32)}`,
      '/withdrawals?index=x',
      // Numbers of rows of Blockscout's database.
      `/addresses/${alice}/tokens?id=5&value=1&fiat_value=`,
      '/smart-contracts?smart_contract_id=7',
      '/search?q=silver&next_page_params_type=token',
    ]
    for (const path of refused) expect({ path, status: (await get(path)).status }).toEqual({ path, status: 422 })
  })
})
