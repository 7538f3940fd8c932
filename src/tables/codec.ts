// Codecs of index rows: a record is its fields one after another, without names. One codec writes and reads a row, and its
// `layout` enters the format of the index.
import { scratchBytes } from '../lib/byte-pool.ts'
import { type Address, bytesToBig, EMPTY_BYTES, type Hex, toAddress, writeHex } from '../lib/hex.ts'

export interface Codec<T> {
  /** The encoding in words, for the format of an index; equal layouts have equal words. */
  readonly layout: string
  write(out: RowWriter, value: T): void
  read(from: Cursor): T
}

/** Bytes of the buffer that a writer keeps between rows. Most rows are far shorter; a larger buffer is dropped. */
const KEPT = 4096
/** Up to this number of bytes a loop copies faster than `set`. */
const SHORT = 192

export class RowWriter {
  #bytes: Uint8Array
  #length = 0

  /** `size`: bytes that fit without growing. */
  constructor(size = KEPT) {
    this.#bytes = new Uint8Array(size)
  }

  /** Starts a new row. */
  begin(): this {
    this.#length = 0
    if (this.#bytes.length > KEPT) this.#bytes = new Uint8Array(KEPT)
    return this
  }

  /** Appends the bytes from `start` on. */
  put(bytes: Uint8Array, start = 0): void {
    const size = bytes.length - start
    // Grow first: growing replaces the buffer.
    const at = this.#grow(size)
    const out = this.#bytes
    if (size > SHORT) out.set(start === 0 ? bytes : bytes.subarray(start), at)
    else for (let i = 0; i < size; i++) out[at + i] = bytes[start + i] ?? 0
  }

  /** Appends the bytes of a hex string. */
  hex(name: Hex): void {
    const at = this.#grow(name.length / 2 - 1)
    writeHex(name, this.#bytes, at)
  }

  uint(value: number, size: number): void {
    const start = this.#grow(size)
    const out = this.#bytes
    let at = start + size
    let rest = value
    if (size > 4) {
      out[--at] = rest
      out[--at] = rest >>> 8
      out[--at] = rest >>> 16
      out[--at] = rest >>> 24
      // Bit operations work on 32 bits.
      rest = Math.floor(value / 2 ** 32)
    }
    while (at > start) {
      out[--at] = rest
      rest >>>= 8
    }
  }

  /** Returns the row. When it fills the buffer exactly, the row takes the buffer and the writer starts without one. */
  done(): Uint8Array {
    const bytes = this.#bytes
    const size = this.#length
    if (size === bytes.length) {
      this.#bytes = EMPTY_BYTES
      return bytes
    }
    const out = scratchBytes(size)
    if (size > SHORT) out.set(bytes.subarray(0, size))
    else for (let at = 0; at < size; at++) out[at] = bytes[at] ?? 0
    return out
  }

  #grow(size: number): number {
    const at = this.#length
    this.#length += size
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(KEPT, this.#length * 2))
      larger.set(this.#bytes.subarray(0, at))
      this.#bytes = larger
    }
    return at
  }
}

export class Cursor {
  readonly #bytes: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }

  get isDone(): boolean {
    return this.#at === this.#bytes.length
  }

  take(size: number): Uint8Array {
    const end = this.#endOf(size)
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  uint(size: number): number {
    const end = this.#endOf(size)
    let value = 0
    for (let at = this.#at; at < end; at++) value = value * 256 + (this.#bytes[at] ?? 0)
    this.#at = end
    return value
  }

  #endOf(size: number): number {
    const end = this.#at + size
    if (end > this.#bytes.length) throw new RangeError('a row of a readers’ table is too short')
    return end
  }
}

const uint = (size: number): Codec<number> => ({
  layout: `u${8 * size}`,
  write: (out, value) => out.uint(value, size),
  read: (from) => from.uint(size),
})

export const u8 = uint(1)
export const u16 = uint(2)
export const u32 = uint(4)
/** A number that fits a double: positions, block numbers, seconds, gas. */
export const sequence = uint(7)

export const flag: Codec<boolean> = {
  layout: 'flag',
  write: (out, value) => out.uint(value ? 1 : 0, 1),
  read: (from) => from.uint(1) === 1,
}

/** An unsigned integer up to 2^256: its length, its bytes. */
export const amount: Codec<bigint> = {
  layout: 'amount',
  write(out, value) {
    const digits = value === 0n ? '' : value.toString(16)
    const size = (digits.length + 1) >> 1
    out.uint(size, 1)
    out.hex(digits.length === 2 * size ? `0x${digits}` : `0x0${digits}`)
  },
  read: (from) => bytesToBig(from.take(from.uint(1))),
}

export const address: Codec<Address> = {
  layout: 'address',
  write: (out, value) => out.hex(value),
  read: (from) => toAddress(from.take(20)),
}

export const bytes: Codec<Uint8Array> = {
  layout: 'bytes',
  write(out, value) {
    out.uint(value.length, 4)
    out.put(value)
  },
  read: (from) => from.take(from.uint(4)),
}

export const text: Codec<string> = {
  layout: 'text',
  write: (out, value) => bytes.write(out, Buffer.from(value, 'utf8')),
  read: (from) => Buffer.from(bytes.read(from)).toString('utf8'),
}

export const maybe = <T>(of: Codec<T>): Codec<T | undefined> => ({
  layout: `maybe ${of.layout}`,
  write(out, value) {
    flag.write(out, value !== undefined)
    if (value !== undefined) of.write(out, value)
  },
  read: (from) => (flag.read(from) ? of.read(from) : undefined),
})

/** One of a fixed list of words, as its index: the order of the list is part of the format. */
export const oneOf = <const W extends readonly string[]>(words: W): Codec<W[number]> => ({
  layout: words.join('|'),
  write(out, value) {
    out.uint(words.indexOf(value), 1)
  },
  read(from) {
    const word = words[from.uint(1)]
    if (word === undefined) throw new RangeError('a row of a readers’ table holds an unknown word')
    return word
  },
})

export interface RecordCodec<T> extends Codec<T> {
  encode(value: T): Uint8Array
  decode(row: Uint8Array): T
}

/** The shared writer: encoding is synchronous, so one row at a time is written. */
export const writer = new RowWriter()

/** A record of named fields, in the order of their declaration. */
export function record<T extends object>(fields: { readonly [N in keyof T]: Codec<T[N]> }): RecordCodec<Readonly<T>> {
  const names = Object.keys(fields) as (keyof T)[]
  const codec: Codec<T> = {
    layout: `{${names.map((name) => `${String(name)}: ${fields[name].layout}`).join(', ')}}`,
    write(out, value) {
      for (const name of names) fields[name].write(out, value[name])
    },
    read(from) {
      const value: Partial<T> = {}
      for (const name of names) value[name] = fields[name].read(from)
      return value as T
    },
  }
  return {
    ...codec,
    encode(value) {
      codec.write(writer.begin(), value)
      return writer.done()
    },
    decode: (row) => codec.read(new Cursor(row)),
  }
}
