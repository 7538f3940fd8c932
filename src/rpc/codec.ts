// Scalars of JSON-RPC on the wire (QUANTITY, DATA, addresses, block references): each codec decodes, encodes and describes one.
// Never use zod's `.transform` here: it cannot encode. Messages are as short as geth's; the client reads `invalid argument N:
// …`.
import { z } from 'zod'
import type { BlockRef, BlockTag } from '../chain/types.ts'
import { type Address, bigToWord, fromHex, type Hash, type Hex, toHex, toQuantity } from '../lib/hex.ts'

type Codec<In extends z.ZodType, T> = z.ZodCodec<In, z.ZodType<T, T>>

export type Encode = (value: unknown) => unknown

/** The `write` functions of codecs, by the definition of their schema, which copies made by `.describe` share. */
const writers = new WeakMap<object, Encode>()

/**
 * A function that encodes as the schema does. A codec's own `write` is called directly: `schema.encode` takes 3 µs more, which is
 * a tenth of a whole eth_getBalance. Other schemas (objects, lists) are encoded by zod.
 */
export function encoderOf(schema: z.ZodType): Encode {
  if (schema instanceof z.ZodNullable) {
    const encode = encoderOf(schema.unwrap() as z.ZodType)
    return (value) => (value === null ? null : encode(value))
  }
  return writers.get(schema.def) ?? schema.encode.bind(schema)
}

/** Makes a codec of two functions. `read` throws for a value that it does not accept; the message becomes zod's issue. */
function codec<In extends z.ZodType, T>(
  wire: In,
  read: (value: z.output<In>) => T,
  write: (value: T) => z.input<In>,
): Codec<In, T> {
  const schema = z.codec(wire, z.custom<T>(), {
    decode(value, context) {
      try {
        return read(value)
      } catch (error) {
        context.issues.push({ code: 'custom', message: (error as Error).message, input: value })
        return z.NEVER
      }
    },
    encode: (value) => write(value as T) as z.output<In>,
  }) as Codec<In, T>
  writers.set(schema.def, write as Encode)
  return schema
}

const text = z.string({ error: 'expected a string' })

const HEX = /^0[xX][0-9a-fA-F]*$/

/** The digits after `0x`. Throws when the prefix is missing, or for a character that is not a hex digit. */
function digitsOf(hex: string): string {
  if (HEX.test(hex)) return hex.slice(2)
  if (hex === '') throw new TypeError('empty hex string')
  if (!/^0[xX]/.test(hex)) throw new TypeError('hex string without 0x prefix')
  const digits = hex.slice(2)
  if (/[^0-9a-fA-F]/.test(digits)) throw new TypeError('invalid hex string')
  return digits
}

/** Leading zeros are accepted: MetaMask pads block numbers to whole bytes, other tools to words of 32 bytes. */
function readQuantity(hex: string, bits: number): bigint {
  const digits = digitsOf(hex)
  if (digits === '') throw new TypeError('hex string "0x"')
  const significant = digits.replace(/^0+/, '')
  return within(BigInt(`0x0${significant.slice(0, bits / 4 + 1)}`), bits)
}

function within(value: bigint, bits: number): bigint {
  if (value < 0n) throw new TypeError('negative number')
  if (value >> BigInt(bits) !== 0n) throw new TypeError(`number does not fit ${bits} bits`)
  return value
}

/** QUANTITY of at most 256 bits. Written without leading zeros; requests may have them. */
export const quantity = codec(text, (hex) => readQuantity(hex, 256), toQuantity).describe('QUANTITY')

/** QUANTITY of at most 64 bits: gas, nonces, times. */
export const uint64 = codec(text, (hex) => readQuantity(hex, 64), toQuantity).describe('QUANTITY, 64 bits')

const loose = z.union([text, z.number({ error: 'expected a number' })], { error: 'expected a number' })

/** A QUANTITY or a JSON integer. */
const readAmount = (value: string | number, bits: number): bigint =>
  typeof value === 'number' ? readLoose(value, bits) : readQuantity(value, bits)

/** QUANTITY or JSON integer as a number: positions and counts. */
export const index = codec(loose, (value) => Number(readAmount(value, 32)), toQuantity).describe('QUANTITY, 32 bits')

function readLoose(value: string | number, bits: number): bigint {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new TypeError('not an integer, or too large for a JSON number')
    return within(BigInt(value), bits)
  }
  if (/^[0-9]{1,78}$/.test(value)) return within(BigInt(value), bits)
  return readQuantity(value, bits)
}

/** A number as development methods accept it: QUANTITY, JSON integer or decimal string. */
export const looseQuantity = codec(loose, (value) => readLoose(value, 256), toQuantity).describe('number')

/** A number of at most 64 bits as development methods accept it: times, nonces, counts. */
export const looseUint64 = looseQuantity.refine((value) => value < 2n ** 64n, { error: 'number does not fit 64 bits' })

/** A QUANTITY or a JSON integer: the amounts of call and transaction objects. */
const amountOf = (bits: number, name: string) =>
  codec(loose, (value) => readAmount(value, bits), toQuantity).describe(name)
export const amount = amountOf(256, 'QUANTITY or integer')
export const amount64 = amountOf(64, 'QUANTITY or integer, 64 bits')

/** DATA: whole bytes, any number of them. */
export const data = codec(
  text,
  (hex): Uint8Array => {
    if (digitsOf(hex).length % 2 !== 0) throw new TypeError('hex string of odd length')
    return fromHex(hex)
  },
  toHex,
).describe('DATA')

/** DATA of exactly `size` bytes, lower case inside. */
const fixed = <T extends Hex>(size: number, name: string) =>
  codec(
    text,
    (hex) => readFixed<T>(hex, size, name),
    (value) => value,
  ).describe(`DATA, ${size} bytes`)

