// The storage of a contract by names: values, keys of mappings and histories, by real transactions.
import { encodeAbiParameters, type Hex, keccak256, pad, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { account, testChain } from '../../support/chain.ts'
import { deployLedger } from '../../support/ledger.ts'
import { api } from '../support.ts'

async function ledger() {
  const chain = await testChain()
  const { address, ...rest } = await deployLedger(chain)
  const { read, get } = api(chain.url)
  const at = (path: string) => `/smart-contracts/${address}/storage?path=${encodeURIComponent(path)}`
  const historyAt = (path: string) => `/smart-contracts/${address}/storage/history?path=${encodeURIComponent(path)}`
  return {
    ...chain,
    ...rest,
    address,
    get,
    read,
    all: () => read(`/smart-contracts/${address}/storage`),
    at,
    historyAt,
    parts: async (path: string) => {
      const { items } = await read(at(path))
      return Object.fromEntries(items.map((item: { name: string; value: unknown }) => [item.name, item.value]))
    },
    value: async (path: string) => (await read(at(path))).variable.value,
    history: async (path: string) => {
      const { items } = await read(historyAt(path))
      return items.map((item: { value: string; block_number: number }) => [item.value, item.block_number])
    },
  }
}

const slot = (number: bigint): Hex => pad(toHex(number))
/** Solidity's rule for the value of a mapping at a key. */
const mapped = (key: Hex, at: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'bytes32' }], [pad(key), at]))

