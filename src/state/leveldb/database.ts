// The files of a LevelDB database, judged by their own checksums, before LevelDB opens them: it drops a broken record of its
// log without a word, and hands out rows of a broken table as they are. Files that the MANIFEST does not name are none of it.
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CorruptFile, u32At, u64At } from './coding.ts'
import { readLog } from './log-file.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { checkTable } from './table-file.ts'

/** What is wrong with one file, named relative to the database's folder. */
export type Damage = { readonly file: string; readonly what: string }

export type Table = { readonly number: number; readonly size: number }

export type Log = {
  readonly file: string
  /** Up to here it is whole. */
  readonly end: number
  readonly damage: Damage | undefined
}

export type Survey = {
  /** Of everything but the tables, which take longer to read. */
  readonly damages: readonly Damage[]
  /** Number of the last change that opening would find; undefined without a MANIFEST that can be read. */
  readonly sequence: number | undefined
  /** Newest first. */
  readonly tables: readonly Table[]
  /** Those whose changes are in no table yet, oldest first. */
  readonly logs: readonly Log[]
}

/** Of a file that is not there. */
export const MISSING = 'is missing'
/** Sequence of the first change (8 bytes) and their count (4) begin each record of a log (LevelDB's write_batch.cc). */
const BATCH_HEADER = 12

/** Reads CURRENT, the MANIFEST and the logs. Throws what the file system throws. */
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
    return unreadable({ file: name, what: wordsOf(error) })
  }
  return withLogs(folder, manifest)
}

const unreadable = (damage: Damage): Survey => ({ damages: [damage], sequence: undefined, tables: [], logs: [] })

function withLogs(folder: string, { logNumber, lastSequence, tables }: Manifest): Survey {
  const logs: Log[] = []
  let sequence = lastSequence
  const numbers = readdirSync(folder).flatMap((file) => Number(/^(\d+)\.log$/.exec(file)?.[1] ?? []))
  const live = new Set(numbers.filter((number) => number >= logNumber))
  // The log that the MANIFEST names was made before the name was written, and goes only after the next one is named.
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

/** Reads a table and compares all its checksums. Throws what the file system throws, but for a file that is not there. */
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
    return { file, what: wordsOf(error) }
  }
}

/**
 * Takes the logs back to the last change before the first damage, which LevelDB would step over: what comes behind it was
 * made on top of what is lost. Returns the files that were cut.
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

/** Old versions of LevelDB called them `.sst`. */
function tableName(folder: string, number: number): string {
  const digits = String(number).padStart(6, '0')
  return existsSync(join(folder, `${digits}.sst`)) ? `${digits}.sst` : `${digits}.ldb`
}

function wordsOf(error: unknown): string {
  if (error instanceof CorruptFile) return error.message
  throw error
}
