// Every row on disk ends with a checksum that only the store handles: a damaged row is an error, whatever damaged it.
// Databases without checksums stay readable and are reported.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ReadFailure } from '../../src/lib/errors.ts'
import { toAddress } from '../../src/lib/hex.ts'
import { KEY, RANGE } from '../../src/state/keyspace.ts'
import { openForReading, openStore } from '../../src/state/kv.ts'
import { CHECKED_ROWS } from '../../src/state/row-checksum.ts'
import type { KvReader, KvStore } from '../../src/state/types.ts'
import { mergeTables, openRaw, type RawLevel } from '../support/level.ts'
import { everyRow } from '../support/stores.ts'

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'kestrel-rows-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return join(made, 'chain')
}

/** The rows of a closed database, read with the `level` package directly. */
async function raw<T>(directory: string, act: (level: RawLevel) => Promise<T>): Promise<T> {
  const level = await openRaw(directory)
  try {
    return await act(level)
  } finally {
    await level.close()
  }
}

async function opened(directory: string, warn = vi.fn()): Promise<KvStore> {
  const store = await openStore(directory, { warn })
  onTestFinished(() => store.close())
  return store
}

async function scanned(reader: KvReader): Promise<number> {
  let count = 0
  for await (const _ of reader.scan(RANGE.accounts())) count++
  return count
}

const accountKey = (byte: number): Uint8Array => KEY.account(toAddress(Buffer.alloc(20, byte)))
const KEYS = Array.from({ length: 20 }, (_, i) => accountKey(i + 1))
const [FIRST = bytes(''), SECOND = bytes('')] = KEYS

async function database(directory: string): Promise<void> {
  const store = await openStore(directory)
  await store.write(KEYS.map((key, i) => ({ type: 'put', key, value: bytes(`account ${i}`) })))
  await store.close()
}

test('the checksum is the CRC-32 of key and value, at any length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ maxLength: 400 }), (key, value) => {
      const stored = CHECKED_ROWS.encode(key, value)
      expect(Buffer.from(stored).readUInt32BE(value.length)).toBe(crc32(value, crc32(key)))
      expect(CHECKED_ROWS.decode(key, Buffer.from(stored))).toEqual(value)
    }),
  )
})

test('any changed bit of a row makes every read of it fail, and no read of other rows', async () => {
  const directory = folder()
  await database(directory)
  const stored = await raw(directory, (level) => level.get(SECOND))
  if (stored === undefined) throw new Error('there is a row')
  for (let bit = 0; bit < 8 * stored.length; bit++) {
    const changed = Uint8Array.from(stored)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(() => CHECKED_ROWS.decode(SECOND, changed)).toThrow(ReadFailure)
  }
  // The checksum of another row; and a row too short for a checksum.
  expect(() => CHECKED_ROWS.decode(FIRST, stored)).toThrow(ReadFailure)
  expect(() => CHECKED_ROWS.decode(FIRST, stored.subarray(0, 3))).toThrow(ReadFailure)

  await raw(directory, (level) => level.put(SECOND, Uint8Array.from(stored).fill(0, 2, 3)))
  const store = await opened(directory)
  const words = 'a row of the state is damaged on disk: run `kestrel check`'
  const reader = store.consistentReader()
  onTestFinished(() => reader.close())
  for (const from of [store, reader]) {
    expect(() => from.get(SECOND)).toThrow(new ReadFailure(words))
    await expect(scanned(from)).rejects.toThrow(new ReadFailure(words))
    expect(from.get(FIRST)).toEqual(bytes('account 0'))
  }
  // A damaged row can be found, deleted and replaced.
  let count = 0
  for await (const _ of store.scan({ ...RANGE.accounts(), values: false })) count++
  expect(count).toBe(20)
  await store.write([{ type: 'put', key: SECOND, value: bytes('again') }])
  expect(store.get(SECOND)).toEqual(bytes('again'))
  expect(await scanned(store)).toBe(20)
})

