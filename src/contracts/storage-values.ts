// Values of a contract's variables, by the layout of its storage. A variable has a path, as it would be written in the source:
// `owner`, `points[3].x`, `balances[0x70…]`, `names["alice"]`. The slots of arrays, mappings and texts follow from the rules of
// Solidity's layout. Nothing is believed of what is stored: a length may be any number.
import { checksummed } from '../lib/checksummed.ts'
import { bigToFixed, bytesToBig, fromHex, hexToAddress, padLeft, toAddress, toHex } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import type { LayoutType, LayoutVariable, StorageLayout } from './storage-layout.ts'

/** The word in a slot, without leading zeros. */
export type ReadSlot = (slot: bigint) => Uint8Array

/** A variable, or a part of one. */
export type StoredVariable = {
  /** Of a variable or member; `3` of an element; of a mapping's value the key. */
  readonly name: string
  readonly path: string
  /** Its key in the layout's types. */
  readonly type: string
  readonly slot: bigint
  /** Bytes from the low end of the slot. */
  readonly offset: number
}

/** What a variable consists of. */
export type VariableKind = 'value' | 'struct' | 'array' | 'mapping'

/** Bytes of a text that are read, in 32 slots. */
export const LONGEST_TEXT = 1_024
const WORD = 32
const WORDS = 1n << 256n
/** Elements of an array are counted up to here. */
const MOST_ELEMENTS = 2 ** 48

export class ContractStorage {
  readonly layout: StorageLayout

  constructor(layout: StorageLayout) {
    this.layout = layout
  }

  typeOf({ type }: Pick<StoredVariable, 'type'>): LayoutType {
    const found = Object.hasOwn(this.layout.types, type) ? this.layout.types[type] : undefined
    return found ?? { encoding: 'inplace', label: type, numberOfBytes: 32n }
  }

  kindOf(of: StoredVariable): VariableKind {
    const { encoding, base, members } = this.typeOf(of)
    if (encoding === 'mapping') return 'mapping'
    if (encoding === 'dynamic_array' || base !== undefined) return 'array'
    return members === undefined ? 'value' : 'struct'
  }

  /** Those of equal names, in several contracts, have the contract before the name in their paths. */
  get variables(): readonly (StoredVariable & { readonly declaredIn: string | undefined })[] {
    const { storage } = this.layout
    const counts = new Map<string, number>()
    for (const { label } of storage) counts.set(label, (counts.get(label) ?? 0) + 1)
    return storage.map((variable) => {
      const { label, declaredIn } = variable
      const isShared = (counts.get(label) ?? 0) > 1 && declaredIn !== undefined
      return { ...placed(variable, 0n, isShared ? `${declaredIn}.${label}` : label), declaredIn }
    })
  }

  /** The variable at a path; undefined: there is none, or a key is not of the mapping's type. */
  find(path: string): StoredVariable | undefined {
    // Names of namespaces have dots.
    const first = this.variables
      .filter(({ path: of }) => path === of || (path.startsWith(of) && /[.[]/.test(path.charAt(of.length))))
      .sort((a, b) => b.path.length - a.path.length)[0]
    if (first === undefined) return undefined
    let found: StoredVariable | undefined = first
    let rest = path.slice(first.path.length)
    for (let depth = 0; rest !== '' && found !== undefined && depth < DEEPEST; depth++) {
      const [step = '', member, key] = STEP.exec(rest) ?? []
      if (step === '') return undefined
      rest = rest.slice(step.length)
      found = member === undefined ? this.#inBrackets(found, key ?? '') : this.#member(found, member)
    }
    return rest === '' ? found : undefined
  }

  #member(of: StoredVariable, name: string): StoredVariable | undefined {
    const member = this.typeOf(of).members?.find(({ label }) => label === name)
    return member && placed(member, of.slot, `${of.path}.${name}`)
  }

