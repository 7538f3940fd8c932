// RLP (Yellow Paper, appendix B), decoded strictly: a value has exactly one accepted encoding.
// Libraries' codecs are not used for three reasons. Their reader copies the rest of the input at every level, so half a
// megabyte of nested list headers takes gigabytes. Their writer overflows the stack on long lists. They cannot split a list
// without decoding its items, which is needed to keep a transaction's original bytes when a block is read. Tests compare the
// two.
import { scratchBytes } from '../lib/byte-pool.ts'
import { ChainError, type ChainErrorCode } from '../lib/errors.ts'
import {
  ADDRESS_BYTES,
  type Address,
  bytesToBig,
  EMPTY_BYTES,
  EXACT_BYTES,
  HASH_BYTES,
  type Hash,
  type Hex,
  rangeToHex,
  toAddress,
  toHash,
  writeHex,
} from '../lib/hex.ts'

/** A byte string or a list of items. Decoded strings are views of the input. */
export type RlpItem = Uint8Array | readonly RlpItem[]
/** An item to encode. Hex represents its bytes; `EncodedItem` is inserted unchanged. */
export type RlpSource = Uint8Array | Hex | EncodedItem | readonly RlpSource[]

/** An item that is already encoded. */
export class EncodedItem {
  readonly rlp: Uint8Array

  constructor(rlp: Uint8Array) {
    this.rlp = rlp
  }
}

/** The input is malformed. `reading` turns this into a ChainError. */
export class Malformed extends Error {}

/** No Ethereum encoding nests deeper than a block (block, transactions, transaction, access list, entry, keys: 6). */
const MAX_DEPTH = 8

type Span = { readonly isList: boolean; readonly start: number; readonly end: number }

/** Decodes one item, which must be the whole input. Throws Malformed. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  return open(bytes, onlySpan(bytes), 0)
}

/**
 * Reads items one after another and decodes only what is asked for: a field of one receipt in a row of hundreds. Strict like
 * `decodeRlp`, but for what it skips. All methods throw Malformed.
 */
export class RlpReader {
  readonly bytes: Uint8Array
  /** Index of the next item. */
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  /** Goes to the first item of a list. Returns the index after the list. */
  enter(): number {
    const { bytes, at } = this
    const end = endAt(bytes, at, bytes.length)
    if (!isListAt(bytes, at)) throw new Malformed('rlp: expected a list')
    this.at = payload
    return end
  }

  skip(): void {
    this.at = endAt(this.bytes, this.at, this.bytes.length)
  }

  /** Skips the items that begin before `end`, and returns their number. */
  skipTo(end: number): number {
    let count = 0
    for (; this.at < end; count++) this.skip()
    return count
  }

  string(): Uint8Array {
    const end = this.#endOfString()
    return payload === end ? EMPTY_BYTES : this.bytes.subarray(payload, end)
  }

  /** An integer of at most 32 bytes, without leading zeros. */
  uint(): bigint {
    const { bytes } = this
    const end = this.#endOfString()
    const start = payload
    if (end - start > 32 || (end > start && bytes[start] === 0)) throw new Malformed('rlp: expected an integer')
    if (end - start > EXACT_BYTES) return bytesToBig(bytes.subarray(start, end))
    let value = 0
    for (let at = start; at < end; at++) value = value * 256 + (bytes[at] ?? 0)
    return BigInt(value)
  }

  address(): Address {
    return this.#fixed(ADDRESS_BYTES) as Address
  }

  hash(): Hash {
    return this.#fixed(HASH_BYTES) as Hash
  }

  #fixed(size: number): Hex {
    const end = this.#endOfString()
    if (end - payload !== size) throw new Malformed(`rlp: expected ${size} bytes`)
    return rangeToHex(this.bytes, payload, end)
  }

  #endOfString(): number {
    const { bytes, at } = this
    if (isListAt(bytes, at)) throw new Malformed('rlp: expected a string')
    this.at = endAt(bytes, at, bytes.length)
    return this.at
  }
}

/** The items of one list, which must be the whole input, each still encoded. Throws Malformed. */
export function splitList(bytes: Uint8Array): Uint8Array[] {
  const { isList, start, end } = onlySpan(bytes)
  if (!isList) throw new Malformed('rlp: expected a list')
  return [...splitItems(bytes.subarray(start, end))]
}

/** The bytes of the first `count` items of a list, still encoded. Throws Malformed. */
export function firstItems(bytes: Uint8Array, count: number): Uint8Array {
  const { start, end } = onlySpan(bytes)
  let at = start
  for (let left = count; left > 0; left--) at = spanAt(bytes, at, end).end
  return bytes.subarray(start, at)
}

