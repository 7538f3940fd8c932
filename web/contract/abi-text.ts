// Parses users' input of function arguments by ABI type. Integers stay exact: they are never JavaScript numbers.
import type { AbiFunction, AbiParameter } from 'abitype'
import { isAddress } from 'viem'

/** A text is not a value of its type. The message is shown next to the field. */
export class InputError extends Error {}

/** JSON with all numbers as text. */
type Json = string | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** The parameters of a tuple; empty for other types. */
export const componentsOf = (parameter: AbiParameter): readonly AbiParameter[] =>
  'components' in parameter ? parameter.components : []

/** Type of an array's elements, and its length if it is fixed; undefined for other types. */
export function elementOf(parameter: AbiParameter): { element: AbiParameter; length: number | undefined } | undefined {
  const [, type, length] = /^(.+)\[(\d*)\]$/.exec(parameter.type) ?? []
  if (type === undefined) return undefined
  return { element: { ...parameter, type }, length: length === '' ? undefined : Number(length) }
}

/** Whether values of the type are entered as JSON. */
export const isNested = ({ type }: AbiParameter): boolean => type.startsWith('tuple') || type.endsWith(']')

/** The full type: `(address to,uint256[] amounts)[]` instead of `tuple[]`. */
export function typeText(parameter: AbiParameter): string {
  if (!parameter.type.startsWith('tuple')) return parameter.type
  const inner = componentsOf(parameter).map((of) => `${typeText(of)}${of.name ? ` ${of.name}` : ''}`)
  return `(${inner.join(', ')})${parameter.type.slice('tuple'.length)}`
}

/** `Vault.State`, `Vault.Order[]`; undefined: of no type that the sources define. */
export const namedType = ({ internalType }: AbiParameter = { type: '' }): string | undefined =>
  typeof internalType === 'string' ? /^(?:enum|struct) (.+)$/.exec(internalType)?.[1] : undefined

/** `transfer(address to, uint256 value)` */
export const declarationOf = ({ name, inputs }: AbiFunction): string =>
  `${name}(${inputs.map((of) => `${typeText(of)}${of.name ? ` ${of.name}` : ''}`).join(', ')})`

/** An example value of the type, for placeholders. */
export function exampleOf(parameter: AbiParameter): string {
  const array = elementOf(parameter)
  if (array !== undefined) {
    const one = quoted(array.element)
    return `[${array.length === undefined ? `${one}, …` : Array(Math.min(array.length, 4)).fill(one).join(', ')}]`
  }
  const { type } = parameter
  if (type === 'tuple') {
    const fields = componentsOf(parameter)
    return fields.every(({ name }) => name)
      ? `{${fields.map((of) => `"${of.name}": ${quoted(of)}`).join(', ')}}`
      : `[${fields.map(quoted).join(', ')}]`
  }
  if (/^u?int/.test(type)) return '1 or 1.5e18'
  if (type === 'bool') return 'true'
  if (type === 'string') return 'text'
  return type === 'address' ? '0x… (20 bytes)' : type === 'bytes' ? '0x…' : `0x… (${type.slice(5)} bytes)`
}

const quoted = (parameter: AbiParameter): string => {
  if (isNested(parameter)) return exampleOf(parameter)
  if (/^u?int/.test(parameter.type)) return '1'
  return parameter.type === 'bool' ? 'true' : parameter.type === 'string' ? '"text"' : '"0x…"'
}

/** Parses the value of a parameter. Throws InputError. */
export const valueOfText = (parameter: AbiParameter, text: string): unknown =>
  isNested(parameter) ? valueOfJson(parameter, readJson(text)) : scalar(parameter.type, text)

/** Reads JSON. Words without quotes are text, so addresses and large integers need no quotes. */
function readJson(text: string): Json {
  const withQuotes = text.replaceAll(/"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+/g, (word) =>
    word.startsWith('"') || /^(true|false|null)$/.test(word) ? word : JSON.stringify(word),
  )
  try {
    return JSON.parse(withQuotes)
  } catch {
    throw new InputError('This is not JSON: lists are written [a, b], structs {"name": value}.')
  }
}