  #inBrackets(of: StoredVariable, text: string): StoredVariable | undefined {
    const { key } = this.typeOf(of)
    if (key === undefined)
      return /^\d{1,15}$/.test(text) && this.kindOf(of) === 'array' ? this.element(of, Number(text)) : undefined
    const bytes = keyFromText(this.typeOf({ type: key }), text)
    return bytes && this.at(of, bytes)
  }

  /** The members of a struct. */
  members(of: StoredVariable): readonly StoredVariable[] {
    return (this.typeOf(of).members ?? []).map((member) => placed(member, of.slot, `${of.path}.${member.label}`))
  }

  /** Number of elements of an array. */
  length(of: StoredVariable, read: ReadSlot): number {
    const { encoding, label } = this.typeOf(of)
    const length = encoding === 'dynamic_array' ? bytesToBig(read(of.slot)) : BigInt(/\[(\d+)\]$/.exec(label)?.[1] ?? 0)
    return Number(length < MOST_ELEMENTS ? length : MOST_ELEMENTS)
  }

  /** An element of an array, which may be behind its end. */
  element(of: StoredVariable, index: number): StoredVariable {
    const { encoding, base = '' } = this.typeOf(of)
    const start = encoding === 'dynamic_array' ? hashed(bigToFixed(of.slot, WORD)) : of.slot
    const size = this.typeOf({ type: base }).numberOfBytes
    const isPacked = this.kindOf({ ...of, type: base }) === 'value' && size <= WORD / 2 && size > 0n
    const perSlot = isPacked ? Math.floor(WORD / Number(size)) : 1
    const slots = isPacked ? 1n : (size + 31n) / 32n
    return {
      name: String(index),
      path: `${of.path}[${index}]`,
      type: base,
      slot: (start + BigInt(Math.floor(index / perSlot)) * slots) % WORDS,
      offset: isPacked ? (index % perSlot) * Number(size) : 0,
    }
  }

  /** The value of a mapping at a key: 32 bytes, or those of a text. */
  at(of: StoredVariable, key: Uint8Array): StoredVariable {
    const { key: type = '', value = '' } = this.typeOf(of)
    const name = keyInWords(this.typeOf({ type }), key)
    return { name, path: `${of.path}[${name}]`, type: value, slot: slotOfKey(of.slot, key), offset: 0 }
  }

  /** The value in words; null for structs, arrays and mappings. Texts are cut at LONGEST_TEXT bytes. */
  value(of: StoredVariable, read: ReadSlot): string | null {
    const type = this.typeOf(of)
    if (this.kindOf(of) !== 'value') return null
    if (type.encoding === 'bytes') return textInWords(type.label, of.slot, read)
    const size = Math.min(WORD - of.offset, Number(type.numberOfBytes))
    const end = WORD - of.offset
    return valueInWords(type, padLeft(read(of.slot), WORD).subarray(end - size, end))
  }

  /** The slots that the value is in, or the length of a dynamic array. */
  slots(of: StoredVariable, read: ReadSlot): readonly bigint[] {
    if (this.typeOf(of).encoding !== 'bytes') return [of.slot]
    const { length, start } = textIn(of.slot, read)
    const count = length < WORD ? 0 : Math.ceil(Math.min(length, LONGEST_TEXT) / WORD)
    return [of.slot, ...Array.from({ length: count }, (_, i) => (start + BigInt(i)) % WORDS)]
  }
}

/** Most steps of a path. */
const DEEPEST = 64
const STEP = /^\.([A-Za-z_$][\w$]*)|^\[("(?:\\.|[^"\\])*"|[^\]]*)\]/

const placed = ({ label, slot, offset, type }: LayoutVariable, base: bigint, path: string): StoredVariable => ({
  name: label,
  path,
  type,
  slot: (base + slot) % WORDS,
  offset,
})

const hashed = (bytes: Uint8Array): bigint => bytesToBig(keccak256(bytes))

/** The slot of a mapping's value: keccak256(key . slot of the mapping). */
export const slotOfKey = (mapping: bigint, key: Uint8Array): bigint =>
  hashed(Buffer.concat([key, bigToFixed(mapping, WORD)]))

// --- values

/** The type that decides how a value is shown: that behind a user defined value type, `address` of a contract. */
export const plainLabel = ({ label, underlying }: LayoutType): string =>
  underlying ?? (/^contract |^address payable$/.test(label) ? 'address' : label)

/** The bytes of a value of one slot, without its neighbours. */
function valueInWords(type: LayoutType, bytes: Uint8Array): string {
  const label = plainLabel(type)
  if (!label.startsWith('enum ')) return elementaryInWords(label, bytes)
  return type.names?.[Number(bytesToBig(bytes))] ?? bytesToBig(bytes).toString()
}

