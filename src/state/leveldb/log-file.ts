// Reads LevelDB's log format, which the write-ahead log and the MANIFEST share (doc/log_format.md): blocks of 32 KB with
// fragments, each preceded by a masked CRC-32C, a length and a type. LevelDB itself silently skips damaged fragments.
import { maskedCrc32c, u32At } from './coding.ts'

const BLOCK = 32 * 1024
/** Checksum (4 bytes), length (2), type (1). */
const HEADER = 7
const FULL = 1
const FIRST = 2
const MIDDLE = 3
const LAST = 4

type Fragment = { readonly type: number; readonly payload: Uint8Array; readonly end: number }

export type LogContent = {
  /** The intact records before the first damage. */
  readonly records: readonly Uint8Array[]
  /** The offset after each of them. */
  readonly ends: readonly number[]
  /** The offset after the last of them. */
  readonly end: number
  /**
   * Whether an intact record follows after `end`: then records in the middle are lost. Otherwise the rest is a record that was
   * being written when the process ended.
   */
  readonly hasHole: boolean
  /** Whether LevelDB also treats the rest as a torn record; it refuses a MANIFEST with any other rest. */
  readonly isCutOff: boolean
}

/** Reads a log file. Never throws: any other file has no records. */
export function readLog(file: Uint8Array): LogContent {
  const records: Uint8Array[] = []
  const ends: number[] = []
  let fragments: Uint8Array[] = []
  let end = 0
  let at = 0
  for (;;) {
    const inBlock = BLOCK - (at % BLOCK)
    if (inBlock < HEADER) at += inBlock
    const fragment = fragmentAt(file, at)
    const begins = fragment?.type === FULL || fragment?.type === FIRST
    if (fragment === undefined || (begins && fragments.length > 0) || (!begins && fragments.length === 0)) break
    fragments.push(fragment.payload)
    at = fragment.end
    if (fragment.type === FIRST || fragment.type === MIDDLE) continue
    const [first = fragment.payload] = fragments
    records.push(fragments.length === 1 ? first : Buffer.concat(fragments))
    fragments = []
    end = at
    ends.push(end)
  }
  return { records, ends, end, hasHole: beginsRecord(file, at), isCutOff: isCutOff(file, at) }
}

/** The fragment at `at` if it is intact. */
function fragmentAt(file: Uint8Array, at: number): Fragment | undefined {
  const type = file[at + 6] ?? 0
  const end = at + HEADER + ((file[at + 4] ?? 0) | ((file[at + 5] ?? 0) << 8))
  if (type < FULL || type > LAST || end > file.length || (at % BLOCK) + end - at > BLOCK) return undefined
  if (maskedCrc32c(file.subarray(at + 6, end)) !== u32At(file, at)) return undefined
  return { type, payload: file.subarray(at + HEADER, end), end }
}

/** Whether the rest is empty, a part of a header, a fragment beyond the end of the file, or zeros. */
function isCutOff(file: Uint8Array, at: number): boolean {
  if (at + HEADER > file.length) return true
  const length = (file[at + 4] ?? 0) | ((file[at + 5] ?? 0) << 8)
  const isLastBlock = at - (at % BLOCK) + BLOCK >= file.length
  return (isLastBlock && at + HEADER + length > file.length) || (length === 0 && file[at + 6] === 0)
}

/** Whether an intact record begins at `from` or later. Every offset is tried, because a length may be damaged. */
function beginsRecord(file: Uint8Array, from: number): boolean {
  for (let at = from; at + HEADER <= file.length; at++) {
    const type = file[at + 6]
    if ((type === FULL || type === FIRST) && fragmentAt(file, at) !== undefined) return true
  }
  return false
}
