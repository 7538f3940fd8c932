// LevelDB as get, scan and one synced batch; the same over memory for chains that need not outlive the process.
// Whatever `write` has acknowledged survives `kill -9`.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AbstractLevel } from 'abstract-level'
import { Level } from 'level'
import { MemoryLevel } from 'memory-level'
import { ChainError } from '../lib/errors.ts'
import { takingTurns } from '../lib/turns.ts'
import { isAskedAgain } from './keyspace.ts'
import { memoryRecordLog, openRecordLog } from './record-log.ts'
import { RememberedRows } from './remembered-rows.ts'
import type { KvStore, Op, Range, Reader, RecordLog } from './types.ts'

type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>
type Snapshot = ReturnType<Database['snapshot']>

const ENCODING = { keyEncoding: 'view', valueEncoding: 'view' } as const

/** So many rows are handed over between two looks at the clock. */
const LOOK = 256
/** Rows of readers' tables: what the addresses of some ten thousand transactions have. */
const REMEMBERED_ROWS = 100_000

/** The file of the log, in the database's folder: LevelDB leaves alone what has no name of its own kind. */
const JOURNAL = 'journal'

/** What LevelDB writes before a new database is complete: a process that ends there may leave these alone. */
const BEGINNING = /^(LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(dbtmp|log))$/

/** Opens (or makes) a database in a folder. Throws ChainError `storage` for a locked, foreign or unusable folder. */
export async function openStore(directory: string): Promise<KvStore> {
  if (!isOurs(directory)) throw new ChainError('storage', `${directory} is not empty and holds no kestrel database`)
  const database = new Level<Uint8Array, Uint8Array>(directory, {
    ...ENCODING,
    cacheSize: 64 << 20,
    writeBufferSize: 16 << 20,
  })
  try {
    await database.open()
  } catch (error) {
    throw new ChainError('storage', whyNotOpened(directory, error))
  }
  const log = openRecordLog(join(directory, JOURNAL))
  return new RememberedRows(new LevelStore(database, { sync: true }, log), isAskedAgain, REMEMBERED_ROWS)
}

/** Whether a folder holds a LevelDB, or the beginning of one, or nothing. */
function isOurs(directory: string): boolean {
  if (!existsSync(directory)) return true
  if (!statSync(directory).isDirectory()) return false
  const files = readdirSync(directory)
  return files.includes('CURRENT') || files.every((file) => BEGINNING.test(file))
}

function whyNotOpened(directory: string, error: unknown): string {
  // The library says that it could not open, and why only in the cause.
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED') {
    return `${directory} is in use by another process`
  }
  return `cannot open ${directory}: ${cause instanceof Error ? cause.message : String(cause)}`
}

/** A store that lives and dies with the process. */
export async function openMemoryStore(): Promise<KvStore> {
  const database = new MemoryLevel<Uint8Array, Uint8Array>({ ...ENCODING, storeEncoding: 'view' })
  await database.open()
  return new LevelStore(database, {}, memoryRecordLog())
}

class LevelStore implements KvStore {
  readonly #database: Database
  /** What the database is asked for with each batch; only one on a disk knows `sync`. */
  readonly #writing: { readonly sync?: true }
  readonly log: RecordLog

  constructor(database: Database, writing: { readonly sync?: true }, log: RecordLog) {
    this.#database = database
    this.#writing = writing
    this.log = log
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return plain(this.#database.getSync(key))
  }

  scan(range: Range): AsyncIterable<[Uint8Array, Uint8Array]> {
    return scan(this.#database, range)
  }

  /** One after the other into a batch of the library's: an array of operations costs it seven times as much. */
  async write(ops: readonly Op[]): Promise<void> {
    if (ops.length === 0) return
    const batch = this.#database.batch()
    const pause = takingTurns('block')
    for (const [index, op] of ops.entries()) {
      if (index % LOOK === 0) await pause()
      if (op.type === 'put') batch.put(op.key, op.value)
      else batch.del(op.key)
    }
    await batch.write(this.#writing)
  }

  snapshot(): Reader & { close(): Promise<void> } {
    const database = this.#database
    const snapshot = database.snapshot()
    return {
      get: (key) => plain(database.getSync(key, { snapshot })),
      scan: (range) => scan(database, range, snapshot),
      close: () => snapshot.close(),
    }
  }

  close(): Promise<void> {
    this.log.close()
    return this.#database.close()
  }
}

/** LevelDB hands out Buffers, whose views take three times as long to make as those of plain bytes. */
const plain = (row: Uint8Array | undefined): Uint8Array | undefined =>
  row && new Uint8Array(row.buffer, row.byteOffset, row.length)

function scan(database: Database, range: Range, snapshot?: Snapshot): AsyncIterable<[Uint8Array, Uint8Array]> {
  const { gte, lt, reverse = false, limit = -1 } = range
  return database.iterator({ gte, lt, reverse, limit, ...(snapshot && { snapshot }) })
}
