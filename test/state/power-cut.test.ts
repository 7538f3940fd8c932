// A power cut of a database whose batches are synced late: it opens, and has every batch that was synced, perhaps some of the next
// ones, and no part of a later one.
// `KESTREL_CUTS=300 npx vitest run test/state/power-cut.test.ts` makes 300 copies of a database under load.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { equalBytes } from '../../src/lib/hex.ts'
import { findAllDamage, readAcknowledged } from '../../src/state/disk-check.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openStore } from '../../src/state/kv.ts'
import { syncLogs } from '../../src/state/late-sync.ts'
import { surveyDatabase } from '../../src/state/leveldb/database.ts'
import { readLog } from '../../src/state/leveldb/log-file.ts'
import type { KvStore } from '../../src/state/types.ts'
import { copyAfterPowerCut, type Disk, listeningDisk } from '../support/power-cut.ts'
import { temporaryFolder } from '../support/process.ts'

const CUTS = Number(process.env.KESTREL_CUTS ?? 8)
const PAGE = 4096
const WAIT = { timeout: 30_000, interval: 1 }

const NOISE = randomBytes(200_000)
const rowOf = (number: number, size: number) => NOISE.subarray(number, number + size + (number % 7))

/** Batch `number`: its row, whose length and bytes follow from the number, and the head. */
const write = (store: KvStore, number: number, size: number) =>
  store.write([
    { type: 'put', key: KEY.header(BigInt(number)), value: rowOf(number, size) },
    { type: 'put', key: KEY.meta('head'), value: Buffer.from(JSON.stringify([`${number}`, number])) },
  ])

/** The number in a row of the head; 0: there is none. */
const numberIn = (head: Uint8Array | undefined): number =>
  head === undefined || head.length === 0 ? 0 : Number(JSON.parse(Buffer.from(head).toString())[1])

/** Opens a database and returns its newest batch, after a check that it has all before that and none after it. */
async function newestIn(directory: string, size: number, warn: (line: string) => void = () => undefined) {
  const store = await openStore(directory, { warn }, { durable: 60_000 })
  try {
    const newest = numberIn(store.get(KEY.meta('head')))
    for (let number = 1; number <= newest; number++) {
      const row = store.get(KEY.header(BigInt(number)))
      if (row === undefined || !equalBytes(row, rowOf(number, size))) expect.unreachable(`row ${number} of ${newest}`)
    }
    expect(store.get(KEY.header(BigInt(newest + 1)))).toBeUndefined()
    return newest
  } finally {
    await store.close()
  }
}

/** A database whose log has three batches that are synced, and then `unsynced` ones that are not. */
async function database(size: number, unsynced: number) {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const disk = await listeningDisk()
  const directory = join(path, 'original')
  const store = await openStore(directory, {}, { durable: 100 })
  onTestFinished(() => store.close())
  for (let number = 1; number <= 3; number++) await write(store, number, size)
  const acknowledged = () => readAcknowledged(join(directory, 'acknowledged'))
  await vi.waitUntil(() => numberIn(acknowledged()?.head) === 3, WAIT)
  const [file = ''] = surveyDatabase(directory).logs.map((log) => log.file)
  const synced = disk.synced(join(directory, file))
  const record = readFileSync(join(directory, 'acknowledged'))
  for (let number = 4; number < 4 + unsynced; number++) await write(store, number, size)
  const log = readFileSync(join(directory, file))
  const { ends } = readLog(log)
  const copy = join(path, 'copy')
  /** Opens a copy with this log, as if the syncs since then had not reached the disk, and returns its newest batch. */
  const after = async (left: Uint8Array, warn?: (line: string) => void) => {
    expect(copyAfterPowerCut(directory, copy, disk, () => left)).toEqual({ logs: 1 })
    writeFileSync(join(copy, 'acknowledged'), record)
    const faults = findAllDamage(copy, () => undefined)
    expect(faults).toEqual([])
    return newestIn(copy, size, warn)
  }
  /** The newest batch of those that end before this byte. */
  const before = (end: number) => ends.filter((at) => at <= end).length - firstRecords
  // The row with the format is a record of the log, too.
  const firstRecords = ends.filter((at) => at <= synced).length - 3
  return { log, synced, ends, after, before }
}

const garbage = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, at) => (Math.imul(at + seed, 2_654_435_761) >>> 13) & 0xff)

test('every prefix of what was not synced opens, cut off or with zeros or garbage behind it', async () => {
  const { log, synced, after, before } = await database(20, 3)
  expect(before(synced)).toBe(3)
  expect(before(log.length)).toBe(6)
  for (let end = synced; end <= log.length; end++) {
    const rest = log.length - end
    expect(await after(log.subarray(0, end)), `cut at ${end}`).toBe(before(end))
    if (end % 9 !== 0) continue
    const padded = (bytes: Uint8Array) => after(Buffer.concat([log.subarray(0, end), bytes]))
    expect(await padded(new Uint8Array(rest)), `zeros from ${end}`).toBe(before(end))
    expect(await padded(garbage(rest, end)), `garbage from ${end}`).toBe(before(end))
  }
})

