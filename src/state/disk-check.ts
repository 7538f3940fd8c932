// Checks a database's files before LevelDB opens them, because LevelDB silently skips damaged records. It compares the
// checksums in the files, newest tables first for up to 200 ms and the rest while the node runs; and the number of changes with
// the file `acknowledged`, which has the number of synced changes. What a power cut left of later changes is cut off here, and
// repairs for operators are here, too.
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ChainError } from '../lib/errors.ts'
import { makeFolder } from '../lib/folder.ts'
import { equalBytes } from '../lib/hex.ts'
import { KEY } from './keyspace.ts'
import {
  cutLogs,
  type Damage,
  damageOfTable,
  MISSING,
  nameOfTable,
  type Survey,
  surveyDatabase,
  type Table,
} from './leveldb/database.ts'
import type { WriteOp } from './types.ts'

/** What an operator can do about damage: the end of an error message. */
export const RESTORE =
  'restore a copy of the data directory, import an export into a new one, or `kestrel resync` the node of a network'

/** The file that counts acknowledged changes, in the database's folder. */
const ACKNOWLEDGED = 'acknowledged'
/** Milliseconds for reading tables before opening: enough for 200 MB in the system's page cache. */
const READING_TIME = 200

/** Tables that this process has checked, by path and size. A table never changes after it was written. */
const read = new Set<string>()
const nameOf = (folder: string, { number, size }: Table): string => `${join(folder, String(number))}:${size}`

/** A database whose logs and newest tables are intact. */
export type CheckedDatabase = {
  readonly acknowledged: AcknowledgedWrites
  /** Whether the file `acknowledged` could be read; without it, lost changes cannot be detected. */
  readonly isKnown: boolean
  /** Tables that have not been checked yet. */
  readonly unread: readonly Table[]
}

/** The result for a folder without a database. */
export const newDatabase = (folder: string): CheckedDatabase => ({
  acknowledged: new AcknowledgedWrites(join(folder, ACKNOWLEDGED), 0, undefined),
  isKnown: true,
  unread: [],
})

/**
 * Throws ChainError `storage` for a database with damaged files, or without some of its acknowledged changes. Reads tables for
 * `readingTime` milliseconds. If the process ended while LevelDB was writing a table, it reads all of them and checks the order
 * of their keys, after a line to `warn`, because LevelDB ends the process when it finds keys out of order.
 */
export function requireIntact(
  folder: string,
  readingTime = READING_TIME,
  warn: (line: string) => void = () => undefined,
): CheckedDatabase {
  const survey = surveyDatabase(folder)
  const before = readAcknowledged(join(folder, ACKNOWLEDGED))
  const [first, second] = damagesOf(survey, before)
  if (first !== undefined) throw refusal(folder, first, second !== undefined)
  const { tables, hasUnfinishedTable: order } = survey
  if (order) warn(`the process ended while LevelDB wrote a table; all of them are checked first (${sizeOf(tables)} MB)`)
  const unread = readTables(folder, tables, order ? Number.POSITIVE_INFINITY : readingTime, order)
  const acknowledged = new AcknowledgedWrites(join(folder, ACKNOWLEDGED), survey.sequence ?? 0, before)
  return { acknowledged, isKnown: before !== undefined || survey.sequence === 0, unread }
}

/**
 * Truncates the logs where a power cut has damaged changes that were not synced, which LevelDB would skip. Returns the truncated
 * files; none if there is no such damage, or other damage too. The database must not be open.
 */
export function dropUnsynced(folder: string): string[] {
  const survey = surveyDatabase(folder)
  return isUnsynced(survey, readAcknowledged(join(folder, ACKNOWLEDGED))) ? cutLogs(folder, survey) : []
}

/** All damage in the files of a database, without what `dropUnsynced` repairs. `onTable` is called after each table. */
export function findAllDamage(folder: string, onTable: () => void): Damage[] {
  const survey = surveyDatabase(folder)
  const before = readAcknowledged(join(folder, ACKNOWLEDGED))
  const damages = isUnsynced(survey, before) ? [] : damagesOf(survey, before)
  for (const table of survey.tables) {
    const damage = damageOfTable(folder, table, { order: true })
    if (damage !== undefined) damages.push(damage)
    onTable()
  }
  return damages
}

/**
 * Lets the next opening continue with the intact part: truncates logs at their first damage and removes the file
 * `acknowledged`. Returns the truncated files. A damaged table is still refused, because it may have rows of any age.
 */
export function acceptLoss(folder: string): string[] {
  const cut = cutLogs(folder, surveyDatabase(folder))
  forgetAcknowledged(join(folder, ACKNOWLEDGED))
  return cut
}

