// Tokens over the explorer API, against the contracts' answers and logs.
import { encodeAbiParameters, getAddress, keccak256, pad, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { ALICE, BOB, CAROL, type Deployed, PEOPLE, tokenChain } from '../indexer/token-chain.ts'
import { type Scenario, scenario } from './scenario.ts'
import { type Answer, api } from './support.ts'

const lower = (text: string | null | undefined): string | undefined => text?.toLowerCase()
const UNUSED = getAddress('0x00000000000000000000000000000000000dead0')

type Item = Answer['body']
type Transfer = {
  readonly transaction: string
  readonly log: number
  readonly from: string | undefined
  readonly to: string | undefined
  readonly token: string | undefined
  readonly id: string | undefined
  readonly value: string | undefined
}

const TRANSFERS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
])

/** The transfers in the logs of all blocks, newest first; the last id of a batch is the newest. */
async function loggedTransfers(viem: Scenario['viem']): Promise<Transfer[]> {
  const logs = await viem.getLogs({ events: TRANSFERS, fromBlock: 0n, strict: true })
  return logs
    .flatMap(({ address, transactionHash, logIndex, args }) => {
      const { from, to } = args
      const common = {
        transaction: transactionHash,
        log: logIndex,
        token: lower(address),
        from: lower(from),
        to: lower(to),
      }
      const one = (id: bigint | undefined, value: bigint | undefined) => ({
        ...common,
        id: id?.toString(),
        value: value?.toString(),
      })
      if ('ids' in args) return args.ids.map((id, i) => one(id, args.values[i]))
      return [one('id' in args ? args.id : undefined, 'value' in args ? args.value : undefined)]
    })
    .toReversed()
}

/** The transfers of a response's items, in the same form. */
const shownTransfers = (items: readonly Item[]): Transfer[] =>
  items.map(({ transaction_hash, log_index, from, to, token, total }) => ({
    transaction: transaction_hash,
    log: log_index,
    from: lower(from.hash),
    to: lower(to.hash),
    token: lower(token.address),
    id: total.token_id,
    value: total.value,
  }))

/** A chain with tokens of each type, and transfers of them. */
const market = scenario(async ({ deploy, call }) => {
  const make = async (name: string, args: readonly unknown[] = []): Promise<Deployed> => {
    const { address, abi } = await deploy(name, args)
    return { address: hexToAddress(address), abi }
  }
  const coin = await make('Coin', ['First Coin', 'ONE', 6, 1_000n])
  const art = await make('Art', [false])
  const items = await make('Items')
  await make('Coin', ['Second', 'TWO', 18, 0n])
  const third = await make('Coin', ['Third coin', 'THREE', 18, 8n])
  await call(third, 'transfer', [BOB, 4n])
  await call(coin, 'transfer', [BOB, 300n])
  await call(coin, 'transfer', [CAROL, 300n])
  await call(coin, 'transfer', [CAROL, 5n], 2)
  await call(coin, 'burn', [50n])
  for (const id of [1n, 9n, 2n ** 256n - 1n]) await call(art, 'mint', [ALICE, id])
  await call(art, 'transferFrom', [ALICE, BOB, 9n])
  await call(art, 'mint', [BOB, 4n])
  await call(art, 'burn', [4n])
  await call(items, 'mintBatch', [ALICE, [3n, 1n, 70n], [10n, 20n, 1n]])
  await call(items, 'transfer', [ALICE, BOB, 1n, 5n])
  await call(items, 'transferBatch', [ALICE, CAROL, [1n, 3n], [15n, 4n]])
  return { coin, art, items, third }
})

/** The result of a view function at the head. */
const readContract = ({ address, abi }: Deployed, functionName: string, args: readonly unknown[]): Promise<unknown> =>
  market().viem.readContract({ address, abi, functionName, args })

/** Holders by the contract: largest amount first, then highest address. */
async function holdersOf(ask: (of: string) => Promise<unknown>): Promise<[string, string][]> {
  const held = await Promise.all(PEOPLE.map(async (of) => [of, (await ask(of)) as bigint] as const))
  return held
    .filter(([, amount]) => amount > 0n)
    .sort(([a, x], [b, y]) => (x === y ? (a > b ? -1 : 1) : x > y ? -1 : 1))
    .map(([of, amount]) => [getAddress(of), amount.toString()])
}
const shownHolders = (items: readonly Item[]): [string, string][] =>
  items.map(({ address, value }) => [address.hash, value])

