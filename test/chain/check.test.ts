// `kestrel check` finds rows that differ from what was written, and reading them throws.
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { BlockStore } from '../../src/chain/blocks.ts'
import { createChain } from '../../src/chain/open.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { EMPTY_BYTES, fromHex, toHex } from '../../src/lib/hex.ts'
import { ALL_LOGS } from '../../src/primitives/log-criteria.ts'
import { encodeStoredReceipts } from '../../src/primitives/stored-rows.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { newMemory, openMemoryStore } from '../../src/state/kv.ts'
import { CHECKED_ROWS, PLAIN_ROWS } from '../../src/state/row-checksum.ts'
import { StateStore } from '../../src/state/state-store.ts'
import type { KvStore } from '../../src/state/types.ts'
import { formerBodyRow, formerReceiptsRow } from '../support/former-rows.ts'
import { everyRow } from '../support/stores.ts'
import { FACTORY, findings as findingsIn, KEEPER, LOGGERS, reopen, signed, smallSpec, words } from './support.ts'

let store: KvStore
/** The rows of the store with their checksums. */
let disk: KvStore
let transactions: readonly Transaction[]
let rows: ReadonlyMap<string, string>

beforeAll(async () => {
  const memory = newMemory()
  store = await openMemoryStore(CHECKED_ROWS, memory)
  disk = await openMemoryStore(PLAIN_ROWS, memory)
  await createChain(store, smallSpec(), indexer)
  const chain = reopen(store, smallSpec())
  const [, , logger = KEEPER] = LOGGERS
  const blocks = [
    [signed(0, 0n, { value: 5n }), signed(1, 0n, { to: KEEPER, data: words(1n, 7n) })],
    [signed(0, 1n, { to: FACTORY }), signed(2, 0n, { to: logger, data: words(1n, 2n, 3n) })],
    [],
    [signed(1, 1n, { to: KEEPER, data: words(1n, 0n) }), signed(1, 2n, { to: KEEPER, data: words(2n, 9n) })],
  ]
  for (const block of blocks) {
    for (const { raw } of block) await chain.submit(raw)
    await chain.produce()
  }
  transactions = blocks.flat()
  rows = await everyRow(disk)
})

const findings = (): Promise<string[]> => findingsIn(store, smallSpec())

/** Runs `act` while one bit of a row is flipped. */
async function withFlipped<T>(key: Uint8Array, bit: number, act: () => Promise<T> | T): Promise<T> {
  const value = Uint8Array.from(disk.get(key) ?? EMPTY_BYTES)
  const changed = Uint8Array.from(value)
  const at = (bit >> 3) % value.length
  changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7))
  await disk.write([{ type: 'put', key, value: changed }])
  try {
    return await act()
  } finally {
    await disk.write([{ type: 'put', key, value }])
  }
}

test('the check finds nothing in an intact chain', async () => {
  expect(await findings()).toEqual([])
})

// Meta rows other than the head cannot be checked against other rows.
const known = ([key]: [string, string]): boolean => !key.startsWith('0x00')

test('the check finds any missing row', { timeout: 60_000 }, async () => {
  const keys = [...rows].filter(known).map(([key]) => fromHex(key))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...keys), async (key) => {
      const value = Uint8Array.from(disk.get(key) ?? EMPTY_BYTES)
      await disk.write([{ type: 'del', key }])
      const found = await findings()
      await disk.write([{ type: 'put', key, value }])
      expect(found, `without ${toHex(key)}`).not.toEqual([])
    }),
    { numRuns: 30 },
  )
})

test('the check finds any flipped bit', { timeout: 60_000 }, async () => {
  const keys = [...rows]
    .filter(known)
    .filter(([, value]) => value !== '0x')
    .map(([key]) => fromHex(key))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...keys), fc.nat(100_000), async (key, bit) => {
      expect(await withFlipped(key, bit, findings), `bit ${bit} of ${toHex(key)}`).not.toEqual([])
    }),
    { numRuns: 40 },
  )
})

