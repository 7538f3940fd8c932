// The paths of Blockscout's OpenAPI document of August 2026 (version 11.2.7), with the status that this node answers for records
// that exist. Paths of user operations have a test of their own.
import { describe, expect, it } from 'vitest'
import type { Given } from './records.ts'
import { REQUIRED_FIELDS } from './required-fields.ts'

// Responses are accessed without types: their schemas have been checked.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

const ADDRESS_LISTS = [
  ...['blocks-validated', 'coin-balance-history', 'coin-balance-history-by-day', 'counters', 'internal-transactions'],
  ...['logs', 'nft', 'nft/collections', 'tabs-counters', 'token-balances', 'token-transfers', 'tokens', 'transactions'],
  ...['withdrawals', 'internal-transactions/csv', 'logs/csv', 'token-transfers/csv', 'transactions/csv'],
]
const TRANSACTION_PARTS = [
  ...['external-transactions', 'fhe-operations', 'internal-transactions', 'logs', 'preview', 'raw-trace'],
  ...['state-changes', 'summary', 'token-transfers'],
]
const SETTINGS = [
  ...['backend', 'backend-version', 'csv-export', 'db-background-migrations', 'indexer', 'public-metrics'],
  'smart-contracts/languages',
]
const PLAIN = [
  ...['/addresses', '/advanced-filters', '/advanced-filters/csv', '/advanced-filters/methods', '/blocks'],
  ...['/internal-transactions', '/main-page/blocks', '/main-page/indexing-status', '/main-page/transactions'],
  ...['/search?q=coin', '/search/check-redirect?q=1', '/search/quick?q=coin', '/smart-contracts/'],
  ...['/smart-contracts/counters', '/stats', '/stats/charts/market', '/stats/charts/secondary-coin-market'],
  ...['/stats/charts/transactions', '/stats/hot-smart-contracts?scale=1d', '/token-transfers', '/tokens/'],
  ...['/transactions', '/transactions/stats', '/withdrawals', '/withdrawals/counters'],
]

type Path = readonly [path: string, status: number, method?: string]

/** Every path below /api, by method. */
function paths({ on, book }: Given): readonly Path[] {
  const { coin, items, people, stage } = on.made
  const [transaction] = book.transactions
  const token = `/v2/tokens/${items.address}`
  const ok = (all: readonly string[]): Path[] => all.map((path) => [path, 200])
  return [
    ...ok(PLAIN.map((path) => `/v2${path}`)),
    ...ok(SETTINGS.map((name) => `/v2/config/${name}`)),
    ...ok(ADDRESS_LISTS.map((part) => `/v2/addresses/${people.alice}/${part}`)),
    ...ok(TRANSACTION_PARTS.map((part) => `/v2/transactions/${transaction?.hash}/${part}`)),
    ...ok([`/v2/addresses/${people.alice}`, `/v2/transactions/${transaction?.hash}`, '/v2/blocks/9']),
    ...ok(['internal-transactions', 'transactions', 'withdrawals'].map((part) => `/v2/blocks/9/${part}`)),
    ...ok([`/v2/blocks/${book.head + 5}/countdown`, `/v2/smart-contracts/${stage.address}`]),
    ...ok(['', '/counters', '/holders', '/holders/csv', '/instances', '/transfers'].map((part) => `${token}${part}`)),
    ...ok(['', '/holders', '/transfers', '/transfers-count'].map((part) => `${token}/instances/1${part}`)),
    ...ok([`/v2/tokens/${coin.address}`, `/v2/smart-contracts/${stage.address}/audit-reports`, '/v1/search?q=coin']),
    ...ok([
      '/legacy/block/eth-block-number',
      '/legacy/block/get-block-number-by-time?timestamp=9999999999&closest=before',
    ]),
    ...ok([
      `/legacy/logs/get-logs?fromBlock=0&toBlock=latest&address=${coin.address}`,
      '/v2/proxy/account-abstraction/status',
    ]),
    // Accounts, keys and files in the background: this node has none.
    ['/v2/main-page/transactions/watchlist', 401],
    ['/v2/transactions/watchlist', 401],
    [`/v2/smart-contracts/${stage.address}/audit-reports`, 403, 'POST'],
    ['/v2/csv-exports/01234567-89ab-4def-8123-456789abcdef', 404],
    [`${token}/instances/refetch-metadata`, 403, 'PATCH'],
    [`${token}/instances/1/refetch-metadata`, 200, 'PATCH'],
  ]
}

