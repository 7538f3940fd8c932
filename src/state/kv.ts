// The key-value store on LevelDB: get, scan and batches; also in memory, for chains that need not outlive the process. A batch
// whose `write` has resolved survives `kill -9`, and a power cut as `Durable` says.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { AbstractLevel } from 'abstract-level'
import { Level } from 'level'
import { MemoryLevel } from 'memory-level'
import { ChainError, ReadFailure } from '../lib/errors.ts'
import { makeFolder } from '../lib/folder.ts'
import { EMPTY_BYTES, equalBytes } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import type { AcknowledgedWrites } from './disk-check.ts'
import { type CheckedDatabase, dropUnsynced, newDatabase, RESTORE, refusal, requireIntact } from './disk-check.ts'
import { DISK_FULL, diskError, isDiskFull } from './disk-errors.ts'
import { GuardedStore, type OutageObserver, type ReopenableStore } from './guarded-store.ts'
import { isCachedRow, KEY } from './keyspace.ts'
import { type Durable, syncLogs } from './late-sync.ts'
import { surveyDatabase } from './leveldb/database.ts'
import { ReadOnlyStore } from './read-only-store.ts'
import { memoryRecordLog, openRecordLog } from './record-log.ts'
import { RowCache } from './row-cache.ts'
import { CHECKED_ROWS, FORMER_ROWS, isChecked, PLAIN_ROWS, type RowFormat } from './row-checksum.ts'
import { type DamageObserver, TableCheck } from './table-check.ts'
import type { KeyRange, KvReader, KvStore, RecordLog, WriteOp } from './types.ts'

type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>
type LevelSnapshot = ReturnType<Database['snapshot']>

const ENCODING = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** Rows that are added to a batch between two calls of `pause`. */
const ROWS_PER_PAUSE = 256
/** Rows per read of a scan, up to LevelDB's limit of 16 KB. */
const ROWS_PER_READ = 100
/** Index rows in the cache: about those that 10,000 transactions write. */
const CACHED_ROWS = 100_000

/** The file of the record log, in the database's folder. LevelDB ignores files with unknown name patterns. */
export const JOURNAL_FILE = 'journal'

/** The files of an incompletely created database. */
const UNFINISHED = /^(LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(dbtmp|log))$/

/** Bytes of writes that LevelDB keeps in its log and in memory before it writes them to a table. */
const WRITE_BUFFER = 16 << 20

/** Callbacks while a database is open: found damage, and outages of the disk. */
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
 * `storage` if it is locked, damaged, unusable or not kestrel's.
 */
export async function openStore(
  directory: string,
  observer: Partial<StoreObserver> = {},
  { isShared = false, durable = 'block' }: { isShared?: boolean; durable?: Durable | undefined } = {},
): Promise<KvStore> {
  const callbacks: StoreObserver = { ...NO_OBSERVER, ...observer }
  if (!isOurs(directory)) throw new ChainError('storage', `${directory} is not empty and holds no kestrel database`)
  const checked = hasDatabase(directory) ? await checkFiles(directory, callbacks) : newDatabase(directory)
  // A shared database can be opened twice in one process, so detect another node of this process here.
  if (isShared && hasDatabase(directory)) await requireUnlocked(directory)
  const check = new TableCheck(
    directory,
    checked.unread,
    (damage) => callbacks.damaged(refusal(directory, damage, false)),
    callbacks.checked,
  )
  const companions = { acknowledged: checked.acknowledged, check, durable }
  const store = await openLevel(directory, isShared, companions)
  if (store.rows === FORMER_ROWS) callbacks.warn(UNPROTECTED)
  if (!checked.isKnown)
    callbacks.warn('nobody knows whether the database is complete: its file `acknowledged` is missing')
  return new RowCache(new GuardedStore(store, callbacks, { durable }), isCachedRow, CACHED_ROWS)
}

/** Opens a database without checking its files first. Throws ChainError `storage` when LevelDB cannot open it. */
export const openUnchecked = (directory: string): Promise<KvStore> => openLevel(directory, false)

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
    throw new ChainError('storage', openingError(directory, error))
  }
  return new ReadOnlyStore(new LevelStore(database, memoryRecordLog(), await readRowFormat(database)))
}

/** A store on disk for temporary data: batches are not synced. */
export async function openTemporaryStore(directory: string): Promise<KvStore> {
  const database = new Level<Uint8Array, Uint8Array>(directory, { ...ENCODING, writeBufferSize: WRITE_BUFFER })
  await database.open()
  const store = new LevelStore(database, memoryRecordLog(), PLAIN_ROWS)
  return new RowCache(store, isCachedRow, CACHED_ROWS)
}

