// A database that has lost data is refused before it is opened; one that a crash left is not.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { acceptLoss, findAllDamage, readAcknowledged, requireIntact } from '../../src/state/disk-check.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openStore, openUnchecked } from '../../src/state/kv.ts'
import { type Damage, surveyDatabase } from '../../src/state/leveldb/database.ts'
import { TableCheck } from '../../src/state/table-check.ts'
import type { WriteOp } from '../../src/state/types.ts'

const row = (block: number, size = 2_000): WriteOp[] => [
  {
    type: 'put',
    key: KEY.header(BigInt(block)),
    value: new Uint8Array(size).map((_, at) => (block * 31 + at * at) & 0xff),
  },
  { type: 'put', key: KEY.meta('head'), value: Buffer.from(JSON.stringify([`${block}`, block])) },
]

/** A database with blocks 0 to 19 in a table and blocks 20 to 39 in a log, as after `kill -9`. */
async function database(): Promise<string> {
  const made = mkdtempSync(join(tmpdir(), 'kestrel-whole-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  const directory = join(made, 'chain')
  for (const from of [0, 20]) {
    const store = await openStore(directory)
    for (let block = from; block < from + 20; block++) await store.write(row(block))
    await store.close()
  }
  return directory
}

const only = (directory: string, end: RegExp): string => {
  const [file, other] = readdirSync(directory).filter((name) => end.test(name))
  if (file === undefined || other !== undefined) throw new Error(`not one ${end} in ${readdirSync(directory)}`)
  return join(directory, file)
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  writeFileSync(file, bytes)
}

/** The number of a block's row, read with the `level` package directly. */
async function heads(directory: string): Promise<string | undefined> {
  const store = await openUnchecked(directory)
  const head = store.get(KEY.meta('head'))
  await store.close()
  return head && Buffer.from(head).toString()
}

test('acknowledged changes are counted as LevelDB numbers them, also with concurrent batches', async () => {
  const directory = await database()
  const store = await openStore(directory)
  await Promise.all([store.write(row(40)), store.write(row(41).slice(0, 1)), store.write([...row(42), ...row(42)])])
  await store.close()
  // The row with the format, 40 batches of two changes, then two, one and four.
  expect(readAcknowledged(join(directory, 'acknowledged'))?.sequence).toBe(88)
  expect(surveyDatabase(directory).sequence).toBe(88)
  expect(findAllDamage(directory, () => undefined)).toEqual([])
})

test('a database is refused when a log ends too early, is missing or has a hole', async () => {
  const directory = await database()
  const log = only(directory, /\.log$/)
  const saved = readFileSync(log)
  const refused = (words: RegExp) => expect(openStore(directory)).rejects.toThrow(words)
  // A batch has 2 KB, so cutting half a batch loses one block.
  truncateSync(log, saved.length - 1_000)
  await refused(/^chain: the newest 2 of 81 changes are missing; the head was block 39; `kestrel check`/)
  truncateSync(log, 0)
  await refused(/^chain: the newest 40 of 81 changes are missing; the head was block 39;/)
  rmSync(log)
  await refused(/^chain\/\d+\.log: is missing \(and it is not the only one\)/)
  writeFileSync(log, saved)
  flip(log, 9_000)
  await refused(/^chain\/\d+\.log: is damaged at byte 8\d\d\d, and what comes behind it is whole/)
  writeFileSync(log, saved)
  // Bytes after the last record were never acknowledged.
  writeFileSync(log, Buffer.concat([saved, saved.subarray(0, 1_000)]))
  await (await openStore(directory)).close()
})

test('a loss can be accepted: the chain continues from the block before it', async () => {
  const directory = await database()
  const log = only(directory, /\.log$/)
  flip(log, 9_000)
  expect(acceptLoss(directory)).toEqual([expect.stringMatching(/\.log$/)])
  const warnings: string[] = []
  const store = await openStore(directory, { warn: (line) => warnings.push(line), damaged: () => undefined })
  // Batches have 2,0xx bytes: the fifth in the log is broken, so blocks 20 to 23 remain.
  expect(Buffer.from(store.get(KEY.meta('head')) ?? []).toString()).toBe('["23",23]')
  expect(store.get(KEY.header(30n))).toBeUndefined()
  expect(warnings).toHaveLength(1)
  await store.write(row(24))
  await store.close()
  await (await openStore(directory)).close()
  expect(await heads(directory)).toBe('["24",24]')
})

test('a missing file `acknowledged` is reported, and no loss is detected', async () => {
  const directory = await database()
  for (const damage of [
    (file: string) => flip(file, 5),
    (file: string) => truncateSync(file, 10),
    (file: string) => rmSync(file),
  ]) {
    damage(join(directory, 'acknowledged'))
    const warn = vi.fn()
    const store = await openStore(directory, { warn, damaged: () => undefined })
    expect(warn).toHaveBeenCalledOnce()
    await store.write(row(50))
    await store.close()
    expect(readAcknowledged(join(directory, 'acknowledged'))).toEqual({
      sequence: surveyDatabase(directory).sequence,
      head: Buffer.from('["50",50]'),
      isLate: false,
    })
  }
})

test('a changed table is detected before opening and while the database is open', async () => {
  const made = await database()
  // This process has verified the tables of the original folder already.
  const directory = join(made, '..', 'copy', 'chain')
  cpSync(made, directory, { recursive: true })
  const table = only(directory, /\.ldb$/)
  flip(table, statSync(table).size >> 1)
  const { tables } = surveyDatabase(directory)
  await expect(openStore(directory)).rejects.toThrow(
    /^chain\/\d+\.ldb: the block at byte \d+ is damaged; `kestrel check`/,
  )
  expect(requireIntact(directory, -1).unread).toEqual(tables)
  const damage = await new Promise<Damage>((damaged) => new TableCheck(directory, tables, damaged))
  expect(damage).toEqual({ file: basename(table), what: expect.stringMatching(/^the block at byte \d+ is damaged/) })
  truncateSync(table, statSync(table).size - 1)
  await expect(openStore(directory)).rejects.toThrow(/\.ldb: has \d+ bytes and was written with \d+;/)
  rmSync(table)
  await expect(openStore(directory)).rejects.toThrow(/\.ldb: is missing;/)
})

test('a database in use is reported as locked, whatever state its files are in', async () => {
  const directory = await database()
  const store = await openStore(directory)
  writeFileSync(only(directory, /\.log$/), '')
  truncateSync(only(directory, /^MANIFEST-/), 3)
  await expect(openStore(directory)).rejects.toThrow(/is in use by another process$/)
  await store.close()
})
