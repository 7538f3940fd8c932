// Parses command-line arguments of contract functions by the ABI. Addresses are hex, bech32 or `me`; amounts may have a unit;
// arrays and tuples are JSON, and lists without brackets are separated by commas; `name=value` names the parameter.
import type { AbiFunction, AbiParameter } from 'abitype'
import { decodeBech32 } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, fromHex, type Hex, hexToAddress, toAddress, toHex } from '../../lib/hex.ts'
import { componentsOf, layoutOf } from '../../primitives/abi-decoder.ts'
import { WrongCommandLine } from '../explain.ts'
import { wrongOperand } from '../flags.ts'
import { parseCoin } from './amount.ts'
import { declarationOf } from './contracts.ts'

const PROPOSAL_STATUS = ['unspecified', 'deposit', 'voting', 'passed', 'rejected', 'failed']

/** Words for enum values, by type and name of the parameter; the index is the number. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  'uint8 option': ['unspecified', 'yes', 'abstain', 'no', 'veto'],
  'uint32 proposalStatus': PROPOSAL_STATUS,
  'uint32 status': PROPOSAL_STATUS,
  'uint8 status': ['unspecified', 'unbonded', 'unbonding', 'bonded'],
}

/** The number of a word (`yes`) for a parameter (`uint8 option`); undefined for other texts. */
export function numberOf(parameter: string, text: string): number | undefined {
  const place = WORDS[parameter]?.indexOf(text.toLowerCase().replace('no-with-veto', 'veto')) ?? 0
  return place > 0 ? place : undefined
}

/** The base denomination, and the account that `me` means. */
export type ArgumentContext = { readonly base: string; readonly me: Hex | undefined }

export type ReadCall = { readonly abi: AbiFunction; readonly args: readonly unknown[] }

/**
 * Chooses among overloads by the number and forms of the arguments, and converts the arguments to viem's types. A page request
 * may be omitted: the first 100 items. Throws WrongCommandLine, naming the parameter.
 */
export function readArguments(
  functions: readonly AbiFunction[],
  texts: readonly string[],
  context: ArgumentContext,
): ReadCall {
  const [first, ...others] = functions.flatMap((abi) => {
    const assigned = assign(abi, texts)
    return assigned === undefined ? [] : [() => readAll(abi, assigned, context)]
  })
  if (first === undefined) throw wrongOperand('args', `expected ${functions.map(declarationOf).join(' or ')}`)
  try {
    return first()
  } catch (error) {
    const [other] = others
    if (other === undefined || !(error instanceof WrongCommandLine)) throw error
    return other()
  }
}

const readAll = (abi: AbiFunction, texts: readonly string[], context: ArgumentContext): ReadCall => ({
  abi,
  args: abi.inputs.map((input, i) => new ArgumentReader(input.name ?? '', context).value(input, texts[i] ?? '')),
})

const FIRST_PAGE = JSON.stringify({ key: '0x', offset: 0, limit: 100, countTotal: false, reverse: false })

const isPageRequest = (parameter: AbiParameter): boolean =>
  componentsOf(parameter)
    .map(({ name }) => name)
    .join() === 'key,offset,limit,countTotal,reverse'

/** The texts in the order of the parameters; undefined when there are too few or too many. */
function assign({ inputs }: AbiFunction, texts: readonly string[]): string[] | undefined {
  const named = new Map<string, string>()
  const ordered: string[] = []
  for (const text of texts) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? []
    const isName = value !== undefined && inputs.some((input) => input.name === name) && !named.has(name ?? '')
    if (isName) named.set(name ?? '', value)
    else ordered.push(text)
  }
  const assigned = inputs.map(
    (input) => named.get(input.name ?? '') ?? ordered.shift() ?? (isPageRequest(input) ? FIRST_PAGE : undefined),
  )
  return ordered.length === 0 && assigned.every((text) => text !== undefined) ? assigned : undefined
}

/** Reads one argument; its errors name it. */
class ArgumentReader {
  readonly #name: string
  readonly #context: ArgumentContext

  constructor(name: string, context: ArgumentContext) {
    this.#name = name
    this.#context = context
  }

  /** `given` is text from the command line, or a JSON value. */
  value(parameter: AbiParameter, given: unknown): unknown {
    const { array } = layoutOf(parameter)
    if (array !== undefined) return this.#items(given).map((item) => this.value(array.element, item))
    if (parameter.type === 'tuple') return this.#tuple(componentsOf(parameter), given)
    return this.#scalar(parameter, given)
  }

