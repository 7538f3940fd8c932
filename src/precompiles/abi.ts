// The codec of ABI values as this program represents them (lower-case addresses, bigint for every integer, hex for bytes).
// Decoding is as strict as Solidity's: no dirty bits, nothing outside the data, nothing read twice, so that its work
// is bounded by the length of the data. Encoding is viem's.
import type { AbiEvent, AbiParameter } from 'abitype'
import { encodeAbiParameters, encodeEventTopics } from 'viem'
import { ChainError } from '../lib/errors.ts'
import { type Address, bytesToBig, fromHex, type Hex, hexToHash, toAddress, toHex } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'

/** The value of one parameter, by its ABI type; a tuple is a record. */
export type ValueOf<P> = P extends { type: `${infer T}[]`; components: infer C }
  ? readonly ValueOf<{ type: T; components: C }>[]
  : P extends { type: `${infer T}[]` }
    ? readonly ValueOf<{ type: T }>[]
    : P extends { type: 'tuple'; components: infer C extends readonly AbiParameter[] }
      ? { readonly [E in C[number] as E['name'] & string]: ValueOf<E> }
      : P extends { type: 'address' }
        ? Address
        : P extends { type: 'bool' }
          ? boolean
          : P extends { type: 'string' }
            ? string
            : P extends { type: `uint${string}` | `int${string}` }
              ? bigint
              : P extends { type: `bytes${string}` }
                ? Hex
                : never

export type ValuesOf<P extends readonly AbiParameter[]> = { readonly [I in keyof P]: ValueOf<P[I]> }

const WORD = 32
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const invalid = (why: string): never => {
  throw new ChainError('execution-reverted', `invalid calldata: ${why}`)
}

/** Decodes a parameter list; bytes behind it are allowed. Throws ChainError `invalid calldata: <why>`. */
export function decodeValues(parameters: readonly AbiParameter[], data: Uint8Array): readonly unknown[] {
  return new Decoder(data).sequence(parameters, 0)
}

class Decoder {
  readonly #data: Uint8Array
  /** Bytes that may still be read before some must have been read twice. */
  #left: number

  constructor(data: Uint8Array) {
    this.#data = data
    this.#left = data.length
  }

  /** Values whose heads begin at `base`, to which their offsets count. */
  sequence(parameters: readonly AbiParameter[], base: number): unknown[] {
    let head = base
    return parameters.map((parameter) => {
      const place = head
      head += headSize(parameter)
      return this.#value(parameter, isDynamic(parameter) ? base + this.#size(place) : place)
    })
  }

  #value(parameter: AbiParameter, at: number): unknown {
    const { type } = parameter
    if (type.endsWith('[]')) return this.#array({ ...parameter, type: type.slice(0, -2) }, at)
    if (type === 'tuple') return this.#tuple(componentsOf(parameter), at)
    if (type === 'string' || type === 'bytes') {
      const bytes = this.#take(at + WORD, this.#size(at))
      return type === 'bytes' ? toHex(bytes) : text(bytes)
    }
    return word(type, this.#take(at, WORD))
  }

  #array(element: AbiParameter, at: number): unknown[] {
    const length = this.#size(at)
    const begin = at + WORD
    if (length * headSize(element) > this.#data.length - begin) invalid('array beyond the data')
    return this.sequence(
      Array.from({ length }, () => element),
      begin,
    )
  }

  #tuple(components: readonly AbiParameter[], at: number): Record<string, unknown> {
    const values = this.sequence(components, at)
    return Object.fromEntries(components.map(({ name }, i) => [name, values[i]]))
  }

  /** An offset or a length. */
  #size(at: number): number {
    const size = bytesToBig(this.#take(at, WORD))
    return size > this.#data.length ? invalid('offset or length beyond the data') : Number(size)
  }

  #take(at: number, length: number): Uint8Array {
    if (at + length > this.#data.length) invalid('data too short')
    this.#left -= length
    if (this.#left < 0) invalid('overlapping data')
    return this.#data.subarray(at, at + length)
  }
}

const componentsOf = (parameter: AbiParameter): readonly AbiParameter[] =>
  'components' in parameter ? parameter.components : []

function isDynamic(parameter: AbiParameter): boolean {
  const { type } = parameter
  if (type === 'tuple') return componentsOf(parameter).some(isDynamic)
  return type === 'string' || type === 'bytes' || type.endsWith('[]')
}

/** Bytes that the parameter takes among the heads. */
function headSize(parameter: AbiParameter): number {
  if (parameter.type !== 'tuple' || isDynamic(parameter)) return WORD
  return componentsOf(parameter).reduce((size, component) => size + headSize(component), 0)
}

function text(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    return invalid('string is not UTF-8')
  }
}

/** A value of one word: `address`, `bool`, `uint<n>`, `int<n>` or `bytes<n>`. */
function word(type: string, bytes: Uint8Array): unknown {
  const [, kind, digits] = /^([a-z]+)(\d*)$/.exec(type) ?? []
  const size = Number(digits)
  const number = bytesToBig(bytes)
  if (kind === 'address') {
    return number < 1n << 160n ? toAddress(bytes.subarray(12)) : invalid('dirty address')
  }
  if (kind === 'bool') return number < 2n ? number === 1n : invalid('dirty bool')
  if (kind === 'uint') return BigInt.asUintN(size, number) === number ? number : invalid(`dirty ${type}`)
  if (kind === 'int') {
    const signed = BigInt.asIntN(256, number)
    return BigInt.asIntN(size, signed) === signed ? signed : invalid(`dirty ${type}`)
  }
  if (kind === 'bytes') {
    return bytes.subarray(size).every((byte) => byte === 0) ? toHex(bytes.subarray(0, size)) : invalid(`dirty ${type}`)
  }
  throw new TypeError(`ABI type ${type} is not supported`)
}

// viem types values by literal ABIs; here ABI and values are known at run time only, and were checked where they came from.
const encode = (parameters: readonly AbiParameter[], values: readonly unknown[]): Uint8Array =>
  fromHex(encodeAbiParameters(parameters, values as never))

export { encode as encodeValues }

/** Revert data that Solidity's `revert(reason)` gives: `Error(string)`. */
export const errorString = (reason: string): Uint8Array =>
  Buffer.concat([fromHex('0x08c379a0'), encode([{ type: 'string' }], [reason])])

/** A log with the event's topics and data; indexed strings are replaced by their hashes. */
export function encodeLog(address: Address, event: AbiEvent, args: Readonly<Record<string, unknown>>): Log {
  const topics = encodeEventTopics({ abi: [event], eventName: event.name, args } as Parameters<
    typeof encodeEventTopics
  >[0])
  const unindexed = event.inputs.filter((input) => input.indexed !== true)
  const data = encode(
    unindexed,
    unindexed.map(({ name }) => args[name ?? '']),
  )
  return { address, topics: topics.map((topic) => hexToHash(String(topic))), data }
}
