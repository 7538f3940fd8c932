// ABI-encoded bytes as the explorer shows them: scalars as text, arrays and tuples as arrays. Whatever anybody has put on
// the chain may come here: what cannot be decoded is undefined, and nothing throws.
import type { AbiParameter } from 'abitype'
import { decodeAbiParameters, encodeAbiParameters } from 'viem'
import { z } from 'zod'
import { equalBytes, fromHex } from '../../lib/hex.ts'
import { componentsOf } from './signatures.ts'

export type DecodedValue = string | readonly DecodedValue[]
export const decodedValue: z.ZodType<DecodedValue> = z.lazy(() =>
  z.union([z.string(), z.array(decodedValue).readonly()]),
)

/**
 * Values of a parameter list. `exact` refuses bytes that these values would not be encoded as, so that a guess at what
 * they mean must fit them wholly; without it bytes behind the last value are fine, as for Solidity.
 */
export function decodeValues(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  { exact }: { readonly exact: boolean },
): readonly DecodedValue[] | undefined {
  try {
    const coded = codedAs(parameters)
    const values = coded.length === 0 ? [] : decodeAbiParameters(coded, data)
    if (exact && !equalBytes(fromHex(encodeAbiParameters(coded, values)), data)) return undefined
    return parameters.map((parameter, i) => shown(parameter, values[i]))
  } catch {
    return undefined
  }
}

/** The value of an indexed parameter: what the topic holds, or for what does not fit one the topic itself, a hash. */
export function decodeTopic(
  parameter: AbiParameter,
  topic: Uint8Array,
  options: { readonly exact: boolean },
): DecodedValue | undefined {
  const type = isOneWord(parameter.type) ? parameter : { type: 'bytes32' }
  return decodeValues([type], topic, options)?.[0]
}

const isOneWord = (type: string): boolean => /^(address|bool|function|u?int\d*|bytes\d+)$/.test(type)

const coded = new WeakMap<readonly AbiParameter[], readonly AbiParameter[]>()

/**
 * The same parameters as the library is to take them: text as bytes, because any bytes may stand where text should;
 * function values as the 24 bytes that they are; and without names, so that every tuple is an array.
 */
function codedAs(parameters: readonly AbiParameter[]): readonly AbiParameter[] {
  const known = coded.get(parameters)
  if (known !== undefined) return known
  const made = parameters.map((parameter) => ({
    type: parameter.type.replace(/^string/, 'bytes').replace(/^function/, 'bytes24'),
    components: codedAs(componentsOf(parameter)),
  }))
  coded.set(parameters, made)
  return made
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

function shown(parameter: AbiParameter, value: unknown): DecodedValue {
  const { type } = parameter
  if (Array.isArray(value)) {
    if (type === 'tuple') return componentsOf(parameter).map((component, i) => shown(component, value[i]))
    const element = { ...parameter, type: type.replace(/\[\d*\]$/, '') }
    return value.map((item) => shown(element, item))
  }
  // What is not UTF-8 within a text becomes U+FFFD.
  if (type === 'string') return UTF8.decode(fromHex(String(value)))
  return String(value)
}