// No block can confirm version 0: the genesis accounts, and values that later blocks replaced.
test('the check finds any flipped bit of the genesis and of historical values', { timeout: 60_000 }, async () => {
  const keys = [...rows]
    .filter(([key, value]) => (key.startsWith('0x27') || key.startsWith('0x18')) && value !== '0x')
    .map(([key]) => fromHex(key))
  expect(keys.length).toBeGreaterThan(20)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...keys), fc.nat(100_000), async (key, bit) => {
      expect(await withFlipped(key, bit, findings), `bit ${bit} of ${toHex(key)}`).not.toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('reading changed rows of blocks and codes throws', async () => {
  const [transaction] = transactions
  if (transaction === undefined) throw new Error('there are transactions')
  const fresh = () => new BlockStore(store, 4n)
  const hash = fresh().header(1n)?.hash
  const code = new StateStore(store, 4).at(4).account(KEEPER)?.codeHash
  if (hash === undefined || code === undefined) throw new Error('there are a block and a code')
  const reads: [Uint8Array, () => unknown, RegExp][] = [
    [KEY.header(1n), () => fresh().header(1n), /^the header of block 1 is damaged on disk: run `kestrel check`$/],
    [KEY.body(1n), () => fresh().block(1n), /^block 1 is damaged on disk/],
    [KEY.receipts(1n), () => fresh().receipts(1n), /^the row of receipts of block 1 is damaged on disk/],
    [KEY.blockNumber(hash), () => fresh().number(hash), /^a row of the database is damaged on disk/],
    [
      KEY.transaction(transaction.hash),
      () => fresh().transaction(transaction.hash),
      /^a row of the database is damaged/,
    ],
    [KEY.code(code), () => new StateStore(store, 4).code(code), /^the code 0x/],
  ]
  for (const [key, read, words] of reads)
    for (const bit of [0, 13, 8 * (disk.get(key)?.length ?? 1) - 1])
      await withFlipped(key, bit, () => expect(read).toThrow(words))
})

test('body and receipts in rows of an older database are read as before, and the check finds nothing', async () => {
  const keys = [KEY.body(2n), KEY.receipts(2n)]
  const rows = keys.map((key) => store.get(key) ?? EMPTY_BYTES)
  const before = new BlockStore(store, 4n)
  const block = before.block(2n)
  const receipts = before.receipts(2n) ?? []
  const [, transaction] = block?.transactions ?? []
  if (block === undefined || transaction === undefined) throw new Error('block 2 has two transactions')
  const logs = before.logs(2n, ALL_LOGS)
  // The second transaction calls a contract with two logs.
  expect(logs?.map(({ transactionHash, logIndex }) => [transactionHash, logIndex])).toEqual([
    [transaction.hash, 0],
    [transaction.hash, 1],
  ])
  const write = (values: readonly Uint8Array[]) =>
    store.write(keys.map((key, at) => ({ type: 'put', key, value: values[at] ?? EMPTY_BYTES })))
  await write([formerBodyRow(block), formerReceiptsRow(receipts)])
  try {
    const fresh = () => new BlockStore(store, 4n)
    expect(fresh().block(2n)).toEqual(block)
    expect(fresh().receipts(2n)).toEqual(receipts)
    expect(fresh().logs(2n, ALL_LOGS)).toEqual(logs)
    expect(fresh().logAt(2n, 1)).toEqual(logs?.[1])
    expect(fresh().transactionAt(2n, 1)?.transaction).toEqual(transaction)
    expect(fresh().receipt(transaction.hash)).toMatchObject({ index: 1, firstLogIndex: 0, receipt: receipts[1] })
    expect(await findings()).toEqual([])
  } finally {
    await write(rows)
  }
})

test('single items of a block are those of the whole block', () => {
  const fresh = () => new BlockStore(store, 4n)
  for (const number of [1n, 2n, 4n]) {
    const { transactions = [] } = fresh().block(number) ?? {}
    const receipts = fresh().receipts(number) ?? []
    expect(transactions.length).toBe(2)
    const read = transactions.map((_, index) => fresh().receiptAt(number, index))
    expect(read.map((mined) => mined?.transaction)).toEqual(transactions)
    expect(read.map((mined) => mined?.receipt)).toEqual(receipts)
    expect(read[1]?.firstLogIndex).toBe(receipts[0]?.logs.length)
    expect(fresh().receiptAt(number, 2)).toBeUndefined()
    expect(fresh().transactionAt(number, 2)).toBeUndefined()
  }
  expect(fresh().logAt(2n, 2)).toBeUndefined()
  // A store decodes a block of which many items are read one by one.
  const one = fresh()
  const decoded = fresh()
  for (let round = 0; round < 20; round++) {
    expect(one.logAt(2n, 1)).toEqual(decoded.logs(2n, ALL_LOGS)?.[1])
    expect(one.logAt(2n, 2)).toBeUndefined()
    expect(one.receiptAt(2n, 1)?.receipt).toEqual(decoded.receipts(2n)?.[1])
    expect(one.receiptAt(2n, 1)?.firstLogIndex).toBe(0)
    expect(one.transactionAt(2n, 1)?.transaction).toEqual(decoded.block(2n)?.transactions[1])
  }
  expect(fresh().logs(5n, ALL_LOGS)).toBeUndefined()
})

test('the check finds a hash in the row of receipts that is not the transaction’s', async () => {
  const key = KEY.receipts(2n)
  const row = store.get(key) ?? EMPTY_BYTES
  const receipts = new BlockStore(store, 4n).receipts(2n) ?? []
  await store.write([{ type: 'put', key, value: encodeStoredReceipts(transactions.slice(0, 2), receipts) }])
  try {
    expect(await findings()).toEqual([`block 2: row ${toHex(key)} is another`])
  } finally {
    await store.write([{ type: 'put', key, value: row }])
  }
})
