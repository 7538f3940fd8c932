// Checks the files of a closed LevelDB database by their checksums. LevelDB itself silently skips a damaged record of its log and
// returns rows of a damaged table as they are. Files that the MANIFEST does not name are ignored, as LevelDB ignores them.
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CorruptFile, u32At, u64At } from './coding.ts'
import { readLog } from './log-file.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { checkTable } from './table-file.ts'

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
  /** Sequence number of the last change; undefined when the MANIFEST cannot be read. */
  readonly sequence: number | undefined
  /** Newest first. */
  readonly tables: readonly Table[]
  /** The logs with changes that are in no table yet, oldest first. */
  readonly logs: readonly LogFile[]
}

/** The damage of a missing file. */
export const MISSING = 'is missing'
/** Head of each log record: sequence number of its first change (8 bytes), number of changes (4) (LevelDB's write_batch.cc). */
const BATCH_HEADER = 12

/** Reads CURRENT, the MANIFEST and the logs. Throws the file system's errors. */
export function surveyDatabase(folder: string): Survey {
  if (!existsSync(join(folder, 'CURRENT'))) return unreadable({ file: 'CURRENT', what: MISSING })
  const current = readFileSync(join(folder, 'CURRENT'), 'latin1')
  if (!/^MANIFEST-\d+\n$/.test(current)) return unreadable({ file: 'CURRENT', what: 'names no MANIFEST' })
  const name = current.trimEnd()
  if (!existsSync(join(folder, name))) return unreadable({ file: name, what: MISSING })
  const { records, end, hasHole, isCutOff } = readLog(readFileSync(join(folder, name)))
  if (hasHole || !isCutOff) return unreadable({ file: name, what: `is damaged at byte ${end}` })
  let manifest: Manifest
  try {
    manifest = readManifest(records)
  } catch (error) {
    return unreadable({ file: name, what: textOf(error) })
  }
  return withLogs(folder, manifest)
}

const unreadable = (damage: Damage): Survey => ({ damages: [damage], sequence: undefined, tables: [], logs: [] })

function withLogs(folder: string, { logNumber, lastSequence, tables }: Manifest): Survey {
  const logs: LogFile[] = []
  let sequence = lastSequence
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
    const { records, end, hasHole } = readLog(readFileSync(join(folder, file)))
    for (const record of records) {
      if (record.length >= BATCH_HEADER) sequence = Math.max(sequence, u64At(record, 0) + u32At(record, 8) - 1)
    }
    logs.push({ file, end, damage: hasHole ? { file, what: damagedAt(end) } : undefined })
  }
  return {
    damages: logs.flatMap(({ damage }) => damage ?? []),
    sequence,
    tables: [...tables].map(([number, size]) => ({ number, size })).sort((a, b) => b.number - a.number),
    logs,
  }
}

/** Reads a table and verifies all its checksums. Throws the file system's errors, except for a missing file. */
export function damageOfTable(folder: string, { number, size }: Table): Damage | undefined {
  const file = tableName(folder, number)
  const path = join(folder, file)
  if (!existsSync(path)) return { file, what: MISSING }
  const found = statSync(path).size
  if (found !== size) return { file, what: `has ${found} bytes and was written with ${size}` }
  try {
    checkTable(readFileSync(path))
    return undefined
  } catch (error) {
    return { file, what: textOf(error) }
  }
}

/**
 * Truncates the logs at the first damage, which LevelDB would skip: later changes build on the lost ones. Returns the files
 * that were cut.
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
function tableName(folder: string, number: number): string {
  const digits = String(number).padStart(6, '0')
  return existsSync(join(folder, `${digits}.sst`)) ? `${digits}.sst` : `${digits}.ldb`
}

function textOf(error: unknown): string {
  if (error instanceof CorruptFile) return error.message
  throw error
}