/** Objects that live as long as the open database, and when its batches are synced. */
type Companions = {
  readonly acknowledged: AcknowledgedWrites
  readonly check: TableCheck
  readonly durable: Durable
}

async function openLevel(directory: string, isShared: boolean, companions?: Companions): Promise<LevelStore> {
  const onClosed = () => {
    companions?.check.stop()
    companions?.acknowledged.close()
  }
  try {
    // LevelDB's constructor starts opening the database and creates folders, so create this one first.
    makeFolder(directory)
  } catch (error) {
    onClosed()
    throw new ChainError('storage', openingError(directory, error))
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
    onClosed()
    throw new ChainError('storage', openingError(directory, error))
  }
  const onDamaged = () => companions?.check.hurry()
  const { acknowledged, durable = 'block' } = companions ?? {}
  try {
    acknowledged?.begin(durable !== 'block')
    const rows = await readRowFormat(database, (ops) => {
      acknowledged?.count(ops)
      acknowledged?.write()
    })
    return new LevelStore(database, openRecordLog(join(directory, JOURNAL_FILE)), rows, {
      directory,
      acknowledged,
      isSyncedLate: durable !== 'block',
      onDamaged,
      onClosed,
    })
  } catch (error) {
    onClosed()
    await database.close()
    throw error instanceof ChainError ? error : new ChainError('storage', openingError(directory, error))
  }
}

/** The row that says that all others have checksums. It has none itself, because its value is constant. */
const ROW_FORMAT = { type: 'put', key: KEY.rowFormat(), value: Buffer.from('crc32') } as const
const UNPROTECTED =
  'the rows of this database have no checksums, which later versions write: damage that comes while the node runs may be served; `kestrel export` and `import` into a new folder add them'

/**
 * The format of a database's rows. A database without rows gets checksums; `onWritten` is then called with the format row.
 * Throws ChainError `storage` if that row is damaged.
 */
async function readRowFormat(
  database: Database,
  onWritten: (ops: WriteOp[]) => void = () => undefined,
): Promise<RowFormat> {
  const found = database.getSync(ROW_FORMAT.key)
  if (found !== undefined && equalBytes(found, ROW_FORMAT.value)) return CHECKED_ROWS
  const [first] = await database.iterator({ lt: ROW_FORMAT.key, limit: 1 }).all()
  if (found !== undefined || (first !== undefined && isChecked(...first)))
    throw new ChainError('storage', `the row with the format of the database is damaged: ${RESTORE}`)
  if (first !== undefined) return FORMER_ROWS
  await database.batch().put(ROW_FORMAT.key, ROW_FORMAT.value).write({ sync: true })
  onWritten([ROW_FORMAT])
  return CHECKED_ROWS
}

/** Whether a folder holds a database, even one without its CURRENT file. */
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

/** The files of a database change while another process has it open, so a lock is reported before any damage. */
async function checkFiles(directory: string, { warn }: StoreObserver): Promise<CheckedDatabase> {
  try {
    return requireIntact(directory, undefined, warn)
  } catch (error) {
    await requireUnlocked(directory)
    const cut = dropUnsynced(directory)
    if (cut.length > 0) {
      warn(
        `${cut.join(' and ')}: not synced when the machine stopped, and incomplete; the blocks before that are there`,
      )
      return requireIntact(directory, undefined, warn)
    }
    throw error instanceof ChainError ? error : new ChainError('storage', openingError(directory, error))
  }
}

/**
 * Throws ChainError `storage` if another process has the database open. With `errorIfExists` LevelDB fails after it has taken
 * its lock and before it reads or changes anything.
 */
export async function requireUnlocked(directory: string): Promise<void> {
  const database = new Level(directory, { createIfMissing: false, errorIfExists: true })
  try {
    await database.open()
  } catch (error) {
    if (isLocked(error)) throw new ChainError('storage', openingError(directory, error))
  }
  await database.close()
}

/** The library's error says only that opening failed; its cause has the reason. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error)

function isLocked(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED'
}

function openingError(directory: string, error: unknown): string {
  if (isLocked(error)) return `${directory} is in use by another process`
  if (isDiskFull(diskError(error))) return `cannot open ${directory}: ${DISK_FULL}`
  const cause = causeOf(error)
  return `cannot open ${directory}: ${cause instanceof Error ? cause.message : String(cause)}`
}

/** A store in memory. Memory needs no checksums; tests may request rows as on disk. */
export async function openMemoryStore(rows = PLAIN_ROWS, database = newMemory()): Promise<KvStore> {
  await database.open()
  return new LevelStore(database, memoryRecordLog(), rows)
}

