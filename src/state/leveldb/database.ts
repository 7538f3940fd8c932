// Checks the files of a closed LevelDB database by their checksums. LevelDB itself silently skips a damaged record of its log and
// returns rows of a damaged table as they are. Files that the MANIFEST does not name are ignored, as LevelDB ignores them.
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CorruptFile, u32At, u64At } from './coding.ts'
import { readLog } from './log-file.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { checkTable, endsAsTable, FOOTER } from './table-file.ts'

/** Damage of one file; `file` is relative to the database's folder, `what` completes the sentence `<file>: …`. */
export type Damage = { readonly file: string; readonly what: string }

export type Table = { readonly number: number; readonly size: number }

export type LogFile = {
  readonly file: string
  /** Length of the intact part. */
  readonly end: number
  readonly damage: Damage | undefined
}

export type Survey = {
  /** Damage of all files but the tables, which take longer to read. */
  readonly damages: readonly Damage[]
  /** Sequence number of the last change that the files hold; undefined when the MANIFEST cannot be read. */
  readonly held: number | undefined
  /** As `held`, or the number from which LevelDB will continue when failed writes have used up numbers. */
  readonly sequence: number | undefined
  /** Newest first. */
  readonly tables: readonly Table[]
  /** Whether the process ended while LevelDB was writing a table. */
  readonly hasUnfinishedTable: boolean
  /** The logs with changes that are in no table yet, oldest first. */
  readonly logs: readonly LogFile[]
}

/** The damage of a missing file. */
export const MISSING = 'is missing'
type Bounds = Manifest['firstInLogs']
/** Head of each log record: sequence number of its first change (8 bytes), number of changes (4) (LevelDB's write_batch.cc). */
const BATCH_HEADER = 12

/** Reads CURRENT, the MANIFEST and the logs. Throws the file system's errors. */
export function surveyDatabase(folder: string): Survey {
  const manifest = currentManifest(folder)
  if ('what' in manifest)
    return {
      damages: [manifest],
      held: undefined,
      sequence: undefined,
      tables: [],
      hasUnfinishedTable: false,
      logs: [],
    }
  return withLogs(folder, manifest)
}

/** Tables of a database that may be open, newest first; damage also while the MANIFEST is being replaced. Throws the file system's errors. */
export function currentTables(folder: string): Table[] | Damage {
  const manifest = currentManifest(folder)
  return 'what' in manifest ? manifest : tablesOf(manifest)
}

function currentManifest(folder: string): Manifest | Damage {
  if (!existsSync(join(folder, 'CURRENT'))) return { file: 'CURRENT', what: MISSING }
  const current = readFileSync(join(folder, 'CURRENT'), 'latin1')
  if (!/^MANIFEST-\d+\n$/.test(current)) return { file: 'CURRENT', what: 'names no MANIFEST' }
  const file = current.trimEnd()
  if (!existsSync(join(folder, file))) return { file, what: MISSING }
  const { records, end, hasHole, isCutOff } = readLog(readFileSync(join(folder, file)))
  if (hasHole || !isCutOff) return { file, what: `is damaged at byte ${end}` }
  try {
    return readManifest(records)
  } catch (error) {
    return { file, what: textOf(error) }
  }
}

const tablesOf = ({ tables }: Manifest): Table[] =>
  [...tables].map(([number, size]) => ({ number, size })).sort((a, b) => b.number - a.number)

/**
 * Whether a table was being written when the process ended: its file is incomplete and no MANIFEST names it. A crash leaves
 * such a file, and so does LevelDB when it ends the process because the tables it merges are not in order.
 */
function hasUnfinishedTable(folder: string, { tables }: Manifest): boolean {
  return readdirSync(folder).some((file) => {
    const number = Number(/^(\d+)\.(?:ldb|sst)$/.exec(file)?.[1] ?? Number.NaN)
    return !Number.isNaN(number) && !tables.has(number) && !endsAsTable(readEnd(join(folder, file)))
  })
}

function readEnd(path: string): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const end = new Uint8Array(FOOTER)
    const read = readSync(file, end, 0, FOOTER, Math.max(0, fstatSync(file).size - FOOTER))
    return end.subarray(0, read)
  } finally {
    closeSync(file)
  }
}