test('a row that was damaged before LevelDB compacted its table is an error, though the new table has valid checksums', async () => {
  const directory = folder()
  await database(directory)
  // Opening moves the rows from the log to a table.
  const level = await openRaw(directory)
  await mergeTables(level)
  await level.close()
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.ldb'))) {
    const table = readFileSync(join(directory, file))
    const at = table.indexOf('account 7')
    if (at >= 0)
      writeFileSync(
        join(directory, file),
        Buffer.concat([table.subarray(0, at + 8), bytes('8'), table.subarray(at + 9)]),
      )
  }
  const merging = await openRaw(directory)
  for (const key of [accountKey(0), accountKey(0xff)]) {
    await merging.put(key, CHECKED_ROWS.encode(key, bytes('account')))
  }
  await mergeTables(merging)
  expect(Buffer.from((await merging.get(KEYS[7] ?? FIRST)) ?? []).toString('latin1')).toMatch(/^account 8/)
  await merging.close()
  // The check of the files finds nothing.
  const store = await opened(directory)
  expect(() => store.get(KEYS[7] ?? FIRST)).toThrow(/^a row of the state is damaged on disk/)
  expect(store.get(KEYS[8] ?? FIRST)).toEqual(bytes('account 8'))
})

test('a database without checksums is read and written as before, and reported once', async () => {
  const directory = folder()
  const header = KEY.header(7n)
  const value = bytes('a header')
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(value))
  await raw(directory, (level) =>
    level.batch([
      { type: 'put', key: FIRST, value: bytes('plain') },
      { type: 'put', key: header, value: Buffer.concat([value, checksum]) },
    ]),
  )
  const warn = vi.fn()
  const store = await openStore(directory, { warn })
  expect(warn.mock.calls.map(([line]) => line)).toContainEqual(expect.stringMatching(/have no checksums/))
  expect(warn.mock.calls.filter(([line]) => /checksum/.test(line))).toHaveLength(1)
  expect(store.get(FIRST)).toEqual(bytes('plain'))
  expect(store.get(header)).toEqual(value)
  await store.write([
    { type: 'put', key: SECOND, value: bytes('new') },
    { type: 'put', key: KEY.header(8n), value },
  ])
  const rows = await everyRow(store)
  await store.close()
  await raw(directory, async (level) => {
    expect(Buffer.from((await level.get(SECOND)) ?? [])).toEqual(Buffer.from('new'))
    expect(Buffer.from((await level.get(KEY.header(8n))) ?? [])).toEqual(Buffer.concat([value, checksum]))
    await level.put(header, Buffer.concat([bytes('a leader'), checksum]))
  })
  const again = await opened(directory)
  expect(() => again.get(header)).toThrow('the header of block 7 is damaged on disk')
  expect(again.get(SECOND)).toEqual(bytes('new'))
  expect(rows.size).toBe(4)
})

test('a database whose format row is damaged or lost is refused instead of being read as one without checksums', async () => {
  const directory = folder()
  await database(directory)
  await raw(directory, (level) => level.put(KEY.rowFormat(), bytes('crc33')))
  await expect(openStore(directory)).rejects.toThrow(/^the row with the format of the database is damaged/)
  await raw(directory, (level) => level.del(KEY.rowFormat()))
  await expect(openStore(directory)).rejects.toThrow(/^the row with the format of the database is damaged/)
})

test('threads that read the same database verify rows too', async () => {
  const directory = folder()
  await database(directory)
  await raw(directory, (level) => level.put(SECOND, bytes('damaged')))
  const store = await openStore(directory, {}, { isShared: true })
  onTestFinished(() => store.close())
  const reader = await openForReading(directory)
  onTestFinished(() => reader.close())
  expect(reader.get(FIRST)).toEqual(bytes('account 0'))
  expect(() => reader.get(SECOND)).toThrow(ReadFailure)
})

test('a store that is closed throws ReadFailure', async () => {
  const store = await openStore(folder())
  await store.close()
  expect(() => store.get(FIRST)).toThrow(new ReadFailure('the database cannot be read'))
})
