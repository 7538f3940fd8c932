// Requirements of a Blockscout frontend: fields that crash it if they are null, checked in every response of the tests; and its
// use of HTTP.
import { describe, expect, it } from 'vitest'
import type { Given } from './records.ts'
import type { Visit } from './visits.ts'

// Responses are accessed without types: their schemas have been checked.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

const ADDRESS = ['hash', 'is_contract', 'implementations', 'private_tags', 'public_tags', 'watchlist_names']
const TOKEN = ['address_hash', 'address', 'type', 'holders_count', 'holders']
const TRANSFER = ['transaction_hash', 'from', 'to', 'token', 'total', 'timestamp', 'type']
const BLOCK = ['height', 'timestamp', 'miner', 'size', 'gas_limit', 'gas_used', 'rewards']
const TRANSACTION = ['hash', 'from', 'fee', 'transaction_types', 'value', 'gas_limit', 'gas_price', 'result', 'actions']
const CALL = ['from', 'index', 'value', 'gas_limit', 'type', 'success', 'transaction_hash']
const LOG = ['address', 'topics', 'data', 'index', 'transaction_hash']
const HOLDER = ['address', 'value', 'token']

/** Fields that records must have, by the last part of the route that is not a parameter. */
const FATAL: Readonly<Record<string, readonly string[]>> = {
  '/blocks': BLOCK,
  '/main-page/blocks': BLOCK,
  '/blocks/{block_hash_or_number_param}': BLOCK,
  '/addresses/{address_hash_param}/blocks-validated': BLOCK,
  '/transactions': TRANSACTION,
  '/main-page/transactions': TRANSACTION,
  '/transactions/{transaction_hash_param}': TRANSACTION,
  '/blocks/{block_hash_or_number_param}/transactions': TRANSACTION,
  '/addresses/{address_hash_param}/transactions': TRANSACTION,
  '/addresses': [...ADDRESS, 'coin_balance', 'transactions_count'],
  '/addresses/{address_hash_param}': [...ADDRESS, 'has_logs', 'has_tokens', 'has_token_transfers', 'coin_balance'],
  '/token-transfers': TRANSFER,
  '/transactions/{transaction_hash_param}/token-transfers': TRANSFER,
  '/addresses/{address_hash_param}/token-transfers': TRANSFER,
  '/tokens/{address_hash_param}/transfers': TRANSFER,
  '/tokens/{address_hash_param}/instances/{token_id_param}/transfers': TRANSFER,
  '/tokens': TOKEN,
  '/tokens/{address_hash_param}': TOKEN,
  '/addresses/{address_hash_param}/tokens': ['token', 'value'],
  '/addresses/{address_hash_param}/token-balances': ['token', 'value'],
  '/internal-transactions': CALL,
  '/transactions/{transaction_hash_param}/internal-transactions': CALL,
  '/addresses/{address_hash_param}/internal-transactions': CALL,
  '/blocks/{block_hash_or_number_param}/internal-transactions': CALL,
  '/transactions/{transaction_hash_param}/logs': LOG,
  '/addresses/{address_hash_param}/logs': LOG,
  '/transactions/{transaction_hash_param}/state-changes': ['address', 'type', 'change'],
  '/tokens/{address_hash_param}/holders': HOLDER,
  '/tokens/{address_hash_param}/instances/{token_id_param}/holders': HOLDER,
  '/addresses/{address_hash_param}/coin-balance-history': ['value', 'block_number', 'delta', 'block_timestamp'],
  '/smart-contracts': ['address', 'language'],
  '/stats': ['network_utilization_percentage', 'gas_prices', 'average_block_time', 'total_blocks'],
}

const recordsOf = ({ body }: Visit): Any[] =>
  Array.isArray(body) ? body : Array.isArray(body.items) ? body.items : [body]

/** Every object within a response. */
function* objectsIn(value: Any): Generator<Any> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value
  for (const part of Object.values(value)) yield* objectsIn(part)
}