/** Concatenated items without a list around them, each still encoded. Throws Malformed. */
export function* splitItems(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const { end } = spanAt(bytes, at, bytes.length)
    yield bytes.subarray(at, end)
    at = end
  }
}

/** RLP of an item. Throws TypeError on invalid hex. */
export function encodeRlp(item: RlpSource): Uint8Array {
  if (item instanceof Uint8Array) return encodeString(item)
  const out = scratchBytes(prepend(item, 0))
  out.set(scratch.subarray(scratch.length - out.length))
  return out
}

/** EIP-2718: the type byte followed by the RLP of the item; type 0 (legacy) has no type byte. */
export function encodeTyped(type: number, item: RlpSource): Uint8Array {
  const length = prepend(item, 0)
  const start = type === 0 ? 0 : 1
  const out = scratchBytes(start + length)
  out[0] = type
  out.set(scratch.subarray(scratch.length - length), start)
  return out
}

/** RLP of a list whose items are encoded already. */
export function joinList(items: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const item of items) length += item.length
  const out = scratchBytes(prefixLength(length) + length)
  let at = writePrefix(0xc0, length, out, 0)
  for (const item of items) {
    out.set(item, at)
    at += item.length
  }
  return out
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const out = scratchBytes(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Runs a decoder and turns its `Malformed` into a ChainError with this code. */
export function reading<T>(code: ChainErrorCode, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) throw new ChainError(code, error.message)
    throw error
  }
}

// Decoders of fields. Each takes an item that may be missing, and the field's name for the error message. All throw Malformed.

export function asList(item: RlpItem | undefined, name: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new Malformed(`rlp: expected a list for ${name}`)
  return item
}

/** A list with one of these lengths. */
export function asListOf(item: RlpItem | undefined, lengths: readonly number[], name: string): readonly RlpItem[] {
  const list = asList(item, name)
  if (!lengths.includes(list.length)) throw new Malformed(`rlp: wrong number of elements for ${name}`)
  return list
}

export function asBytes(item: RlpItem | undefined, name: string, size?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new Malformed(`rlp: expected a string for ${name}`)
  if (size !== undefined && item.length !== size) throw new Malformed(`rlp: ${name} must have ${size} bytes`)
  return item
}

/** An integer of at most `maxBytes` bytes, without leading zeros. */
export function asUint(item: RlpItem | undefined, name: string, maxBytes: number): bigint {
  const bytes = asBytes(item, name)
  if (bytes.length > maxBytes) throw new Malformed(`rlp: ${name} does not fit ${maxBytes * 8} bits`)
  if (bytes[0] === 0) throw new Malformed(`rlp: non-canonical integer (leading zero bytes) for ${name}`)
  return bytesToBig(bytes)
}

export const asAddress = (item: RlpItem | undefined, name: string): Address => toAddress(asBytes(item, name, 20))

export const asHash = (item: RlpItem | undefined, name: string): Hash => toHash(asBytes(item, name, 32))

/** The empty list, shared, because most transactions have several. */
const NO_ITEMS: readonly RlpItem[] = []

function open(bytes: Uint8Array, { isList, start, end }: Span, depth: number): RlpItem {
  if (!isList) return start === end ? EMPTY_BYTES : bytes.subarray(start, end)
  if (depth === MAX_DEPTH) throw new Malformed('rlp: nested too deep')
  if (start === end) return NO_ITEMS
  const items: RlpItem[] = []
  for (let at = start; at < end; ) {
    const span = spanAt(bytes, at, end)
    items.push(open(bytes, span, depth + 1))
    at = span.end
  }
  return items
}

function onlySpan(bytes: Uint8Array): Span {
  const span = spanAt(bytes, 0, bytes.length)
  if (span.end !== bytes.length) throw new Malformed('rlp: input contains more than one value')
  return span
}

/** Index of the payload of the item that `endAt` has looked at last. */
let payload = 0

/** The index after the item at `at`, which must end by `limit`. A number, because a search passes over thousands of items. */
function endAt(bytes: Uint8Array, at: number, limit: number): number {
  const first = bytes[at]
  if (first === undefined || at >= limit) throw new Malformed('rlp: unexpected end of input')
  payload = at
  if (first < 0x80) return at + 1
  const short = first - (first >= 0xc0 ? 0xc0 : 0x80)
  const start = short < 56 ? at + 1 : at + 1 + (short - 55)
  const length = short < 56 ? short : longLength(bytes, at + 1, start)
  const end = start + length
  if (end > limit) throw new Malformed('rlp: value size exceeds available input length')
  if (first === 0x81 && (bytes[start] ?? 0) < 0x80) throw new Malformed('rlp: non-canonical size information')
  payload = start
  return end
}

