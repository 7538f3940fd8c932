// Values of a function's variables, from the stack, memory and call data, in words. Pointers and lengths may be anything: what is not
// in memory is zero, and long values are cut.
import { bytesToBig, toHex, toQuantity } from '../../lib/hex.ts'
import { type TypeName, UnknownSyntax } from '../solidity-declarations.ts'
import type { Scope, SolidityScopes } from '../solidity-scopes.ts'
import { elementaryInWords } from '../storage-values.ts'
import { cut } from '../words.ts'
import type { DeclaredVariable } from './declared-variables.ts'

/** Bytes of memory or call data; zeros behind their end. */
type ReadBytes = (offset: number, length: number) => Uint8Array
export type ValueSources = {
  readonly scopes: SolidityScopes
  readonly scope: Scope
  readonly memory: ReadBytes
  readonly callData: ReadBytes
}

const WORD = 32
/** Bytes of a text, elements of an array, levels of values within values, and characters of all. */
const LONGEST_TEXT = 1_024
const MOST_ELEMENTS = 64
const DEEPEST = 6
const LONGEST = 4_096

/** Slots on the stack: arrays and texts in call data have an offset and a length, external functions an address and a selector. */
export function slotsOf({ type, location }: Pick<DeclaredVariable, 'type' | 'location'>): number {
  if (type.kind === 'function') return type.isExternal ? 2 : 1
  const isDynamic = type.kind === 'array' ? type.length === undefined : isText(type)
  return isDynamic && location === 'calldata' ? 2 : 1
}

const isText = (type: TypeName): boolean =>
  type.kind === 'elementary' && (type.name === 'string' || type.name === 'bytes')

/** The value of a variable by its slots, lowest first. Throws UnknownSyntax for a type that is not known. */
export function variableInWords(
  { type, location }: Pick<DeclaredVariable, 'type' | 'location'>,
  slots: readonly Uint8Array[],
  from: ValueSources,
): string {
  const [first = new Uint8Array(WORD), second = new Uint8Array(WORD)] = slots
  if (location === 'storage' || type.kind === 'mapping') return `slot ${toQuantity(bytesToBig(first))}`
  if (type.kind === 'function' && type.isExternal) return `${addressIn(first)}.${toHex(second.subarray(WORD - 4))}`
  const decoder = new Decoder(from)
  const value =
    location === 'calldata' ? decoder.inCallData(type, first, second) : decoder.word(type, from.scope, first, 0)
  return cut(value, LONGEST)
}

class Decoder {
  readonly #from: ValueSources

  constructor(from: ValueSources) {
    this.#from = from
  }

  /** A word of the stack or of memory: a value, or a pointer to memory. */
  word(type: TypeName, scope: Scope, word: Uint8Array, depth: number): string {
    if (depth > DEEPEST) return '…'
    if (type.kind === 'elementary')
      return isText(type) ? this.#text(type, small(word), this.#from.memory) : valueInWords(type.name, word)
    if (type.kind === 'array') return this.#array(type, scope, small(word), depth)
    if (type.kind !== 'named') return toHex(word)
    const { scopes } = this.#from
    const found = scopes.resolve(type.path, scope)
    if (found.is === 'contract') return addressIn(word)
    if (found.is !== 'type') throw new UnknownSyntax(`${type.path.join('.')} is no type`)
    const named = found.type
    if (named.kind === 'enum') return named.names[Number(bytesToBig(word))] ?? bytesToBig(word).toString()
    if (named.kind === 'value') return this.word(named.of, found.scope, word, depth + 1)
    // Mappings are not in memory.
    const members = named.members.filter(({ type }) => type.kind !== 'mapping')
    const start = small(word)
    const values = members.map(
      ({ name, type }, i) =>
        `${name}: ${this.word(type, found.scope, this.#from.memory(start + i * WORD, WORD), depth + 1)}`,
    )
    return `(${values.join(', ')})`
  }

  #array(type: TypeName & { kind: 'array' }, scope: Scope, pointer: number, depth: number): string {
    const { memory, scopes } = this.#from
    const isDynamic = type.length === undefined
    const length = isDynamic ? small(memory(pointer, WORD)) : Number(scopes.constant(type.length, scope))
    const start = isDynamic ? pointer + WORD : pointer
    return listed(length, (i) => this.word(type.of, scope, memory(start + i * WORD, WORD), depth + 1))
  }

  /** A text, or an array of values. Others are shown by where they are. */
  inCallData(type: TypeName, offset: Uint8Array, length: Uint8Array): string {
    const { callData, scope } = this.#from
    const at = small(offset)
    if (isText(type)) return this.#textOf(type, callData(at, shown(small(length))), small(length))
    const isPlain = type.kind === 'array' && type.length === undefined && this.#isValue(type.of, scope)
    if (!isPlain) return `call data at ${at}`
    return listed(small(length), (i) => this.word(type.of, scope, callData(at + i * WORD, WORD), 1))
  }

  #isValue(type: TypeName, scope: Scope): boolean {
    if (type.kind === 'elementary') return !isText(type)
    if (type.kind !== 'named') return false
    const found = this.#from.scopes.resolve(type.path, scope)
    return found.is === 'contract' || (found.is === 'type' && found.type.kind !== 'struct')
  }

  #text(type: TypeName, pointer: number, read: ReadBytes): string {
    const length = small(read(pointer, WORD))
    return this.#textOf(type, read(pointer + WORD, shown(length)), length)
  }

  #textOf(type: TypeName, bytes: Uint8Array, length: number): string {
    const more = length > bytes.length ? `… and ${length - bytes.length} more bytes` : ''
    const isString = type.kind === 'elementary' && type.name === 'string'
    return (isString ? JSON.stringify(Buffer.from(bytes).toString('utf8')) : toHex(bytes)) + more
  }
}

const shown = (length: number): number => Math.min(length, LONGEST_TEXT)

function listed(length: number, element: (index: number) => string): string {
  const values = Array.from({ length: Math.min(length, MOST_ELEMENTS) }, (_, i) => element(i))
  if (length > values.length) values.push(`… and ${length - values.length} more`)
  return `[${values.join(', ')}]`
}

/** A pointer or length; more than memory and call data can have is taken for their end. */
function small(word: Uint8Array): number {
  const value = bytesToBig(word)
  return value < 1n << 32n ? Number(value) : 2 ** 32
}

const addressIn = (word: Uint8Array): string => elementaryInWords('address', word)

/** A value of one word. */
function valueInWords(type: string, word: Uint8Array): string {
  const [, size] = /^bytes(\d+)$/.exec(type) ?? []
  return elementaryInWords(type, size === undefined ? word : word.subarray(0, Number(size)))
}