/** An empty database in memory. */
export const newMemory = () => new MemoryLevel<Uint8Array, Uint8Array>({ ...ENCODING, storeEncoding: 'view' })

/** What a store on disk needs in addition to its database. */
type Disk = {
  readonly directory: string
  /** undefined: nothing compares the number of changes. */
  readonly acknowledged: AcknowledgedWrites | undefined
  /** Whether `sync` syncs the batches, and `write` does not. */
  readonly isSyncedLate: boolean
  /** Called when a damaged row is read. */
  readonly onDamaged: () => void
  /** Called when the store is closed. */
  readonly onClosed: () => void
}

class LevelStore implements ReopenableStore {
  readonly #database: Database
  readonly log: RecordLog
  readonly rows: RowFormat
  readonly #disk: Disk | undefined

  /** `disk` is left out for a store in memory and for a temporary one. */
  constructor(database: Database, log: RecordLog, rows: RowFormat, disk?: Disk) {
    this.#database = database
    this.log = log
    this.rows = rows
    this.#disk = disk
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#read(key)
  }

  scan(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array]> {
    return this.#scan(range)
  }

  /** Adds operations one at a time, because abstract-level takes seven times as long for an array. */
  async write(ops: readonly WriteOp[]): Promise<void> {
    if (ops.length === 0) return
    const batch = this.#database.batch()
    const pause = yieldToEventLoop('block')
    for (const [index, op] of ops.entries()) {
      if (index % ROWS_PER_PAUSE === 0) await pause()
      if (op.type === 'put') batch.put(op.key, this.rows.encode(op.key, op.value))
      else batch.del(op.key)
    }
    const { acknowledged, isSyncedLate = true } = this.#disk ?? {}
    await batch.write(isSyncedLate ? {} : { sync: true })
    acknowledged?.count(ops)
    if (!isSyncedLate) acknowledged?.write()
  }

  async sync(): Promise<void> {
    if (this.#disk === undefined) return
    const { acknowledged, directory } = this.#disk
    const mark = acknowledged?.mark()
    await syncLogs(directory)
    acknowledged?.write(mark)
  }

  consistentReader(): KvReader & { close(): Promise<void> } {
    const database = this.#database
    const snapshot = database.snapshot()
    return {
      get: (key) => this.#read(key, snapshot),
      scan: (range) => this.#scan(range, snapshot),
      close: () => snapshot.close(),
    }
  }

  #read(key: Uint8Array, snapshot?: LevelSnapshot): Uint8Array | undefined {
    let stored: Uint8Array | undefined
    try {
      stored = this.#database.getSync(key, snapshot === undefined ? {} : { snapshot })
    } catch (error) {
      throw new ReadFailure('the database cannot be read', { cause: error })
    }
    return stored && this.#decode(key, stored)
  }

  #decode(key: Uint8Array, stored: Uint8Array): Uint8Array {
    try {
      return this.rows.decode(key, stored)
    } catch (error) {
      this.#disk?.onDamaged()
      throw error
    }
  }

  async *#scan(range: KeyRange, snapshot?: LevelSnapshot): AsyncGenerator<[Uint8Array, Uint8Array]> {
    const { gte, lt, reverse = false, limit = -1, values = true } = range
    const iterator = this.#database.iterator({ gte, lt, reverse, limit, values, ...(snapshot && { snapshot }) })
    try {
      for (;;) {
        const rows = await iterator.nextv(ROWS_PER_READ)
        if (rows.length === 0) return
        for (const [key, stored] of rows) yield [key, values ? this.#decode(key, stored) : EMPTY_BYTES]
      }
    } catch (error) {
      throw error instanceof ReadFailure ? error : new ReadFailure('the database cannot be read', { cause: error })
    } finally {
      await iterator.close()
    }
  }

  /** Never throws: `GuardedStore` refuses writes to a failed disk, and full memory cannot be detected. */
  requireWritable(): void {}

  /** Throws ChainError `storage` if a failed sync has lost batches: the system drops what it could not write. */
  async reopen(): Promise<void> {
    await this.#database.close()
    if (this.#disk !== undefined) {
      const { damages, held = 0 } = surveyDatabase(this.#disk.directory)
      if (damages.length > 0 || held < (this.#disk.acknowledged?.sequence ?? 0))
        throw new ChainError('storage', 'batches that were written are not on disk')
    }
    await this.#database.open()
  }

  /** Opening writes LevelDB's logs into a table; the new log then grows to the size of the write buffer. */
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
