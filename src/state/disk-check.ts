// Whether a database is whole, asked before LevelDB opens it and goes over what is not; and what is done when it is not.
// Newest tables are read first, for two seconds at most; the rest is read while the node runs.

import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
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
  type Survey,
  surveyDatabase,
  type Table,
} from './leveldb/database.ts'
import type { WriteOp } from './types.ts'

/** What an operator can do about damage. */
export const RESTORE = 'restore a copy of the data directory, or import an export into a new one'

/** The file of what was acknowledged, in the database's folder. */
const ACKNOWLEDGED = 'acknowledged'
/** Tables are read before the opening for so long, in milliseconds: some 2 GB that the system has in memory. */
const READING_TIME = 2_000
/** The rest is read one table (2 MB, 3 ms) after the other with pauses of so many milliseconds: 3 % of a core. */
const PAUSE = 100

/** What is told while a database is open. */
export type DamageObserver = {
  /** Told of what is unusual and does no harm. */
  warn(line: string): void
  /** A file is damaged: what is read from now on may be wrong. */
  damaged(error: ChainError): void
}

/** Tables are written once: a process reads each of them once. By path and size. */
const read = new Set<string>()
const nameOf = (folder: string, { number, size }: Table): string => `${join(folder, String(number))}:${size}`

/** A database that is as it was left, as far as it has been read. */
export type CheckedDatabase = {
  readonly acknowledged: AcknowledgedWrites
  /** False: the file is not there or cannot be read, and nothing is known of what the disk had acknowledged. */
  readonly isKnown: boolean
  /** Tables that are still to be read. */
  readonly unread: readonly Table[]
}

/** Of a folder without a database. */
export const newDatabase = (folder: string): CheckedDatabase => ({
  acknowledged: new AcknowledgedWrites(join(folder, ACKNOWLEDGED), 0, undefined),
  isKnown: true,
  unread: [],
})

/** Throws ChainError `storage` for a database with damaged files, or with less than it has acknowledged. */
export function requireIntact(folder: string, readingTime = READING_TIME): CheckedDatabase {
  const survey = surveyDatabase(folder)
  const before = readAcknowledged(join(folder, ACKNOWLEDGED))
  const [first, second] = damagesOf(survey, before)
  if (first !== undefined) throw refusal(folder, first, second !== undefined)
  const unread = readTables(folder, survey.tables, readingTime)
  const acknowledged = new AcknowledgedWrites(join(folder, ACKNOWLEDGED), survey.sequence ?? 0, before)
  return { acknowledged, isKnown: before !== undefined || survey.sequence === 0, unread }
}

/** Everything that is wrong with the files of a database. `onTable` is told of each that has been read. */
export function findAllDamage(folder: string, onTable: () => void): Damage[] {
  const survey = surveyDatabase(folder)
  const damages = damagesOf(survey, readAcknowledged(join(folder, ACKNOWLEDGED)))
  for (const table of survey.tables) {
    const damage = damageOfTable(folder, table)
    if (damage !== undefined) damages.push(damage)
    onTable()
  }
  return damages
}

/**
 * Has the next opening go on with what is there: logs end before their first damage, and what was acknowledged beyond is
 * forgotten. Returns the files that were cut. Damaged tables stay refused: their rows are from all times of the chain.
 */
export function acceptLoss(folder: string): string[] {
  const cut = cutLogs(folder, surveyDatabase(folder))
  forgetAcknowledged(join(folder, ACKNOWLEDGED))
  return cut
}

/** Reads tables that have not been read yet, one after the other. Call the function that it returns to stop it. */
export function checkInBackground(folder: string, tables: readonly Table[], watch: DamageObserver): () => void {
  let timer: NodeJS.Timeout | undefined
  const rest = tables.values()
  const step = (): void => {
    const { value: table, done } = rest.next()
    if (done) return
    const damage = damageWhileOpen(folder, table)
    if (damage !== undefined) watch.damaged(refusal(folder, damage, false))
    else timer = setTimeout(step, PAUSE).unref()
  }
  timer = setTimeout(step, PAUSE).unref()
  return () => clearTimeout(timer)
}

