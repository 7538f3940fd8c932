// The MANIFEST: a log of edits that determine which files a database consists of (LevelDB's version_edit.cc).
import { ByteReader, CorruptFile } from './coding.ts'

/** The result of all edits. Files are identified by their numbers. */
export type Manifest = {
  /** The oldest write-ahead log that is not in tables yet; 0 in a database that was never completely opened. */
  readonly logNumber: number
  /** Sequence number of the last change when the newest edit was written. Later changes are in the logs only. */
  readonly lastSequence: number
  /**
   * Inclusive bounds of the sequence number of the first change in the logs. Opening begins an empty log, so the bounds are
   * then equal. A log that is in use later was begun during the flush of the previous one.
   */
  readonly firstInLogs: { readonly least: number; readonly most: number }
  /** Size in bytes by table. */
  readonly tables: Map<number, number>
}

const TAG = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const

/** The result of the edits so far. */
type Edited = { -readonly [Field in keyof Manifest]: Manifest[Field] | undefined } & { tables: Map<number, number> }

/** An edit that names another log is written when all changes before that log's first one are in tables. */
function setLog(edited: Edited, logNumber: number, lastSequence: number): void {
  if (logNumber === edited.logNumber) return
  const most = lastSequence + 1
  edited.firstInLogs = { least: edited.firstInLogs?.least ?? most, most }
  edited.logNumber = logNumber
}

/** Throws `CorruptFile` for a record that is no edit, and when required fields are missing after all edits. */
export function readManifest(records: readonly Uint8Array[]): Manifest {
  const edited: Edited = { logNumber: undefined, lastSequence: undefined, firstInLogs: undefined, tables: new Map() }
  for (const record of records) apply(edited, new ByteReader(record))
  const { logNumber, lastSequence, firstInLogs, tables } = edited
  if (logNumber === undefined || lastSequence === undefined || firstInLogs === undefined)
    throw new CorruptFile('is cut off')
  return { logNumber, lastSequence, firstInLogs, tables }
}

function apply(edited: Edited, edit: ByteReader): void {
  // An edit's deletions apply before its additions, in whatever order they are written.
  const added: [number, number][] = []
  let logNumber: number | undefined
  while (!edit.isAtEnd) {
    const tag = edit.varint()
    if (tag === TAG.comparator) edit.string()
    else if (tag === TAG.logNumber) logNumber = edit.varint()
    else if (tag === TAG.lastSequence) edited.lastSequence = edit.varint()
    else if (tag === TAG.nextFile || tag === TAG.previousLog) edit.varint()
    else if (tag === TAG.compactPointer) {
      edit.varint()
      edit.string()
    } else if (tag === TAG.deletedFile) {
      edit.varint()
      edited.tables.delete(edit.varint())
    } else if (tag === TAG.newFile) {
      edit.varint()
      added.push([edit.varint(), edit.varint()])
      edit.string()
      edit.string()
    } else throw new CorruptFile(`has an edit with a field of unknown kind ${tag}`)
  }
  if (logNumber !== undefined && edited.lastSequence !== undefined) setLog(edited, logNumber, edited.lastSequence)
  for (const [number, size] of added) edited.tables.set(number, size)
}
