// Records one behind the other in a file beside the database. What has been appended is with the operating system: it
// survives `kill -9` at once, and a power cut when the file comes to the disk. One that was being written when the process
// ended, or that the disk has mangled, ends the log: it and what follows it were never acknowledged or are gone. No record
// is empty.
import { closeSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { ChainError } from '../lib/errors.ts'
import type { RecordLog } from './types.ts'

/** Length and checksum of a record, big-endian. */
const HEAD = 8

/** Opens, or makes, the log in a file. Throws ChainError `storage` when the file cannot be used. */
export function openRecordLog(path: string): RecordLog {
  return new FileLog(path)
}

/** One that lives and dies with the process. */
export function memoryRecordLog(): RecordLog {
  let records: Uint8Array[] = []
  let size = 0
  return {
    get size() {
      return size
    },
    read: () => records,
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
  /** Bytes of whole records; the file is as long. Not known before it has been read. */
  #size: number | undefined

  constructor(path: string) {
    this.#path = path
    this.#file = attempt(() => openSync(path, 'a+'))
  }

  get size(): number {
    if (this.#size === undefined) this.read()
    return this.#size ?? 0
  }

  read(): Uint8Array[] {
    const bytes = attempt(() => readFileSync(this.#path))
    const records: Uint8Array[] = []
    let at = 0
    while (at + HEAD <= bytes.length) {
      const length = bytes.readUInt32BE(at)
      const end = at + HEAD + length
      // Zeros are what a disk shows that was promised bytes and never got them.
      if (length === 0 || end > bytes.length) break
      const record = new Uint8Array(bytes.subarray(at + HEAD, end))
      if (crc32(record) !== bytes.readUInt32BE(at + 4)) break
      records.push(record)
      at = end
    }
    // What is appended from now on must be found behind the last whole record.
    this.#cut(at)
    return records
  }

  append(records: readonly Uint8Array[]): void {
    const { size } = this
    const bytes = framed(records)
    try {
      writeAll(this.#file, bytes)
    } catch (error) {
      this.#cut(size)
      throw failure(error)
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
    out.writeUInt32BE(record.length, at)
    out.writeUInt32BE(crc32(record), at + 4)
    out.set(record, at + HEAD)
    at += HEAD + record.length
  }
  return out
}

/** A disk that is nearly full takes a part. */
function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

function attempt<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw failure(error)
  }
}

const failure = (error: unknown): ChainError =>
  new ChainError('storage', `cannot write the journal: ${error instanceof Error ? error.message : String(error)}`)