function readFixed<T extends Hex>(hex: string, size: number, name: string): T {
  const { length } = digitsOf(hex)
  if (length !== size * 2) throw new TypeError(`hex string has length ${length}, want ${size * 2} for ${name}`)
  return hex.toLowerCase() as T
}

/** 20 bytes in upper or lower case; the checksum (EIP-55) is not checked. */
export const address = fixed<Address>(20, 'an address')
/** 32 bytes. */
export const hash = fixed<Hash>(32, 'a hash')

/** At most 32 bytes as a number, leading zeros allowed: storage words, signature halves. */
export const word = codec(
  text,
  (hex) => {
    const digits = digitsOf(hex)
    if (digits.length > 64) throw new TypeError('hex string longer than 32 bytes')
    return BigInt(`0x${digits || '0'}`)
  },
  toQuantity,
).describe('DATA, at most 32 bytes')

/** A storage slot, and whether the request wrote all 32 bytes (`eth_getProof` repeats the key in the same form). */
export type StorageKey = { readonly slot: bigint; readonly full: boolean }

/** A storage key as a QUANTITY or short DATA, with or without `0x`, as geth takes it. */
export const storageKey = codec(
  text,
  (hex): StorageKey => {
    const digits = hex.replace(/^0[xX]/, '')
    if (digits.length > 64) {
      throw new TypeError(`storage key too long (want at most 32 bytes): "${hex.slice(0, 80)}"`)
    }
    if (/[^0-9a-fA-F]/.test(digits)) throw new TypeError(`invalid hex in storage key: "${hex}"`)
    return { slot: BigInt(`0x${digits || '0'}`), full: digits.length > 62 }
  },
  writeStorageKey,
).describe('DATA, at most 32 bytes')

function writeStorageKey({ slot, full }: StorageKey): Hex {
  return full ? bigToWord(slot) : toQuantity(slot)
}

/** The result of methods that only act: null, as in anvil. */
export const noResult = z.codec(z.null(), z.void(), { decode: () => undefined, encode: () => null }).describe('null')

export const bool = z.boolean({ error: 'expected true or false' })
export const string = text

const TAGS: readonly string[] = ['latest', 'earliest', 'pending', 'safe', 'finalized'] satisfies BlockTag[]
const MAX_BLOCK_NUMBER = 2n ** 63n - 1n

function readBlockNumber(value: string | number): BlockTag | { readonly number: bigint } {
  if (TAGS.includes(value as BlockTag)) return value as BlockTag
  const number = readAmount(value, 64)
  if (number > MAX_BLOCK_NUMBER) throw new TypeError('block number larger than int64')
  return { number }
}

const writeBlockNumber = (ref: BlockTag | { readonly number: bigint }): string =>
  typeof ref === 'string' ? ref : toQuantity(ref.number)

/** A block by tag or number; the number may be a JSON integer, as Otterscan and erigon's clients write it. */
export const blockNumber = codec(
  z.union([text, z.number()], { error: 'expected a block number or tag' }),
  readBlockNumber,
  writeBlockNumber,
).describe('QUANTITY, integer or TAG')

const blockObject = z.object({
  blockHash: hash.optional(),
  blockNumber: blockNumber.optional(),
  requireCanonical: bool.optional(),
})

/** A block by tag, number, hash, or EIP-1898 object. Every block this node holds is canonical. */
export const blockRef = codec(
  z.union([text, z.number(), blockObject], { error: 'expected a block number, tag, hash or object' }),
  (value): BlockRef => {
    if (typeof value === 'string' && value.length === 66) return { hash: readFixed<Hash>(value, 32, 'a hash') }
    if (typeof value !== 'object') return readBlockNumber(value)
    if (value.blockHash !== undefined && value.blockNumber !== undefined) {
      throw new TypeError('cannot specify both BlockHash and BlockNumber, choose one or the other')
    }
    if (value.blockHash !== undefined) return { hash: value.blockHash }
    if (value.blockNumber !== undefined) return value.blockNumber
    throw new TypeError('block object names neither blockHash nor blockNumber')
  },
  (ref) => (typeof ref === 'object' && 'hash' in ref ? ref.hash : writeBlockNumber(ref)),
).describe('QUANTITY, integer, TAG, block hash or EIP-1898 object')

/** The optional block of a state method. */
export const atBlock = blockRef.default('latest')
/** The optional block of methods that prepare a transaction, which can only be mined in a later block. */
export const atPending = blockRef.default('pending')

/** A JSON object used as a map; the order of its entries is kept. */
export function mapOf<K extends Hex, V>(key: z.ZodType<K>, value: z.ZodType<V>) {
  const wire = z.record(z.string(), z.unknown(), { error: 'expected an object' })
  return z.codec(wire, z.custom<ReadonlyMap<K, V>>(), {
    decode(object, context) {
      const map = new Map<K, V>()
      for (const [name, entry] of Object.entries(object)) {
        const readKey = key.safeParse(name)
        const readValue = value.safeParse(entry)
        if (readKey.success && readValue.success) {
          map.set(readKey.data, readValue.data)
          continue
        }
        const issues = [...(readKey.error?.issues ?? []), ...(readValue.error?.issues ?? [])]
        for (const issue of issues)
          context.issues.push({ ...issue, path: [name, ...issue.path] } as z.core.$ZodRawIssue)
        // The client gets the first issue.
        return z.NEVER
      }
      return map
    },
    encode: (map) => Object.fromEntries([...map].map(([name, entry]) => [key.encode(name), value.encode(entry)])),
  })
}
