// The variables in a slot of a contract: the way back from a slot to names, by the layout. A slot of a mapping or a dynamic array is
// a hash, so what a message has hashed so far tells which key or array it is of.
import { bigToFixed, bytesToBig, fromHex, type Hash, hexToHash, toHash } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { type ContractStorage, elementaryInWords, type StoredVariable } from './storage-values.ts'

/** A variable in a slot, with what a word of the slot says of it. */
type Part = {
  /** `spent[0x70…]`, `points.length` */
  readonly name: string
  readonly type: string
  words(word: Uint8Array): string
}

/** A variable in a slot with its values; `before`: of a write that has changed it. */
export type NamedValue = {
  readonly name: string
  readonly type: string
  readonly before?: string
  readonly value: string
}

const WORD = 32
/** Slots of an array or text that are found behind the hash at which it begins: 2^BUCKET, and as many more. */
const BUCKET = 40n
/** Mappings, arrays and structs within each other. */
const DEEPEST = 16
/** Arrays and texts whose beginning is known without being hashed, since the compiler computes constant hashes. */
const MOST_CONSTANT = 1_000
/** What was hashed, of one message. */
const MOST_HASHED = 50_000

/** What was hashed, by the hash. */
export class Preimages {
  readonly #buckets = new Map<bigint, { readonly hash: bigint; readonly bytes: Uint8Array }[]>()
  #count = 0

  add(bytes: Uint8Array, of: Uint8Array): void {
    const hash = bytesToBig(of)
    const same = this.#buckets.get(hash >> BUCKET) ?? []
    if (this.#count === MOST_HASHED || same.some((other) => other.hash === hash)) return
    this.#count++
    same.push({ hash, bytes })
    this.#buckets.set(hash >> BUCKET, same)
  }

  /** What the last hash at or before a slot is of, and how many slots are between; undefined: none is near. */
  before(slot: bigint): { readonly bytes: Uint8Array; readonly distance: bigint } | undefined {
    const bucket = slot >> BUCKET
    const near = [...(this.#buckets.get(bucket) ?? []), ...(this.#buckets.get(bucket - 1n) ?? [])]
    const [first, ...others] = near.filter(({ hash }) => hash <= slot)
    if (first === undefined) return undefined
    const last = others.reduce((a, b) => (b.hash > a.hash ? b : a), first)
    return { bytes: last.bytes, distance: slot - last.hash }
  }
}

/** A place that is found for a slot: a variable that begins or lies there, or a part of a long text. */
type Place = { readonly of: StoredVariable; readonly textFrom?: number }

export class SlotNames {
  readonly #storage: ContractStorage
  readonly #hashed: Preimages
  readonly #constant = new Preimages()
  readonly #found = new Map<Hash, readonly Part[]>()

  /** `hashed` grows while slots are asked for. */
  constructor(storage: ContractStorage, hashed: Preimages) {
    this.#storage = storage
    this.#hashed = hashed
    this.#addConstant(storage.variables, { left: MOST_CONSTANT })
  }

  /** The variables in a slot, of a write those that it has changed; empty: none is known there. */
  at(slot: Hash, value: Hash, before?: Hash): readonly NamedValue[] {
    const parts = this.#partsAt(slot)
    const after = fromHex(value)
    if (before === undefined) return parts.map(({ name, type, words }) => ({ name, type, value: words(after) }))
    const all = parts.map(({ name, type, words }) => ({
      name,
      type,
      before: words(fromHex(before)),
      value: words(after),
    }))
    const changed = all.filter((of) => of.before !== of.value)
    return changed.length > 0 ? changed : all
  }

  #partsAt(slot: Hash): readonly Part[] {
    const known = this.#found.get(slot)
    if (known !== undefined) return known
    const parts = this.#places(BigInt(slot), 0).flatMap((place) => this.#part(place) ?? [])
    // Only names are kept: a slot without one may get it when the transaction hashes another key.
    if (parts.length > 0) this.#found.set(slot, parts)
    return parts
  }

  #places(slot: bigint, depth: number): readonly Place[] {
    const plain = this.#within(this.#storage.variables, slot, 0)
    if (plain.length > 0 || depth === DEEPEST) return plain
    const hashed = this.#hashed.before(slot) ?? this.#constant.before(slot)
    if (hashed === undefined || hashed.bytes.length < WORD) return []
    const key = hashed.bytes.subarray(0, hashed.bytes.length - WORD)
    const outer = this.#places(bytesToBig(hashed.bytes.subarray(key.length)), depth + 1)
    return outer.flatMap(({ of }) => this.#behind(of, key, slot, hashed.distance))
  }

  /** What is in a slot of a mapping's value, an array's elements or a text, whose hash was found. */
  #behind(of: StoredVariable, key: Uint8Array, slot: bigint, distance: bigint): readonly Place[] {
    const storage = this.#storage
    const kind = storage.kindOf(of)
    const { encoding } = storage.typeOf(of)
    if (kind === 'mapping') return key.length === 0 ? [] : this.#within([storage.at(of, key)], slot, 0)
    if (key.length > 0) return []
    if (encoding === 'bytes') return [{ of, textFrom: Number(distance) * WORD }]
    return encoding === 'dynamic_array' ? this.#elements(of, slot, distance, 0) : []
  }

  /** Variables in a slot, also those within structs and arrays of a fixed length. A layout may say that a struct is within itself. */
  #within(variables: readonly StoredVariable[], slot: bigint, depth: number): readonly Place[] {
    const storage = this.#storage
    if (depth > DEEPEST) return []
    return variables.flatMap((of): readonly Place[] => {
      const { numberOfBytes, encoding } = storage.typeOf(of)
      const slots = (numberOfBytes + 31n) / 32n
      if (slot < of.slot || slot >= of.slot + (slots > 0n ? slots : 1n)) return []
      const kind = storage.kindOf(of)
      if (kind === 'struct') return this.#within(storage.members(of), slot, depth + 1)
      const isFixed = kind === 'array' && encoding !== 'dynamic_array'
      return isFixed ? this.#elements(of, slot, slot - of.slot, depth) : [{ of }]
    })
  }

