// The variables in an account's storage at a step, by the layout of its contract. Slots that the message has not touched have the value
// that they have behind it. Keys of mappings are those that the message has hashed.
import { type Address, bigToWord, bytesToBig, fromHex, type Hash } from '../../lib/hex.ts'
import type { StorageHistory } from '../../runtime/tracing/storage-history.ts'
import type { StateView } from '../../state/types.ts'
import type { ContractStorage, ReadSlot, StoredVariable } from '../storage-values.ts'

export type ShownVariable = {
  /** `spent[0x70…]` */
  readonly name: string
  readonly type: string
  readonly value: string
  readonly slot: Hash
  /** Bytes from the low end of the slot. */
  readonly offset: number
}

/** Most variables, elements of an array, and levels of variables within variables. */
const MOST_VARIABLES = 500
const MOST_ELEMENTS = 32
const DEEPEST = 8
const WORD = 32

export class AccountStorage {
  readonly #storage: ContractStorage
  readonly #history: StorageHistory
  readonly #view: Pick<StateView, 'word'>
  readonly #of: Address
  /** What was hashed before a slot: keys of the mapping there. */
  readonly #keys = new Map<bigint, Uint8Array[]>()

  constructor(storage: ContractStorage, history: StorageHistory, view: Pick<StateView, 'word'>, of: Address) {
    this.#storage = storage
    this.#history = history
    this.#view = view
    this.#of = of
    for (const bytes of history.preimages) {
      const key = bytes.subarray(0, bytes.length - WORD)
      const slot = bytesToBig(bytes.subarray(key.length))
      const same = this.#keys.get(slot)
      if (same !== undefined) same.push(key)
      else if (key.length > 0) this.#keys.set(slot, [key])
    }
  }

  /** Throws MissingState on a fork. */
  at(step: number): { readonly variables: readonly ShownVariable[]; readonly isCut: boolean } {
    const read: ReadSlot = (slot) => {
      const key = bigToWord(slot)
      const touched = this.#history.valueAt(this.#of, key, step)
      return touched === undefined ? this.#view.word(this.#of, key) : fromHex(touched)
    }
    const variables: ShownVariable[] = []
    const found = this.#values(this.#storage.variables, read, 0)
    for (const of of found) {
      if (variables.length === MOST_VARIABLES) return { variables, isCut: true }
      const value = this.#storage.value(of, read)
      const { path: name, slot, offset } = of
      const { label: type } = this.#storage.typeOf(of)
      if (value !== null) variables.push({ name, type, value, slot: bigToWord(slot), offset })
    }
    return { variables, isCut: false }
  }

  /** Variables of values, also those within others. */
  *#values(variables: readonly StoredVariable[], read: ReadSlot, depth: number): Generator<StoredVariable> {
    if (depth > DEEPEST) return
    for (const variable of variables) {
      const kind = this.#storage.kindOf(variable)
      if (kind === 'value') yield variable
      else yield* this.#values(this.#parts(variable, kind, read), read, depth + 1)
    }
  }

  #parts(of: StoredVariable, kind: 'struct' | 'array' | 'mapping', read: ReadSlot): readonly StoredVariable[] {
    if (kind === 'struct') return this.#storage.members(of)
    if (kind === 'mapping') return (this.#keys.get(of.slot) ?? []).map((key) => this.#storage.at(of, key))
    const length = Math.min(this.#storage.length(of, read), MOST_ELEMENTS)
    return Array.from({ length }, (_, i) => this.#storage.element(of, i))
  }
}
