// The typed client: its types match the present API, and the API accepts its requests. Code that does not compile here does not
// compile for users.
import type { Hex } from 'viem'
import { expect, it } from 'vitest'
import { explorerClient, type Schemas } from '../client/explorer.js'
import { testChain } from './support/chain.ts'

it('the typed client reads records and pages with named types', async () => {
  const { url, walletOf, bob, alice, viem } = await testChain()
  const sent: string[] = []
  for (let i = 0; i < 3; i++) sent.push(await walletOf(0).sendTransaction({ to: bob.address, value: BigInt(i + 1) }))
  await viem.waitForTransactionReceipt({ hash: sent.at(-1) as Hex })
  const client = explorerClient(`${url}/`)

  const { data } = await client.GET('/transactions', { params: { query: { filter: 'validated', items_count: 2 } } })
  const first: readonly Schemas['Transaction'][] = data?.items ?? []
  expect(first.map(({ hash }) => hash)).toEqual([sent[2], sent[1]])
  const next = data?.next_page_params
  // The next page's query has the type of the first one's.
  const { data: second } = await client.GET('/transactions', { params: { query: { ...next } } })
  expect(second?.items.map(({ hash }) => hash)).toEqual([sent[0]])
  expect(second?.next_page_params).toBeNull()

  const params = { path: { address_hash_param: alice.address } }
  const { data: account } = await client.GET('/addresses/{address_hash_param}', { params })
  const known: Schemas['Address'] | undefined = account
  expect(known).toMatchObject({ hash: alice.address, transactions_count: 3 })

  const missing = { path: { transaction_hash_param: `0x${'0'.repeat(64)}` } }
  const { error, response } = await client.GET('/transactions/{transaction_hash_param}', { params: missing })
  expect(response.status).toBe(404)
  const refused: Schemas['Error'] | undefined = error
  expect(refused).toEqual({ message: 'Not found' })
  // @ts-expect-error there is no such path
  expect((await client.GET('/nothing')).response.status).toBe(400)
})

it('the typed client encodes a list of labels as the API expects', async () => {
  const requested: string[] = []
  const client = explorerClient('http://node', {
    fetch: async (request) => {
      requested.push(decodeURIComponent(request.url))
      return Response.json({ items: [], next_page_params: null })
    },
  })
  await client.GET('/token-transfers', { params: { query: { type: ['ERC-20', 'ERC-721'] } } })
  expect(requested).toEqual(['http://node/api/v2/token-transfers?type=ERC-20,ERC-721'])
  await client.GET('/addresses/{address_hash_param}/transactions', {
    // @ts-expect-error there is no such direction
    params: { path: { address_hash_param: '0x' }, query: { filter: 'sideways' } },
  })
  expect(requested).toHaveLength(2)
})