/** LevelDB removes tables that it has merged into others: they say nothing. */
function damageWhileOpen(folder: string, table: Table): Damage | undefined {
  try {
    const damage = damageOfTable(folder, table)
    return damage?.what === MISSING ? undefined : damage
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns those for which there was no time. */
function readTables(folder: string, tables: readonly Table[], readingTime: number): Table[] {
  const end = performance.now() + readingTime
  const unread: Table[] = []
  for (const table of tables) {
    if (read.has(nameOf(folder, table))) continue
    if (performance.now() > end) {
      unread.push(table)
      continue
    }
    const damage = damageOfTable(folder, table)
    if (damage !== undefined) throw refusal(folder, damage, false)
    read.add(nameOf(folder, table))
  }
  return unread
}

/** What is wrong with everything but the tables: with files, and that the database ends before what it has acknowledged. */
function damagesOf({ damages, sequence }: Survey, before: Acknowledgement | undefined): Damage[] {
  if (sequence === undefined || before === undefined || before.sequence <= sequence) return [...damages]
  const block = /^\["(\d+)",/.exec(Buffer.from(before.head).toString())?.[1]
  const head = block === undefined ? '' : `; the head was block ${block}`
  const what = `the newest ${before.sequence - sequence} of ${before.sequence} changes are missing${head}`
  return [...damages, { file: '', what }]
}

function refusal(folder: string, { file, what }: Damage, areMore: boolean): ChainError {
  const place = [basename(folder), ...(file === '' ? [] : [file])].join('/')
  const others = areMore ? ' (and it is not the only one)' : ''
  return new ChainError('storage', `${place}: ${what}${others}; \`kestrel check\` says all that is wrong: ${RESTORE}`)
}

/** `KACK`, sequence (8 bytes, big-endian), length of the head row (1), the head row and zeros, CRC-32 of all this (4). */
const SIZE = 64
const MAGIC = 0x4b41434b
const HEAD_AT = 13
const CRC_AT = SIZE - 4
const HEAD_KEY = KEY.meta('head')

export type Acknowledgement = {
  /** So many changes of rows, since the database began. */
  readonly sequence: number
  /** The row of the head in the newest batch that had one; no bytes before the first. */
  readonly head: Uint8Array
}

/** What the file says; undefined when there is none, or none that can be read. */
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
  return { sequence: Number(record.readBigUInt64BE(4)), head }
}

/** Removes the file: the next opening takes the database as it is. */
export function forgetAcknowledged(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

/** Counts on from what the database held when it was opened. */
export class AcknowledgedWrites {
  readonly #path: string
  readonly #record = Buffer.alloc(SIZE)
  #file: number | undefined
  #sequence: number

  /** `before`: what the file said; its head stays until a batch brings another. */
  constructor(path: string, sequence: number, before: Acknowledgement | undefined) {
    this.#path = path
    this.#sequence = sequence
    this.#record.writeUInt32BE(MAGIC, 0)
    if (before !== undefined) this.#setHead(before.head)
  }

  /**
   * A synced batch has landed. LevelDB numbers changes one by one, whatever the order in which batches land; a batch that
   * failed may have numbers too, so that this count can fall behind and never runs ahead.
   */
  landed(ops: readonly WriteOp[]): void {
    this.#sequence += ops.length
    const head = ops.findLast(({ key }) => equalBytes(key, HEAD_KEY))
    if (head?.type === 'put') this.#setHead(head.value)
    this.#record.writeBigUInt64BE(BigInt(this.#sequence), 4)
    this.#record.writeUInt32BE(crc32(this.#record.subarray(0, CRC_AT)), CRC_AT)
    try {
      // Not 'a', which ignores positions; not 'w', which would empty it first.
      this.#file ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT)
      writeSync(this.#file, this.#record, 0, SIZE, 0)
    } catch {
      // The batch is on the disk; that an older number stays here does no harm.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #setHead(head: Uint8Array): void {
    if (head.length > CRC_AT - HEAD_AT) return
    this.#record.fill(0, HEAD_AT, CRC_AT)
    this.#record.writeUInt8(head.length, HEAD_AT - 1)
    this.#record.set(head, HEAD_AT)
  }
}

/** Tables are written once and then only removed, so that a link is as good as a copy. */
const TABLE = /\.(ldb|sst)$/
/** Each database has its own. */
const OWN = /^(LOCK|LOG|LOG\.old)$/

/** Copies a database's files into a new folder; what was in that place is removed. Throws what the file system throws. */
export function copyDatabase(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  makeFolder(to)
  for (const file of readdirSync(from)) {
    const [source, target] = [join(from, file), join(to, file)]
    if (!OWN.test(file) && !(TABLE.test(file) && isLinked(source, target))) copyFileSync(source, target)
  }
}

/** Not every file system has links. */
function isLinked(source: string, target: string): boolean {
  try {
    linkSync(source, target)
    return true
  } catch {
    return false
  }
}
