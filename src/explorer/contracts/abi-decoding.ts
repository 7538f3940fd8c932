// ABI decoding into what the explorer shows: scalars as text, arrays and tuples as arrays. The data may be anything that is on
// the chain: what does not decode is undefined, nothing throws, and the work is bounded by the length of the data, even if
// its offsets point at each other.
import type { AbiParameter } from 'abitype'
import { z } from 'zod'
import { bytesToBig, toAddress, toHex } from '../../lib/hex.ts'
import { checksummed } from '../codec.ts'
import { componentsOf } from './abi-index.ts'

export type DecodedValue = string | readonly DecodedValue[]

/** A custom check, not a recursive schema: OpenAPI would need a shared definition for the schema to refer to. */
export const decodedValue = z.custom<DecodedValue>(isValue).describe('text, or an array of values')

function isValue(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every(isValue))
}

/** `exact`: the data must be what the decoded values encode to. Used when the interface is a guess. */
type Options = { readonly exact: boolean }

/** Values of a parameter list. Bytes after the last value are ignored, unless the decoding is exact. */
export function decodeValues(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  options: Options,
): readonly DecodedValue[] | undefined {
  return new AbiDecoder(data, options).decode(parameters)
}

/** The value of an event's indexed parameter; for dynamic types the topic itself, which is the hash of the value. */
export function decodeTopic(parameter: AbiParameter, topic: Uint8Array, options: Options): DecodedValue | undefined {
  const isOneWord = /^(address|bool|function|u?int\d*|bytes\d+)$/.test(parameter.type)
  return decodeValues([isOneWord ? parameter : { type: 'bytes32' }], topic, options)?.[0]
}

/** The data does not encode values of these types. */
class DecodingError extends Error {}

const WORD = 32
/** Decoding may read this many times the length of the data: some encoders let equal dynamic values share their bytes. */
const MAX_PASSES = 4
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

class AbiDecoder {
  readonly #data: Uint8Array
  readonly #exact: boolean
  /** Bytes that may still be read. */
  #left: number
  /** Where the last dynamic value ended. In a standard encoding the next one begins here. */
  #next = 0

  constructor(data: Uint8Array, { exact }: Options) {
    this.#data = data
    this.#exact = exact
    this.#left = MAX_PASSES * data.length
  }

  decode(parameters: readonly AbiParameter[]): DecodedValue[] | undefined {
    try {
      const values = this.#sequence(parameters.length, (i) => parameters[i] ?? NOTHING, 0)
      return this.#exact && this.#next !== this.#data.length ? undefined : values
    } catch (error) {
      if (error instanceof DecodingError) return undefined
      throw error
    }
  }