test('pages that the system had not written yet lose what is behind them, and the node says so', async () => {
  const { log, synced, after, before } = await database(3_000, 20)
  const first = Math.ceil(synced / PAGE)
  const pages = Math.ceil(log.length / PAGE)
  expect(pages - first).toBeGreaterThan(10)
  for (let page = first; page < pages; page++) {
    for (const content of [new Uint8Array(PAGE), garbage(PAGE, page)]) {
      const left = Buffer.from(log)
      left.set(content.subarray(0, left.length - page * PAGE), page * PAGE)
      const warn = vi.fn()
      expect(await after(left, warn), `page ${page}`).toBe(before(page * PAGE))
      if (page < pages - 2) expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^\d+\.log: not synced when/))
    }
  }
})

test('damage in what was synced is refused', async () => {
  const { log, ends, synced, after } = await database(3_000, 3)
  const [, , start = 0] = ends
  expect(start).toBeLessThan(synced)
  const left = Buffer.from(log)
  left[start + 100] = (left[start + 100] ?? 0) ^ 1
  await expect(after(left)).rejects.toThrow()
  await expect(after(log.subarray(0, start + 100))).rejects.toThrow()
})

test('a batch that is written during a sync is acknowledged by the next one', async () => {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const disk = await listeningDisk()
  let open: () => void = () => undefined
  disk.gate = new Promise<void>((resolve) => (open = resolve))
  const unsynced = vi.fn()
  const store = await openStore(path, { unsynced }, { durable: 2_000 })
  await write(store, 1, 10)
  await vi.waitUntil(() => disk.begun === 1, WAIT)
  await write(store, 2, 10)
  open()
  const newest = () => numberIn(readAcknowledged(join(path, 'acknowledged'))?.head)
  await vi.waitUntil(() => newest() > 0, WAIT)
  expect(newest()).toBe(1)
  // Closing syncs the rest, without waiting for its time.
  await store.close()
  expect([newest(), disk.begun]).toEqual([2, 2])
  // First the age of the first batch, then that of the second, and in the end none is left.
  expect(unsynced.mock.calls.map(([since]) => typeof since)).toEqual(['number', 'number', 'undefined'])
})

test('a sync reaches every log, also one that LevelDB has closed, and passes over one that is gone', async () => {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const disk = await listeningDisk()
  const files = ['000003.log', '000005.log', '000004.ldb'].map((file) => join(path, file))
  for (const file of files) writeFileSync(file, 'written')
  // It is listed, and cannot be opened.
  symlinkSync(join(path, 'gone'), join(path, '000001.log'))
  await syncLogs(path)
  expect(files.map(disk.synced)).toEqual([7, 7, 0])
})

/** Pseudo-random numbers below a bound (linear congruential generator, Numerical Recipes). */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed >>> 0
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** Each log keeps its synced part and a random part of the rest, of which a random page may be missing. */
const randomly = (below: (bound: number) => number) => (log: Buffer, synced: number) => {
  const left = Buffer.from(log.subarray(0, synced + below(log.length - synced + 1)))
  const page = Math.ceil(synced / PAGE) + below(20)
  if (below(2) === 0) left.fill(0, Math.min(left.length, page * PAGE), Math.min(left.length, (page + 1) * PAGE))
  return left
}

test(`${CUTS} power cuts while LevelDB begins logs and writes tables lose nothing that was synced`, {
  timeout: 60_000 + CUTS * 10_000,
}, async () => {
  const SIZE = 100_000
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const disk: Disk = await listeningDisk()
  const directory = join(path, 'original')
  const copy = join(path, 'copy')
  const store = await openStore(directory, {}, { durable: 40 })
  onTestFinished(() => store.close())
  const below = randomFrom(1)
  const copies = { one: 0, two: 0 }
  for (let number = 1; copies.one + copies.two < CUTS; number++) {
    await write(store, number, SIZE)
    const logs = readdirSync(directory).filter((file) => file.endsWith('.log')).length
    // While there are two logs, the older one is being written to a table.
    if (logs < 2 && below(150) > 0) continue
    // So that a sync may have ended since the newer one was begun.
    if (below(2) === 0) await sleep(50)
    const acknowledged = numberIn(readAcknowledged(join(directory, 'acknowledged'))?.head)
    const copied = copyAfterPowerCut(directory, copy, disk, randomly(below))
    if (copied === undefined) continue
    copies[copied.logs === 2 ? 'two' : 'one']++
    const newest = await newestIn(copy, SIZE)
    expect(newest).toBeGreaterThanOrEqual(acknowledged)
    expect(newest).toBeLessThanOrEqual(number)
  }
  if (process.env.KESTREL_CUTS) console.log(copies)
  expect(copies.two).toBeGreaterThan(0)
})
