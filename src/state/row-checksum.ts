// Checksums of single rows. Blocks, receipts and contract sources are read long after they were written and sent to clients as
// they are. LevelDB verifies no checksum when it reads a row, and the check of all files at the start (`disk-check.ts`) does
// not see damage that comes later, so each of these rows ends with its own.
import { crc32 } from 'node:zlib'
import { ReadFailure } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'

const CHECKSUM = 4

/** The row followed by its CRC-32 (IEEE 802.3, 4 bytes, big-endian). */
export function withChecksum(row: Uint8Array): Uint8Array {
  const checked = Buffer.allocUnsafeSlow(row.length + CHECKSUM)
  checked.set(row)
  checked.writeUInt32BE(crc32(row), row.length)
  return new Uint8Array(checked.buffer, 0, checked.length)
}

/** The row without its checksum. Throws ReadFailure when the checksum does not match; `what` names the row. */
export function verifyChecksum(row: Uint8Array, what: string): Uint8Array {
  const end = row.length - CHECKSUM
  if (end < 0) throw damagedRow(what)
  const [a = 0, b = 0, c = 0, d = 0] = row.subarray(end)
  const content = row.subarray(0, end)
  if (crc32(content) !== ((a << 24) | (b << 16) | (c << 8) | d) >>> 0) throw damagedRow(what)
  return content
}

/** The code; its hash serves as the checksum. Throws ReadFailure. */
export function verifyCode(code: Uint8Array, hash: Hash): Uint8Array {
  if (keccakHash(code) !== hash) throw damagedRow(`the code ${hash}`)
  return code
}

/** The error for a row that differs from what was written; `what` names the row. */
export const damagedRow = (what: string): ReadFailure =>
  new ReadFailure(`${what} is damaged on disk: run \`kestrel check\``)
