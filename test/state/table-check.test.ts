// The tables of an open database are verified in rounds. A table with keys out of order makes LevelDB abort the process without
// a message; the next start reports it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { toAddress } from '../../src/lib/hex.ts'
import { findAllDamage } from '../../src/state/disk-check.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openStore } from '../../src/state/kv.ts'
import { maskedCrc32c, u32At } from '../../src/state/leveldb/coding.ts'
import { currentTables, type Damage } from '../../src/state/leveldb/database.ts'
import { CHECKED_ROWS } from '../../src/state/row-checksum.ts'
import { type CheckProgress, TableCheck } from '../../src/state/table-check.ts'
import { mergeTables, openRaw } from '../support/level.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'kestrel-tables-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return join(made, 'chain')
}

const keyOf = (i: number): Uint8Array => KEY.account(toAddress(Buffer.alloc(20, i)))

/** A database whose rows, numbered from 1 on, are in one table of one block. Returns the table's path. */
async function database(directory: string, rows = 20): Promise<string> {
  await (await openStore(directory)).close()
  const level = await openRaw(directory)
  for (let i = 1; i <= rows; i++)
    await level.put(keyOf(i), CHECKED_ROWS.encode(keyOf(i), new Uint8Array(Buffer.from(`account ${i};`))))
  await mergeTables(level)
  await level.close()
  return tableWith(directory, 'account 7;')
}

function tableWith(directory: string, content: string): string {
  const found = readdirSync(directory).find(
    (file) => file.endsWith('.ldb') && readFileSync(join(directory, file)).includes(content),
  )
  if (found === undefined) throw new Error(`no table has ${content}`)
  return join(directory, found)
}

/** Swaps the key order of rows 6 and 7 and fixes the block's checksum, as faulty memory would. */
function swapKeys(path: string): void {
  const table = readFileSync(path)
  let end = 1
  while (maskedCrc32c(table.subarray(0, end + 1)) !== u32At(table, end + 1)) end++
  // Before the value: 20 bytes in which the key differs from the previous one, and 8 with the sequence number.
  table[table.indexOf('account 7;') - 28] = 2
  table.writeUInt32LE(maskedCrc32c(table.subarray(0, end + 1)), end + 1)
  writeFileSync(path, table)
}

/** Makes LevelDB compact all tables in a process of its own. Returns the signal that ended it. */
function merge(directory: string): string | null {
  const script = `
    const { Level } = require('level')
    const level = new Level(process.argv[1], { keyEncoding: 'view', valueEncoding: 'view', compression: false })
    const merge = async () => {
      await level.put(Buffer.from([0x10]), Buffer.alloc(1))
      await level.put(Buffer.from([0x11]), Buffer.alloc(1))
      await level.compactRange(Buffer.alloc(0), Buffer.from([0xff, 0xff]))
    }
    merge()`
  return spawnSync(process.execPath, ['-e', script, directory], { cwd: process.cwd() }).signal
}

test('after LevelDB aborted the process over keys out of order, the next start reports the table', async () => {
  const directory = folder()
  const table = await database(directory)
  swapKeys(table)
  expect(merge(directory)).toBe('SIGABRT')
  const warn = vi.fn()
  await expect(openStore(directory, { warn })).rejects.toThrow(
    `chain/${basename(table)}: the block at byte 0 has keys out of order; \`kestrel check\` says all that is wrong`,
  )
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^the process ended while LevelDB wrote a table; all of them/)],
  ])
  // The table was not opened, so the next start and the command report the same.
  await expect(openStore(directory)).rejects.toThrow(/keys out of order/)
  expect(findAllDamage(directory, () => undefined)).toEqual([
    { file: basename(table), what: 'the block at byte 0 has keys out of order' },
  ])
})

test('a process that was killed while it wrote a table starts again when all tables are intact', async () => {
  const directory = folder()
  await database(directory)
  writeFileSync(join(directory, '000999.ldb'), new Uint8Array(5_000))
  const warn = vi.fn()
  const store = await openStore(directory, { warn })
  expect(store.get(keyOf(7))).toEqual(new Uint8Array(Buffer.from('account 7;')))
  await store.close()
  expect(warn).toHaveBeenCalledTimes(1)
})

/** Advances the timers by a minute at a time until the condition holds. File reads take real time. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await vi.advanceTimersByTimeAsync(60_000)
    await sleep(1)
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

test('all tables are verified in rounds, including new ones, and immediately after a damaged row was read', async () => {
  const directory = folder()
  const table = await database(directory)
  const damages: Damage[] = []
  let progress: CheckProgress | undefined
  const began = Date.now()
  const check = new TableCheck(
    directory,
    [],
    (damage) => damages.push(damage),
    (now) => {
      progress = now
    },
  )
  onTestFinished(() => check.stop())
  const tables = currentTables(directory)
  if ('what' in tables) throw new Error(tables.what)
  const { length } = tables
  await until(() => progress?.read === length)
  expect(progress?.of).toBe(length)
  const first = progress?.since ?? 0
  expect(first).toBeGreaterThan(began)
  expect(damages).toEqual([])

  const content = readFileSync(table)
  content[20] = (content[20] ?? 0) ^ 1
  writeFileSync(table, content)
  await until(() => (progress?.since ?? 0) > first)
  expect(damages).toEqual([{ file: basename(table), what: 'the block at byte 0 is damaged' }])
  // A round begins ten minutes after the previous one, or immediately.
  const second = progress?.since ?? 0
  expect(second - first).toBeGreaterThanOrEqual(600_000)
  check.hurry()
  await vi.advanceTimersByTimeAsync(1)
  await vi.waitFor(() => expect(damages).toHaveLength(2))
  check.stop()
})

test('a table that the MANIFEST lists but is missing is damage, and so is an unreadable MANIFEST', async () => {
  const directory = folder()
  const table = await database(directory)
  const damages: Damage[] = []
  const rounds: CheckProgress[] = []
  const check = () => {
    const made = new TableCheck(
      directory,
      [],
      (damage) => damages.push(damage),
      (progress) => rounds.push(progress),
    )
    onTestFinished(() => made.stop())
    return made
  }
  rmSync(table)
  const first = check()
  await until(() => damages.length > 0)
  expect(damages).toEqual([{ file: basename(table), what: 'is missing' }])
  first.stop()

  rounds.length = 0
  rmSync(join(directory, 'CURRENT'))
  check()
  await until(() => damages.length > 1)
  expect(damages[1]).toEqual({ file: 'CURRENT', what: 'is missing' })
  // A round that cannot begin verifies nothing.
  expect(rounds).toEqual([])
})
