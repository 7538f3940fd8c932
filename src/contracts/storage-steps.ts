// Reads and writes of storage within a message, found while its steps are walked through in order: slots and values, what a write has
// replaced, and the names of variables by the layouts of the codes that run. Writes of a frame that fails are undone when it ends.
import { type Address, bigToWord, type Hash, padLeft, toHash } from '../lib/hex.ts'
import type { FrameValues } from '../runtime/tracing/frame-values.ts'
import type { Recording } from '../runtime/tracing/step-recorder.ts'
import type { CallTree } from '../runtime/types.ts'
import { MissingState } from '../state/partial-state.ts'
import { contractLayout } from './contract-layout.ts'
import type { DebugContext } from './debug-info.ts'
import { agreedAt, type NamedValue, Preimages, SlotNames } from './slot-names.ts'
import type { ContractStorage } from './storage-values.ts'

/** A read or write of a slot. */
export type StorageFrame = {
  readonly type: 'SLOAD' | 'SSTORE'
  /** Whose storage it is; left out: of an account whose creation has failed. */
  readonly address?: Address
  readonly slot: Hash
  /** What a write has replaced. */
  readonly before?: Hash
  readonly value: Hash
  /** The variables in the slot, of a write those that it has changed; left out: not known. */
  readonly variables?: readonly NamedValue[]
}

export const SLOAD = 0x54
export const SSTORE = 0x55
export const KECCAK256 = 0x20
/** Most reads, and most writes, of a description. */
const MOST_SHOWN = 5_000
/** Bytes of data whose hash names a slot. */
const LONGEST_HASHED = 256
/** Accounts whose layouts are looked for. */
const MOST_LAYOUTS = 64
const ZERO = bigToWord(0n)

type Words = Map<Hash, Hash>
/** A frame that runs: the account whose storage it uses, and how many writes there were before. */
type Open = {
  readonly frame: CallTree
  readonly self: Address | null
  readonly names: readonly SlotNames[]
  readonly words: Words
  readonly journal: number
  values: FrameValues | undefined
}

export class StorageSteps {
  readonly #recording: Recording
  readonly #layouts: ReadonlyMap<Address, ContractStorage>
  readonly #hashed = new Preimages()
  readonly #names = new Map<ContractStorage, SlotNames>()
  readonly #accounts = new Map<Address, Words>()
  readonly #open: Open[] = []
  readonly #journal: { readonly words: Words; readonly slot: Hash; readonly before: Hash }[] = []
  #reads = 0
  #writes = 0

  private constructor(recording: Recording, layouts: ReadonlyMap<Address, ContractStorage>) {
    this.#recording = recording
    this.#layouts = layouts
  }

  /** Of a recording that keeps values. */
  static async of(known: DebugContext, recording: Recording): Promise<StorageSteps> {
    const layouts = new Map<Address, ContractStorage>()
    const codes = new Set([...recording.frames].flatMap(([{ to }, { code }]) => (to && code.length > 0 ? [to] : [])))
    for (const of of [...codes].slice(0, MOST_LAYOUTS)) {
      const layout = await contractLayout(known, of).catch((error: unknown) => {
        // On a fork: what is not here is not fetched for names.
        if (error instanceof MissingState) return undefined
        throw error
      })
      if (layout !== undefined) layouts.set(of, layout.storage)
    }
    return new StorageSteps(recording, layouts)
  }

  /** Reads and writes that were not shown because there are too many. */
  get leftOut(): number {
    return Math.max(0, this.#reads - MOST_SHOWN) + Math.max(0, this.#writes - MOST_SHOWN)
  }

  /** A frame begins. */
  begin(frame: CallTree): void {
    const outer = this.#open.at(-1)
    const isOfCaller = frame.type === 'DELEGATECALL' || frame.type === 'CALLCODE'
    const self = isOfCaller ? (outer?.self ?? null) : frame.to
    const words = isOfCaller && outer !== undefined ? outer.words : this.#wordsOf(self)
    const own = this.#namesOf(frame.to)
    // A library, or an implementation, uses the storage of its caller.
    const others = isOfCaller ? (outer?.names ?? []) : []
    const names = own === undefined || others.includes(own) ? others : [own, ...others]
    this.#open.push({ frame, self, names, words, journal: this.#journal.length, values: undefined })
  }

  /** The present frame ends. */
  end(): void {
    const ended = this.#open.pop()
    if (ended?.frame.error === undefined) return
    for (const { words, slot, before } of this.#journal.splice(ended.journal).reverse()) words.set(slot, before)
  }

  /** What a step of the present frame reads or writes; undefined: nothing, or it is not shown. Steps are given in order. */
  at(step: number, op: number): StorageFrame | undefined {
    const open = this.#open.at(-1)
    const values = open && this.#valuesAt(open, step)
    if (open === undefined || values?.step !== step || values.op !== op) return undefined
    const hashed = values.hashed(LONGEST_HASHED)
    const [key, item] = [values.item(0), values.item(1)]
    const isLast = !values.advance()
    // The last step of a frame that fails has not been carried out.
    if (isLast && open.frame.error !== undefined) return undefined
    const result = isLast ? undefined : values.item(0)
    if (op === KECCAK256) {
      if (hashed !== undefined && result !== undefined) this.#hashed.add(hashed, result)
      return undefined
    }
    const value = op === SSTORE ? item : result
    if (key === undefined || value === undefined) return undefined
    return op === SSTORE ? this.#write(open, toHash(key), toHash(value)) : this.#read(open, toHash(key), toHash(value))
  }

  #read(open: Open, slot: Hash, value: Hash): StorageFrame | undefined {
    if (++this.#reads > MOST_SHOWN) return undefined
    return { type: 'SLOAD', ...this.#shown(open, slot, value), slot, value }
  }

  #write(open: Open, slot: Hash, value: Hash): StorageFrame | undefined {
    const { words, self } = open
    const before = words.get(slot) ?? this.#initial(self, slot)
    words.set(slot, value)
    this.#journal.push({ words, slot, before })
    if (++this.#writes > MOST_SHOWN) return undefined
    return { type: 'SSTORE', ...this.#shown(open, slot, value, before), slot, before, value }
  }

  #shown({ self, names }: Open, slot: Hash, value: Hash, before?: Hash) {
    let variables = agreedAt(slot, value, before)
    for (const of of names) if (variables.length === 0) variables = of.at(slot, value, before)
    return { ...(self !== null && { address: self }), ...(variables.length > 0 && { variables }) }
  }

  #initial(of: Address | null, slot: Hash): Hash {
    return of === null ? ZERO : toHash(padLeft(this.#recording.view.originalWord(of, slot), 32))
  }

  #valuesAt(open: Open, step: number): FrameValues | undefined {
    open.values ??= this.#recording.values?.of(open.frame)
    open.values?.runTo(step)
    return open.values
  }

  #wordsOf(of: Address | null): Words {
    const known = of === null ? undefined : this.#accounts.get(of)
    const words = known ?? new Map<Hash, Hash>()
    if (of !== null) this.#accounts.set(of, words)
    return words
  }

  #namesOf(code: Address | null): SlotNames | undefined {
    const storage = code === null ? undefined : this.#layouts.get(code)
    if (storage === undefined) return undefined
    const names = this.#names.get(storage) ?? new SlotNames(storage, this.#hashed)
    this.#names.set(storage, names)
    return names
  }
}
