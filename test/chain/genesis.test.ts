// Block 0 of a database: how its accounts are stored, large ones, and interrupted creations.
import { expect, test } from 'vitest'
import { StoredAllocation } from '../../src/chain/genesis.ts'
import { createChain, readHead, storedSpec, upgradeFormat } from '../../src/chain/open.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { LIST, RANKING } from '../../src/indexer/tables.ts'
import { type Address, EMPTY_BYTES, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { type GenesisAllocation, type GenesisSpec, withoutAllocation } from '../../src/spec/chain-spec.ts'
import { formatGenesis, parseGenesis, parseGenesisText } from '../../src/spec/genesis-file.ts'
import { presets } from '../../src/spec/presets.ts'
import { encodeChanges } from '../../src/state/history.ts'
import { KEY, RANGE } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import type { KvStore, WriteOp } from '../../src/state/types.ts'
import { listLength } from '../../src/tables/list.ts'
import { membersFrom, readDescending } from '../../src/tables/ranking.ts'
import { amsterdamChainGenesis } from '../support/amsterdam-chain.ts'
import { genesisOn } from '../support/genesis.ts'
import { everyRow } from '../support/stores.ts'
import { findings, openSmallChain, reopen, signed, smallSpec } from './support.ts'

async function stored(store: KvStore): Promise<GenesisSpec['genesis']['alloc']> {
  const accounts = new Map()
  for await (const [address, account] of new StoredAllocation(store)) accounts.set(address, account)
  return accounts
}

/** Accounts with balances of 1 to 1,000 in no order; more than are indexed at a time. */
function largeSpec(count: number): GenesisSpec {
  const spec = smallSpec()
  const alloc = new Map(spec.genesis.alloc)
  for (let n = 1; n <= count; n++) {
    const address = hexToAddress(`0x${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(40, 'e')}`)
    const balance = BigInt((n * 7_919) % 1_000) + 1n
    alloc.set(address, { balance, nonce: 0n, code: EMPTY_BYTES, storage: new Map() })
  }
  return { ...spec, genesis: { ...spec.genesis, alloc } }
}

test.each([
  ['a plain chain', smallSpec()],
  ['a native chain', presets.kestrel()],
])('the accounts of %s are in rows of their own, not in its specification', async (_, spec) => {
  const store = await openMemoryStore()
  await createChain(store, spec, indexer)
  expect(await storedSpec(store)).toEqual(withoutAllocation(spec))
  const text = Buffer.from(store.get(KEY.meta('genesis')) ?? EMPTY_BYTES).toString()
  for (const address of spec.genesis.alloc.keys()) {
    // An operator of a validator is an account too.
    const named = spec.native?.validators.some(({ operator }) => operator === address) ?? false
    expect(text.includes(address)).toBe(named)
  }
  expect(await stored(store)).toEqual(spec.genesis.alloc)
})

test('a genesis with more accounts than are held in memory creates the same chain', { timeout: 120_000 }, async () => {
  const spec = largeSpec(25_000)
  const store = await openMemoryStore()
  const entries: GenesisAllocation = { [Symbol.iterator]: () => spec.genesis.alloc[Symbol.iterator]() }
  await createChain(store, { ...spec, genesis: { ...spec.genesis, alloc: entries } }, indexer)
  // The expected header from a view in memory, which builds the trie as blocks do.
  const view = new StateStore(await openMemoryStore(), -1).at(-1)
  const chain = reopen(store, spec)
  expect(chain.head).toEqual(genesisOn(view, spec).header)
  const sorted = [...spec.genesis.alloc].filter(([, { balance }]) => balance > 0n)
  sorted.sort(([a, one], [b, other]) => Number(other.balance - one.balance) || (a < b ? -1 : 1))
  for (const rank of [0, 1, 4_000, 12_345, sorted.length - 3]) {
    const found = await membersFrom(store, RANKING.accounts, rank, 3)
    const seen = found.map((order) => [toHex(readDescending(order).rest), readDescending(order).value])
    expect(seen).toEqual(sorted.slice(rank, rank + 3).map(([address, { balance }]) => [address, balance]))
  }
  expect(listLength(store, LIST.addresses)).toBe(spec.genesis.alloc.size)
  await chain.submit(signed(0, 0n, { value: 5n }).raw)
  await chain.produce()
  await chain.rewind(0n)
  await chain.submit(signed(1, 0n, { value: 7n }).raw)
  await chain.produce()
  expect(await findings(store, spec)).toEqual([])
})

test('a database of the previous format is migrated when it is opened', async () => {
  const spec = smallSpec()
  const chain = await openSmallChain({ spec })
  const { store } = chain
  await chain.submit(signed(0, 0n, { value: 5n }).raw)
  await chain.produce()
  const before = await everyRow(store)
  // As in kestrel/3: the allocation in the specification, without rows, and a full list of the changes of version 0.
  const ops: WriteOp[] = [
    { type: 'put', key: KEY.meta('format'), value: Buffer.from('kestrel/3') },
    { type: 'put', key: KEY.meta('genesis'), value: Buffer.from(JSON.stringify(formatGenesis(spec))) },
  ]
  for await (const [key] of store.scan(RANGE.genesisAccounts())) ops.push({ type: 'del', key })
  await store.write(ops)
  expect(await storedSpec(store)).toEqual(withoutAllocation(spec))
  await upgradeFormat(store)
  expect(await everyRow(store)).toEqual(before)
  expect(readHead(store).number).toBe(1n)
})

test('a database whose versions all stored their trie nodes gets the new format, but not by being looked at', async () => {
  const spec = smallSpec()
  const { store } = await openSmallChain({ spec })
  const before = await everyRow(store)
  await store.write([{ type: 'put', key: KEY.meta('format'), value: Buffer.from('kestrel/4') }])
  expect(await storedSpec(store)).toEqual(withoutAllocation(spec))
  expect(Buffer.from(store.get(KEY.meta('format')) ?? []).toString()).toBe('kestrel/4')
  await upgradeFormat(store)
  expect(await everyRow(store)).toEqual(before)
})

test('the check accepts the full list of the changes of block 0 that earlier versions wrote', async () => {
  const spec = smallSpec()
  const { store } = await openSmallChain({ spec })
  const changes = []
  for await (const [key] of store.scan(RANGE.state())) changes.push({ key, replaced: undefined })
  expect(changes.length).toBeGreaterThan(spec.genesis.alloc.size)
  await store.write([{ type: 'put', key: KEY.changes(0), value: encodeChanges(changes) }])
  expect(await findings(store, spec)).toEqual([])
})

test('an interrupted creation of block 0 is started over by the next one', async () => {
  const uninterrupted = await openMemoryStore()
  await createChain(uninterrupted, smallSpec(), indexer)
  const expected = await everyRow(uninterrupted)
  let writes = 0
  for (let allowed = 0, done = false; !done; allowed++) {
    const store = await openMemoryStore()
    const write = store.write.bind(store)
    writes = 0
    store.write = (ops) => (writes++ < allowed ? write(ops) : Promise.reject(new Error('killed')))
    try {
      await createChain(store, presets.kestrel(), indexer)
      done = true
    } catch (error) {
      expect(error).toEqual(new Error('killed'))
      store.write = write
      expect(await storedSpec(store)).toBeUndefined()
      // A different chain, so that no row of the first one may remain.
      await createChain(store, smallSpec(), indexer)
      expect(await everyRow(store)).toEqual(expected)
    }
  }
  expect(writes).toBeGreaterThan(3)
})

test('a database of another program is not changed', async () => {
  const store = await openMemoryStore()
  await store.write([{ type: 'put', key: Buffer.from('key'), value: Buffer.from('value') }])
  const rows = await everyRow(store)
  await expect(createChain(store, smallSpec(), indexer)).rejects.toMatchObject({ code: 'storage' })
  expect(await everyRow(store)).toEqual(rows)
})

test('a duplicate address in the genesis is refused, wherever the second one is', async () => {
  const spec = largeSpec(30_000)
  const [again] = [...spec.genesis.alloc].slice(-1)
  const alloc: GenesisAllocation = {
    *[Symbol.iterator]() {
      if (again !== undefined) yield again
      yield* spec.genesis.alloc
    },
  }
  const twice = { ...spec, genesis: { ...spec.genesis, alloc } }
  const [address]: [Address?] = again === undefined ? [] : [again[0]]
  await expect(createChain(await openMemoryStore(), twice, indexer)).rejects.toThrow(
    `alloc.${address}: expected each address once`,
  )
})

/** By `geth init` of go-ethereum 1.17.10, which prints six digits at each end. */
test.each([
  ['Amsterdam later', {}, {}, '0xfcd3e0…2e6a04'],
  ['Amsterdam', { osakaTime: 0, amsterdamTime: 0 }, {}, '0x8c489d…a59315'],
  ['Amsterdam at a slot', { osakaTime: 0, amsterdamTime: 0 }, { slotNumber: '0x7' }, '0xbc82af…879549'],
  ['Bogota alone', { osakaTime: 0, amsterdamTime: undefined, bogotaTime: 0 }, {}, '0xfcd3e0…2e6a04'],
  ['both', { osakaTime: 0, amsterdamTime: 0, bogotaTime: 0 }, { timestamp: '0x5' }, '0x031a2a…c58ebe'],
])('block 0 of a genesis with %s has the hash that go-ethereum gives it', async (_, config, fields, expected) => {
  const file = amsterdamChainGenesis()
  const text = JSON.stringify({ ...file, ...fields, config: { ...file.config, ...config } })
  const spec = parseGenesisText(text)
  const hashOf = async (of: GenesisSpec) =>
    genesisOn(new StateStore(await openMemoryStore(), -1).at(-1), of).header.hash
  const hash = await hashOf(spec)
  expect(`${hash.slice(0, 8)}…${hash.slice(-6)}`).toBe(expected)
  expect(await hashOf(parseGenesis(formatGenesis(spec)))).toBe(hash)
})

test('the check reports an account of block 0 that is not in its genesis', async () => {
  const spec = smallSpec()
  const { store } = await openSmallChain({ spec })
  const [address] = [...spec.genesis.alloc.keys()]
  if (address === undefined) throw new Error('the genesis is empty')
  await store.write([{ type: 'del', key: KEY.genesisAccount(address) }])
  expect(await findings(store, spec)).toEqual([
    `index: block 0 does not come out as it did: in its state account ${address} is another`,
  ])
})
