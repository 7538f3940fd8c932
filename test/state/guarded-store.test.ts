// Disk failures, simulated by a store in memory whose batches fail on demand. The error texts of LevelDB and the system come
// from a full tmpfs and from strerror.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { GuardedStore, type ReopenableStore } from '../../src/state/guarded-store.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { Durable } from '../../src/state/late-sync.ts'
import type { WriteOp } from '../../src/state/types.ts'

const FULL = new Error('IO error: /data/chain/000009.ldb: No space left on device')
const bytes = (n: number) => Uint8Array.of(n)
const put = (key: number, value: number): WriteOp => ({ type: 'put', key: bytes(key), value: bytes(value) })

type Fault = Error | undefined

/** A guarded store over one that fails on demand, with its reports; `outcome` settles when it gives up. */
async function guarded(durable: Durable = 'block') {
  const inner = await openMemoryStore()
  const faults: { write: Fault; sync: Fault; read: Fault; reopen: Fault; append: Fault; landsLater: boolean } = {
    write: undefined,
    sync: undefined,
    read: undefined,
    reopen: undefined,
    append: undefined,
    landsLater: false,
  }
  let failed: readonly WriteOp[] = []
  const disk: { hasRoom: boolean; opened: number; syncs: number; syncing?: Promise<void> } = {
    hasRoom: true,
    opened: 0,
    syncs: 0,
  }
  const fail = (fault: Fault) => {
    if (fault !== undefined) throw fault
  }
  const store: ReopenableStore = {
    get: (key) => {
      fail(faults.read)
      return inner.get(key)
    },
    scan: (range) => inner.scan(range),
    consistentReader: () => inner.consistentReader(),
    requireWritable: () => undefined,
    log: {
      get size() {
        return inner.log.size
      },
      read: () => inner.log.read(),
      append: (records) => {
        fail(faults.append)
        inner.log.append(records)
      },
      replace: (records) => inner.log.replace(records),
      close: () => undefined,
    },
    close: () => inner.close(),
    hasRoom: async () => disk.hasRoom,
    async sync() {
      disk.syncs++
      await disk.syncing
      fail(faults.sync)
    },
    async reopen() {
      fail(faults.reopen)
      disk.opened++
      if (faults.landsLater) await inner.write(failed)
    },
    async write(batch) {
      failed = batch
      fail(faults.write)
      await inner.write(batch)
    },
  }
  const reports: string[] = []
  /** How often the database had been reopened when other threads were asked to close it. */
  const closings: number[] = []
  let end: (line: string) => void = () => undefined
  const outcome = new Promise<string>((resolve) => (end = resolve))
  const report = {
    failed: (error: ChainError) => reports.push(error.message),
    reopening: async () => void closings.push(disk.opened),
    recovered: () => end('recovered'),
    lost: (line: string) => end(`lost: ${line}`),
  }
  return {
    store: new GuardedStore(store, report, { durable, retryDelay: 1 }),
    faults,
    disk,
    reports,
    closings,
    outcome,
  }
}

const refusal = (message: string) => expect.objectContaining({ code: 'disk-failure', message })

test('a full disk refuses writes and serves reads until there is room, and each change is reported once', async () => {
  const { store, faults, disk, reports, closings, outcome } = await guarded()
  await store.write([put(1, 1)])
  faults.write = FULL
  disk.hasRoom = false
  await expect(store.write([put(1, 2), put(2, 2)])).rejects.toEqual(refusal('disk full'))
  // Clients do not see the path; it is in the detail, which is logged.
  await expect(store.write([put(3, 3)])).rejects.toThrow(/^disk full$/)
  expect(() => store.requireWritable()).toThrow(ChainError)
  expect(() => store.log.append([bytes(1)])).toThrow('disk full')
  expect([store.get(bytes(1)), store.get(bytes(2))]).toEqual([bytes(1), undefined])
  expect(disk.opened).toBe(0)
  faults.write = undefined
  disk.hasRoom = true
  expect(await outcome).toBe('recovered')
  await store.write([put(2, 4)])
  expect([reports, disk.opened, store.get(bytes(2))]).toEqual([['disk full'], 1, bytes(4)])
  // Threads that share the database have closed it before.
  expect(closings).toEqual([0])
})

test('a failed write of the record log stops writes of the database too', async () => {
  const { store, faults, reports, outcome } = await guarded()
  faults.append = new Error('EDQUOT: disk quota exceeded, write')
  expect(() => store.log.append([bytes(1)])).toThrow('disk full')
  await expect(store.write([put(1, 1)])).rejects.toEqual(refusal('disk full'))
  faults.append = undefined
  expect(await outcome).toBe('recovered')
  store.log.append([bytes(2)])
  expect([reports, store.log.read().records]).toEqual([['disk full'], [bytes(2)]])
})

