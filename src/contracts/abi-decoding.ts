// Decoded ABI values in the explorer's form: scalars as text, arrays and tuples as arrays. Values that cannot be decoded are
// undefined.
import type { AbiParameter } from 'abitype'
import { checksummed } from '../lib/checksummed.ts'
import { ChainError } from '../lib/errors.ts'
import { hexToAddress } from '../lib/hex.ts'
import { decodeAbi, type Shape, type Strictness } from '../primitives/abi-decoder.ts'

export type DecodedValue = string | readonly DecodedValue[]

const shown: Shape<DecodedValue> = {
  scalar: (type, value) => (type === 'address' ? checksummed(hexToAddress(String(value))) : String(value)),
  array: (values) => values,
  tuple: (_components, values) => values,
}

/** Values of a parameter list. */
export function decodeValues(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  strictness: Strictness,
): readonly DecodedValue[] | undefined {
  try {
    return decodeAbi(parameters, data, strictness, shown)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

/** The value of an event's indexed parameter; for dynamic types the topic itself, which is the hash of the value. */
export function decodeTopic(
  parameter: AbiParameter,
  topic: Uint8Array,
  strictness: Strictness,
): DecodedValue | undefined {
  const isOneWord = /^(address|bool|function|u?int\d*|bytes\d+)$/.test(parameter.type)
  return decodeValues([isOneWord ? parameter : { type: 'bytes32' }], topic, strictness)?.[0]
}