describe('token records', () => {
  it('are listed by number of holders, by type, and by words of their names', async () => {
    const { read, readAll, get } = market()
    const names = async (query: string) => (await readAll(`/tokens${query}`, 2)).map(({ name }) => name)
    // Three holders of the first coin and of the items, which have no name; two of the third coin and of art; none of the
    // second.
    const all = ['First Coin', null, 'Art', 'Third coin', 'Second']
    expect(await names('')).toEqual(all)
    expect(await names('?type=ERC-20,ERC-721,ERC-1155')).toEqual(all)
    expect(await names('?type=ERC-20')).toEqual(['First Coin', 'Third coin', 'Second'])
    expect(await names('?type=ERC-20&sort=holders_count&order=asc')).toEqual(['Second', 'Third coin', 'First Coin'])
    expect(await names('?type=[ERC-721,ERC-1155]')).toEqual([null, 'Art'])
    expect(await names('?type=ERC-721,ERC-20&order=asc')).toEqual(['Second', 'Third coin', 'Art', 'First Coin'])
    expect(await names('?type=ERC-404')).toEqual([])
    expect(await names('?q=coi')).toEqual(['First Coin', 'Third coin'])
    expect(await names('?q=coi&order=asc')).toEqual(['Third coin', 'First Coin'])
    expect(await names('?q=COIN%20th')).toEqual(['Third coin'])
    expect(await names('?q=two')).toEqual(['Second'])
    expect(await names('?q=art&type=ERC-20')).toEqual([])
    expect(await names('?q=oin')).toEqual([])
    expect((await read('/tokens?items_count=1000')).items).toHaveLength(5)
    expect((await get('/tokens?sort=name')).body.errors[0].source).toEqual({ pointer: '/sort' })
  })

  it('have the name, symbol, decimals and supply of their contracts', async () => {
    const { read, made } = market()
    const { coin, art, items } = made
    const common = { exchange_rate: null, circulating_market_cap: null, icon_url: null, reputation: 'ok' }
    const address = getAddress(coin.address)
    expect(await read(`/tokens/${coin.address}`)).toMatchObject({
      ...common,
      address,
      address_hash: address,
      name: 'First Coin',
      symbol: 'ONE',
      decimals: 6,
      type: 'ERC-20',
      total_supply: '950',
      holders: 3,
      holders_count: '3',
    })
    expect(await read(`/tokens/${art.address}`)).toMatchObject({
      name: 'Art',
      symbol: 'ART',
      decimals: null,
      type: 'ERC-721',
      holders: 2,
    })
    expect(await read(`/tokens/${items.address}`)).toMatchObject({
      name: null,
      symbol: null,
      decimals: null,
      type: 'ERC-1155',
      holders: 3,
      holders_count: '3',
    })
    // In other records decimals are text.
    expect((await read(`/addresses/${coin.address}`)).token).toMatchObject({ decimals: '6', holders: 3 })
  })

  it('are not found for other contracts', async () => {
    const { get, made } = market()
    const { art, coin } = made
    const missing = { status: 404, body: { message: 'Not found' } }
    for (const path of ['', '/counters', '/transfers', '/holders', '/instances', '/instances/1']) {
      expect(await get(`/tokens/${UNUSED}${path}`)).toMatchObject(missing)
    }
    for (const path of ['', '/transfers', '/transfers-count', '/holders']) {
      expect(await get(`/tokens/${art.address}/instances/77${path}`)).toMatchObject(missing)
      expect(await get(`/tokens/${coin.address}/instances/1${path}`)).toMatchObject(missing)
    }
    for (const id of ['x', '-1', (2n ** 256n).toString(), '0x1']) {
      const { status, body } = await get(`/tokens/${art.address}/instances/${id}`)
      expect([id, status, body.errors[0].source.pointer]).toEqual([id, 422, '/token_id_param'])
    }
    expect((await get('/tokens/0x12')).body.errors[0].source.pointer).toBe('/address_hash_param')
  })

  it('have the prices of the operator’s file', async () => {
    const chain = await tokenChain()
    const first = await chain.deploy('Coin', ['Cheap', 'C', 0, 5n])
    const second = await chain.deploy('Coin', ['Dear', 'D', 0, 0n])
    await chain.deploy('Coin', ['Priceless', 'P', 0, 1n])
    const tokens = new Map([
      [first.address, '0.5'],
      [second.address, '1200.25'],
    ])
    // The same account creates the same addresses on every chain.
    const priced = await tokenChain({ explorer: { prices: { coin: '2.5', tokens, history: [] } } })
    await priced.deploy('Coin', ['Cheap', 'C', 0, 5n])
    await priced.deploy('Coin', ['Dear', 'D', 0, 0n])
    await priced.deploy('Coin', ['Priceless', 'P', 0, 1n])
    const { read, readAll } = api(priced.url)
    const shown = async (query: string) =>
      (await readAll(`/tokens${query}`, 2)).map(({ name, exchange_rate }) => [name, exchange_rate])
    const rates = [
      ['Dear', '1200.25'],
      ['Cheap', '0.5'],
      ['Priceless', null],
    ]
    expect(await shown('?sort=fiat_value&order=desc')).toEqual(rates)
    expect(await shown('?sort=fiat_value&order=asc')).toEqual(rates.toReversed())
    expect(await read(`/addresses/${ALICE}`)).toMatchObject({ exchange_rate: '2.5' })
    expect(await read('/addresses')).toMatchObject({ exchange_rate: '2.5' })
  })
})