function withLogs(folder: string, manifest: Manifest): Survey {
  const { logNumber, lastSequence, firstInLogs } = manifest
  const logs: LogFile[] = []
  // The next record begins within these bounds; they are equal from the first record on.
  let next = firstInLogs
  const numbers = readdirSync(folder).flatMap((file) => Number(/^(\d+)\.log$/.exec(file)?.[1] ?? []))
  const live = new Set(numbers.filter((number) => number >= logNumber))
  // LevelDB creates a log before the MANIFEST names it, and deletes it after the MANIFEST names the next: it must exist.
  if (logNumber > 0) live.add(logNumber)
  for (const number of [...live].sort((a, b) => a - b)) {
    const file = logName(number)
    if (!existsSync(join(folder, file))) {
      logs.push({ file, end: 0, damage: { file, what: MISSING } })
      continue
    }
    const { log, next: after } = readWriteAheadLog(file, readFileSync(join(folder, file)), next)
    logs.push(log)
    next = after
  }
  const held = next.most - 1
  return {
    damages: logs.flatMap(({ damage }) => damage ?? []),
    held,
    sequence: Math.max(lastSequence, held),
    tables: tablesOf(manifest),
    hasUnfinishedTable: hasUnfinishedTable(folder, manifest),
    logs,
  }
}

/**
 * Reads the intact consecutive records of a log. LevelDB numbers changes consecutively over all logs, so a record with a later
 * number means that records are lost, and one with an earlier number that files of two databases, or of two times, are mixed.
 * Failed writes use up numbers too, but the store is reopened after one, which begins a new MANIFEST.
 */
function readWriteAheadLog(file: string, content: Uint8Array, first: Bounds): { log: LogFile; next: Bounds } {
  const { records, ends, end, hasHole } = readLog(content)
  let next = first
  let at = 0
  for (const [index, record] of records.entries()) {
    const sequence = u64At(record, 0)
    if (record.length < BATCH_HEADER || sequence < next.least || sequence > next.most)
      return { log: { file, end: at, damage: { file, what: notContinued(at, sequence, next) } }, next }
    const after = sequence + u32At(record, 8)
    next = { least: after, most: after }
    at = ends[index] ?? end
  }
  return { log: { file, end, damage: hasHole ? { file, what: damagedAt(end) } : undefined }, next }
}

function notContinued(at: number, sequence: number, { least, most }: Bounds): string {
  if (sequence > most)
    return `${sequence - most} changes are missing before byte ${at}, or it is a copy of a running node`
  return `the change at byte ${at} has number ${sequence}, which is before ${least}: it belongs to another copy`
}

/** Reads a table and checks it as `damageIn` does. Throws the file system's errors, except for a missing file. */
export function damageOfTable(folder: string, table: Table, checks = { order: false }): Damage | undefined {
  const file = nameOfTable(folder, table.number)
  const path = join(folder, file)
  return existsSync(path) ? damageIn(file, readFileSync(path), table, checks) : { file, what: MISSING }
}

/** Verifies the size of a table and all its checksums, with `order` also the order of its keys. */
export function damageIn(
  file: string,
  content: Uint8Array,
  { size }: Table,
  checks = { order: false },
): Damage | undefined {
  if (content.length !== size) return { file, what: `has ${content.length} bytes and was written with ${size}` }
  try {
    checkTable(content, checks)
    return undefined
  } catch (error) {
    return { file, what: textOf(error) }
  }
}

/**
 * Truncates the logs at the first damage, which LevelDB would skip: later changes depend on the lost ones. Returns the
 * truncated files.
 */
export function cutLogs(folder: string, { logs }: Survey): string[] {
  const first = logs.findIndex(({ damage }) => damage !== undefined)
  if (first < 0) return []
  return logs.slice(first).map(({ file, end }, index) => {
    const path = join(folder, file)
    if (existsSync(path)) truncateSync(path, index === 0 ? end : 0)
    else writeFileSync(path, '')
    return file
  })
}

const damagedAt = (end: number): string => `is damaged at byte ${end}, and what comes behind it is whole`

const logName = (number: number): string => `${String(number).padStart(6, '0')}.log`

/** Old versions of LevelDB use the extension `.sst`. */
export function nameOfTable(folder: string, number: number): string {
  const digits = String(number).padStart(6, '0')
  return existsSync(join(folder, `${digits}.sst`)) ? `${digits}.sst` : `${digits}.ldb`
}

function textOf(error: unknown): string {
  if (error instanceof CorruptFile) return error.message
  throw error
}
