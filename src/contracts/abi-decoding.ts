// Decoded ABI values in the explorer's form: scalars as text, arrays and tuples as arrays. Values that cannot be decoded are
// undefined.
import type { AbiEventParameter, AbiParameter } from 'abitype'
import { checksummed } from '../lib/checksummed.ts'
import { ChainError } from '../lib/errors.ts'
import { fromHex, hexToAddress } from '../lib/hex.ts'
import { decodeAbi, type Shape, type Strictness } from '../primitives/abi-decoder.ts'
import type { Log } from '../primitives/types.ts'

export type DecodedValue = string | readonly DecodedValue[]

/** The explorer's form. */
export const shown: Shape<DecodedValue> = {
  scalar: (type, value) => (type === 'address' ? checksummed(hexToAddress(String(value))) : String(value)),
  array: (values) => values,
  tuple: (_components, values) => values,
}

/** Values of a parameter list. */
export const decodeValues = (
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  strictness: Strictness,
): readonly DecodedValue[] | undefined => decodeAs(shown, parameters, data, strictness)

/** As `decodeValues`, in another form. */
export function decodeAs<T>(
  shape: Shape<T>,
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  strictness: Strictness,
): readonly T[] | undefined {
  try {
    return decodeAbi(parameters, data, strictness, shape)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

/**
 * Values in the order of an event's parameters: the indexed ones from topics, the others from the data. Of an indexed parameter of a
 * dynamic type it is the topic, which is the hash of the value.
 */
export function decodeEvent<T>(
  shape: Shape<T>,
  inputs: readonly AbiEventParameter[],
  { topics, data }: Log,
  strictness: Strictness,
): readonly T[] | undefined {
  const indexed = inputs.filter((input) => input.indexed === true)
  const others = inputs.filter((input) => input.indexed !== true)
  if (indexed.length !== topics.length - 1) return undefined
  const fromData = decodeAs(shape, others, data, strictness)
  const fromTopics = indexed.map((input, i) => decodeTopic(shape, input, fromHex(topics[i + 1] ?? '0x'), strictness))
  const values = inputs.map((input) =>
    input.indexed === true ? fromTopics[indexed.indexOf(input)] : fromData?.[others.indexOf(input)],
  )
  return values.every((value) => value !== undefined) ? values : undefined
}

function decodeTopic<T>(shape: Shape<T>, parameter: AbiParameter, topic: Uint8Array, strictness: Strictness) {
  const isOneWord = /^(address|bool|function|u?int\d*|bytes\d+)$/.test(parameter.type)
  return decodeAs(shape, [isOneWord ? parameter : { type: 'bytes32' }], topic, strictness)?.[0]
}