/** Checks tables until the time is over, and returns the others. Throws as `requireIntact`. */
function readTables(folder: string, tables: readonly Table[], readingTime: number, order: boolean): Table[] {
  const end = performance.now() + readingTime
  const unread: Table[] = []
  for (const table of tables) {
    if (!order && read.has(nameOf(folder, table))) continue
    if (performance.now() > end) {
      unread.push(table)
      continue
    }
    const damage = damageOfTable(folder, table, { order })
    if (damage !== undefined) throw refusal(folder, damage, false)
    read.add(nameOf(folder, table))
  }
  return unread
}

const sizeOf = (tables: readonly Table[]): number => Math.ceil(tables.reduce((sum, { size }) => sum + size, 0) / 1e6)

/** Damage of all files but the tables, and acknowledged changes that the database does not have. */
function damagesOf({ damages, held }: Survey, before: Acknowledgement | undefined): Damage[] {
  if (held === undefined || before === undefined || before.sequence <= held) return [...damages]
  const block = /^\["(\d+)",/.exec(Buffer.from(before.head).toString())?.[1]
  const head = block === undefined ? '' : `; the head was block ${block}`
  const what = `the newest ${before.sequence - held} of ${before.sequence} changes are missing${head}`
  return [...damages, { file: '', what }]
}

/**
 * Whether all damage is in changes that were written, but not synced. The system writes pages of a file in any order, so that
 * intact records may follow a lost one. No log is missing: LevelDB syncs the folder before the MANIFEST names a log.
 */
const isUnsynced = ({ held, logs }: Survey, before: Acknowledgement | undefined): boolean =>
  held !== undefined &&
  before?.isLate === true &&
  before.sequence <= held &&
  logs.every(({ damage }) => damage?.what !== MISSING)

/** The error for a damage. */
export function refusal(folder: string, { file, what }: Damage, areMore: boolean): ChainError {
  const place = [basename(folder), ...(file === '' ? [] : [file])].join('/')
  const others = areMore ? ' (and it is not the only one)' : ''
  return new ChainError('storage', `${place}: ${what}${others}; \`kestrel check\` says all that is wrong: ${RESTORE}`)
}

// The file `acknowledged` is written after each sync and read before the next opening. It is not synced itself: after a power cut
// its number may be lower than the database's, but never higher. It is synced when it begins or ceases to say that batches are
// written before they are synced.

/**
 * `KACK`, sequence (8 bytes, big-endian), length of the head row (1), the head row and zeros, whether batches are synced late
 * (1), CRC-32 of all this (4).
 */
const SIZE = 64
const MAGIC = 0x4b41434b
const HEAD_AT = 13
const CRC_AT = SIZE - 4
const LATE_AT = CRC_AT - 1
const HEAD_KEY = KEY.meta('head')

export type Acknowledgement = {
  /** Changes of rows since the database was created, as LevelDB numbers them. */
  readonly sequence: number
  /** The chain's head row in the newest batch that had one; no bytes before the first. */
  readonly head: Uint8Array
  /** Whether the database may have later batches that were written and not synced. */
  readonly isLate: boolean
}

/** The content of the file; undefined when it is missing or invalid. */
export function readAcknowledged(path: string): Acknowledgement | undefined {
  const record = Buffer.alloc(SIZE)
  try {
    const file = openSync(path, 'r')
    try {
      if (readSync(file, record) !== SIZE) return undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
  if (record.readUInt32BE(0) !== MAGIC || record.readUInt32BE(CRC_AT) !== crc32(record.subarray(0, CRC_AT)))
    return undefined
  const head = record.subarray(HEAD_AT, HEAD_AT + record.readUInt8(HEAD_AT - 1))
  return { sequence: Number(record.readBigUInt64BE(4)), head, isLate: record.readUInt8(LATE_AT) === 1 }
}

/** Removes the file, so that the next opening does not compare. */
export function forgetAcknowledged(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** Counts the changes of an open database, and writes the file. */
export class AcknowledgedWrites {
  readonly #path: string
  readonly #record = Buffer.alloc(SIZE)
  readonly #wasLate: boolean
  #file: number | undefined
  #sequence: number

  /** `sequence`: the database's last change when it was opened. `before`: the content of the file, whose head is kept. */
  constructor(path: string, sequence: number, before: Acknowledgement | undefined) {
    this.#path = path
    this.#sequence = sequence
    this.#wasLate = before?.isLate ?? false
    this.#record.writeUInt32BE(MAGIC, 0)
    if (before !== undefined) this.#setHead(before.head)
  }

  /** Changes that have been written. */
  get sequence(): number {
    return this.#sequence
  }

  /** Says in the file, before the first batch, whether batches are synced late. Throws the file system's errors. */
  begin(isLate: boolean): void {
    this.#record.writeUInt8(isLate ? 1 : 0, LATE_AT)
    if (isLate !== this.#wasLate) fsyncSync(this.#put(this.mark()))
  }

  /**
   * Counts a batch that was written. LevelDB numbers changes consecutively. A failed batch may have used up numbers, so this
   * count may be too low, but never too high.
   */
  count(ops: readonly WriteOp[]): void {
    this.#sequence += ops.length
    const head = ops.findLast(({ key }) => equalBytes(key, HEAD_KEY))
    if (head?.type === 'put') this.#setHead(head.value)
  }

  /** The batches so far, for `write` when they are synced. */
  mark(): Uint8Array {
    this.#record.writeBigUInt64BE(BigInt(this.#sequence), 4)
    this.#record.writeUInt32BE(crc32(this.#record.subarray(0, CRC_AT)), CRC_AT)
    return Uint8Array.from(this.#record)
  }

  /** Records that the batches of a mark are synced; left out: all. */
  write(mark = this.mark()): void {
    try {
      this.#put(mark)
    } catch {
      // The batches are on disk. A count that is too low does no harm.
    }
  }

  #put(mark: Uint8Array): number {
    // Mode 'a' would ignore positions, and 'w' would empty the file first.
    this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT)
    writeSync(this.#file, mark, 0, SIZE, 0)
    return this.#file
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #setHead(head: Uint8Array): void {
    if (head.length > LATE_AT - HEAD_AT) return
    this.#record.fill(0, HEAD_AT, LATE_AT)
    this.#record.writeUInt8(head.length, HEAD_AT - 1)
    this.#record.set(head, HEAD_AT)
  }
}

/** Tables never change after they were written, so a hard link is as good as a copy. */
const TABLE = /\.(ldb|sst)$/
/** Files that name the others: copied after the logs. */
const INDEX = /^(CURRENT|MANIFEST-\d+)$/
/** Files that are not copied, because LevelDB creates them for each database. */
const OWN = /^(LOCK|LOG|LOG\.old)$/
/** Attempts to copy a database in use. One fails when LevelDB deletes or begins a file during it, at most once in 16 MB of writes. */
const ATTEMPTS = 20

/**
 * Copies a database into a new folder, so that the copy can be opened without changing the original: opening merges tables and
 * empties logs, which hides or removes damage. Deletes an existing `to`. Throws the file system's errors.
 */
export function copyDatabase(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  makeFolder(to)
  linkTables(from, to)
  // The logs before the MANIFEST: a log that is deleted in between is in tables that the later MANIFEST names.
  const files = readdirSync(from).filter((file) => !OWN.test(file) && !TABLE.test(file))
  for (const file of files.filter((name) => !INDEX.test(name)).sort()) copyFileSync(join(from, file), join(to, file))
  for (const file of files.filter((name) => INDEX.test(name))) copyFileSync(join(from, file), join(to, file))
  linkTables(from, to)
}

/**
 * As `copyDatabase`, for a database that another process may have open. The copy has the writes up to some moment during the
 * call. Throws ChainError `storage` if the copied files are inconsistent after several attempts.
 */
export function copyDatabaseInUse(from: string, to: string): void {
  let problem = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      copyDatabase(from, to)
      const { damages, tables } = surveyDatabase(to)
      const lost = tables.find(({ number, size }) => fileSize(join(to, nameOfTable(to, number))) !== size)
      const [damage] = lost === undefined ? damages : [{ file: `table ${lost.number}`, what: MISSING }]
      if (damage === undefined) {
        unlinkUnnamed(to, tables)
        return
      }
      problem = `${damage.file} ${damage.what}`
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      problem = error.message
    }
  }
  throw new ChainError('storage', `${from} cannot be copied: ${problem}; stop the node and run \`kestrel check\``)
}

/**
 * Removes tables that the MANIFEST does not name: LevelDB has begun them during the copying. When the copy is opened, it writes new
 * tables with the same numbers, and would write into the files of the original, which the links share.
 */
function unlinkUnnamed(folder: string, tables: readonly Table[]): void {
  const named = new Set(tables.map(({ number }) => nameOfTable(folder, number)))
  for (const file of readdirSync(folder)) if (TABLE.test(file) && !named.has(file)) rmSync(join(folder, file))
}

/** Size in bytes; undefined when the file does not exist. */
const fileSize = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

/** Links or copies the tables that `to` does not have yet. */
function linkTables(from: string, to: string): void {
  for (const file of readdirSync(from)) {
    const source = join(from, file)
    const target = join(to, file)
    if (TABLE.test(file) && !existsSync(target) && !isLinked(source, target)) copyFileSync(source, target)
  }
}

/** False if the file system has no hard links. */
function isLinked(source: string, target: string): boolean {
  try {
    linkSync(source, target)
    return true
  } catch {
    return false
  }
}