describe('token transfers', () => {
  it('of a token and of an item equal the logs', async () => {
    const { read, readAll, viem, made } = market()
    const { coin, art, items } = made
    const logged = await loggedTransfers(viem)
    expect(logged).toHaveLength(19)
    for (const { address } of [coin, art, items]) {
      const ofToken = logged.filter(({ token }) => token === address)
      expect(shownTransfers(await readAll(`/tokens/${address}/transfers`, 2))).toEqual(ofToken)
      expect((await read(`/tokens/${address}/counters`)).transfers_count).toBe(ofToken.length.toString())
    }
    for (const [token, id] of [
      ...([9n, 4n, 2n ** 256n - 1n].map((id) => [art, id]) as [Deployed, bigint][]),
      ...([1n, 3n, 70n].map((id) => [items, id]) as [Deployed, bigint][]),
    ] as const) {
      const path = `/tokens/${token.address}/instances/${id}`
      const ofItem = logged.filter((one) => one.token === token.address && one.id === id.toString())
      expect(shownTransfers(await readAll(`${path}/transfers`, 1))).toEqual(ofItem)
      expect(await read(`${path}/transfers-count`)).toEqual({ transfers_count: ofItem.length })
    }
  })

  it('of an address are filtered by type, side and token', async () => {
    const { read, readAll, viem, made } = market()
    const { coin, art, items } = made
    const logged = await loggedTransfers(viem)
    const typeOf = new Map<string | undefined, string>([
      ...([
        [coin.address, 'ERC-20'],
        [made.third.address, 'ERC-20'],
        [art.address, 'ERC-721'],
        [items.address, 'ERC-1155'],
      ] as const),
    ])
    for (const of of [ALICE, BOB, CAROL, ZERO_ADDRESS]) {
      const path = `/addresses/${of}/token-transfers`
      const transfersBy = async (query: string) => shownTransfers(await readAll(`${path}${query}`, 3))
      const both = logged.filter(({ from, to }) => from === of || to === of)
      expect(await transfersBy('')).toEqual(both)
      for (const type of ['ERC-20', 'ERC-721', 'ERC-1155']) {
        const ofType = both.filter(({ token }) => typeOf.get(token) === type)
        expect(await transfersBy(`?type=${type}`)).toEqual(ofType)
        expect(await transfersBy(`?type=${type}&filter=to`)).toEqual(ofType.filter(({ to }) => to === of))
        expect(await transfersBy(`?type=${type},ERC-404&filter=from`)).toEqual(ofType.filter(({ from }) => from === of))
      }
      expect(await transfersBy('?type=ERC-404')).toEqual([])
      for (const { address } of [coin, items]) {
        const ofToken = both.filter(({ token }) => token === address)
        expect(await transfersBy(`?token=${address}`)).toEqual(ofToken)
        expect(await transfersBy(`?token=${address}&filter=to`)).toEqual(ofToken.filter(({ to }) => to === of))
        expect(await transfersBy(`?token=${address}&type=${typeOf.get(address)}`)).toEqual(ofToken)
        expect(await transfersBy(`?token=${address}&type=ERC-721`)).toEqual([])
      }
      expect(await read(`/addresses/${of}`)).toMatchObject({
        token_transfers_count: both.length,
        has_token_transfers: both.length > 0,
      })
      expect((await read(`/addresses/${of}/counters`)).token_transfers_count).toBe(both.length.toString())
    }
  })
})