describe('storage by names', () => {
  it('shows variables with type, slot and value', async () => {
    const { call, alice, all } = await ledger()
    await call('set', [2, 1_700_000_000n, 5n, -7n])
    await call('write', ['short', '0x0102'])
    const { items, layout_of, variable, total_count } = await all()
    expect(layout_of.name).toBe('Ledger')
    expect([variable, total_count]).toEqual([null, 18])
    const row = ({ name, type, kind, slot, offset, value, length }: Record<string, unknown>) => {
      return [name, type, kind, slot, offset, value, length]
    }
    // The numbers of slots are in ledger.sol.
    expect(items.map(row)).toEqual([
      ['total', 'uint256', 'value', slot(0n), 0, '1000', null],
      ['owner', 'address', 'value', slot(1n), 0, alice.address, null],
      ['updated', 'uint64', 'value', slot(1n), 20, '1700000000', null],
      ['level', 'enum Ledger.Level', 'value', slot(1n), 28, 'High', null],
      ['price', 'Ledger.Price', 'value', slot(2n), 0, '5', null],
      ['delta', 'int128', 'value', slot(2n), 16, '-7', null],
      ['title', 'string', 'value', slot(3n), 0, 'short', null],
      ['raw', 'bytes', 'value', slot(4n), 0, '0x0102', null],
      ['points', 'struct Ledger.Point[]', 'array', slot(5n), 0, null, 0],
      ['small', 'uint8[40]', 'array', slot(6n), 0, null, 40],
      ['balances', 'mapping(address => uint256)', 'mapping', slot(8n), 0, null, null],
      ['allowances', 'mapping(address => mapping(address => uint256))', 'mapping', slot(9n), 0, null, null],
      ['byName', 'mapping(string => uint256)', 'mapping', slot(10n), 0, null, null],
      ['entries', 'mapping(uint256 => struct Ledger.Entry)', 'mapping', slot(11n), 0, null, null],
      ['roles', 'mapping(bytes32 => mapping(address => bool))', 'mapping', slot(12n), 0, null, null],
      ['oracle', 'contract IOracle', 'value', slot(13n), 0, '0x0000000000000000000000000000000000000000', null],
      ['byLevel', 'mapping(enum Ledger.Level => int8)', 'mapping', slot(14n), 0, null, null],
      [
        'erc7201:ledger.settings',
        'struct Ledger.Settings',
        'struct',
        keccak256(slot(BigInt(keccak256(toHex('ledger.settings'))) - 1n)).replace(/..$/, '00'),
        0,
        null,
        null,
      ],
    ])
    expect(items[1].value_address.hash).toBe(alice.address)
    expect(items[0]).toMatchObject({ contract: 'Ledger', value_address: null, key_address: null })
  })

  it('reads elements, members and texts of any length', async () => {
    const { call, parts, value, at, read } = await ledger()
    const long = 'é'.repeat(50)
    await call('write', [long, toHex(new Uint8Array(1_500).fill(7))])
    await call('add', [3n, -4n])
    await call('add', [-5n, 6n])
    await call('fill', [33n, 9])
    await call('charge', [77n])
    expect(await value('title')).toBe(long)
    expect(await value('raw')).toBe(`0x${'07'.repeat(1_024)}… and 476 more bytes`)
    expect(await parts('points')).toEqual({ 0: null, 1: null })
    expect(await parts('points[1]')).toEqual({ x: '-5', y: '6' })
    expect(await value('points[0].y')).toBe('-4')
    expect(await value('erc7201:ledger.settings.fee')).toBe('77')
    // The 34th byte: the second of the second slot.
    const small = await read(`${at('small')}&items_count=10&page=4`)
    expect(small).toMatchObject({ total_count: 40, next_page_params: null })
    expect(small.items[3]).toMatchObject({ name: '33', path: 'small[33]', slot: slot(7n), offset: 1, value: '9' })
    expect(small.items[4]).toMatchObject({ name: '34', value: '0' })
    // An element of two numbers takes a slot of its own, behind the hash of the array's.
    const first = BigInt(keccak256(slot(5n)))
    expect((await read(at('points[1].y'))).variable).toMatchObject({ slot: slot(first + 1n), offset: 8 })
  })

  it('finds keys of mappings in transactions, and takes those that are given', async () => {
    const { call, parts, value, alice, bob, read, at } = await ledger()
    const [carol, dave] = [account(2).address, account(3).address]
    await call('transfer', [carol, 300n])
    await call('transfer', [bob.address, 50n])
    await call('transfer', [alice.address, 50n], bob.address)
    await call('approve', [dave, 25n])
    await call('approve', [carol, 26n], bob.address)
    await call('name', ['Dora "]" é', 5n])
    await call('enter', [1_000_000n, 90n, carol])
    await call('set', [1, 0n, 0n, -3n])
    // Bob has nothing left.
    expect(await parts('balances')).toEqual({ [alice.address]: '700', [carol]: '300' })
    expect(await parts('allowances')).toEqual({ [alice.address]: null, [bob.address]: null })
    expect(await parts(`allowances[${alice.address}]`)).toEqual({ [dave]: '25' })
    expect(await parts('byName')).toEqual({ '"Dora \\"]\\" é"': '5' })
    expect(await parts('entries')).toEqual({ 1000000: null })
    expect(await parts('entries[1000000]')).toEqual({ amount: '90', by: alice.address, open: 'true', shares: null })
    expect(await parts('entries[1000000].shares')).toEqual({ [carol]: '45' })
    // The role with the key 0 was given in the constructor; nobody has ever named it.
    expect(await parts('roles')).toEqual({ [slot(0n)]: null })
    expect(await parts(`roles[${slot(0n)}]`)).toEqual({ [alice.address]: 'true' })
    expect(await parts('byLevel')).toEqual({ Middle: '-3' })

    const { items, all_keys_tried } = await read(at('balances'))
    expect(all_keys_tried).toBe(true)
    expect(items[0].key_address.hash).toBe(items[0].name)
    expect(await value(`balances[${bob.address}]`)).toBe('0')
    expect(await value('byName[Dora 1]')).toBe('0')
    expect(await value('byName["Dora \\"]\\" é"]')).toBe('5')
    expect(await value('byLevel[1]')).toBe('-3')
    expect(await value('entries[0xf4240].amount')).toBe('90')
    const of = (await read(at(`allowances[${alice.address.toLowerCase()}][${dave}]`))).variable
    expect(of.slot).toBe(mapped(dave, mapped(alice.address, slot(9n))))
    expect(of.path).toBe(`allowances[${alice.address}][${dave}]`)
  })

  it('finds keys behind transactions with many events', async () => {
    const { call, parts, alice, bob, read, at } = await ledger()
    const carol = account(2).address
    await call('approve', [carol, 26n], bob.address)
    // Pairs of their values are more than what is tried.
    for (let i = 0; i < 3; i++) await call('announce', [700n])
    expect(await parts('allowances')).toEqual({ [bob.address]: null })
    expect((await read(at('allowances'))).all_keys_tried).toBe(false)
    expect(await parts(`allowances[${bob.address}]`)).toEqual({ [carol]: '26' })
    expect(await parts('balances')).toEqual({ [alice.address]: '1000' })
  })

  it('tells the history of a variable, with blocks and transactions', async () => {
    const { call, history, read, historyAt, address, rpc, alice, bob } = await ledger()
    await call('set', [1, 7n, 5n, -7n]) // block 2
    const second = await call('set', [1, 8n, 5n, -7n]) // block 3: the time only
    await call('write', ['a', '0x']) // block 4
    await call('write', ['b'.repeat(40), '0x']) // block 5
    await call('write', [`${'b'.repeat(35)}ccccc`, '0x']) // block 6: the length is the same
    await call('transfer', [bob.address, 1n]) // block 7
    await call('add', [1n, 1n]) // block 8
    await rpc('anvil_setStorageAt', address, slot(0n), slot(5n)) // after block 8
    expect(await history('level')).toEqual([
      ['Middle', 2],
      ['Low', 1],
    ])
    expect(await history('updated')).toEqual([
      ['8', 3],
      ['7', 2],
      ['0', 1],
    ])
    expect(await history('title')).toEqual([
      [`${'b'.repeat(35)}ccccc`, 6],
      ['b'.repeat(40), 5],
      ['a', 4],
    ])
    expect(await history(`balances[${alice.address}]`)).toEqual([
      ['999', 7],
      ['1000', 1],
    ])
    expect(await history('points')).toEqual([['1', 8]])
    const { items, is_complete } = await read(historyAt('updated'))
    expect(is_complete).toBe(true)
    expect(items[0]).toMatchObject({ transaction_hash: second, timestamp: expect.any(String) })
    // A development method made this change, no transaction of block 8.
    const total = await read(historyAt('total'))
    expect(total.items.map((item: Record<string, unknown>) => [item['value'], item['block_number']])).toEqual([
      ['5', 8],
      ['1000', 1],
    ])
    expect(total.items[0].transaction_hash).toBeNull()
    const page = await read(`${historyAt('updated')}&items_count=1&page=2`)
    expect(page).toMatchObject({ total_count: 3, items: [{ value: '7', block_number: 2 }] })
  })

  it('names no transaction if several of a block have called the contract', async () => {
    const { call, rpc, read, historyAt, bob, mine } = await ledger()
    await rpc('evm_setAutomine', false)
    const sent = [call('transfer', [bob.address, 5n]), call('transfer', [bob.address, 6n])]
    await Promise.all(sent)
    await mine()
    const { items } = await read(historyAt(`balances[${bob.address}]`))
    expect(items).toMatchObject([{ value: '11', block_number: 2, transaction_hash: null }])
  })

  it('shows a proxy with the variables of its implementation and its own values', async () => {
    const { call, createProxy, read, url } = await ledger()
    const proxy = await createProxy()
    await call('add', [8n, 9n], undefined, proxy)
    const of = `/smart-contracts/${proxy}/storage`
    const { items, layout_of } = await read(of)
    expect(layout_of.name).toBe('Ledger')
    expect(items[0]).toMatchObject({ name: 'total', value: '0' })
    expect((await api(url).read(`${of}?path=points[0].y`)).variable.value).toBe('9')
  })

  it('ends histories where states were pruned', async () => {
    const chain = await testChain({ prune: 2 })
    const { address, call } = await deployLedger(chain)
    for (let i = 1n; i <= 8n; i++) await call('set', [0, i, 0n, 0n])
    const { items, is_complete } = await api(chain.url).read(`/smart-contracts/${address}/storage/history?path=updated`)
    expect(is_complete).toBe(false)
    const values = items.map((item: { value: string; block_number: number | null }) => [item.value, item.block_number])
    expect(values.slice(0, 2)).toEqual([
      ['8', 9],
      ['7', 8],
    ])
    expect(values.length).toBeLessThan(6)
  })

  it('refuses what is no variable, and says when the layout is not known', async () => {
    const { at, historyAt, get, read, alice } = await ledger()
    const wrong = [
      'missing',
      'total.x',
      'total[0]',
      'balances[5]',
      'balances[0x1',
      'byLevel[Highest]',
      'points[x]',
      'points[-1]',
      '[',
      'constructor',
      'points.__proto__',
      'entries["1"]',
      `roles[0x00]`,
    ]
    for (const path of wrong) expect({ path, ...(await get(at(path))) }).toMatchObject({ path, status: 422 })
    for (const path of ['balances', 'small', 'entries[1]', ''])
      expect({ path, ...(await get(historyAt(path))) }).toMatchObject({ path, status: 422 })
    expect((await get(`/smart-contracts/${alice.address}/storage`)).status).toBe(404)
    expect((await get(at('a'.repeat(3_000)))).status).toBe(422)
    // A native contract.
    const bank = '0x0000000000000000000000000000000000000804'
    expect(await read(`/smart-contracts/${bank}/storage`)).toMatchObject({ layout_of: null, items: [] })
    expect((await get(`/smart-contracts/${bank}/storage/history?path=x`)).status).toBe(404)
  })
})