export function describeFrontend(given: () => Given): void {
  describe('a Blockscout frontend', () => {
    it('gets no null in fields in which it would crash', () => {
      const { visits } = given().visit
      const seen = new Map<string, number>()
      const faults = new Set<string>()
      for (const visit of visits) {
        for (const record of recordsOf(visit)) {
          seen.set(visit.route, (seen.get(visit.route) ?? 0) + 1)
          for (const field of FATAL[visit.route] ?? []) {
            if (record[field] === null || record[field] === undefined) faults.add(`${visit.route}: ${field}`)
          }
        }
      }
      expect([...faults]).toEqual([])
      expect(Object.keys(FATAL).filter((route) => !seen.has(route))).toEqual([])
    })

    it('gets complete addresses and tokens within every record', () => {
      const faults = new Set<string>()
      for (const { path, body } of given().visit.visits) {
        for (const object of objectsIn(body)) {
          const fields = 'is_contract' in object ? ADDRESS : 'holders_count' in object ? TOKEN : []
          for (const field of fields)
            if (object[field] === null || object[field] === undefined) faults.add(`${path}: ${field}`)
          if ('next_page_params' in object && object.next_page_params !== null) {
            for (const [name, value] of Object.entries(object.next_page_params)) {
              if (value === null || value === undefined) faults.add(`${path}: ${name} of the next page`)
            }
          }
          // Must be text inside records: the frontend treats the number 0 as missing.
          const isEmbedded = object !== body && !('items' in body && body.items.includes(object))
          if (isEmbedded && 'holders_count' in object && typeof object.decimals === 'number')
            faults.add(`${path}: decimals`)
          if ('token' in object && object.token === undefined) faults.add(`${path}: token`)
          for (const key of ['fee', 'total', 'decoded', 'decoded_input'])
            if (object[key] === undefined && key in object) faults.add(`${path}: ${key}`)
        }
      }
      expect([...faults]).toEqual([])
    })

    it('gets token changes with a token, and coin changes without one', () => {
      const route = '/transactions/{transaction_hash_param}/state-changes'
      const rows = given()
        .visit.visits.filter((of) => of.route === route)
        .flatMap(recordsOf)
      expect(rows.length).toBeGreaterThan(0)
      for (const { type, token } of rows) expect(token === null).toBe(type === 'coin')
    })
  })

  describe('the explorer API over HTTP', () => {
    const url = (path: string) => `${given().on.url}/api/v2${path}`

    it('accepts a trailing slash, and filters that are empty, a list, or of an unknown type', async () => {
      const { visit, on } = given()
      const { alice } = on.made.people
      const same = [
        ['/addresses/', '/addresses'],
        [`/addresses/${alice}/?`, `/addresses/${alice}`],
        ['/tokens?type=&q=&sort=&order=', '/tokens'],
        ['/token-transfers?type=', '/token-transfers'],
        ['/token-transfers?type=[ERC-721,ERC-1155]', '/token-transfers?type=ERC-721,ERC-1155'],
        [`/addresses/${alice}/token-transfers?type=&filter=&token=`, `/addresses/${alice}/token-transfers`],
        [`/addresses/${alice}/nft?type=[ERC-721,ERC-404]`, `/addresses/${alice}/nft?type=ERC-721`],
        ['/blocks?type=block&state_filter=x&whatever=1', '/blocks'],
        [`/addresses/${alice.toLowerCase()}`, `/addresses/${alice}`],
        ['/transactions?filter=validated&type=&method=', '/transactions'],
      ] as const
      for (const [one, other] of same) expect(await visit.read(one), one).toEqual(await visit.read(other))
      for (const path of ['/tokens', '/token-transfers', `/addresses/${alice}/tokens`, `/addresses/${alice}/nft`]) {
        const { items, next_page_params } = await visit.read(`${path}?type=ERC-404`)
        expect([items, next_page_params], path).toEqual([[], null])
      }
    })

    it('returns home lists as plain arrays, and paginated if the query has a page', async () => {
      const { visit } = given()
      for (const [path, length] of [
        ['/main-page/blocks', 4],
        ['/main-page/transactions', 6],
      ] as const) {
        expect(await visit.read(path)).toHaveLength(length)
        expect(await visit.read(`${path}?items_count=2`)).toMatchObject({
          items: expect.any(Array),
          next_page_params: { page: 2 },
        })
      }
    })

    it('returns a record of zeros for an unknown address', async () => {
      const { visit } = given()
      const unknown = '/addresses/0x00000000000000000000000000000000DeaDBeef'
      expect(await visit.read(unknown)).toMatchObject({ coin_balance: '0', transactions_count: 0, is_contract: false })
      const parts = [
        'transactions',
        'token-transfers',
        'tokens',
        'nft',
        'nft/collections',
        'internal-transactions',
        'logs',
      ]
      for (const part of [...parts, 'coin-balance-history', 'blocks-validated', 'withdrawals']) {
        expect(await visit.read(`${unknown}/${part}`), part).toEqual({
          items: [],
          next_page_params: null,
          total_count: 0,
        })
      }
      expect(await visit.read(`${unknown}/counters`)).toMatchObject({ transactions_count: '0' })
    })

    it('allows other origins by CORS, with the header updated-gas-oracle', async () => {
      const preflight = await fetch(url('/stats'), {
        method: 'OPTIONS',
        headers: {
          origin: 'http://localhost:3900',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'updated-gas-oracle,content-type',
        },
      })
      expect([200, 204]).toContain(preflight.status)
      expect(['*', 'http://localhost:3900']).toContain(preflight.headers.get('access-control-allow-origin'))
      expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('updated-gas-oracle')
      expect(preflight.headers.get('access-control-allow-methods')).toContain('GET')
      expect(Number(preflight.headers.get('access-control-max-age'))).toBe(86_400)
      const answer = await fetch(url('/stats'), { headers: { origin: 'http://localhost:3900' } })
      expect(['*', 'http://localhost:3900']).toContain(answer.headers.get('access-control-allow-origin'))
    })

    it('sends ETags, and answers HEAD requests', async () => {
      for (const path of ['/blocks', '/stats', '/main-page/transactions']) {
        const first = await fetch(url(path))
        const tag = first.headers.get('etag') ?? ''
        expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
        expect(tag).toMatch(/^W\/"/)
        // `cache-control` disables the cache of fetch, which would add a header.
        const again = await fetch(url(path), { headers: { 'if-none-match': tag, 'cache-control': 'max-age=1' } })
        expect([again.status, await again.text()]).toEqual([304, ''])
        const head = await fetch(url(path), { method: 'HEAD' })
        expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', tag])
      }
      // A frontend behind a proxy sends a content type with an empty body.
      const proxied = await fetch(url('/blocks'), {
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      })
      expect(proxied.status).toBe(200)
    })

    it('returns errors as JSON with a message', async () => {
      const { visit, on } = given()
      const { coin } = on.made
      const hash = `0x${'12'.repeat(32)}`
      const refusals: readonly (readonly [string, number, string])[] = [
        ['/nothing', 400, 'Unknown API v2 action'],
        ['/search', 400, 'Missing parameter q'],
        ['/search/check-redirect', 400, 'Missing parameter q'],
        [`/transactions/${hash}`, 404, 'Not found'],
        ['/blocks/123456789', 404, 'Not found'],
        [`/tokens/${on.made.people.alice}`, 404, 'Not found'],
        [`/tokens/${coin.address}/instances/1`, 404, 'Not found'],
        ['/addresses/0x12', 422, 'Invalid parameter(s)'],
        ['/transactions/0x12', 422, 'Invalid parameter(s)'],
        ['/blocks/latest', 422, 'Invalid parameter(s)'],
        ['/tokens?type=ERC-777', 422, 'Invalid parameter(s)'],
        ['/transactions?page=0', 422, 'Invalid parameter(s)'],
        ['/transactions?items_count=abc', 422, 'Invalid parameter(s)'],
        ['/main-page/transactions/watchlist', 401, 'Unauthorized'],
        [`/transactions/${hash}/summary`, 404, 'Not found'],
      ]
      for (const [path, status, message] of refusals) {
        const { body, headers, ...answer } = await visit.ask(path)
        expect([path, answer.status, body.message]).toEqual([path, status, message])
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
        const detail = { title: 'Invalid value', source: { pointer: expect.stringMatching(/^\//) } }
        expect(body.errors?.[0], path).toEqual(status === 422 ? expect.objectContaining(detail) : undefined)
      }
      expect((await visit.ask('/transactions?items_count=5000')).body.items).toHaveLength(100)
    })
  })
}
