// Advanced filters over a random history against a model: the chain's three lists, merged and filtered item by item. The inputs of
// messages, which no list has, come from debug_traceTransaction.
import { encodeFunctionData, parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { search } from '../../src/explorer/advanced-filter/activity.ts'
import { filterOf, filterQuery } from '../../src/explorer/advanced-filter/filter.ts'
import { openContext } from '../../src/explorer/context.ts'
import { Explorer } from '../../src/explorer/explorer.ts'
import { defaultExplorerOptions } from '../../src/explorer/options.ts'
import { Hub } from '../../src/explorer/socket/hub.ts'
import { createLogger } from '../../src/lib/log.ts'
import { WorkQueue } from '../../src/lib/work-queue.ts'
import { people, playRandomly, randomNumbers } from './random-history.ts'
import { scenario, ZERO } from './scenario.ts'

// Responses are accessed without types: their schemas have been checked.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

const on = scenario(playRandomly)

/** An item of the model. `rank`: transactions first, then transfers, then messages. */
type Item = {
  readonly key: string
  readonly order: readonly [number, number, number, number]
  readonly types: readonly string[]
  readonly method: string
  readonly time: number
  readonly from: string
  readonly to: string
  /** `native` or the address of a token. */
  readonly token: string
  /** In billionths of a billionth of a whole one. */
  readonly amount: bigint
}

const lower = (of: { hash: string } | null): string => of?.hash.toLowerCase() ?? ''
const scaled = (value: string, decimals: number): bigint => (BigInt(value) * 10n ** 18n) / 10n ** BigInt(decimals)

async function model(): Promise<Item[]> {
  const { readAll, rpc } = on()
  const transactions: Any[] = await readAll('/transactions', 100)
  const byHash = new Map(transactions.map((of) => [of.hash, of]))
  const inputs = new Map<string, string[]>()
  for (const { hash } of transactions) {
    const flat: string[] = []
    const visit = (call: Any): void => {
      flat.push(call.input)
      for (const inner of call.calls ?? []) visit(inner)
    }
    visit(await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' }))
    inputs.set(hash, flat)
  }
  const isContract = (of: Any) => of?.is_contract === true
  const selector = (input: string, to: Any) => (isContract(to) && input.length >= 10 ? input.slice(0, 10) : '')
  const types = (value: string, to: Any): string[] => [
    ...(BigInt(value) > 0n ? ['COIN_TRANSFER'] : []),
    ...(to === null ? ['CONTRACT_CREATION'] : isContract(to) ? ['CONTRACT_INTERACTION'] : []),
  ]
  const items: Item[] = transactions.map((of) => ({
    key: of.hash,
    order: [of.block_number, of.position, 2, 0],
    types: types(of.value, of.to),
    method: selector(of.raw_input, of.to),
    time: Date.parse(of.timestamp),
    from: lower(of.from),
    to: lower(of.to),
    token: 'native',
    amount: scaled(of.value, 18),
  }))
  for (const of of await readAll('/internal-transactions', 100)) {
    items.push({
      key: `${of.transaction_hash} call ${of.index}`,
      order: [of.block_number, of.transaction_index, 0, of.index],
      types: types(of.value, of.to),
      method: selector(inputs.get(of.transaction_hash)?.[of.index] ?? '', of.to),
      time: Date.parse(of.timestamp),
      from: lower(of.from),
      to: lower(of.to),
      token: 'native',
      amount: scaled(of.value, 18),
    })
  }
  const transfers: Any[] = await readAll('/token-transfers', 100)
  for (const [i, of] of transfers.entries()) {
    const { raw_input, to, position } = byHash.get(of.transaction_hash)
    items.push({
      key: `${of.transaction_hash} transfer ${of.log_index} ${of.total.token_id ?? ''}`,
      // The list is newest first.
      order: [of.block_number, position, 1, transfers.length - i],
      types: [of.token_type],
      method: selector(raw_input, to),
      time: Date.parse(of.timestamp),
      from: lower(of.from),
      to: lower(of.to),
      token: of.token.address_hash.toLowerCase(),
      amount: of.token_type === 'ERC-721' ? 10n ** 18n : scaled(of.total.value, Number(of.total.decimals ?? 0)),
    })
  }
  return items.sort((a, b) => {
    const at = a.order.findIndex((part, i) => part !== b.order[i])
    return (b.order[at] ?? 0) - (a.order[at] ?? 0)
  })
}

type Query = Readonly<Record<string, string>>
const listed = (query: Query, name: string) => query[name]?.toLowerCase().split(',')

/** The conditions, from the words of Blockscout's OpenAPI document. */
function fits(query: Query, of: Item): boolean {
  const side = (name: 'from' | 'to'): boolean | undefined => {
    const include = listed(query, `${name}_address_hashes_to_include`)
    const exclude = listed(query, `${name}_address_hashes_to_exclude`)
    if (include === undefined && exclude === undefined) return undefined
    return include?.includes(of[name]) !== false && exclude?.includes(of[name]) !== true
  }
  const sides = [side('from'), side('to')].filter((each) => each !== undefined)
  const isRelated = query.address_relation === 'and' ? sides.every(Boolean) : sides.length === 0 || sides.some(Boolean)
  const bound = (name: string) => (query[name] === undefined ? undefined : parseEther(query[name]))
  const [least, most] = [bound('amount_from'), bound('amount_to')]
  const types = listed(query, 'transaction_types')
  return (
    isRelated &&
    (types === undefined ||
      of.types.some((type) => types.includes(type.toLowerCase())) ||
      // All that is no token transfer.
      (of.token === 'native' && types.filter((type) => type.includes('_')).length === 3)) &&
    listed(query, 'methods')?.includes(of.method) !== false &&
    (query.age_from === undefined || of.time >= Date.parse(query.age_from)) &&
    (query.age_to === undefined || of.time <= Date.parse(query.age_to)) &&
    (least === undefined || of.amount >= least) &&
    (most === undefined || of.amount <= most) &&
    listed(query, 'token_contract_address_hashes_to_include')?.includes(of.token) !== false &&
    listed(query, 'token_contract_address_hashes_to_exclude')?.includes(of.token) !== true
  )
}

const keyOf = (of: Any): string =>
  of.internal_transaction_index !== null
    ? `${of.hash} call ${of.internal_transaction_index}`
    : of.token_transfer_index !== null
      ? `${of.hash} transfer ${of.token_transfer_index} ${of.total.token_id ?? ''}`
      : of.hash

let items: readonly Item[]
beforeAll(async () => {
  items = await model()
}, 60_000)

/** Random conditions, each absent in most queries. */
function randomQuery(random: (below: number) => number): Query {
  const { coin, wrapped, art, items: cards, frames, factory } = on().made
  const some = (of: readonly string[], separator = ',') => {
    const taken = of.filter(() => random(3) === 0)
    return (taken.length === 0 ? of.slice(0, 1) : taken).join(separator)
  }
  const parties = [...people, ZERO, coin.address, wrapped.address, frames.address, factory.address]
  const tokens = [coin.address, wrapped.address, art.address, cards.address, 'native']
  const times = items.map(({ time }) => new Date(time).toISOString()).toSorted()
  const moment = () => times[random(times.length)] ?? ''
  const period = [moment(), moment()].toSorted()
  const amounts = ['0', '0.25', '0.5', '1', '1.5', '6']
  const [less = 0, more = 0] = [random(amounts.length), random(amounts.length)].toSorted()
  const kinds = ['COIN_TRANSFER', 'CONTRACT_INTERACTION', 'CONTRACT_CREATION', 'ERC-20', 'ERC-721', 'erc-1155']
  const methods = [...new Set(items.map(({ method }) => method))].filter((method) => method !== '')
  const conditions: readonly (() => Query)[] = [
    () => ({ transaction_types: some(kinds) }),
    () => ({ methods: some(methods) }),
    () => ({ age_from: period[0] ?? '' }),
    () => ({ age_to: period[1] ?? '' }),
    () => ({ from_address_hashes_to_include: some(parties) }),
    () => ({ from_address_hashes_to_exclude: some(parties) }),
    () => ({ to_address_hashes_to_include: some(parties) }),
    () => ({ to_address_hashes_to_exclude: some(parties) }),
    () => ({ address_relation: random(2) === 0 ? 'and' : 'or' }),
    () => ({ amount_from: amounts[less] ?? '' }),
    () => ({ amount_to: amounts[more] ?? '' }),
    () => ({ token_contract_address_hashes_to_include: some(tokens) }),
    () => ({ token_contract_address_hashes_to_exclude: some(tokens) }),
  ]
  return Object.assign({}, ...conditions.filter(() => random(5) === 0).map((condition) => condition()))
}

/** All items of a query, page by page. */
async function walk(query: Query): Promise<string[]> {
  const { read } = on()
  const keys: string[] = []
  for (let next: Record<string, Any> | null = {}; next !== null; ) {
    const text: string = new URLSearchParams({ ...query, ...next }).toString()
    const page: Any = await read(`/advanced-filters?${text}`)
    keys.push(...page.items.map(keyOf))
    next = page.next_page_params
    if (next !== null) expect(next.items_count).toBe(keys.length)
  }
  return keys
}

describe('advanced filters', () => {
  it('without conditions list everything in order', async () => {
    expect(items.length).toBeGreaterThan(300)
    for (const type of ['ERC-20', 'ERC-721', 'ERC-1155', 'CONTRACT_CREATION'])
      expect(items.filter(({ types }) => types.includes(type)).length, type).toBeGreaterThan(4)
    expect(await walk({})).toEqual(items.map(({ key }) => key))
  })

  it('equal the model for random conditions', async () => {
    const random = randomNumbers(11)
    let selected = 0
    for (let i = 0; i < 150; i++) {
      const query = randomQuery(random)
      const expected = items.filter((of) => fits(query, of)).map(({ key }) => key)
      expect(await walk(query), JSON.stringify(query)).toEqual(expected)
      if (expected.length > 0 && expected.length < items.length) selected++
    }
    expect(selected).toBeGreaterThan(60)
  }, 120_000)

  it('go on from any place, with any limit of entries that are looked at', async () => {
    const { chain } = on().node
    const log = createLogger({ level: 'error', json: false })
    const explorer = new Explorer({
      chain,
      hub: new Hub(),
      queue: new WorkQueue(),
      options: defaultExplorerOptions,
      log,
    })
    const { context, close } = await openContext(explorer)
    const random = randomNumbers(13)
    let total = 0
    for (const [most, looks] of [
      [1, 1],
      [3, 7],
      [50, 2],
      [2, 100],
    ] as const) {
      const query = randomQuery(random)
      const filter = await filterOf(context, filterQuery.parse(query))
      let found = 0
      let searches = 0
      for (let after: Parameters<typeof search>[2]['after'] | 'begin' = 'begin'; after !== undefined; searches++) {
        const from = after === 'begin' ? undefined : after
        const page = await search(context, filter, { after: from, most, looks }, () => undefined)
        expect(page.found.length).toBeLessThanOrEqual(most)
        expect(page.looked).toBeLessThanOrEqual(looks)
        found += page.found.length
        after = page.after
      }
      expect(found, JSON.stringify(query)).toBe(items.filter((of) => fits(query, of)).length)
      total += searches
    }
    expect(total).toBeGreaterThan(100)
    await close()
  })

  it('accept names of methods, symbols of tokens, and cursors with null', async () => {
    const { coin, items: cards } = on().made
    const methodIs = (name: string, abi: Any, args: readonly unknown[]) =>
      encodeFunctionData({ abi, functionName: name, args }).slice(0, 10)
    const mintBatch = methodIs('mintBatch', cards.abi, [people[0], [], []])
    const transfer = methodIs('transfer', coin.abi, [people[0], 0n])
    expect(await walk({ methods_names: 'transfer', methods: mintBatch })).toEqual(
      await walk({ methods: `${transfer},${mintBatch}` }),
    )
    const ofCoin = await walk({ token_contract_address_hashes_to_include: coin.address })
    expect(await walk({ token_contract_symbols_to_include: 'slv' })).toEqual(ofCoin)
    expect(await walk({ token_contract_symbols_to_include: 'nobody' })).toEqual([])
    const { read } = on()
    const of = items[40]
    const [number, index] = of?.order ?? []
    const place = `block_number=${number}&transaction_index=${index}`
    const nulls = 'internal_transaction_index=null&token_transfer_index=null&token_transfer_batch_index='
    const rest = items.filter(
      ({ order: [a, b, rank] }) =>
        a < (number ?? 0) || (a === number && (b < (index ?? 0) || (b === index && rank < 2))),
    )
    expect((await read(`/advanced-filters?${place}&${nulls}`)).items.map(keyOf)).toEqual(
      rest.slice(0, 50).map(({ key }) => key),
    )
    expect((await read('/advanced-filters?block_number=99999999&transaction_index=0')).items.map(keyOf)).toEqual(
      items.slice(0, 50).map(({ key }) => key),
    )
  })

  it('name their methods and tokens', async () => {
    const { read, made } = on()
    const { search_params } = await read(
      `/advanced-filters?methods=0xa9059cbb,0x12345678&token_contract_address_hashes_to_include=${made.coin.address}`,
    )
    expect(search_params.methods).toEqual({ '0xa9059cbb': 'transfer', '0x12345678': '0x12345678' })
    expect(Object.keys(search_params.tokens)).toEqual([made.coin.address])
    expect(search_params.tokens[made.coin.address]).toMatchObject({ symbol: 'SLV', type: 'ERC-20' })
    expect(await read('/advanced-filters/methods?q=transfer')).toContainEqual({
      method_id: '0xa9059cbb',
      name: 'transfer',
    })
    expect(await read('/advanced-filters/methods?q=0x12345678')).toEqual([{ method_id: '0x12345678', name: '' }])
    expect(await read('/advanced-filters/methods?q=noSuchMethod')).toEqual([])
    const called = new Map<string, number>()
    for (const { method, order } of items)
      if (order[2] === 2 && method !== '') called.set(method, (called.get(method) ?? 0) + 1)
    const most = await read('/advanced-filters/methods')
    const counts = most.map(({ method_id }: Any) => called.get(method_id))
    expect(counts).toEqual([...called.values()].toSorted((a, b) => b - a))
  })

  it('are exported as CSV, with amounts in whole tokens', async () => {
    const { get, made } = on()
    const answer = await get(
      `/advanced-filters/csv?token_contract_address_hashes_to_include=${made.coin.address}&amount_from=0.5`,
    )
    const [head, ...lines] = String(answer.body).trim().split('\r\n')
    const expected = items.filter(
      ({ token, amount }) => token === made.coin.address.toLowerCase() && amount >= parseEther('0.5'),
    )
    expect(expected.length).toBeGreaterThan(4)
    expect(head?.split(',').slice(0, 4)).toEqual(['TxHash', 'Type', 'MethodId', 'UtcTimestamp'])
    expect(
      lines
        .map((line) => line.split(','))
        .map(([hash, type, , , , , , , , , symbol, value]) => [hash, type, symbol, parseEther(value ?? '')]),
    ).toEqual(expected.map(({ key, amount }) => [key.slice(0, 66), 'ERC-20', 'SLV', amount]))
  })

  it('refuse nonsense', async () => {
    const { get } = on()
    const nonsense = [
      'transaction_types=nonsense',
      'methods=transfer',
      'age_from=yesterday',
      'age_from=2026-02-02&age_to=2026-02-01',
      'from_address_hashes_to_include=0x12',
      `to_address_hashes_to_exclude=${Array.from({ length: 51 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`).join(',')}`,
      'address_relation=xor',
      'token_contract_symbols_to_include=a,b,c,d,e,f',
      'amount_from=-1',
      'amount_from=1e18',
      'amount_from=2&amount_to=1',
      'token_contract_address_hashes_to_include=coin',
      'block_number=1',
      'transaction_index=1',
      'block_number=x&transaction_index=1',
      'block_number=1&transaction_index=1&internal_transaction_index=1&token_transfer_index=1',
      'items_count=0',
    ]
    for (const query of nonsense)
      expect({ query, status: (await get(`/advanced-filters?${query}`)).status }).toEqual({ query, status: 422 })
  })
})