/** As `endAt`, with the span of the payload. */
function spanAt(bytes: Uint8Array, at: number, limit: number): Span {
  const end = endAt(bytes, at, limit)
  return { isList: isListAt(bytes, at), start: payload, end }
}

const isListAt = (bytes: Uint8Array, at: number): boolean => (bytes[at] ?? 0) >= 0xc0

function longLength(bytes: Uint8Array, from: number, to: number): number {
  let length = 0
  // Inexact above 2^53, but such a length exceeds any input.
  for (let at = from; at < to; at++) length = length * 256 + (bytes[at] ?? 0)
  if (bytes[from] === 0 || length < 56) throw new Malformed('rlp: non-canonical size information')
  return length
}

/** A byte below this is its own encoding. */
const BARE_BELOW = 0x80
const isBareByte = (bytes: Uint8Array): boolean => bytes.length === 1 && (bytes[0] ?? 0) < BARE_BELOW

function encodeString(bytes: Uint8Array): Uint8Array {
  const out = scratchBytes(encodedLength(bytes))
  writeString(bytes, out, 0)
  return out
}

/** Length of a string's encoding. */
export const encodedLength = (bytes: Uint8Array): number =>
  isBareByte(bytes) ? 1 : prefixLength(bytes.length) + bytes.length

/** Writes a string's encoding. Returns the index after it. */
export function writeString(bytes: Uint8Array, out: Uint8Array, at: number): number {
  const start = isBareByte(bytes) ? at : writePrefix(0x80, bytes.length, out, at)
  out.set(bytes, start)
  return start + bytes.length
}

/** Writes the encoding of an address or a hash. Returns the index after it. */
export function writeHexItem(name: Hex, out: Uint8Array, at: number): number {
  const end = writeHex(name, out, at + 1)
  out[at] = 0x80 + end - at - 1
  return end
}

/** The buffer in which items are encoded, from the last byte to the first, so that a list's length is known before its prefix. */
let scratch = new Uint8Array(1 << 16)

/** Writes the item's encoding in front of the last `length` bytes of `scratch`. Returns the new length. */
function prepend(item: RlpSource, length: number): number {
  if (typeof item === 'string') {
    const end = makeRoom(length + item.length / 2 - 1)
    writeHex(item, scratch, scratch.length - end)
    return prependStringPrefix(end - length, end)
  }
  if (item instanceof Uint8Array) {
    const end = makeRoom(length + item.length)
    scratch.set(item, scratch.length - end)
    return prependStringPrefix(item.length, end)
  }
  if (item instanceof EncodedItem) {
    const end = makeRoom(length + item.rlp.length)
    scratch.set(item.rlp, scratch.length - end)
    return end
  }
  let end = length
  for (let i = item.length - 1; i >= 0; i--) end = prepend(item[i] as RlpSource, end)
  return prependPrefix(0xc0, end - length, end)
}

function prependStringPrefix(payload: number, length: number): number {
  const first = scratch[scratch.length - length] ?? 0
  return payload === 1 && first < BARE_BELOW ? length : prependPrefix(0x80, payload, length)
}

function prependPrefix(base: number, payload: number, length: number): number {
  const end = makeRoom(length + prefixLength(payload))
  writePrefix(base, payload, scratch, scratch.length - end)
  return end
}

/** Grows `scratch` to at least `length` bytes. Returns `length`. */
function makeRoom(length: number): number {
  if (length > scratch.length) {
    const larger = new Uint8Array(2 * length)
    larger.set(scratch, larger.length - scratch.length)
    scratch = larger
  }
  return length
}

/** Length of the prefix of a list, or of a string other than a single byte below 0x80, by the length of its payload. */
export const prefixLength = (length: number): number => (length < 56 ? 1 : 1 + bytesOf(length))

const bytesOf = (length: number): number => Math.ceil((32 - Math.clz32(length)) / 8)

/** Writes the prefix. `base` is 0x80 for strings, 0xc0 for lists. Returns the index of the payload. */
export function writePrefix(base: number, length: number, out: Uint8Array, at: number): number {
  const start = at + prefixLength(length)
  out[at] = start === at + 1 ? base + length : base + 55 + (start - at - 1)
  for (let index = start - 1, rest = length; index > at; index--, rest >>>= 8) out[index] = rest & 0xff
  return start
}
