// Reading LevelDB's files with their checksums: a database that LevelDB wrote has no damage, and every changed byte is
// detected.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Level } from 'level'
import { expect, onTestFinished, test } from 'vitest'
import { maskedCrc32c } from '../../src/state/leveldb/coding.ts'
import { damageOfTable, surveyDatabase } from '../../src/state/leveldb/database.ts'
import { readLog } from '../../src/state/leveldb/log-file.ts'
import { checkTable, decompressSnappy } from '../../src/state/leveldb/table-file.ts'

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'kestrel-leveldb-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Creates and closes a database with the `level` package, with tables of several blocks and a log of several records. */
async function database(): Promise<string> {
  const directory = folder()
  const first = new Level<string, string>(directory, { writeBufferSize: 64 << 10, maxFileSize: 16 << 10 })
  const value = (i: number) => createHash('sha256').update(`${i}`).digest('hex').repeat(8)
  for (let i = 0; i < 1000; i++) await first.put(`key ${i % 500}`, value(i))
  await first.close()
  // Opening moves the contents of the log to a table and starts a new log.
  const level = new Level<string, string>(directory)
  for (let i = 0; i < 20; i++)
    await level.batch([
      { type: 'put', key: `late ${i}`, value: 'x'.repeat(300) },
      { type: 'del', key: `key ${i}` },
    ])
  await level.put('long', 'y'.repeat(40_000)) // more than a block of the log
  await level.close()
  return directory
}

const ending = (directory: string, end: string): string => {
  const file = readdirSync(directory).find((name) => name.endsWith(end))
  if (file === undefined) throw new Error(`no ${end} in ${directory}`)
  return join(directory, file)
}

// RFC 3720, B.4: CRC-32C of 32 zeros is 0x8a9136aa, of 32 bytes of 0xff 0x62a8ab43. LevelDB masks it: rotated right by 15, plus
// 0xa282ead8.
test('checksums are CRC-32C, masked', () => {
  const masked = (crc: number) => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
  expect(maskedCrc32c(new Uint8Array(32))).toBe(masked(0x8a9136aa))
  expect(maskedCrc32c(new Uint8Array(32).fill(0xff))).toBe(masked(0x62a8ab43))
})

// format_description.txt: a literal, an overlapping copy of four bytes, and a copy with an offset of two bytes.
test('Snappy: literals and copies', () => {
  const compressed = [10, (3 - 1) << 2, 97, 98, 99, ((4 - 4) << 2) | 1, 3, ((3 - 1) << 2) | 2, 2, 0]
  expect(Buffer.from(decompressSnappy(Uint8Array.from(compressed))).toString()).toBe('abc' + 'abca' + 'cac')
})

test('a database that LevelDB wrote has no damage', async () => {
  const directory = await database()
  const survey = surveyDatabase(directory)
  expect(survey.damages).toEqual([])
  // 1,000 puts, 20 batches of two, one put.
  expect(survey.sequence).toBe(1041)
  // The number of tables depends on the progress of LevelDB's compaction thread.
  expect(survey.tables.length).toBeGreaterThan(0)
  for (const table of survey.tables) expect(damageOfTable(directory, table)).toBeUndefined()
})

test('every changed bit of a table is detected, except in the padding of its footer', async () => {
  const directory = await database()
  const { tables } = surveyDatabase(directory)
  const sizes = tables.map(({ size }) => size)
  const [table] = tables.filter(({ size }) => size === Math.max(...sizes))
  if (table === undefined) throw new Error('no table')
  const file = readFileSync(join(directory, `${String(table.number).padStart(6, '0')}.ldb`))
  // Two handles of at most 10 + 10 bytes are padded to 40; these are shorter.
  const padding = { from: file.length - 48 + 8, to: file.length - 8 }
  fc.assert(
    fc.property(fc.nat(file.length - 1), fc.nat(7), (at, bit) => {
      const changed = Buffer.from(file)
      changed[at] = (changed[at] ?? 0) ^ (1 << bit)
      if (at >= padding.from && at < padding.to) return
      expect(() => checkTable(changed)).toThrow()
    }),
    { numRuns: 300 },
  )
  for (const other of [
    file.subarray(0, -1),
    file.subarray(0, file.length / 2),
    Buffer.concat([file, file.subarray(0, 9)]),
  ])
    expect(() => checkTable(other)).toThrow()
})

test('a log is read to its end or its first damage, and intact records after it are detected', async () => {
  const directory = await database()
  const file = readFileSync(ending(directory, '.log'))
  const whole = readLog(file)
  expect([whole.records.length, whole.end, whole.hasHole]).toEqual([21, file.length, false])
  fc.assert(
    fc.property(fc.nat(file.length - 1), fc.nat(7), (at, bit) => {
      const changed = Buffer.from(file)
      changed[at] = (changed[at] ?? 0) ^ (1 << bit)
      const { records, end, hasHole } = readLog(changed)
      // The last record has more than 40,000 bytes; nothing follows it.
      expect(records.length).toBeLessThan(21)
      expect(end).toBeLessThanOrEqual(at)
      expect(hasHole).toBe(records.length < 20)
    }),
    { numRuns: 200 },
  )
  fc.assert(
    fc.property(fc.nat(file.length - 1), (length) => {
      expect(readLog(file.subarray(0, length)).hasHole).toBe(false)
    }),
    { numRuns: 50 },
  )
})

test('a missing or damaged MANIFEST, CURRENT or log is reported by name', async () => {
  const directory = await database()
  const log = ending(directory, '.log')
  const saved = join(folder(), 'log')
  copyFileSync(log, saved)
  rmSync(log)
  expect(surveyDatabase(directory).damages).toEqual([{ file: expect.stringMatching(/\.log$/), what: 'is missing' }])
  copyFileSync(saved, log)
  const [name = ''] = readdirSync(directory).filter((file) => file.startsWith('MANIFEST'))
  const manifest = readFileSync(join(directory, name))
  const changed = Buffer.from(manifest)
  changed[20] = (changed[20] ?? 0) ^ 1
  writeFileSync(join(directory, name), changed)
  expect(surveyDatabase(directory).damages).toEqual([{ file: name, what: expect.stringContaining('byte 0') }])
  rmSync(join(directory, name))
  expect(surveyDatabase(directory).damages).toEqual([{ file: name, what: 'is missing' }])
  writeFileSync(join(directory, 'CURRENT'), '')
  expect(surveyDatabase(directory).damages).toEqual([{ file: 'CURRENT', what: 'names no MANIFEST' }])
})
