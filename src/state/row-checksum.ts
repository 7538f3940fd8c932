// Rows that are read rarely, long after they were written, and answered as they are: each ends with its own checksum, because
// LevelDB compares none when it reads. What files say is verified when the node starts; a disk may forget later.
import { crc32 } from 'node:zlib'
import { ReadFailure } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'

const CHECKSUM = 4

/** The row with its CRC-32 (IEEE 802.3, big-endian) behind it. */
export function withChecksum(row: Uint8Array): Uint8Array {
  const checked = Buffer.allocUnsafeSlow(row.length + CHECKSUM)
  checked.set(row)
  checked.writeUInt32BE(crc32(row), row.length)
  return new Uint8Array(checked.buffer, 0, checked.length)
}

/** The row without its checksum. Throws ReadFailure when it is another: `what` is damaged. */
export function verifyChecksum(row: Uint8Array, what: string): Uint8Array {
  const end = row.length - CHECKSUM
  if (end < 0) throw damagedRow(what)
  const [a = 0, b = 0, c = 0, d = 0] = row.subarray(end)
  const content = row.subarray(0, end)
  if (crc32(content) !== ((a << 24) | (b << 16) | (c << 8) | d) >>> 0) throw damagedRow(what)
  return content
}

/** The code, whose hash is its checksum. Throws ReadFailure. */
export function verifyCode(code: Uint8Array, hash: Hash): Uint8Array {
  if (keccakHash(code) !== hash) throw damagedRow(`the code ${hash}`)
  return code
}

/** `what` is not on the disk as it was written. */
export const damagedRow = (what: string): ReadFailure =>
  new ReadFailure(`${what} is damaged on disk: run \`kestrel check\``)
