// What the disk has said it holds: a file beside the database that is written after each synced batch, and read before the
// next opening. A database that ends before it has lost something. The file is not synced: after a power cut it may say
// less than the database holds, and never more.
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { equalBytes } from '../lib/hex.ts'
import { KEY } from './keyspace.ts'
import type { Op } from './types.ts'

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
export class Acknowledged {
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
  landed(ops: readonly Op[]): void {
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