function valueOfJson(parameter: AbiParameter, json: Json): unknown {
  const array = elementOf(parameter)
  if (array !== undefined) {
    const { element, length } = array
    if (!Array.isArray(json)) throw new InputError(`A list is expected: ${exampleOf(parameter)}`)
    if (length !== undefined && json.length !== length) {
      throw new InputError(`${length} values are expected, and there are ${json.length}.`)
    }
    return json.map((of, i) => within(`[${i}]`, () => valueOfJson(element, of)))
  }
  if (parameter.type === 'tuple') return tuple(parameter, json)
  if (typeof json !== 'string' && typeof json !== 'boolean') {
    throw new InputError(`A value of type ${parameter.type} is expected.`)
  }
  return scalar(parameter.type, String(json))
}

/** The fields of a struct in order, from a list or an object. */
function tuple(parameter: AbiParameter, json: Json): unknown {
  const components = componentsOf(parameter)
  if (typeof json !== 'object' || json === null) throw new InputError(`A struct is expected: ${exampleOf(parameter)}`)
  const isList = Array.isArray(json)
  if (isList && json.length !== components.length) {
    throw new InputError(`${components.length} fields are expected, and there are ${json.length}.`)
  }
  const fields = new Map<string, Json>(Object.entries(json))
  return components.map((of, i) => {
    const value = fields.get(isList ? String(i) : (of.name ?? ''))
    if (value === undefined) throw new InputError(`The field ${of.name} is missing.`)
    return within(of.name ?? String(i), () => valueOfJson(of, value))
  })
}

/** Prepends the position in a list or struct to an error. */
function within<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof InputError) throw new InputError(`${place}: ${error.message}`)
    throw error
  }
}

function scalar(type: string, text: string): unknown {
  if (type === 'string') return text
  const value = text.trim()
  if (value === '') throw new InputError('A value is needed.')
  if (type === 'bool') {
    if (/^(true|1)$/i.test(value)) return true
    if (/^(false|0)$/i.test(value)) return false
    throw new InputError('true or false is expected.')
  }
  if (type === 'address') return addressOf(value)
  return /^u?int/.test(type) ? integerOf(type, value) : bytesOf(type, value)
}

function addressOf(value: string): string {
  if (!/^0x[0-9a-f]{40}$/i.test(value)) throw new InputError('An address has 0x and 40 hexadecimal digits.')
  if (!isAddress(value)) {
    throw new InputError('The capital letters do not fit the address (EIP-55): a digit may be mistyped.')
  }
  return value
}

function bytesOf(type: string, value: string): string {
  if (!/^0x([0-9a-f]{2})*$/i.test(value)) throw new InputError('Bytes are 0x and two hexadecimal digits for each byte.')
  const wanted = type === 'function' ? 24 : type === 'bytes' ? undefined : Number(type.slice('bytes'.length))
  const size = (value.length - 2) / 2
  if (wanted !== undefined && size !== wanted) {
    throw new InputError(`${wanted} bytes are expected, and there are ${size}.`)
  }
  return value
}

function integerOf(type: string, text: string): bigint {
  const value = parseInteger(text)
  const isSigned = type.startsWith('int')
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? 256)
  const [least, most] = isSigned ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n]
  if (value < least) throw new InputError(isSigned ? `The least ${type} is ${least}.` : 'It must not be negative.')
  if (value > most) throw new InputError(`The largest ${type} is ${most}.`)
  return value
}

/** Parses `1,000`, `0x1f`, `1.5e18`. Throws InputError. */
function parseInteger(text: string): bigint {
  const value = text.replaceAll(/[_,\s]/g, '')
  if (/^0x[0-9a-f]+$/i.test(value)) return BigInt(value)
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:e\+?(\d{1,2}))?$/i.exec(value) ?? []
  if (sign === undefined || whole + fraction === '') throw new InputError('A whole number is expected.')
  const scale = Number(exponent)
  if (/[1-9]/.test(fraction.slice(scale))) throw new InputError('A whole number is expected, without a fraction.')
  const digits = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0') || '0')
  return sign === '-' ? -digits : digits
}

/** Parses an amount of coins with up to 18 decimals, `1.5`, to wei. Throws InputError. */
export function weiOfText(text: string): bigint {
  const value = text.trim().replaceAll(',', '')
  if (value === '') return 0n
  if (!/^(\d+\.?\d*|\.\d+)$/.test(value)) throw new InputError('An amount is expected, such as 1.5.')
  if ((value.split('.')[1] ?? '').length > 18) throw new InputError('A coin has 18 decimals.')
  return parseInteger(`${value}e18`)
}