test('a failed late sync refuses writes like a failed write, and no further sync claims success', async () => {
  const { store, faults, disk, reports, outcome } = await guarded(20)
  await store.write([put(1, 1)])
  expect(disk.syncs).toBe(0)
  disk.hasRoom = false
  // The system reports a failed sync once; the next one would succeed.
  faults.sync = new Error('ENOSPC: no space left on device, fdatasync')
  await vi.waitUntil(() => reports.length > 0)
  faults.sync = undefined
  expect(() => store.requireWritable()).toThrow('disk full')
  await expect(store.write([put(2, 2)])).rejects.toEqual(refusal('disk full'))
  expect([store.get(bytes(1)), store.get(bytes(2)), disk.syncs, disk.opened]).toEqual([bytes(1), undefined, 1, 0])
  disk.hasRoom = true
  expect(await outcome).toBe('recovered')
  expect(disk.opened).toBe(1)
  await store.write([put(2, 2)])
  await store.close()
})

test('what was written before a disk is full is synced in time all the same, and when the store is closed', async () => {
  const { store, faults, disk, reports } = await guarded(20)
  disk.hasRoom = false
  await store.write([put(1, 1)])
  faults.write = FULL
  await expect(store.write([put(2, 2)])).rejects.toEqual(refusal('disk full'))
  await vi.waitUntil(() => disk.syncs === 1)
  expect([reports, disk.opened]).toEqual([['disk full'], 0])
  await store.close()

  const { store: other, faults: others, disk: second } = await guarded(60_000)
  second.hasRoom = false
  await other.write([put(1, 1)])
  others.write = FULL
  await expect(other.write([put(2, 2)])).rejects.toEqual(refusal('disk full'))
  await other.close()
  expect(second.syncs).toBe(1)
})

test('a late sync that fails for good, and one that fails at the end, end the process', async () => {
  const { store, faults, outcome } = await guarded(2)
  await store.write([put(1, 1)])
  faults.sync = new Error('EIO: i/o error, fdatasync')
  faults.reopen = new ChainError('storage', 'batches that were written are not on disk')
  expect(await outcome).toBe('lost: the database cannot be opened again: batches that were written are not on disk')

  const closing = await guarded(60_000)
  await closing.store.write([put(1, 1)])
  closing.faults.sync = new Error('EIO: i/o error, fdatasync')
  await closing.store.close()
  expect(await closing.outcome).toBe('lost: the last sync: disk failure')
  expect(closing.reports).toEqual(['disk failure'])
})

test('a write waits while an earlier one has been unsynced for the promised time', async () => {
  const { store, disk } = await guarded(1)
  let end: () => void = () => undefined
  disk.syncing = new Promise((resolve) => (end = resolve))
  await store.write([put(1, 1)])
  await vi.waitUntil(() => disk.syncs === 1)
  const second = store.write([put(2, 2)])
  await sleep(20)
  expect([store.get(bytes(1)), store.get(bytes(2))]).toEqual([bytes(1), undefined])
  end()
  await second
  expect(store.get(bytes(2))).toEqual(bytes(2))
  await store.close()
})

test('writes of one moment share a late sync, and an idle store has no timer', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { store, disk } = await guarded(100)
  expect(vi.getTimerCount()).toBe(0)
  for (let key = 1; key <= 5; key++) await store.write([put(key, 1)])
  expect([disk.syncs, vi.getTimerCount()]).toEqual([0, 1])
  await vi.advanceTimersByTimeAsync(50)
  expect([disk.syncs, vi.getTimerCount()]).toEqual([1, 0])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(disk.syncs).toBe(1)
  await store.close()
  expect(disk.syncs).toBe(1)
})

test('a batch that was reported as failed but is on disk ends the process', async () => {
  const { store, faults, outcome } = await guarded()
  await store.write([put(1, 1)])
  faults.write = new Error('IO error: /data/chain/000004.log: Input/output error')
  // LevelDB reads its log when it is opened; only then a complete batch in it appears.
  faults.landsLater = true
  await expect(store.write([put(1, 1), put(2, 2)])).rejects.toEqual(refusal('disk failure'))
  expect(await outcome).toMatch(/^lost: /)
})

test('too many open files only delay; another failure that persists ends the process', async () => {
  const waiting = await guarded()
  await waiting.store.write([put(1, 1)])
  waiting.faults.write = new Error('IO error: /data/chain/000012.log: Too many open files')
  waiting.faults.reopen = waiting.faults.write
  await expect(waiting.store.write([put(1, 2)])).rejects.toEqual(refusal('disk failure'))
  // After the first attempts to reopen the database have failed; the pauses are the store's.
  setTimeout(() => Object.assign(waiting.faults, { write: undefined, reopen: undefined }), 10)
  expect(await waiting.outcome).toBe('recovered')

  const failing = await guarded()
  await failing.store.write([put(1, 1)])
  failing.faults.write = new Error('IO error: /data/chain/000004.log: Input/output error')
  await expect(failing.store.write([put(1, 2)])).rejects.toEqual(refusal('disk failure'))
  expect(await failing.outcome).toBe('lost: the database cannot be opened again: disk failure')
})
