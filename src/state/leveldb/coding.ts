// The encodings that all of LevelDB's files share: fixed and variable-length integers (its `coding.h`) and masked CRC-32C
// checksums (`crc32c.h`). Reading beyond the end throws `CorruptFile`, which callers turn into a damage report.
import { createCRC32 } from 'hash-wasm'

/** The bytes violate the file format; the message says how. */
export class CorruptFile extends Error {}

export const u32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0

/** Exact up to 2^53; sequence numbers, sizes and file numbers stay far below. */
export const u64At = (bytes: Uint8Array, at: number): number => u32At(bytes, at) + u32At(bytes, at + 4) * 2 ** 32

/** Reads forward through bytes. All methods throw `CorruptFile` at the end. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  varint(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new CorruptFile('a number is cut off')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new CorruptFile('a number is too long')
  }

  take(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new CorruptFile('a field is cut off')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** A length as varint, then the bytes. */
  string(): Uint8Array {
    return this.take(this.varint())
  }
}

/** CRC-32C (RFC 3720, appendix B.4), the Castagnoli polynomial, in WebAssembly: 1.4 GB/s for 4 KB, JavaScript 0.75. */
const hasher = await createCRC32(0x82f63b78)

/** CRC-32C as LevelDB stores it: rotated and offset, because a CRC over data that contains CRCs is weak (`crc32c.h`). */
export function maskedCrc32c(bytes: Uint8Array): number {
  hasher.init()
  hasher.update(bytes)
  const [a = 0, b = 0, c = 0, d = 0] = hasher.digest('binary')
  const crc = (a << 24) | (b << 16) | (c << 8) | d
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