  #items(given: unknown): readonly unknown[] {
    const items = typeof given === 'string' && !given.trim().startsWith('[') ? listOf(given) : this.#json(given)
    return Array.isArray(items) ? items : this.#refuse('a list', given)
  }

  #tuple(components: readonly AbiParameter[], given: unknown): Record<string, unknown> {
    const names = components.map(({ name }) => name ?? '')
    if (names.join() === 'denom,amount' && typeof given === 'string' && /^\s*[\d.]+\s*[a-zA-Z]/.test(given))
      return this.#named(() => parseCoin(given, this.#context.base))
    const json = this.#json(given)
    if (typeof json !== 'object' || json === null) return this.#refuse(`{${names.join(', ')}} as JSON`, given)
    const fields = new Map(Array.isArray(json) ? json.map((item, i) => [names[i], item]) : Object.entries(json))
    if (fields.size !== names.length || names.some((name) => !fields.has(name)))
      return this.#refuse(`{${names.join(', ')}}`, JSON.stringify(json))
    return Object.fromEntries(components.map((field) => [field.name, this.value(field, fields.get(field.name ?? ''))]))
  }

  #scalar({ type, name = '' }: AbiParameter, given: unknown): unknown {
    if (typeof given === 'number' && !Number.isSafeInteger(given))
      return this.#refuse('large numbers and fractions as text, in quotes', given)
    if (!['string', 'number', 'boolean'].includes(typeof given)) return this.#refuse(type, JSON.stringify(given))
    if (type === 'string') return String(given)
    const text = String(given).trim()
    if (type === 'address') return this.#address(text)
    if (type === 'bool') return /^(true|false)$/.test(text) ? text === 'true' : this.#refuse('true or false', text)
    return type.startsWith('bytes') ? this.#bytes(type, text) : this.#integer(type, name, text)
  }

  #address(text: string): Hex {
    if (text === 'me') return this.#context.me ?? this.#refuse('an account for `me`: --from names it', text)
    return readAccount(this.#name, text, 'an address in hex or bech32, or `me`')
  }

  #bytes(type: string, text: string): Hex {
    const size = type === 'bytes' ? undefined : Number(type.slice(5))
    if (size === undefined && !text.startsWith('0x')) return toHex(Buffer.from(text))
    const isHex = /^0x([0-9a-f]{2})*$/i.test(text) && (size === undefined || text.length === 2 + 2 * size)
    return isHex ? toHex(fromHex(text.toLowerCase())) : this.#refuse(`hex of ${size ?? 'whole'} bytes`, text)
  }

  /** Whole numbers are unchanged; an amount with the base coin's unit is converted to base units. */
  #integer(type: string, name: string, text: string): bigint {
    const words = WORDS[`${type} ${name}`]
    const word = numberOf(`${type} ${name}`, text)
    if (word !== undefined) return BigInt(word)
    const { base } = this.#context
    const isAmount = type === 'uint256' && /^[\d.]+\s*[a-zA-Z]/.test(text) && !text.startsWith('0x')
    const coin = isAmount ? this.#named(() => parseCoin(text, base)) : undefined
    if (coin !== undefined && coin.denom !== base) return this.#refuse(`an amount of ${base}`, text)
    if (coin === undefined && !/^(-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text))
      return this.#refuse(
        words === undefined ? `a whole number (${type})` : `one of ${words.slice(1).join(', ')}`,
        text,
      )
    const value = coin?.amount ?? BigInt(text)
    const bits = Number(/\d+$/.exec(type)?.[0] ?? 256)
    const fits = type.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value)
    return fits === value ? value : this.#refuse(`a number that ${type} can hold`, text)
  }

  #json(given: unknown): unknown {
    if (typeof given !== 'string') return given
    try {
      return JSON.parse(given)
    } catch {
      return this.#refuse('JSON', given)
    }
  }

  #named<T>(read: () => T): T {
    return named(this.#name, read)
  }

  #refuse(expected: string, given: unknown): never {
    throw wrongOperand(this.#name, `expected ${expected}, not ${typeof given === 'string' ? `"${given}"` : given}`)
  }
}

/** Prefixes an error's message with the argument's name. */
function named<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ChainError) throw wrongOperand(name, error.message)
    throw error
  }
}

/** An address in hex, or in bech32 of an account or an operator. Throws WrongCommandLine, naming the argument. */
export function readAccount(name: string, text: string, expected = 'an address in hex or bech32'): Address {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return hexToAddress(text)
  const isBech32 = !text.startsWith('0x') && text.includes('1')
  const bytes = isBech32 ? named(name, () => decodeBech32(text)).bytes : undefined
  if (bytes?.length === 20) return toAddress(bytes)
  throw wrongOperand(name, `expected ${bytes === undefined ? expected : 'an address of 20 bytes'}, not "${text}"`)
}

const listOf = (text: string): string[] => (text.trim() === '' ? [] : text.split(',').map((item) => item.trim()))