export function describeDialect(given: () => Given): void {
  describe('the paths of Blockscout', () => {
    it('are answered, each by a GET unless it says otherwise', async () => {
      const { on, visit } = given()
      const all = paths(given())
      // 100 paths, of which 12 are those of user operations; one token is asked for twice, and one path has two methods.
      expect(all.length).toBe(100 - 12 + 2)
      for (const [path, status, method = 'GET'] of all) {
        const { status: answered } = path.startsWith('/v2/')
          ? await visit.ask(path.slice(3), { method })
          : await fetch(`${on.url}/api${path}`, { method })
        expect({ path, status: answered }).toEqual({ path, status })
      }
    })

    it('have the fields that Blockscout requires, in every record that the tests have read', () => {
      const { visits } = given().visit
      const missing = new Set<string>()
      const seen = new Set<string>()
      for (const [routes, words] of REQUIRED_FIELDS) {
        for (const { route, body } of visits.filter((of) => routes.includes(of.route))) {
          const records: Any[] = Array.isArray(body) ? body : Array.isArray(body.items) ? body.items : [body]
          if (records.length > 0) seen.add(route)
          for (const record of records)
            for (const field of words.split(' ')) if (!(field in record)) missing.add(`${route}: ${field}`)
        }
      }
      expect([...missing]).toEqual([])
      expect(REQUIRED_FIELDS.flatMap(([routes]) => routes).filter((route) => !seen.has(route))).toEqual([])
    })

    it('of settings say what this node is', async () => {
      const { visit } = given()
      expect(await visit.read('/config/backend')).toEqual({ chain_type: null, openapi_spec_folder_name: 'default' })
      expect(await visit.read('/config/csv-export')).toEqual({ limit: 10_000, async_enabled: false })
      expect(await visit.read('/config/smart-contracts/languages')).toEqual({ languages: ['solidity', 'vyper', 'yul'] })
      expect(Object.values(await visit.read('/config/indexer'))).toEqual([true, true, true, true, true, true])
    })

    it('of a transaction have its preview, and nothing of other chains', async () => {
      const { visit, book, on } = given()
      for (const { hash } of book.transactions.slice(0, 20)) {
        const { status, timestamp, method, from, to } = await visit.read(`/transactions/${hash}`)
        const preview = await visit.read(`/transactions/${hash}/preview`)
        expect(preview).toMatchObject({ status, timestamp, method, from: { hash: from.hash, name: from.name } })
        expect(preview.to?.hash).toBe(to?.hash)
      }
      const [waiting] = on.made.waiting
      expect(await visit.read(`/transactions/${waiting}/preview`)).toMatchObject({ status: null, timestamp: null })
      const unknown = `/transactions/0x${'12'.repeat(32)}`
      for (const part of ['preview', 'external-transactions', 'fhe-operations'])
        expect((await visit.ask(`${unknown}/${part}`)).status).toBe(404)
      expect((await visit.ask('/csv-exports/x')).status).toBe(422)
    })

    it('at /api/legacy have the block number, a block by time, and logs', async () => {
      const { on, book } = given()
      const read = async (path: string): Promise<Any> => (await fetch(`${on.url}/api/legacy/${path}`)).json()
      const head = `0x${book.head.toString(16)}`
      expect(await read('block/eth-block-number')).toEqual({ jsonrpc: '2.0', id: 1, result: head })
      expect(await read('block/eth-block-number?id=abc')).toEqual({ jsonrpc: '2.0', id: 'abc', result: head })
      const time = book.blocks[7]?.timestamp
      expect(await read(`block/get-block-number-by-time?timestamp=${time}&closest=after`)).toEqual({
        status: '1',
        message: 'OK',
        result: { blockNumber: String(book.blocks.findIndex(({ timestamp }) => timestamp === time)) },
      })
      expect(await read('block/get-block-number-by-time?timestamp=x&closest=after')).toMatchObject({
        status: '0',
        result: null,
      })
      const { address } = on.made.coin
      const { result } = await read(`logs/get-logs?fromBlock=0&toBlock=latest&address=${address}`)
      const logs = book.logs.filter((log) => log.address === address.toLowerCase())
      expect(result.map(({ transactionHash }: Any) => transactionHash)).toEqual(logs.map((log) => log.transactionHash))
    })

    it('of hot contracts count calls and their gas', async () => {
      const { book, visit } = given()
      const since = Number(book.blocks[book.head]?.timestamp) - 86_400
      const calls = book.transactions.filter(
        ({ isCall, receipt }) => isCall && Number(book.blocks[Number(receipt.blockNumber)]?.timestamp) > since,
      )
      const expected = new Map<string, { count: number; gas: number }>()
      for (const { to, receipt } of calls) {
        const { count, gas } = expected.get(to?.toLowerCase() ?? '') ?? { count: 0, gas: 0 }
        expected.set(to?.toLowerCase() ?? '', { count: count + 1, gas: gas + Number(receipt.gasUsed) })
      }
      expect(expected.size).toBeGreaterThan(3)
      const path = '/stats/hot-smart-contracts?scale=1d'
      const all = await visit.readAll(path, 2)
      const figures = all.map((of) => [
        of.contract_address.hash.toLowerCase(),
        of.transactions_count,
        of.total_gas_used,
      ])
      expect(new Set(figures.map(String))).toEqual(
        new Set([...expected].map(([of, { count, gas }]) => `${of},${count},${gas}`)),
      )
      const counts = all.map((of) => of.transactions_count)
      expect(counts).toEqual(counts.toSorted((a, b) => b - a))
      const byGas = (await visit.readAll(`${path}&sort=total_gas_used&order=asc`, 50)).map((of) => of.total_gas_used)
      expect(byGas).toEqual(byGas.toSorted((a, b) => a - b))
      const behind = await visit.read(
        `${path}&contract_address_hash=${all[1].contract_address.hash}&transactions_count=${counts[1]}`,
      )
      expect(behind.items).toEqual(all.slice(2))
      expect(await visit.read(path)).toMatchObject({ is_complete: true })
      expect((await visit.read('/stats/hot-smart-contracts?scale=30d')).items.length).toBeGreaterThan(all.length)
      for (const query of ['', '?scale=2d', '?scale=1d&sort=name'])
        expect((await visit.ask(`/stats/hot-smart-contracts${query}`)).status).toBe(422)
    })
  })
}
