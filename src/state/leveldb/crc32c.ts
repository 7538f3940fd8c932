// CRC-32C (RFC 3720, appendix B.4) by WebAssembly: 1.4 GB/s for blocks of 4 KB, where slicing by 8 in JavaScript has 0.75.
import { createCRC32 } from 'hash-wasm'

/** The Castagnoli polynomial, reversed. */
const hasher = await createCRC32(0x82f63b78)

/** CRC-32C of the bytes as LevelDB stores it: rotated and moved, because its own files hold checksums too (`crc32c.h`). */
export function maskedCrc32c(bytes: Uint8Array): number {
  hasher.init()
  hasher.update(bytes)
  const [a = 0, b = 0, c = 0, d = 0] = hasher.digest('binary')
  const crc = (a << 24) | (b << 16) | (c << 8) | d
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
