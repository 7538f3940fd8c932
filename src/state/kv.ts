// The key-value store on LevelDB: get, scan and one synced batch, and the same in memory for chains that need not outlive the
// process. A batch whose `write` has resolved survives `kill -9`.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { AbstractLevel } from 'abstract-level'
import { Level } from 'level'
import { MemoryLevel } from 'memory-level'
import { ChainError } from '../lib/errors.ts'
import { makeFolder } from '../lib/folder.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import type { AcknowledgedWrites } from './disk-check.ts'
import {
  type CheckedDatabase,
  checkInBackground,
  type DamageObserver,
  newDatabase,
  requireIntact,
} from './disk-check.ts'
import { DISK_FULL, diskError, isDiskFull } from './disk-errors.ts'
import { GuardedStore, type OutageObserver, type ReopenableStore } from './guarded-store.ts'
import { isCachedRow } from './keyspace.ts'
import { ReadOnlyStore } from './read-only-store.ts'
import { memoryRecordLog, openRecordLog } from './record-log.ts'
import { RowCache } from './row-cache.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from './types.ts'

type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>
type LevelSnapshot = ReturnType<Database['snapshot']>

const ENCODING = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** Rows that are added to a batch between two calls of `pause`. */
const ROWS_PER_PAUSE = 256
/** Index rows in the cache: about those that 10,000 transactions write. */
const CACHED_ROWS = 100_000

/** The file of the record log, in the database's folder. LevelDB ignores files whose names are not of its own patterns. */
export const JOURNAL_FILE = 'journal'

/** The files of a database whose creation was interrupted. */
const UNFINISHED = /^(LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(dbtmp|log))$/

/** Bytes of writes that LevelDB keeps in its log and in memory before it writes them to a table. */
const WRITE_BUFFER = 16 << 20

/** Callbacks while a database is open: damage that is found, and outages of the disk. */
export type StoreObserver = DamageObserver & OutageObserver

/** For commands, which end with the first failed write and do not run long enough for a background check. */
const NO_OBSERVER: StoreObserver = {
  warn: () => undefined,
  damaged: () => undefined,
  failed: () => undefined,
  recovered: () => undefined,
  lost: () => undefined,
}

/**
 * Opens or creates a database in a folder. `isShared`: other threads may open it with `openForReading`. Throws ChainError
 * `storage` when it is locked, damaged, unusable or not ours.
 */
export async function openStore(
  directory: string,
  observer: Partial<StoreObserver> = {},
  isShared = false,
): Promise<KvStore> {
  const callbacks: StoreObserver = { ...NO_OBSERVER, ...observer }
  if (!isOurs(directory)) throw new ChainError('storage', `${directory} is not empty and holds no kestrel database`)
  const checked = hasDatabase(directory) ? await checkFiles(directory) : newDatabase(directory)
  // A shared database can be opened twice in one process, so another node of this process must be found here.
  if (isShared && hasDatabase(directory)) await requireUnlocked(directory)
  const stop = checkInBackground(directory, checked.unread, callbacks)
  const store = await openLevel(directory, checked.acknowledged, stop, isShared)
  if (!checked.isKnown)
    callbacks.warn('nobody knows whether the database is complete: its file `acknowledged` is missing')
  return new RowCache(new GuardedStore(store, callbacks), isCachedRow, CACHED_ROWS)
}

/** Opens a database without checking its files first. Throws ChainError `storage` when LevelDB cannot open it. */
export const openUnchecked = (directory: string): Promise<KvStore> => openLevel(directory)

/**
 * Opens a database that another thread of this process has open as a shared one, for reading. Throws ChainError `storage` when
 * it cannot be opened.
 */
export async function openForReading(directory: string): Promise<KvStore> {
  const options = { ...ENCODING, createIfMissing: false, multithreading: true }
  const database = new Level<Uint8Array, Uint8Array>(directory, options)
  try {
    await database.open()
  } catch (error) {
    throw new ChainError('storage', whyNotOpened(directory, error))
  }
  return new ReadOnlyStore(new LevelStore(database, memoryRecordLog()))
}

/** A store on disk for temporary data: batches are not synced. */
export async function openTemporaryStore(directory: string): Promise<KvStore> {
  const database = new Level<Uint8Array, Uint8Array>(directory, { ...ENCODING, writeBufferSize: WRITE_BUFFER })
  await database.open()
  const store = new LevelStore(database, memoryRecordLog())
  return new RowCache(store, isCachedRow, CACHED_ROWS)
}

async function openLevel(
  directory: string,
  acknowledged?: AcknowledgedWrites,
  stop?: () => void,
  isShared = false,
): Promise<LevelStore> {
  try {
    // Before LevelDB is constructed, because its constructor begins to open the database and to create folders.
    makeFolder(directory)
  } catch (error) {
    stop?.()
    throw new ChainError('storage', whyNotOpened(directory, error))
  }
  const database = new Level<Uint8Array, Uint8Array>(directory, {
    ...ENCODING,
    cacheSize: 64 << 20,
    writeBufferSize: WRITE_BUFFER,
    multithreading: isShared,
  })
  try {
    await database.open()
  } catch (error) {
    stop?.()
    throw new ChainError('storage', whyNotOpened(directory, error))
  }
  const log = openRecordLog(join(directory, JOURNAL_FILE))
  const onWritten = (ops: readonly WriteOp[]) => acknowledged?.recordBatch(ops)
  const onClosed = () => {
    stop?.()
    acknowledged?.close()
  }
  return new LevelStore(database, log, { directory, onWritten, onClosed })
}

