// Finds keys of mappings. Storage does not contain them, since a slot is a hash of its key. So values from the contract's
// transactions are tried as keys, and a key is found if its slot is not zero. A key of a mapping within a mapping is tried with
// those of the same transaction only.
import { bigToFixed, bytesToBig, toLatin1 } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import {
  type ContractStorage,
  isTextKey,
  keyFromWord,
  plainLabel,
  type StoredVariable,
  slotOfKey,
} from './storage-values.ts'

/** What was seen in one transaction. */
export type SeenValues = {
  /** Of 32 bytes each. */
  readonly words: readonly Uint8Array[]
  readonly texts: readonly Uint8Array[]
}

/** Slots of one search. */
export const MOST_TRIED = 20_000
/** Mappings within mappings. */
const DEEPEST = 3
/** Values of a transaction that are tried in mappings within mappings: there are so many pairs of them as their number squared. */
const MOST_INNER = 16
/** Elements and members in which something is looked for. */
const MOST_PARTS = 16
/** Numbers that are tried without being seen: ids that are counted up. */
const FIRST_NUMBERS = 32

export class KeySearch {
  readonly #storage: ContractStorage
  readonly #seen: readonly SeenValues[]
  readonly #isSet: (slot: bigint) => boolean
  #left = MOST_TRIED
  /** Keys of the transaction that is looked at, by type. */
  #keysByType = new Map<string, readonly Uint8Array[]>()

  /** `seen`: of the newest transaction first; `more` is tried last. `isSet`: whether a slot is not zero. */
  constructor(
    storage: ContractStorage,
    { seen, more }: { readonly seen: readonly SeenValues[]; readonly more: readonly SeenValues[] },
    isSet: (slot: bigint) => boolean,
  ) {
    this.#storage = storage
    const numbers = Array.from({ length: FIRST_NUMBERS }, (_, i) => bigToFixed(BigInt(i), 32))
    this.#seen = [...seen, { words: numbers, texts: [] }, ...more]
    this.#isSet = isSet
  }

  /** Whether all that was seen has been tried. */
  get isComplete(): boolean {
    return this.#left > 0
  }

  /** The values of a mapping at the keys that were found, those of the newest transaction first. */
  async in(mapping: StoredVariable, pause: Pause): Promise<readonly StoredVariable[]> {
    const found = new Map<string, Uint8Array>()
    const tried = new Set<string>()
    const isNested = this.#isNested(mapping)
    for (const seen of this.#seen) {
      this.#keysByType = new Map()
      for (const key of this.#keys(mapping, seen)) {
        if (this.#left <= 0) break
        const rest = pause()
        if (rest !== undefined) await rest
        const id = toLatin1(key)
        if (found.has(id) || (!isNested && tried.has(id))) continue
        tried.add(id)
        if (this.#holds(this.#at(mapping, key), seen, 1)) found.set(id, key)
      }
    }
    return [...found.values()].map((key) => this.#storage.at(mapping, key))
  }

  /** As `ContractStorage.at`, without the name, which takes most of the time. */
  #at(mapping: StoredVariable, key: Uint8Array): StoredVariable {
    const { value = '' } = this.#storage.typeOf(mapping)
    return { name: '', path: '', type: value, slot: slotOfKey(mapping.slot, key), offset: 0 }
  }

  /** Whether what it holds depends on other keys. */
  #isNested(mapping: StoredVariable): boolean {
    const { value = '' } = this.#storage.typeOf(mapping)
    const { encoding, members = [] } = this.#storage.typeOf({ type: value })
    return encoding === 'mapping' || members.some(({ type }) => this.#storage.typeOf({ type }).encoding === 'mapping')
  }

  #keys(mapping: StoredVariable, { words, texts }: SeenValues): readonly Uint8Array[] {
    const { key = '' } = this.#storage.typeOf(mapping)
    const known = this.#keysByType.get(key)
    if (known !== undefined) return known
    const type = this.#storage.typeOf({ type: key })
    const isAddress = plainLabel(type) === 'address'
    const keys = isTextKey(type)
      ? texts
      : words.flatMap((word) => (isAddress && isAmount(word) ? [] : (keyFromWord(type, word) ?? [])))
    this.#keysByType.set(key, keys)
    return keys
  }

  /** Whether something is stored in a variable. */
  #holds(of: StoredVariable, seen: SeenValues, depth: number): boolean {
    const storage = this.#storage
    const kind = storage.kindOf(of)
    if (kind === 'struct')
      return storage
        .members(of)
        .slice(0, MOST_PARTS)
        .some((member) => this.#holds(member, seen, depth))
    if (kind === 'mapping') {
      if (depth >= DEEPEST) return false
      const keys = this.#keys(of, seen).slice(0, MOST_INNER)
      return keys.some((key) => this.#holds(this.#at(of, key), seen, depth + 1))
    }
    if (kind === 'array' && storage.typeOf(of).encoding !== 'dynamic_array') {
      const length = Math.min(
        MOST_PARTS,
        storage.length(of, () => new Uint8Array(0)),
      )
      return Array.from({ length }, (_, i) => i).some((i) => this.#holds(storage.element(of, i), seen, depth))
    }
    if (this.#left <= 0) return false
    this.#left--
    return this.#isSet(of.slot)
  }
}

/** Numbers between those of native contracts and those that addresses are: amounts, times, ids. */
function isAmount(word: Uint8Array): boolean {
  const number = bytesToBig(word)
  return number >= 1n << 16n && number < 1n << 64n
}

/** Words of calldata after its selector, or of a log's data; and the texts in it, as the ABI writes them: length, then bytes. */
export function valuesIn(data: Uint8Array, start: number, most: number): SeenValues {
  const words: Uint8Array[] = []
  const texts: Uint8Array[] = []
  for (let at = start; at + 32 <= data.length && words.length < most; at += 32) {
    const word = data.subarray(at, at + 32)
    words.push(word)
    const length = Number(bytesToBig(word))
    if (length === 0 || length > LONGEST_KEY || at + 32 + length > data.length) continue
    const padding = data.subarray(at + 32 + length, at + 32 + Math.ceil(length / 32) * 32)
    if (padding.every((byte) => byte === 0)) texts.push(data.subarray(at + 32, at + 32 + length))
  }
  return { words, texts }
}

/** Bytes of texts that are tried. */
const LONGEST_KEY = 256
