import { createCRC32 } from 'hash-wasm' // Integers as LevelDB's files spell them (`coding.h`): little-endian, or seven bits to a byte. What does not fit the bytes
// that are there is `Mangled`; every reader of these files turns it into a finding.

/** The bytes are not what the format asks for; the message says what is wrong. */
export class CorruptFile extends Error {}

export const u32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0

/** Numbers up to 2^53: sequences, sizes and file numbers stay far below. */
export const u64At = (bytes: Uint8Array, at: number): number => u32At(bytes, at) + u32At(bytes, at + 4) * 2 ** 32

/** Reads forward through bytes. Everything throws `Mangled` at their end. */
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

  /** Bytes behind their length. */
  string(): Uint8Array {
    return this.take(this.varint())
  }
}

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