/** Whether a folder holds a database, also one whose CURRENT file is lost. */
export function hasDatabase(directory: string): boolean {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) return false
  const files = readdirSync(directory)
  return (
    files.includes('CURRENT') || (files.includes(JOURNAL_FILE) && files.some((file) => file.startsWith('MANIFEST-')))
  )
}

/** Whether a folder is empty or missing, or holds a LevelDB database or an unfinished one. */
function isOurs(directory: string): boolean {
  if (!existsSync(directory)) return true
  if (!statSync(directory).isDirectory()) return false
  return hasDatabase(directory) || readdirSync(directory).every((file) => UNFINISHED.test(file))
}

/** Files of a database that another process has open change while they are read, so a lock is reported instead of damage. */
async function checkFiles(directory: string): Promise<CheckedDatabase> {
  try {
    return requireIntact(directory)
  } catch (error) {
    await requireUnlocked(directory)
    throw error instanceof ChainError ? error : new ChainError('storage', whyNotOpened(directory, error))
  }
}

/**
 * Throws ChainError `storage` when another process has the database open. `errorIfExists` makes LevelDB fail after it has
 * taken its lock and before it reads or changes anything.
 */
export async function requireUnlocked(directory: string): Promise<void> {
  const database = new Level(directory, { createIfMissing: false, errorIfExists: true })
  try {
    await database.open()
  } catch (error) {
    if (isLocked(error)) throw new ChainError('storage', whyNotOpened(directory, error))
  }
  await database.close()
}

/** The library's error says only that opening failed; the reason is its cause. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error)

function isLocked(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED'
}

function whyNotOpened(directory: string, error: unknown): string {
  if (isLocked(error)) return `${directory} is in use by another process`
  if (isDiskFull(diskError(error))) return `cannot open ${directory}: ${DISK_FULL}`
  const cause = causeOf(error)
  return `cannot open ${directory}: ${cause instanceof Error ? cause.message : String(cause)}`
}

/** A store in memory. */
export async function openMemoryStore(): Promise<KvStore> {
  const database = new MemoryLevel<Uint8Array, Uint8Array>({ ...ENCODING, storeEncoding: 'view' })
  await database.open()
  return new LevelStore(database, memoryRecordLog())
}

/** What a store on disk needs besides its database. */
type Disk = {
  readonly directory: string
  /** Called after each batch that has been written and synced. */
  readonly onWritten: (ops: readonly WriteOp[]) => void
  /** Called when the store is closed. */
  readonly onClosed: () => void
}

class LevelStore implements ReopenableStore {
  readonly #database: Database
  readonly log: RecordLog
  readonly #disk: Disk | undefined

  /** `disk` is left out for a store in memory and for a temporary one. */
  constructor(database: Database, log: RecordLog, disk?: Disk) {
    this.#database = database
    this.log = log
    this.#disk = disk
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return plain(this.#database.getSync(key))
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return scan(this.#database, range)
  }

  /** Operations are added one by one, because abstract-level takes seven times as long for an array of them. */
  async write(ops: readonly WriteOp[]): Promise<void> {
    if (ops.length === 0) return
    const batch = this.#database.batch()
    const pause = yieldToEventLoop('block')
    for (const [index, op] of ops.entries()) {
      if (index % ROWS_PER_PAUSE === 0) await pause()
      if (op.type === 'put') batch.put(op.key, op.value)
      else batch.del(op.key)
    }
    await batch.write(this.#disk === undefined ? {} : { sync: true })
    this.#disk?.onWritten(ops)
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    const database = this.#database
    const snapshot = database.snapshot()
    return {
      get: (key) => plain(database.getSync(key, { snapshot })),
      scan: (range) => scan(database, range, snapshot),
      close: () => snapshot.close(),
    }
  }

  /** Never throws: `GuardedStore` refuses writes to a failed disk, and a full memory cannot be detected. */
  requireWritable(): void {}

  async reopen(): Promise<void> {
    await this.#database.close()
    await this.#database.open()
  }

  /** Opening writes the content of LevelDB's logs into a table; the new log then grows to the size of the write buffer. */
  async hasRoom(): Promise<boolean> {
    if (this.#disk === undefined) return true
    const { directory } = this.#disk
    const logs = readdirSync(directory).filter((file) => file.endsWith('.log'))
    const inLogs = logs.reduce((sum, file) => sum + statSync(join(directory, file)).size, 0)
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize > inLogs + WRITE_BUFFER
  }

  close(): Promise<void> {
    this.log.close()
    this.#disk?.onClosed()
    return this.#database.close()
  }
}

/** LevelDB returns Buffers, whose `subarray` takes three times as long as that of a Uint8Array. */
const plain = (row: Uint8Array | undefined): Uint8Array | undefined =>
  row && new Uint8Array(row.buffer, row.byteOffset, row.length)

function scan(database: Database, range: KeyRange, snapshot?: LevelSnapshot): AsyncIterable<[Uint8Array, Uint8Array]> {
  const { gte, lt, reverse = false, limit = -1 } = range
  return database.iterator({ gte, lt, reverse, limit, ...(snapshot && { snapshot }) })
}