  /** Elements of an array in a slot, so many slots behind its first one. */
  #elements(of: StoredVariable, slot: bigint, distance: bigint, depth: number): readonly Place[] {
    const storage = this.#storage
    const first = storage.element(of, 0)
    const isPacked = storage.element(of, 1).slot === first.slot
    const { numberOfBytes } = storage.typeOf(first)
    const perSlot = isPacked ? Math.floor(WORD / Number(numberOfBytes)) : 1
    const slots = isPacked ? 1n : (numberOfBytes + 31n) / 32n
    const index = Number(distance / (slots > 0n ? slots : 1n)) * perSlot
    if (index > Number.MAX_SAFE_INTEGER) return []
    const isDynamic = storage.typeOf(of).encoding === 'dynamic_array'
    const length = isDynamic ? Number.POSITIVE_INFINITY : storage.length(of, () => new Uint8Array(0))
    const count = Math.min(perSlot, length - index)
    return this.#within(
      Array.from({ length: Math.max(0, count) }, (_, i) => storage.element(of, index + i)),
      slot,
      depth + 1,
    )
  }

  #part({ of, textFrom }: Place): Part | undefined {
    const storage = this.#storage
    const { encoding, label } = storage.typeOf(of)
    if (textFrom !== undefined) {
      const name = `${of.path} (from byte ${textFrom})`
      return {
        name,
        type: label,
        words: (word) => (label === 'string' ? textIn(word) : elementaryInWords('bytes32', word)),
      }
    }
    if (encoding === 'mapping') return undefined
    if (encoding === 'dynamic_array') {
      return { name: `${of.path}.length`, type: 'uint256', words: (word) => bytesToBig(word).toString() }
    }
    const words = (word: Uint8Array): string => {
      const isLong = encoding === 'bytes' && (word[WORD - 1] ?? 0) % 2 === 1
      return isLong ? `${(bytesToBig(word) - 1n) / 2n} bytes` : (storage.value(of, () => word) ?? '')
    }
    return { name: of.path, type: label, words }
  }

  #addConstant(variables: readonly StoredVariable[], budget: { left: number }): void {
    const storage = this.#storage
    for (const of of variables) {
      if (budget.left-- <= 0) return
      const { encoding } = storage.typeOf(of)
      if (storage.kindOf(of) === 'struct') this.#addConstant(storage.members(of), budget)
      if (encoding !== 'bytes' && encoding !== 'dynamic_array') continue
      const slot = bigToFixed(of.slot, WORD)
      this.#constant.add(slot, keccak256(slot))
    }
  }
}

/** A part of a text, which may begin or end within a character. */
const textIn = (word: Uint8Array): string => JSON.stringify(new TextDecoder().decode(word).replaceAll('\0', ''))

/** Slots that proxies have by agreement: EIP-1967. */
const AGREED: ReadonlyMap<Hash, string> = new Map(
  ['implementation', 'admin', 'beacon'].map((name) => {
    const at = bytesToBig(keccak256(Buffer.from(`eip1967.proxy.${name}`))) - 1n
    return [toHash(bigToFixed(at, WORD)), `eip1967.proxy.${name}`] as const
  }),
)

/** The value in a slot that all proxies have in common; empty: it is another one. */
export function agreedAt(slot: Hash, value: Hash, before?: Hash): readonly NamedValue[] {
  const name = AGREED.get(slot)
  const words = (word: Hash) => elementaryInWords('address', fromHex(hexToHash(word)))
  if (name === undefined) return []
  return [{ name, type: 'address', ...(before !== undefined && { before: words(before) }), value: words(value) }]
}
