// LevelDB as get, scan and one synced batch; the same over memory for chains that need not outlive the process.
// Whatever `write` has acknowledged survives `kill -9`.

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
import { memoryRecordLog, openRecordLog } from './record-log.ts'
import { RowCache } from './row-cache.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from './types.ts'

type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>
type LevelSnapshot = ReturnType<Database['snapshot']>

const ENCODING = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** So many rows are handed over between two looks at the clock. */
const LOOK = 256
/** Rows of readers' tables: what the addresses of some ten thousand transactions have. */
const REMEMBERED_ROWS = 100_000

/** The file of the log, in the database's folder: LevelDB leaves alone what has no name of its own kind. */
export const JOURNAL_FILE = 'journal'

/** What LevelDB writes before a new database is complete: a process that ends there may leave these alone. */
const BEGINNING = /^(LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(dbtmp|log))$/

/** Bytes before what is written goes from LevelDB's log into a table. */
const WRITE_BUFFER = 16 << 20

/** What is told while a database is open: of damage that is found, and of writes that the disk does not take. */
export type StoreObserver = DamageObserver & OutageObserver

/** Of commands: they end with the failed write, and before damage that is found later matters. */
const UNWATCHED: StoreObserver = {
  ...{ warn: () => undefined, damaged: () => undefined },
  ...{ failed: () => undefined, recovered: () => undefined, lost: () => undefined },
}

/** Opens (or makes) a database in a folder. Throws ChainError `storage` for a locked, foreign, unusable or damaged one. */
export async function openStore(directory: string, told: Partial<StoreObserver> = {}): Promise<KvStore> {
  const watch = { ...UNWATCHED, ...told }
  if (!isOurs(directory)) throw new ChainError('storage', `${directory} is not empty and holds no kestrel database`)
  const whole = hasDatabase(directory) ? await checkFiles(directory) : newDatabase(directory)
  const store = await openLevel(directory, whole.acknowledged, checkInBackground(directory, whole.unread, watch))
  if (!whole.isKnown) watch.warn('nobody knows whether the database is complete: its file `acknowledged` is missing')
  return new RowCache(new GuardedStore(store, watch), isCachedRow, REMEMBERED_ROWS)
}

/** Opens a database as LevelDB does, whatever is wrong with its files. Throws ChainError `storage` when LevelDB cannot. */
export const openUnchecked = (directory: string): Promise<KvStore> => openLevel(directory)

/** A store for what is thrown away: nothing is synced. */
export async function openTemporaryStore(directory: string): Promise<KvStore> {
  const database = new Level<Uint8Array, Uint8Array>(directory, { ...ENCODING, writeBufferSize: WRITE_BUFFER })
  await database.open()
  const store = new LevelStore(database, memoryRecordLog())
  return new RowCache(store, isCachedRow, REMEMBERED_ROWS)
}

async function openLevel(directory: string, acknowledged?: AcknowledgedWrites, stop?: () => void): Promise<LevelStore> {
  try {
    // Ahead of LevelDB, which begins to open, and to make folders, as soon as it is constructed.
    makeFolder(directory)
  } catch (error) {
    stop?.()
    throw new ChainError('storage', whyNotOpened(directory, error))
  }
  const database = new Level<Uint8Array, Uint8Array>(directory, {
    ...ENCODING,
    cacheSize: 64 << 20,
    writeBufferSize: WRITE_BUFFER,
  })
  try {
    await database.open()
  } catch (error) {
    stop?.()
    throw new ChainError('storage', whyNotOpened(directory, error))
  }
  const log = openRecordLog(join(directory, JOURNAL_FILE))
  const landed = (ops: readonly WriteOp[]) => acknowledged?.landed(ops)
  const closing = () => {
    stop?.()
    acknowledged?.close()
  }
  return new LevelStore(database, log, { directory, landed, closing })
}

/** Whether a folder holds a database, perhaps one that has lost the file that makes it one. */
export function hasDatabase(directory: string): boolean {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) return false
  const files = readdirSync(directory)
  return (
    files.includes('CURRENT') || (files.includes(JOURNAL_FILE) && files.some((file) => file.startsWith('MANIFEST-')))
  )
}

/** Whether a folder holds a LevelDB, or the beginning of one, or nothing. */
function isOurs(directory: string): boolean {
  if (!existsSync(directory)) return true
  if (!statSync(directory).isDirectory()) return false
  return hasDatabase(directory) || readdirSync(directory).every((file) => BEGINNING.test(file))
}

/** Files that change while they are read belong to a process that is running, which is another refusal. */
async function checkFiles(directory: string): Promise<CheckedDatabase> {
  try {
    return requireIntact(directory)
  } catch (error) {
    await requireUnlocked(directory)
    throw error instanceof ChainError ? error : new ChainError('storage', whyNotOpened(directory, error))
  }
}

/**
 * Throws ChainError `storage` when another process has the database open. LevelDB takes its lock before it looks whether there
 * is a database, and refuses one then: nothing in it is read or changed.
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

/** The library says that it could not open, and why only in the cause. */
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

/** A store that lives and dies with the process. */
export async function openMemoryStore(): Promise<KvStore> {
  const database = new MemoryLevel<Uint8Array, Uint8Array>({ ...ENCODING, storeEncoding: 'view' })
  await database.open()
  return new LevelStore(database, memoryRecordLog())
}

/** What a store on a disk has besides its database. */
type Disk = {
  readonly directory: string
  /** Told of each batch that has been written and synced. */
  readonly landed: (ops: readonly WriteOp[]) => void
  /** Told of the end. */
  readonly closing: () => void
}

class LevelStore implements ReopenableStore {
  readonly #database: Database
  readonly log: RecordLog
  readonly #disk: Disk | undefined

  /** `disk`: left out for a store in memory, and for one that is thrown away. */
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

  /** One after the other into a batch of the library's: an array of operations costs it seven times as much. */
  async write(ops: readonly WriteOp[]): Promise<void> {
    if (ops.length === 0) return
    const batch = this.#database.batch()
    const pause = yieldToEventLoop('block')
    for (const [index, op] of ops.entries()) {
      if (index % LOOK === 0) await pause()
      if (op.type === 'put') batch.put(op.key, op.value)
      else batch.del(op.key)
    }
    await batch.write(this.#disk === undefined ? {} : { sync: true })
    this.#disk?.landed(ops)
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

  /** What refuses writes is above (`GuardedStore`): memory is never full in a way that could be told. */
  requireWritable(): void {}

  async reopen(): Promise<void> {
    await this.#database.close()
    await this.#database.open()
  }

  /** Opening writes what is in LevelDB's log into a table; then a new log grows to the size of the write buffer. */
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
    this.#disk?.closing()
    return this.#database.close()
  }
}

/** LevelDB hands out Buffers, whose views take three times as long to make as those of plain bytes. */
const plain = (row: Uint8Array | undefined): Uint8Array | undefined =>
  row && new Uint8Array(row.buffer, row.byteOffset, row.length)

function scan(database: Database, range: KeyRange, snapshot?: LevelSnapshot): AsyncIterable<[Uint8Array, Uint8Array]> {
  const { gte, lt, reverse = false, limit = -1 } = range
  return database.iterator({ gte, lt, reverse, limit, ...(snapshot && { snapshot }) })
}
