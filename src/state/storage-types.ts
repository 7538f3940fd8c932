// Types of values in contract storage, in Solidity's encoding of the same type: numbers and addresses in one word, right-aligned;
// byte strings as Solidity stores `string` and `bytes`. A value that was never written reads as zero, false or empty.
// Encoding throws RangeError on a value that does not fit; decoding accepts any word.
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToFixed, bigToWord, bytesToBig, type Hash, hexToAddress, toHex } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import type { SlotAccess } from './types.ts'

/** A type that takes `width` slots from a base slot on. `open` returns a handle for reading and writing it there. */
export interface Field<H> {
  readonly width: bigint
  open(slots: SlotAccess, base: bigint): H
}

/** The handle of a single value. On read-only slots `set` and `clear` throw. */
export interface Cell<T> {
  get(): T
  set(value: T): void
  /** Sets all its slots to zero, including the data of a long byte string. */
  clear(): void
}

/** A field that is read and written as one value. */
export interface Value<T> extends Field<Cell<T>> {
  read(slots: SlotAccess, base: bigint): T
  write(slots: SlotAccess, base: bigint, value: T): void
  clear(slots: SlotAccess, base: bigint): void
}

/** A value that may be a mapping's key. `bytes` is h(k) in Solidity's rule for an element's slot, keccak256(h(k) . p). */
export interface Key<T> extends Value<T> {
  bytes(key: T): Uint8Array
}

/** Slots wrap around at 2^256, as in the EVM. */
export const slotAt = (base: bigint, offset: bigint): bigint => BigInt.asUintN(256, base + offset)

/** keccak256(p): where the data of the dynamic array or long byte string at slot p begins. */
export const dataSlot = (base: bigint): bigint => bytesToBig(keccak256(bigToFixed(base, 32)))

/** A value's field from its three functions. */
export function value<T>(of: Omit<Value<T>, 'open'>): Value<T> {
  return {
    ...of,
    open: (slots, base) => ({
      get: () => of.read(slots, base),
      set: (value) => of.write(slots, base, value),
      clear: () => of.clear(slots, base),
    }),
  }
}

/** A type of one word, from its encoder and decoder. */
export function word<T>(encode: (value: T) => bigint, decode: (word: bigint) => T): Key<T> {
  return {
    ...value<T>({
      width: 1n,
      read: (slots, base) => decode(slots.load(base)),
      write: (slots, base, value) => slots.store(base, encode(value)),
      clear: (slots, base) => slots.store(base, 0n),
    }),
    bytes: (key) => bigToFixed(encode(key), 32),
  }
}

function uint(bits: number): Key<bigint> {
  return word(
    (value) => {
      if (BigInt.asUintN(bits, value) !== value) throw new RangeError(`${value} is not a uint${bits}`)
      return value
    },
    (word) => BigInt.asUintN(bits, word),
  )
}

export const u64 = uint(64)
export const u256 = uint(256)
/** A decimal in units of 10^-18, not negative (`Dec`). */
export const dec = u256

export const bool = word<boolean>(
  (value) => (value ? 1n : 0n),
  (word) => word !== 0n,
)

export const address = word<Address>(
  (value) => BigInt(value),
  (word) => hexToAddress(toHex(bigToFixed(BigInt.asUintN(160, word), 20))),
)

export const hash = word<Hash>((value) => BigInt(value), bigToWord)

/** One of several names, stored as its index (Solidity's `enum`). A slot that was never written reads as the first. */
export function oneOf<const N extends string>(first: N, ...others: readonly N[]): Key<N> {
  const names = [first, ...others]
  return word(
    (name) => {
      const index = names.indexOf(name)
      if (index < 0) throw new RangeError(`${name} is none of ${names.join(', ')}`)
      return BigInt(index)
    },
    (word) => names[Number(BigInt.asUintN(32, word))] ?? first,
  )
}

/** Maximum bytes of a byte string: only corrupt storage has longer ones, and reading one would take too long. */
const LONGEST = 2 ** 20
const SHORT = 31

/** Length in bytes of the string with this head word. */
function lengthOf(head: bigint): number {
  const isLong = (head & 1n) === 1n
  const length = isLong ? head >> 1n : (head & 0xffn) >> 1n
  if (length > (isLong ? LONGEST : SHORT)) throw new ChainError('limit-exceeded', `stored string of ${length} bytes`)
  return Number(length)
}

/** Data slots of a string of this length, besides the head slot. */
const dataSlots = (length: number): number => (length > SHORT ? Math.ceil(length / 32) : 0)

function readBytes(slots: SlotAccess, base: bigint): Uint8Array {
  const head = slots.load(base)
  const length = lengthOf(head)
  const count = dataSlots(length)
  if (count === 0) return bigToFixed(head, 32).slice(0, length)
  const data = dataSlot(base)
  const out = new Uint8Array(count * 32)
  for (let i = 0; i < count; i++) out.set(bigToFixed(slots.load(slotAt(data, BigInt(i))), 32), i * 32)
  return out.subarray(0, length)
}

function writeBytes(slots: SlotAccess, base: bigint, value: Uint8Array): void {
  const { length } = value
  if (length > LONGEST) throw new RangeError(`string of ${length} bytes`)
  const count = dataSlots(length)
  const before = dataSlots(lengthOf(slots.load(base)))
  if (count > 0 || before > 0) {
    const data = dataSlot(base)
    for (let i = 0; i < count; i++)
      slots.store(slotAt(data, BigInt(i)), leftAligned(value.subarray(i * 32, i * 32 + 32)))
    for (let i = count; i < before; i++) slots.store(slotAt(data, BigInt(i)), 0n)
  }
  slots.store(base, count > 0 ? BigInt(length * 2 + 1) : leftAligned(value) | BigInt(length * 2))
}

/** Up to 32 bytes, left-aligned in a word. */
const leftAligned = (bytes: Uint8Array): bigint => bytesToBig(bytes) << BigInt((32 - bytes.length) * 8)

const EMPTY = new Uint8Array(0)

function byteString<T>(encode: (value: T) => Uint8Array, decode: (bytes: Uint8Array) => T): Key<T> {
  return {
    ...value<T>({
      width: 1n,
      read: (slots, base) => decode(readBytes(slots, base)),
      write: (slots, base, value) => writeBytes(slots, base, encode(value)),
      clear: (slots, base) => writeBytes(slots, base, EMPTY),
    }),
    bytes: encode,
  }
}

/** Solidity's `bytes`. */
export const bytes = byteString<Uint8Array>(
  (value) => value,
  (stored) => stored,
)

const UTF8 = { encoder: new TextEncoder(), decoder: new TextDecoder('utf-8', { ignoreBOM: true }) }

/** Solidity's `string`: UTF-8. */
export const text = byteString<string>(
  (value) => UTF8.encoder.encode(value),
  (stored) => UTF8.decoder.decode(stored),
)
