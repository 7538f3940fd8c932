// The decoder of ABI-encoded values, for calls of native contracts and for the explorer. The data may be arbitrary bytes from
// the chain. Each caller chooses the strictness of the decoding and the type of the values. The work is bounded by the length
// of the data, even if offsets point at each other: every byte that is read counts, and an array needs room for its heads.
import type { AbiParameter } from 'abitype'
import { ChainError } from '../lib/errors.ts'
import { bytesToBig, type Hex, toAddress, toHex } from '../lib/hex.ts'

/**
 * `strict`: as Solidity decodes calldata: no bits beyond a value's type, valid UTF-8, no byte read twice.
 * `exact`: the data must equal the encoding of the decoded values, without extra bytes; used when the types are a guess.
 * `lenient`: bits beyond a value's type are ignored, invalid UTF-8 becomes U+FFFD, and values may share bytes.
 */
export type Strictness = 'strict' | 'exact' | 'lenient'

/** Builds a caller's values. */
export type Shape<T> = {
  /**
   * A value of a type other than arrays and tuples. Integers are bigint, addresses lower case; bytes and functions are hex. Of an
   * element `parameter` has the internal type of its array.
   */
  scalar(type: string, value: bigint | boolean | Hex | string, parameter: AbiParameter): T
  array(values: readonly T[]): T
  /** The values are in the order of the components. */
  tuple(components: readonly AbiParameter[], values: readonly T[]): T
}

/**
 * Decodes a parameter list. Bytes after the last value are ignored, unless the decoding is exact.
 * Throws ChainError `invalid calldata: <why>`. Native calls revert with this message, so it is part of the state.
 */
export const decodeAbi = <T>(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  strictness: Strictness,
  shape: Shape<T>,
): T[] => new Decoder(data, strictness, shape).decode(parameters)

const WORD = 32
/** Lenient decoding may read this many times the length of the data, because some encoders let equal values share bytes. */
const LENIENT_PASSES = 4
const UTF8 = {
  strict: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }),
  exact: new TextDecoder('utf-8', { ignoreBOM: true }),
  lenient: new TextDecoder('utf-8', { ignoreBOM: true }),
}

const invalid = (why: string): never => {
  throw new ChainError('execution-reverted', `invalid calldata: ${why}`)
}

class Decoder<T> {
  readonly #data: Uint8Array
  readonly #strictness: Strictness
  readonly #shape: Shape<T>
  /** Bytes that may still be read. */
  #left: number
  /** The end of the last dynamic value, where a standard encoding has the next one. */
  #next = 0

  constructor(data: Uint8Array, strictness: Strictness, shape: Shape<T>) {
    this.#data = data
    this.#strictness = strictness
    this.#shape = shape
    this.#left = data.length * (strictness === 'lenient' ? LENIENT_PASSES : 1)
  }

  decode(parameters: readonly AbiParameter[]): T[] {
    const values = this.#sequence(parameters, 0)
    this.#requireExact(this.#next === this.#data.length)
    return values
  }

  /** Decodes values whose heads begin at `base`; their offsets are relative to it. */
  #sequence(parameters: readonly AbiParameter[], base: number): T[] {
    let head = base
    if (this.#strictness === 'exact')
      this.#next = parameters.reduce((end, parameter) => end + layoutOf(parameter).headSize, base)
    return parameters.map((parameter) => {
      const layout = layoutOf(parameter)
      const headAt = head
      head += layout.headSize
      if (layout.isDynamic) {
        const at = base + this.#size(headAt)
        this.#requireExact(at === this.#next)
        return this.#value(parameter, layout, at)
      }
      // A static value is encoded among the heads and does not move the next dynamic one.
      const next = this.#next
      const value = this.#value(parameter, layout, headAt)
      this.#next = next
      return value
    })
  }

  #value(parameter: AbiParameter, { array }: Layout, at: number): T {
    const { type } = parameter
    if (array !== undefined) {
      const [length, begin] = array.length === undefined ? [this.#size(at), at + WORD] : [array.length, at]
      return this.#array(array.element, length, begin)
    }
    if (type === 'tuple') {
      const components = componentsOf(parameter)
      return this.#shape.tuple(components, this.#sequence(components, at))
    }
    if (type === 'string' || type === 'bytes') {
      const bytes = this.#bytes(at)
      return this.#shape.scalar(type, type === 'bytes' ? toHex(bytes) : this.#text(bytes), parameter)
    }
    return this.#shape.scalar(type, this.#word(type, this.#take(at, WORD)), parameter)
  }