/** A value of an elementary type, which is all of the bytes; in hex if the type has no other form. */
export function elementaryInWords(type: string, bytes: Uint8Array): string {
  if (/^address(?: payable)?$/.test(type)) return checksummed(toAddress(padLeft(bytes, 20).subarray(-20)))
  if (type === 'bool') return bytesToBig(bytes) === 0n ? 'false' : 'true'
  if (type.startsWith('uint')) return bytesToBig(bytes).toString()
  if (type.startsWith('int')) return BigInt.asIntN(bytes.length * 8, bytesToBig(bytes)).toString()
  return toHex(bytes)
}

/** Length of a text and the slot where it begins, if it does not fit into its own one. */
function textIn(slot: bigint, read: ReadSlot) {
  const word = padLeft(read(slot), WORD)
  const last = word[WORD - 1] ?? 0
  const isLong = last % 2 === 1
  const length = isLong ? (bytesToBig(word) - 1n) / 2n : BigInt(last / 2)
  return {
    word,
    isLong,
    length: Number(length < MOST_ELEMENTS ? length : MOST_ELEMENTS),
    start: hashed(bigToFixed(slot, WORD)),
  }
}

function textInWords(label: string, slot: bigint, read: ReadSlot): string {
  const { word, isLong, length, start } = textIn(slot, read)
  // Not what Solidity writes.
  if (isLong !== length >= WORD) return toHex(word)
  const shown = Math.min(length, LONGEST_TEXT)
  const words = isLong
    ? Array.from({ length: Math.ceil(shown / WORD) }, (_, i) => padLeft(read((start + BigInt(i)) % WORDS), WORD))
    : [word]
  const bytes = Buffer.concat(words).subarray(0, shown)
  const more = length > shown ? `… and ${length - shown} more bytes` : ''
  return (label === 'string' ? textOf(bytes, length > shown) : toHex(bytes)) + more
}

/** The text; in hex if it is not UTF-8. */
function textOf(bytes: Uint8Array, isCut: boolean): string {
  try {
    // The last character of a cut text may be incomplete.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
  } catch {
    return toHex(bytes)
  }
}

// --- keys of mappings

/** Whether keys are hashed as they are, not as words. */
export const isTextKey = ({ encoding }: LayoutType): boolean => encoding === 'bytes'

/** As it is written in a path. */
function keyInWords(type: LayoutType, key: Uint8Array): string {
  if (isTextKey(type)) return type.label === 'string' ? JSON.stringify(textOf(key, false)) : toHex(key)
  const size = Math.min(WORD, Number(type.numberOfBytes))
  const isLeft = /^bytes\d+$/.test(plainLabel(type))
  return valueInWords(type, isLeft ? key.subarray(0, size) : key.subarray(WORD - size))
}

/** A word as key of a type; undefined: it has no such value. */
export function keyFromWord(type: LayoutType, word: Uint8Array): Uint8Array | undefined {
  const label = plainLabel(type)
  const bits = Number(type.numberOfBytes) * 8
  const number = bytesToBig(word)
  if (/^bytes\d+$/.test(label)) return number % (1n << BigInt(256 - bits)) === 0n ? word : undefined
  if (label.startsWith('int')) return BigInt.asUintN(256, BigInt.asIntN(bits, number)) === number ? word : undefined
  const most = type.names === undefined ? 1n << BigInt(label === 'bool' ? 1 : bits) : BigInt(type.names.length)
  return number < most ? word : undefined
}

/** A key as a person types it; undefined: it is none of this type. */
export function keyFromText(type: LayoutType, given: string): Uint8Array | undefined {
  const text = given.trim()
  const label = plainLabel(type)
  if (label === 'string') return Buffer.from(unquoted(given))
  const isHex = /^0x(?:[0-9a-fA-F]{2})*$/.test(text)
  if (label === 'bytes') return isHex ? fromHex(text) : undefined
  if (label === 'address')
    return /^0x[0-9a-fA-F]{40}$/.test(text) ? padLeft(fromHex(hexToAddress(text.toLowerCase())), WORD) : undefined
  const bytes = Number(type.numberOfBytes)
  if (/^bytes\d+$/.test(label)) {
    if (!isHex || text.length !== 2 + 2 * bytes) return undefined
    return Buffer.concat([fromHex(text), new Uint8Array(WORD - bytes)])
  }
  const named = label === 'bool' ? ['false', 'true'].indexOf(text) : (type.names?.indexOf(text) ?? -1)
  if (named < 0 && !/^(?:-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text)) return undefined
  return keyFromWord(type, bigToFixed(BigInt.asUintN(256, named < 0 ? BigInt(text) : BigInt(named)), WORD))
}

/** A text in quotes, or as it is. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