  /** Values whose heads begin at `base`; their offsets count from there. */
  #sequence(count: number, parameterAt: (position: number) => AbiParameter, base: number): DecodedValue[] {
    const parameters = Array.from({ length: count }, (_, i) => parameterAt(i))
    let head = base
    this.#next = parameters.reduce((end, parameter) => end + headSize(parameter), base)
    return parameters.map((parameter) => {
      const headAt = head
      head += headSize(parameter)
      if (!isDynamic(parameter)) return this.#static(parameter, headAt)
      const at = base + this.#size(headAt)
      this.#require(at === this.#next)
      return this.#dynamic(parameter, at)
    })
  }

  #dynamic(parameter: AbiParameter, at: number): DecodedValue {
    const { type } = parameter
    const array = arrayOf(parameter)
    if (array !== undefined) {
      const [count, begin] = array.length === undefined ? [this.#size(at), at + WORD] : [array.length, at]
      return this.#array(array.element, count, begin)
    }
    if (type === 'tuple') return this.#tuple(parameter, at)
    const length = this.#size(at)
    const end = at + WORD + Math.ceil(length / WORD) * WORD
    const bytes = this.#take(at + WORD, length)
    this.#require(end <= this.#data.length && this.#take(at + WORD + length, end - at - WORD - length).every(isZero))
    this.#next = end
    // Invalid UTF-8 becomes U+FFFD.
    return type === 'string' ? UTF8.decode(bytes) : toHex(bytes)
  }

  #static(parameter: AbiParameter, at: number): DecodedValue {
    // A static value is encoded among the heads, so that `#next` does not move.
    const next = this.#next
    const array = arrayOf(parameter)
    const value =
      array !== undefined
        ? this.#array(array.element, array.length ?? 0, at)
        : parameter.type === 'tuple'
          ? this.#tuple(parameter, at)
          : this.#word(parameter.type, this.#take(at, WORD))
    this.#next = next
    return value
  }

  #array(element: AbiParameter, count: number, begin: number): DecodedValue[] {
    if (count * Math.max(1, headSize(element)) > this.#data.length - begin) throw new DecodingError()
    return this.#sequence(count, () => element, begin)
  }

  #tuple(parameter: AbiParameter, at: number): DecodedValue[] {
    const components = componentsOf(parameter)
    return this.#sequence(components.length, (i) => components[i] ?? NOTHING, at)
  }

  /** A value of one word. Bits beyond its type are ignored, unless the decoding is exact. */
  #word(type: string, word: Uint8Array): string {
    const [, kind, digits] = /^([a-z]+)(\d*)$/.exec(type) ?? []
    const number = bytesToBig(word)
    const bits = Number(digits || 256)
    switch (kind) {
      case 'uint': {
        const value = BigInt.asUintN(bits, number)
        this.#require(value === number)
        return value.toString()
      }
      case 'int': {
        const value = BigInt.asIntN(bits, number)
        this.#require(value === BigInt.asIntN(256, number))
        return value.toString()
      }
      case 'bool':
        this.#require(number < 2n)
        return number === 0n ? 'false' : 'true'
      case 'address':
        this.#require(word.subarray(0, 12).every(isZero))
        return checksummed(toAddress(word.subarray(12)))
      case 'bytes':
      case 'function': {
        // A function is an address and a selector.
        const size = kind === 'function' ? 24 : Number(digits)
        this.#require(word.subarray(size).every(isZero))
        return toHex(word.subarray(0, size))
      }
      default:
        throw new DecodingError()
    }
  }

  /** An offset or a length. */
  #size(at: number): number {
    const size = bytesToBig(this.#take(at, WORD))
    if (size > this.#data.length) throw new DecodingError()
    return Number(size)
  }

  #take(at: number, length: number): Uint8Array {
    this.#left -= length
    if (at + length > this.#data.length || this.#left < 0) throw new DecodingError()
    return this.#data.subarray(at, at + length)
  }

  #require(isExact: boolean): void {
    if (this.#exact && !isExact) throw new DecodingError()
  }
}

const NOTHING: AbiParameter = { type: '' }
const isZero = (byte: number): boolean => byte === 0

/** The element type of an array, and its length if the type gives one; undefined for other types. */
function arrayOf(parameter: AbiParameter): { element: AbiParameter; length: number | undefined } | undefined {
  const [suffix, digits] = /\[(\d*)\]$/.exec(parameter.type) ?? []
  if (suffix === undefined) return undefined
  const element = { ...parameter, type: parameter.type.slice(0, -suffix.length) }
  return { element, length: digits === '' ? undefined : Number(digits) }
}

function isDynamic(parameter: AbiParameter): boolean {
  const array = arrayOf(parameter)
  if (array !== undefined) return array.length === undefined || isDynamic(array.element)
  const { type } = parameter
  return type === 'string' || type === 'bytes' || (type === 'tuple' && componentsOf(parameter).some(isDynamic))
}

/** Bytes of a parameter's head: of a static value its encoding, else an offset. */
function headSize(parameter: AbiParameter): number {
  if (isDynamic(parameter)) return WORD
  const array = arrayOf(parameter)
  if (array !== undefined) return (array.length ?? 0) * headSize(array.element)
  if (parameter.type !== 'tuple') return WORD
  return componentsOf(parameter).reduce((size, component) => size + headSize(component), 0)
}