  #array(element: AbiParameter, length: number, begin: number): T {
    if (length * Math.max(1, layoutOf(element).headSize) > this.#data.length - begin) invalid('array beyond the data')
    const elements = Array.from({ length }, () => element)
    return this.#shape.array(this.#sequence(elements, begin))
  }

  /** The content of a `bytes` or `string`. */
  #bytes(at: number): Uint8Array {
    const bytes = this.#take(at + WORD, this.#size(at))
    if (this.#strictness === 'exact') {
      const end = at + WORD + bytes.length
      this.#next = at + WORD + Math.ceil(bytes.length / WORD) * WORD
      this.#requireExact(this.#take(end, this.#next - end).every(isZero))
    }
    return bytes
  }

  #text(bytes: Uint8Array): string {
    try {
      return UTF8[this.#strictness].decode(bytes)
    } catch {
      return invalid('string is not UTF-8')
    }
  }

  #word(type: string, word: Uint8Array): bigint | boolean | Hex {
    const [, kind, digits] = /^([a-z]+)(\d*)$/.exec(type) ?? []
    const number = bytesToBig(word)
    const bits = Number(digits || 256)
    const requireClean = (isClean: boolean): void => {
      if (!isClean && this.#strictness !== 'lenient') invalid(`dirty ${type}`)
    }
    switch (kind) {
      case 'uint': {
        const value = BigInt.asUintN(bits, number)
        requireClean(value === number)
        return value
      }
      case 'int': {
        const value = BigInt.asIntN(bits, number)
        requireClean(value === BigInt.asIntN(256, number))
        return value
      }
      case 'bool':
        requireClean(number < 2n)
        return number !== 0n
      case 'address':
        requireClean(number < 1n << 160n)
        return toAddress(word.subarray(12))
      case 'bytes':
      case 'function': {
        // A function is an address and a selector.
        const size = kind === 'function' ? 24 : Number(digits)
        requireClean(word.subarray(size).every(isZero))
        return toHex(word.subarray(0, size))
      }
      default:
        return invalid(`type ${type} is not known`)
    }
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

  #requireExact(isExact: boolean): void {
    if (!isExact && this.#strictness === 'exact') invalid('not the standard encoding')
  }
}

const isZero = (byte: number): boolean => byte === 0

export const componentsOf = (parameter: AbiParameter): readonly AbiParameter[] =>
  'components' in parameter ? parameter.components : []

/** How a type is encoded. */
type Layout = {
  /** For an array: its elements, and its length if the type has one. */
  readonly array: { readonly element: AbiParameter; readonly length: number | undefined } | undefined
  readonly isDynamic: boolean
  /** Bytes of the head: for a static value its encoding, otherwise an offset. */
  readonly headSize: number
}

const layouts = new WeakMap<AbiParameter, Layout>()

/** Computed once for each parameter, because a native call would otherwise take twice as long to decode. */
export function layoutOf(parameter: AbiParameter): Layout {
  let layout = layouts.get(parameter)
  if (layout === undefined) {
    layout = computeLayout(parameter)
    layouts.set(parameter, layout)
  }
  return layout
}

function computeLayout(parameter: AbiParameter): Layout {
  const { type } = parameter
  const [suffix, digits] = /\[(\d*)\]$/.exec(type) ?? []
  if (suffix !== undefined) {
    const element = { ...parameter, type: type.slice(0, -suffix.length) }
    if (digits === '') return { array: { element, length: undefined }, isDynamic: true, headSize: WORD }
    const length = Number(digits)
    const { isDynamic, headSize } = layoutOf(element)
    return { array: { element, length }, isDynamic, headSize: isDynamic ? WORD : length * headSize }
  }
  const components = type === 'tuple' ? componentsOf(parameter).map(layoutOf) : []
  const isDynamic = type === 'string' || type === 'bytes' || components.some((component) => component.isDynamic)
  const isOneWord = isDynamic || type !== 'tuple'
  return {
    array: undefined,
    isDynamic,
    headSize: isOneWord ? WORD : components.reduce((size, component) => size + component.headSize, 0),
  }
}
