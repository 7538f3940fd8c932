// Whether a database is whole, asked before LevelDB opens it and goes over what is not; and what is done when it is not.
// Newest tables are read first, for two seconds at most; the rest is read while the node runs.
import { basename, join } from 'node:path'
import { ChainError } from '../lib/errors.ts'
import { Acknowledged, type Acknowledgement, forgetAcknowledged, readAcknowledged } from './acknowledged.ts'
import {
  cutLogs,
  type Damage,
  damageOfTable,
  MISSING,
  type Survey,
  surveyDatabase,
  type Table,
} from './leveldb/database.ts'

/** What an operator can do about damage. */
export const RESTORE = 'restore a copy of the data directory, or import an export into a new one'

/** The file of what was acknowledged, in the database's folder. */
const ACKNOWLEDGED = 'acknowledged'
/** Tables are read before the opening for so long, in milliseconds: some 2 GB that the system has in memory. */
const READING_TIME = 2_000
/** The rest is read one table (2 MB, 3 ms) after the other with pauses of so many milliseconds: 3 % of a core. */
const PAUSE = 100

/** What is told while a database is open. */
export type DiskWatch = {
  /** Told of what is unusual and does no harm. */
  warn(line: string): void
  /** A file is damaged: what is read from now on may be wrong. */
  damaged(error: ChainError): void
}

/** Tables are written once: a process reads each of them once. By path and size. */
const read = new Set<string>()
const nameOf = (folder: string, { number, size }: Table): string => `${join(folder, String(number))}:${size}`

/** A database that is as it was left, as far as it has been read. */
export type Whole = {
  readonly acknowledged: Acknowledged
  /** False: the file is not there or cannot be read, and nothing is known of what the disk had acknowledged. */
  readonly isKnown: boolean
  /** Tables that are still to be read. */
  readonly unread: readonly Table[]
}

/** Of a folder without a database. */
export const newDatabase = (folder: string): Whole => ({
  acknowledged: new Acknowledged(join(folder, ACKNOWLEDGED), 0, undefined),
  isKnown: true,
  unread: [],
})

/** Throws ChainError `storage` for a database with damaged files, or with less than it has acknowledged. */
export function requireWhole(folder: string, readingTime = READING_TIME): Whole {
  const survey = surveyDatabase(folder)
  const before = readAcknowledged(join(folder, ACKNOWLEDGED))
  const [first, second] = damagesOf(survey, before)
  if (first !== undefined) throw refusal(folder, first, second !== undefined)
  const unread = readTables(folder, survey.tables, readingTime)
  const acknowledged = new Acknowledged(join(folder, ACKNOWLEDGED), survey.sequence ?? 0, before)
  return { acknowledged, isKnown: before !== undefined || survey.sequence === 0, unread }
}

/** Everything that is wrong with the files of a database. `onTable` is told of each that has been read. */
export function allDamages(folder: string, onTable: () => void): Damage[] {
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
export function readInBackground(folder: string, tables: readonly Table[], watch: DiskWatch): () => void {
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
