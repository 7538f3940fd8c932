// Checksums of single rows. LevelDB verifies none when it reads a row or merges tables, and the check of the files
// (`disk-check.ts`) misses later damage, so each row of a database on disk ends with its own. The store adds it on writes and
// removes it on reads; no other room sees it. It cannot detect a missing row: missing state rows change the state root of the
// next block that needs their trie nodes, and `kestrel check` finds all of them.
import { crc32 } from 'node:zlib'
import { scratchBytes } from '../lib/byte-pool.ts'
import { ReadFailure } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { hadChecksum, nameOfRow } from './keyspace.ts'

/** How a database stores the values of its rows. */
export type RowFormat = {
  /** The bytes that are stored for a value. */
  encode(key: Uint8Array, value: Uint8Array): Uint8Array
  /** The value that the stored bytes hold. Throws ReadFailure when they are damaged. */
  decode(key: Uint8Array, stored: Uint8Array): Uint8Array
}

const CHECKSUM = 4

/** No checksums: rows in memory, and temporary ones. */
export const PLAIN_ROWS: RowFormat = { encode: (_, value) => value, decode: (_, stored) => plain(stored) }

/** Every row ends with a CRC-32 (IEEE 802.3, 4 bytes, big-endian) of its key and its value. */
export const CHECKED_ROWS: RowFormat = {
  encode: (key, value) => append(value, crcOf(key, value, value.length)),
  decode(key, stored) {
    if (!isChecked(key, stored)) throw damagedRow(nameOfRow(key))
    return withoutChecksum(stored)
  },
}

/** Databases from before 2026-11: rows of some kinds end with a CRC-32 of their value. */
export const FORMER_ROWS: RowFormat = {
  encode: (key, value) => (hadChecksum(key) ? append(value, crc32(value)) : value),
  decode(key, stored) {
    if (!hadChecksum(key)) return plain(stored)
    const end = stored.length - CHECKSUM
    if (end < 0 || crc32(stored.subarray(0, end)) !== checksumAt(stored, end)) throw damagedRow(nameOfRow(key))
    return withoutChecksum(stored)
  },
}

/** Whether the bytes end with the checksum of the key and the value, as `CHECKED_ROWS` writes it. */
export function isChecked(key: Uint8Array, stored: Uint8Array): boolean {
  const end = stored.length - CHECKSUM
  return end >= 0 && crcOf(key, stored, end) === checksumAt(stored, end)
}

function append(value: Uint8Array, checksum: number): Uint8Array {
  const end = value.length
  const stored = scratchBytes(end + CHECKSUM)
  stored.set(value)
  stored[end] = checksum >>> 24
  stored[end + 1] = checksum >>> 16
  stored[end + 2] = checksum >>> 8
  stored[end + 3] = checksum
  return stored
}

const checksumAt = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0

/** LevelDB returns Buffers, whose `subarray` takes three times as long as that of a Uint8Array. */
const plain = (stored: Uint8Array): Uint8Array => new Uint8Array(stored.buffer, stored.byteOffset, stored.length)

const withoutChecksum = (stored: Uint8Array): Uint8Array =>
  new Uint8Array(stored.buffer, stored.byteOffset, stored.length - CHECKSUM)

/** Bytes from which zlib (110 ns per call) is faster than JavaScript (60 ns for 40 bytes, 180 for 200). */
const SHORT = 160

/** CRC-32 of the key, followed by the value, which ends at `end`. */
function crcOf(key: Uint8Array, value: Uint8Array, end: number): number {
  const ofKey = ~crcOfShort(~0, key, key.length) >>> 0
  return end < SHORT ? ~crcOfShort(~ofKey, value, end) >>> 0 : crc32(value.subarray(0, end), ofKey)
}

/** Tables for four bytes at a time (slicing-by-4; Kounavis and Berry, 2005): entry i of table n is the CRC of byte i and n zeros. */
const [T0, T1, T2, T3] = makeTables()

function makeTables(): [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    return crc
  })
  const next = (table: Int32Array) => table.map((crc) => (crc >>> 8) ^ (first[crc & 0xff] ?? 0))
  const second = next(first)
  const third = next(second)
  return [first, second, third, next(third)]
}

/** The CRC register after the bytes up to `end`; `register`: the one before them. */
function crcOfShort(register: number, bytes: Uint8Array, end: number): number {
  let crc = register
  let at = 0
  for (const last = end - 3; at < last; at += 4) {
    crc ^= (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
    crc = (T3[crc & 0xff] ?? 0) ^ (T2[(crc >>> 8) & 0xff] ?? 0) ^ (T1[(crc >>> 16) & 0xff] ?? 0) ^ (T0[crc >>> 24] ?? 0)
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ (T0[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  return crc
}

/** The code; its hash serves as the checksum. Throws ReadFailure. */
export function verifyCode(code: Uint8Array, hash: Hash): Uint8Array {
  if (keccakHash(code) !== hash) throw damagedRow(`the code ${hash}`)
  return code
}

/** The error for a row that differs from what was written; `what` names the row. */
export const damagedRow = (what: string): ReadFailure =>
  new ReadFailure(`${what} is damaged on disk: run \`kestrel check\``)
