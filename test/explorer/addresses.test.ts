// Addresses over the explorer API: every list, page by page, against the same blocks by JSON-RPC.
import { getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { LIST } from '../../src/indexer/tables.ts'
import { hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { record, sequence } from '../../src/tables/codec.ts'
import { ALICE, BOB, CAROL, tokenChain } from '../indexer/token-chain.ts'
import { testChain } from '../support/chain.ts'
import { frames as framesContract } from '../support/contracts.ts'
import { api } from './support.ts'

type Item = Record<string, unknown> & { readonly hash: string }
const hashes = (items: readonly Item[]): string[] => items.map(({ hash }) => hash)
const lower = (text: string | null | undefined): string | undefined => text?.toLowerCase()

const UNUSED = getAddress('0x00000000000000000000000000000000000dead0')

/** Every mined transaction by JSON-RPC, oldest first. */
async function minedTransactions({ viem }: Awaited<ReturnType<typeof testChain>>) {
  const head = Number(await viem.getBlockNumber({ cacheTime: 0 }))
  const numbers = Array.from({ length: head + 1 }, (_, number) => BigInt(number))
  const blocks = await Promise.all(
    numbers.map((blockNumber) => viem.getBlock({ blockNumber, includeTransactions: true })),
  )
  return Promise.all(
    blocks
      .flatMap(({ transactions }) => transactions)
      .map(async ({ hash, from, to, value }) => {
        const { gasUsed, effectiveGasPrice, contractAddress } = await viem.getTransactionReceipt({ hash })
        const created = contractAddress === null ? undefined : lower(contractAddress)
        return { hash, from: lower(from), to: lower(to), created, value, gasUsed, fee: gasUsed * effectiveGasPrice }
      }),
  )
}

type Frame = { type: string; from: string; to?: string; value?: Hex; error?: string; calls?: readonly Frame[] }

describe('an unknown address', () => {
  it('has a record of zeros and empty lists', async () => {
    const { url } = await testChain()
    const { read, get } = api(url)
    expect(await read(`/addresses/${UNUSED.toLowerCase()}/`)).toMatchObject({
      hash: UNUSED,
      balance: '0',
      coin_balance: '0',
      transactions_count: 0,
      token_transfers_count: 0,
      is_contract: false,
      is_verified: null,
      token: null,
      creator_hash: null,
      creation_tx_hash: null,
      creation_status: null,
      block_number_balance_updated_at: null,
      has_logs: false,
      has_tokens: false,
      has_token_transfers: false,
      has_validated_blocks: false,
      has_beacon_chain_withdrawals: false,
    })
    expect(await read(`/addresses/${UNUSED}/counters`)).toEqual({
      transactions_count: '0',
      token_transfers_count: '0',
      gas_usage_count: '0',
      validations_count: '0',
    })
    expect(new Set(Object.values(await read(`/addresses/${UNUSED}/tabs-counters`)))).toEqual(new Set([0]))
    const lists = [
      'transactions',
      'token-transfers',
      'internal-transactions',
      'logs',
      'blocks-validated',
      'withdrawals',
    ]
    for (const list of [...lists, 'tokens', 'nft', 'nft/collections', 'coin-balance-history']) {
      expect(await read(`/addresses/${UNUSED}/${list}`)).toEqual({ items: [], next_page_params: null, total_count: 0 })
    }
    expect(await read(`/addresses/${UNUSED}/token-balances`)).toEqual([])
    expect(await read(`/addresses/${UNUSED}/coin-balance-history-by-day`)).toEqual({ days: 10, items: [] })
    // Addresses may have any spelling, and empty parameters are ignored.
    expect(
      (await get(`/addresses/${UNUSED.toUpperCase().replace('X', 'x')}/token-transfers?type=&filter=`)).status,
    ).toBe(200)
  })

  it('refuses invalid filters, and a malformed address', async () => {
    const { url } = await testChain()
    const { get } = api(url)
    expect(await get('/addresses/0x1234')).toMatchObject({
      status: 422,
      body: {
        message: 'Invalid parameter(s)',
        errors: [
          {
            title: 'Invalid value',
            source: { pointer: '/address_hash_param' },
            detail: 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/',
          },
        ],
      },
    })
    const refused: [path: string, pointer: string][] = [
      ['transactions?filter=sideways', '/filter'],
      ['transactions?sort=nonce', '/sort'],
      ['transactions?sort=fee&order=up', '/order'],
      ['transactions?page=0', '/page'],
      ['transactions?items_count=x', '/items_count'],
      ['token-transfers?type=ERC-777', '/type'],
      ['token-transfers?token=0x12', '/token'],
      ['logs?topic=0x12', '/topic'],
      ['nft?type=1155', '/type'],
    ]
    for (const [path, pointer] of refused) {
      const { status, body } = await get(`/addresses/${UNUSED}/${path}`)
      expect({ path, status, pointers: body.errors.map(({ source }: { source: object }) => source) }).toEqual({
        path,
        status: 422,
        pointers: [{ pointer }],
      })
    }
    expect((await get(`/addresses/${UNUSED}/friends`)).status).toBe(400)
  })
})

describe('transactions of an address', () => {
  it('are those from it, to it, and the one that created it, in every sort order', async () => {
    const chain = await tokenChain()
    const { read, readAll } = api(chain.url)
    const [alice, bob, carol] = [0, 1, 2].map(chain.walletOf)
    await alice?.sendTransaction({ to: BOB, value: 30n })
    const coin = await chain.deploy('Coin', ['Coin', 'COIN', 0, 5n])
    await chain.dev.setAutomine(false)
    await bob?.sendTransaction({ to: ALICE, value: 4n, maxPriorityFeePerGas: 3n })
    await alice?.sendTransaction({ to: ALICE, value: 30n, gas: 30_000n })
    await carol?.sendTransaction({ to: BOB, value: 700n })
    await chain.mine()
    await chain.dev.setAutomine(true)
    await chain.send(coin, 'transfer', [BOB, 1n])
    const all = await minedTransactions(chain)
    expect(all).toHaveLength(6)

    for (const of of [ALICE, BOB, CAROL, coin.address, hexToAddress(UNUSED)]) {
      const path = `/addresses/${of}/transactions`
      const sent = all.filter(({ from }) => from === of)
      const came = all.filter(({ to, created }) => to === of || created === of)
      const both = all.filter((one) => sent.includes(one) || came.includes(one))
      const newest = (list: typeof all) => hashes(list.toReversed())
      expect(hashes(await readAll(path, 2))).toEqual(newest(both))
      expect(hashes(await readAll(`${path}?filter=from`, 2))).toEqual(newest(sent))
      expect(hashes(await readAll(`${path}?filter=to`, 1))).toEqual(newest(came))
      expect(hashes(await readAll(`${path}?filter=to,from`))).toEqual(newest(both))
      expect(hashes(await readAll(`${path}?sort=block_number&order=asc`, 2))).toEqual(hashes(both))
      for (const by of ['value', 'fee'] as const) {
        const rising = both.toSorted((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0))
        expect(hashes(await readAll(`${path}?sort=${by}&order=asc`, 2))).toEqual(hashes(rising))
        expect(hashes(await readAll(`${path}?sort=${by}&order=desc`, 4))).toEqual(newest(rising))
      }
      const gasOf = (list: typeof all) => list.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
      const served = gasOf(all.filter(({ to }) => to === of))
      expect(await read(`/addresses/${of}/counters`)).toMatchObject({
        transactions_count: both.length.toString(),
        gas_usage_count: (of === coin.address ? served : gasOf(sent)).toString(),
      })
      expect((await read(`/addresses/${of}/tabs-counters`)).transactions_count).toBe(both.length)
      expect((await read(`/addresses/${of}`)).transactions_count).toBe(both.length)
    }
  })

  it('have stable pages while blocks arrive', async () => {
    const chain = await testChain()
    const { read } = api(chain.url)
    const wallet = chain.walletOf(0)
    const sent: string[] = []
    for (let i = 0; i < 5; i++) sent.push(await wallet.sendTransaction({ to: BOB, value: BigInt(i) }))
    const first = await read(`/addresses/${ALICE}/transactions?items_count=2`)
    await wallet.sendTransaction({ to: BOB })
    const query = new URLSearchParams(first.next_page_params)
    const second = await read(`/addresses/${ALICE}/transactions?${query}`)
    expect(hashes([...first.items, ...second.items])).toEqual(sent.toReversed().slice(0, 4))
  })

  it('cannot be sorted by value if there are more than 10,000', async () => {
    const { node, url } = await testChain()
    const path = `/addresses/${BOB}/transactions`
    const length = record<{ length: number }>({ length: sequence }).encode({ length: 10_001 })
    await node.chain.store.write([{ type: 'put', key: KEY.listTail(LIST.transactionsOf(BOB, 'in')), value: length }])
    expect(await api(url).get(`${path}?sort=value&order=asc`)).toMatchObject({
      status: 422,
      body: { message: 'Invalid parameter(s)', errors: [{ source: { pointer: '/sort' } }] },
    })
  })
})

describe('internal transactions and logs of an address', () => {
  it('lists internal transactions for sender, recipient and created contracts', async () => {
    const chain = await tokenChain()
    const { read, readAll } = api(chain.url)
    const factory = await chain.deploy('Factory')
    await chain.send(factory, 'make', [3n])
    const deployment = await chain.walletOf(0).deployContract(framesContract)
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash: deployment })
    const frames = hexToAddress(contractAddress ?? ZERO_ADDRESS)
    await chain.walletOf(1).writeContract({
      address: frames,
      abi: framesContract.abi,
      functionName: 'descend',
      args: [2n, 1n],
      gas: 1_000_000n,
    })

    /** A frame and all frames below it, in call order. */
    const flat = (frame: Frame): Frame[] => [frame, ...(frame.calls ?? []).flatMap(flat)]
    const expected: { hash: string; index: number; frame: Frame }[] = []
    for (const { hash } of await minedTransactions(chain)) {
      const root = (await chain.rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })) as Frame
      const all = flat(root).map((frame, index) => ({ hash, index, frame }))
      expected.push(...all.filter(({ index, frame }) => index > 0 || frame.type.startsWith('CREATE')))
    }
    // Three creations by the factory, its creation with an inner one, one more, and two calls of the frames contract to itself.
    expect(expected).toHaveLength(8)
    const made = expected.filter(({ frame }) => frame.type === 'CREATE').map(({ frame }) => frame.to ?? '')

    for (const of of [ALICE, BOB, factory.address, frames, ...made]) {
      const path = `/addresses/${of}/internal-transactions`
      const show = (list: typeof expected) =>
        list.toReversed().map(({ hash, index, frame }) => ({
          transaction_hash: hash,
          index,
          type: frame.type.toLowerCase(),
          from: frame.from,
          other: frame.to,
          success: frame.error === undefined,
          value: BigInt(frame.value ?? 0).toString(),
        }))
      const shown = async (query: string) =>
        (await readAll(`${path}${query}`, 2)).map((item) => ({
          transaction_hash: item.transaction_hash,
          index: item.index,
          type: item.type,
          value: item.value,
          from: lower(item.from.hash),
          success: item.success,
          other: lower((item.to ?? item.created_contract).hash),
        }))
      const sent = expected.filter(({ frame }) => frame.from === of)
      const came = expected.filter(({ frame }) => frame.to === of)
      const both = expected.filter((one) => sent.includes(one) || came.includes(one))
      expect(await shown('')).toEqual(show(both))
      expect(await shown('?filter=from')).toEqual(show(sent))
      expect(await shown('?filter=to')).toEqual(show(came))
      expect((await read(`/addresses/${of}/tabs-counters`)).internal_transactions_count).toBe(both.length)
    }
  })

  it('lists logs newest first, filtered by the first topic', async () => {
    const chain = await tokenChain()
    const { read, readAll } = api(chain.url)
    const emitter = await chain.deploy('LogEmitter')
    const first = `0x${'11'.repeat(32)}`
    const second = `0x${'22'.repeat(32)}`
    for (const topics of [[first], [second, first], [], [first, second, second, first]]) {
      await chain.send(emitter, 'emitLog', [topics, `0x0${topics.length}`])
    }
    const logs = await chain.viem.getLogs({ address: emitter.address, fromBlock: 0n })
    const expected = logs.toReversed().map(({ transactionHash, logIndex, data, topics }) => ({
      transaction_hash: transactionHash,
      index: logIndex,
      data,
      topics: [0, 1, 2, 3].map((i) => (topics as readonly string[])[i] ?? null),
    }))
    expect(expected).toHaveLength(4)
    const path = `/addresses/${emitter.address}/logs`
    const shown = async (query: string) =>
      (await readAll(`${path}${query}`, 3)).map(({ transaction_hash, index, data, topics }) => ({
        transaction_hash,
        index,
        data,
        topics,
      }))
    expect(await shown('')).toEqual(expected)
    expect(await shown(`?topic=${first}`)).toEqual(expected.filter(({ topics }) => topics[0] === first))
    expect(await shown(`?topic=0x${'33'.repeat(32)}`)).toEqual([])
    expect(await read(`/addresses/${emitter.address}`)).toMatchObject({ has_logs: true })
    expect((await read(`/addresses/${emitter.address}/tabs-counters`)).logs_count).toBe(4)
  })
})
