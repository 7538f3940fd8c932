// Integers as LevelDB's files spell them (`coding.h`): little-endian, or seven bits to a byte. What does not fit the bytes
// that are there is `Mangled`; every reader of these files turns it into a finding.

/** The bytes are not what the format asks for; the message says what is wrong. */
export class Mangled extends Error {}

export const u32At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0

/** Numbers up to 2^53: sequences, sizes and file numbers stay far below. */
export const u64At = (bytes: Uint8Array, at: number): number => u32At(bytes, at) + u32At(bytes, at + 4) * 2 ** 32

/** Reads forward through bytes. Everything throws `Mangled` at their end. */
export class Cursor {
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
      if (byte === undefined) throw new Mangled('a number is cut off')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new Mangled('a number is too long')
  }

  take(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new Mangled('a field is cut off')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** Bytes behind their length. */
  string(): Uint8Array {
    return this.take(this.varint())
  }
}