describe('token holders', () => {
  it('have the balances that the contract returns', async () => {
    const { read, readAll, made } = market()
    const { coin, art, items } = made
    for (const token of [coin, art]) {
      const expected = await holdersOf((of) => readContract(token, 'balanceOf', [of]))
      const shown = await readAll(`/tokens/${token.address}/holders`, 1)
      expect(shownHolders(shown)).toEqual(expected)
      expect(shown[0]).toMatchObject({ token_id: null, token: { address: getAddress(token.address) } })
      expect((await read(`/tokens/${token.address}/counters`)).token_holders_count).toBe(expected.length.toString())
    }
    for (const id of [1n, 3n, 70n]) {
      const expected = await holdersOf((of) => readContract(items, 'balanceOf', [of, id]))
      const shown = await readAll(`/tokens/${items.address}/instances/${id}/holders`, 1)
      expect(shownHolders(shown)).toEqual(expected)
      expect(shown[0].token_id).toBe(id.toString())
    }
    expect(shownHolders(await readAll(`/tokens/${art.address}/instances/9/holders`))).toEqual([[getAddress(BOB), '1']])
    expect(await readAll(`/tokens/${art.address}/instances/4/holders`)).toEqual([])
  })

  it('of one token are paginated in any size', async () => {
    const { deploy, send, url } = await tokenChain()
    const coin = await deploy('Coin', ['Many', 'MANY', 0, 10_000n])
    const people = Array.from({ length: 120 }, (_, i) =>
      hexToAddress(`0x${(0x1000 + i).toString(16).padStart(40, '0')}`),
    )
    await send(coin, 'spread', [people.slice(0, 60), 3n])
    await send(coin, 'spread', [people.slice(60), 2n])
    const expected: [string, string][] = [
      [getAddress(ALICE), (10_000n - 180n - 120n).toString()],
      ...people
        .slice(0, 60)
        .toReversed()
        .map((of): [string, string] => [getAddress(of), '3']),
      ...people
        .slice(60)
        .toReversed()
        .map((of): [string, string] => [getAddress(of), '2']),
    ]
    const { read, readAll } = api(url)
    const path = `/tokens/${coin.address}/holders`
    for (const size of [7, 100]) expect(shownHolders(await readAll(path, size))).toEqual(expected)
    const third = await read(`${path}?page=3&items_count=50`)
    expect(shownHolders(third.items)).toEqual(expected.slice(100))
    expect(third).toMatchObject({ next_page_params: null, total_count: 121 })
    expect((await read(`${path}?items_count=100000`)).items).toHaveLength(100)
    expect((await read(path)).items).toHaveLength(50)
    expect((await read(`${path}?page=4`)).items).toEqual([])
  })
})

describe('token items', () => {
  it('are listed with the highest id first, also for one holder', async () => {
    const { readAll, made } = market()
    const { art, items, coin } = made
    const ids = async (path: string) => (await readAll(path, 2)).map(({ id }) => id)
    const largest = (2n ** 256n - 1n).toString()
    expect(await ids(`/tokens/${art.address}/instances`)).toEqual([largest, '9', '4', '1'])
    expect(await ids(`/tokens/${art.address}/instances?holder_address_hash=${ALICE}`)).toEqual([largest, '1'])
    expect(await ids(`/tokens/${items.address}/instances`)).toEqual(['70', '3', '1'])
    expect(await ids(`/tokens/${items.address}/instances?holder_address_hash=${CAROL}`)).toEqual(['3', '1'])
    expect(await ids(`/tokens/${coin.address}/instances`)).toEqual([])
    expect(await ids(`/tokens/${coin.address}/instances?holder_address_hash=${ALICE}`)).toEqual([])
  })

  it('have their owner and their token', async () => {
    const { read, made } = market()
    const { art, items } = made
    const token = { address: getAddress(art.address), type: 'ERC-721', decimals: null }
    expect(await readContract(art, 'ownerOf', [9n])).toBe(getAddress(BOB))
    expect(await read(`/tokens/${art.address}/instances/9`)).toMatchObject({
      id: '9',
      is_unique: true,
      owner: { hash: getAddress(BOB) },
      token,
      metadata: null,
    })
    expect(await read(`/tokens/${art.address}/instances/4`)).toMatchObject({ id: '4', owner: null })
    expect(await read(`/tokens/${items.address}/instances/1`)).toMatchObject({ is_unique: false, owner: null })
    expect(await read(`/tokens/${items.address}/instances/70`)).toMatchObject({ is_unique: true })
  })
})

