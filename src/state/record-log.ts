// An append-only file of records next to the database. An appended record is in the operating system's cache: it survives `kill
// -9` at once, and a power cut once the system has written it to disk. Each record has a frame with a magic number, so that the
// reader finds the next record after a damaged one and damage costs no other records. Records are not empty.
import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { diskError } from './disk-errors.ts'
import type { RecordLog, RecoveredRecords } from './types.ts'

/** The first bytes of every frame. UTF-8 text never has 0xff, so records of text do not contain it. */
const MAGIC = Buffer.of(0xff, 0xfe, 0x4b, 0x4a)
/** Length of a frame's head: magic number, length (4 bytes) and CRC-32 (4 bytes) of the record, big-endian. */
const HEAD = MAGIC.length + 8

/** Opens or creates the log in a file. Throws ChainError `disk-failure` when the file cannot be used. */
export function openRecordLog(path: string): RecordLog {
  return new FileLog(path)
}

/** A log in memory. */
export function memoryRecordLog(): RecordLog {
  let records: Uint8Array[] = []
  let size = 0
  return {
    get size() {
      return size
    },
    read: () => ({ records, damaged: [] }),
    append(more) {
      records.push(...more)
      for (const record of more) size += HEAD + record.length
    },
    replace(by) {
      records = [...by]
      size = by.reduce((sum, record) => sum + HEAD + record.length, 0)
    },
    close: () => undefined,
  }
}

class FileLog implements RecordLog {
  readonly #path: string
  #file: number
  /** Length of the file, if it has only intact records; undefined until it has been read. */
  #size: number | undefined

  constructor(path: string) {
    this.#path = path
    this.#file = attempt(() => openSync(path, 'a+'))
  }

  get size(): number {
    if (this.#size === undefined) this.read()
    return this.#size ?? 0
  }

  read(): RecoveredRecords {
    const bytes = attempt(() => readFileSync(this.#path))
    const found = unframed(bytes)
    const [first] = found.damaged
    if (first === undefined) this.#size = bytes.length
    // A process that ended during a write leaves a torn tail. Truncating works even on a full disk.
    else if (first.at + first.length === bytes.length) this.#cut(first.at)
    else this.replace(found.records)
    return found
  }

  append(records: readonly Uint8Array[]): void {
    const { size } = this
    const bytes = framed(records)
    try {
      writeAll(this.#file, bytes)
    } catch (error) {
      this.#cut(size)
      throw diskError(error)
    }
    this.#size = size + bytes.length
  }

  replace(records: readonly Uint8Array[]): void {
    if (records.length === 0) {
      this.#cut(0)
      return
    }
    const bytes = framed(records)
    attempt(() => {
      const fresh = openSync(`${this.#path}.new`, 'w')
      try {
        writeAll(fresh, bytes)
      } finally {
        closeSync(fresh)
      }
      renameSync(`${this.#path}.new`, this.#path)
      closeSync(this.#file)
      this.#file = openSync(this.#path, 'a+')
    })
    this.#size = bytes.length
  }

  close(): void {
    closeSync(this.#file)
  }

  #cut(size: number): void {
    attempt(() => ftruncateSync(this.#file, size))
    this.#size = size
  }
}

function framed(records: readonly Uint8Array[]): Buffer {
  const out = Buffer.allocUnsafe(records.reduce((sum, { length }) => sum + HEAD + length, 0))
  let at = 0
  for (const record of records) {
    out.set(MAGIC, at)
    out.writeUInt32BE(record.length, at + 4)
    out.writeUInt32BE(crc32(record), at + 8)
    out.set(record, at + HEAD)
    at += HEAD + record.length
  }
  return out
}

/** The intact records of a file, and the damaged ranges between them. */
function unframed(bytes: Buffer): RecoveredRecords {
  const records: Uint8Array[] = []
  const damaged: { at: number; length: number }[] = []
  for (let at = 0; at < bytes.length; ) {
    const record = recordAt(bytes, at)
    if (record !== undefined) {
      records.push(record)
      at += HEAD + record.length
      continue
    }
    const next = nextRecord(bytes, at + 1)
    damaged.push({ at, length: next - at })
    at = next
  }
  return { records, damaged }
}

/** The record whose frame begins at `at`; undefined when there is no intact frame. */
function recordAt(bytes: Buffer, at: number): Uint8Array | undefined {
  if (at + HEAD > bytes.length || bytes.compare(MAGIC, 0, MAGIC.length, at, at + MAGIC.length) !== 0) return undefined
  const length = bytes.readUInt32BE(at + 4)
  const end = at + HEAD + length
  if (length === 0 || end > bytes.length) return undefined
  const record = new Uint8Array(bytes.subarray(at + HEAD, end))
  return crc32(record) === bytes.readUInt32BE(at + 8) ? record : undefined
}

/** The start of the next intact frame; the end of the file when there is none. */
function nextRecord(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MAGIC, from); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (recordAt(bytes, at) !== undefined) return at
  }
  return bytes.length
}

/** Repeats the call, because a nearly full disk accepts only a part. */
function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

function attempt<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw diskError(error)
  }
}