describe('token balances of an address', () => {
  it('are listed by type, with amounts or items', async () => {
    const { read, readAll, made } = market()
    const [c, a, i, t] = [made.coin, made.art, made.items, made.third].map(({ address }) => getAddress(address))
    const balances = (list: readonly Item[]) =>
      list.map(({ token, token_id, value }) => [token.address, token_id, value])
    const coins = [
      [c, null, '350'],
      [t, null, '4'],
    ]
    const ids = [
      [i, '3', '6'],
      [i, '70', '1'],
    ]
    const all = [...coins, [a, null, '2'], ...ids]
    const path = `/addresses/${ALICE}`
    expect(balances(await readAll(`${path}/tokens`, 2))).toEqual(all)
    expect(balances(await readAll(`${path}/tokens?type=ERC-20`, 1))).toEqual(coins)
    expect(balances(await readAll(`${path}/tokens?type=ERC-721`))).toEqual([[a, null, '2']])
    expect(balances(await readAll(`${path}/tokens?type=ERC-1155`))).toEqual(ids)
    expect(balances(await readAll(`${path}/tokens?type=ERC-404`))).toEqual([])
    expect(balances(await read(`${path}/token-balances`))).toEqual(all)
    expect((await readAll(`${path}/tokens?type=ERC-1155`))[0].token_instance).toMatchObject({ id: '3', token: null })
    expect(await read(path)).toMatchObject({ has_tokens: true })
    expect(await read(`${path}/tabs-counters`)).toMatchObject({ token_balances_count: 5 })

    const largest = (2n ** 256n - 1n).toString()
    const nft = (list: readonly Item[]) =>
      list.map(({ token, id, value, token_type }) => [token?.address, id, value, token_type])
    const art721 = [
      [a, '1', '1', 'ERC-721'],
      [a, largest, '1', 'ERC-721'],
    ]
    const items1155 = [
      [i, '3', '6', 'ERC-1155'],
      [i, '70', '1', 'ERC-1155'],
    ]
    expect(nft(await readAll(`${path}/nft`, 3))).toEqual([...art721, ...items1155])
    expect(nft(await readAll(`${path}/nft?type=ERC-1155`, 1))).toEqual(items1155)
    expect(nft(await readAll(`${path}/nft?type=ERC-404`))).toEqual([])

    const collections = (list: readonly Item[]) =>
      list.map(({ token, amount, token_instances }) => [
        token.address,
        amount,
        token_instances.map(({ id }: Item) => id),
      ])
    expect(collections(await readAll(`${path}/nft/collections`, 1))).toEqual([
      [a, '2', ['1', largest]],
      [i, '2', ['3', '70']],
    ])
    expect(collections(await readAll(`${path}/nft/collections?type=ERC-721`))).toEqual([[a, '2', ['1', largest]]])
  })

  it('are the token’s answer, even if it changed without an event', async () => {
    const { deploy, read, dev, url } = await tokenChain()
    const coin = await deploy('Coin', ['Rebasing', 'REB', 0, 100n])
    // `balanceOf` is the contract's fourth storage variable.
    const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [ALICE, 3n]))
    await dev.setStorageAt({ address: coin.address, index: slot, value: pad('0x7b') })
    expect(await read(coin, 'balanceOf', [ALICE])).toBe(123n)
    const path = `/addresses/${ALICE}`
    expect((await api(url).read(`${path}/tokens`)).items).toMatchObject([{ value: '123' }])
    expect(await api(url).read(`${path}/token-balances`)).toMatchObject([{ value: '123' }])
  })

  it('include only the first items of a collection', async () => {
    const { deploy, send, url } = await tokenChain()
    const first = await deploy('Items')
    const second = await deploy('Items')
    const ids = Array.from({ length: 30 }, (_, i) => BigInt(i))
    for (const token of [first, second]) await send(token, 'mintBatch', [ALICE, ids, ids.map(() => 2n)])
    const collections = await api(url).readAll(`/addresses/${ALICE}/nft/collections`, 1)
    expect(collections.map(({ token }) => lower(token.address)).toSorted()).toEqual(
      [first.address, second.address].toSorted(),
    )
    for (const { amount, token_instances } of collections) {
      expect(amount).toBe('30')
      expect(token_instances.map(({ id, value }: Item) => [id, value])).toEqual(
        ids.slice(0, 9).map((id) => [id.toString(), '2']),
      )
    }
  })
})
