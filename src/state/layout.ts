// Contract storage declared in TypeScript with Solidity's layout rules, but without packing: every member takes whole slots, in
// order, so that eth_getStorageAt can read it. A member's slot never changes: add new members at the end.
import { ChainError } from '../lib/errors.ts'
import { bigToFixed, bytesToBig } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { type Cell, dataSlot, type Field, type Key, slotAt, u256, type Value, value } from './storage-types.ts'
import type { SlotAccess } from './types.ts'

type Fields<H> = { readonly [N in keyof H]: Field<H[N]> }

/** Consecutive fields, opened as an object of their handles. A layout is a field too, so that mappings may contain it. */
export interface Layout<H> extends Field<H> {
  open(slots: SlotAccess, base?: bigint): H
}

/** A module's storage from slot 0 on: `layout({ supply: cell(u256), owners: mapping(address, u256) }).open(slots)`. */
export function layout<H extends object>(fields: Fields<H>): Layout<H> {
  const { width, places } = inOrder(fields)
  // Fields are opened on first use, because a native call opens whole modules and uses few of their fields.
  class Handles {
    readonly #at: readonly [SlotAccess, base: bigint]
    readonly #handles: Partial<H> = {}

    constructor(...at: [SlotAccess, base: bigint]) {
      this.#at = at
    }

    static {
      for (const [name, offset] of places) {
        Object.defineProperty(Handles.prototype, name, {
          enumerable: true,
          get(this: Handles) {
            this.#handles[name] ??= fields[name].open(this.#at[0], slotAt(this.#at[1], offset))
            return this.#handles[name]
          },
        })
      }
    }
  }
  return { width, open: (slots, base = 0n) => new Handles(slots, base) as H }
}

/** The members' names, each with its offset in slots from the first member. */
function inOrder<T extends Readonly<Record<keyof T, { readonly width: bigint }>>>(members: T) {
  let width = 0n
  const places = new Map<keyof T, bigint>()
  for (const name in members) {
    places.set(name, width)
    width += members[name].width
  }
  return { width, places }
}

/** A single value, for layouts that name it explicitly. */
export const cell = <T>(of: Value<T>): Value<T> => of

export interface StructCell<T> extends Cell<T> {
  /** Reads one member only. */
  member<N extends keyof T>(name: N): T[N]
  /** Writes the given members and leaves the others. */
  update(change: Partial<T>): void
}
export interface Struct<T> extends Value<T> {
  open(slots: SlotAccess, base: bigint): StructCell<T>
}

/** Solidity's `struct`: values that are read and written together. */
export function struct<T extends object>(members: { readonly [N in keyof T]: Value<T[N]> }): Struct<T> {
  const { width, places } = inOrder(members)
  const whole = value<T>({
    width,
    read: (slots, base) => {
      const record: Partial<T> = {}
      for (const [name, offset] of places) record[name] = members[name].read(slots, slotAt(base, offset))
      return record as T
    },
    write: (slots, base, record) => {
      for (const [name, offset] of places) members[name].write(slots, slotAt(base, offset), record[name])
    },
    clear: (slots, base) => {
      for (const [name, offset] of places) members[name].clear(slots, slotAt(base, offset))
    },
  })
  const update = (slots: SlotAccess, base: bigint, change: Partial<T>) => {
    for (const [name, offset] of places) {
      const member = change[name]
      if (member !== undefined) members[name].write(slots, slotAt(base, offset), member)
    }
  }
  return {
    ...whole,
    open: (slots, base) => ({
      ...whole.open(slots, base),
      member: (name) => members[name].read(slots, slotAt(base, places.get(name) ?? 0n)),
      update: (change) => update(slots, base, change),
    }),
  }
}

export type Mapping<K, H> = {
  /** The handle of the element at a key. An element that was never written reads as zero. */
  at(key: K): H
}

/** Slot of a mapping's element: keccak256(h(k) . p). */
function elementSlot<K>(key: Key<K>, of: K, base: bigint): bigint {
  return bytesToBig(keccak256(Buffer.concat([key.bytes(of), bigToFixed(base, 32)])))
}

/** Solidity's `mapping(K => …)`. */
export function mapping<K, H>(key: Key<K>, element: Field<H>): Field<Mapping<K, H>> {
  return {
    width: 1n,
    open: (slots, base) => ({ at: (of) => element.open(slots, elementSlot(key, of, base)) }),
  }
}

export interface List<T> extends Cell<readonly T[]> {
  readonly length: number
  /** undefined beyond the end. */
  at(index: number): T | undefined
  /** Replaces an element; throws RangeError beyond the end. */
  put(index: number, element: T): void
  push(element: T): void
  /** Removes and returns the last element; undefined if there is none. */
  pop(): T | undefined
}
export interface ListField<T> extends Value<readonly T[]> {
  open(slots: SlotAccess, base: bigint): List<T>
}

/** Longer lists are not read or written as one value: only corrupt storage has such a length. */
const LONGEST = 2 ** 16

function wholeLength(length: bigint): number {
  if (length > LONGEST) throw new ChainError('limit-exceeded', `stored list of ${length} elements`)
  return Number(length)
}

export const isWithin = (index: number, length: number): boolean => index >= 0 && index < length

const elementAt = ({ width }: Pick<Value<unknown>, 'width'>, base: bigint, index: number): bigint =>
  slotAt(dataSlot(base), BigInt(index) * width)

/** A list at a place. A class, because every block and every native call opens lists only to find them empty. */
class ListHandle<T> implements List<T> {
  readonly #whole: Omit<Value<readonly T[]>, 'open'>
  readonly #element: Value<T>
  readonly #slots: SlotAccess
  readonly #base: bigint

  constructor(whole: Omit<Value<readonly T[]>, 'open'>, element: Value<T>, slots: SlotAccess, base: bigint) {
    this.#whole = whole
    this.#element = element
    this.#slots = slots
    this.#base = base
  }

  get length(): number {
    return Number(this.#slots.load(this.#base))
  }

  get(): readonly T[] {
    return this.#whole.read(this.#slots, this.#base)
  }

  set(elements: readonly T[]): void {
    this.#whole.write(this.#slots, this.#base, elements)
  }

  clear(): void {
    this.#whole.clear(this.#slots, this.#base)
  }

  at(index: number): T | undefined {
    return isWithin(index, this.length)
      ? this.#element.read(this.#slots, elementAt(this.#element, this.#base, index))
      : undefined
  }

  put(index: number, of: T): void {
    if (!isWithin(index, this.length)) throw new RangeError(`no element ${index}`)
    this.#element.write(this.#slots, elementAt(this.#element, this.#base, index), of)
  }

  push(of: T): void {
    const end = this.length
    this.#element.write(this.#slots, elementAt(this.#element, this.#base, end), of)
    this.#slots.store(this.#base, BigInt(end + 1))
  }

  pop(): T | undefined {
    const last = this.length - 1
    if (last < 0) return undefined
    const of = this.#element.read(this.#slots, elementAt(this.#element, this.#base, last))
    this.#element.clear(this.#slots, elementAt(this.#element, this.#base, last))
    this.#slots.store(this.#base, BigInt(last))
    return of
  }
}

/** Solidity's `T[]`: the length at p, the elements from keccak256(p) on. It can be read and written as one value too. */
export function list<T>(element: Value<T>): ListField<T> {
  const slotOf = (base: bigint, index: number) => elementAt(element, base, index)
  const write = (slots: SlotAccess, base: bigint, elements: readonly T[]) => {
    const before = wholeLength(slots.load(base))
    if (elements.length > LONGEST) throw new RangeError(`list of ${elements.length} elements`)
    for (const [i, of] of elements.entries()) element.write(slots, slotOf(base, i), of)
    for (let i = elements.length; i < before; i++) element.clear(slots, slotOf(base, i))
    slots.store(base, BigInt(elements.length))
  }
  const whole = value<readonly T[]>({
    width: 1n,
    read: (slots, base) => {
      const length = wholeLength(slots.load(base))
      return Array.from({ length }, (_, i) => element.read(slots, slotOf(base, i)))
    },
    write,
    clear: (slots, base) => write(slots, base, []),
  })
  return { ...whole, open: (slots, base) => new ListHandle(whole, element, slots, base) }
}

export type Enumerable<K, V> = {
  readonly size: number
  has(key: K): boolean
  /** undefined when the key is absent. */
  get(key: K): V | undefined
  /** Appends the key, or replaces the value of an existing one. */
  set(key: K, of: V): void
  /** Removes the key; the last key moves to its position. False when the key was absent. */
  delete(key: K): boolean
  /** Keys in order from a position on. Do not add or delete during the iteration. */
  keys(from?: number): Iterable<K>
  entries(from?: number): Iterable<[K, V]>
}

/**
 * A mapping with a list of its keys, for pagination. In Solidity:
 * `struct { K[] keys; mapping(K => uint256) places; mapping(K => V) values; }`, places counted from 1, 0 is absent.
 */
export function enumerable<K, V>(key: Key<K>, element: Value<V>): Field<Enumerable<K, V>> {
  const parts = layout({ keys: list(key), places: mapping(key, u256), values: mapping(key, element) })
  const open = (slots: SlotAccess, base: bigint): Enumerable<K, V> => {
    const { keys, places, values } = parts.open(slots, base)
    const has = (of: K) => places.at(of).get() !== 0n
    function* keysFrom(from = 0): Generator<K> {
      const { length } = keys
      for (let i = from; i < length; i++) {
        const of = keys.at(i)
        if (of !== undefined) yield of
      }
    }
    return {
      get size() {
        return keys.length
      },
      has,
      get: (of) => (has(of) ? values.at(of).get() : undefined),
      set(of, to) {
        if (!has(of)) {
          keys.push(of)
          places.at(of).set(BigInt(keys.length))
        }
        values.at(of).set(to)
      },
      delete(of) {
        const place = places.at(of).get()
        if (place === 0n) return false
        const last = keys.pop()
        if (last !== undefined && BigInt(keys.length) >= place) {
          keys.put(Number(place) - 1, last)
          places.at(last).set(place)
        }
        places.at(of).clear()
        values.at(of).clear()
        return true
      },
      keys: keysFrom,
      *entries(from) {
        for (const of of keysFrom(from)) yield [of, values.at(of).get()]
      },
    }
  }
  return { width: parts.width, open }
}

export type Queue<T> = Iterable<T> & {
  readonly length: number
  push(element: T): void
  /** Removes and returns the oldest; undefined if there is none. */
  shift(): T | undefined
  /** The element `index` positions after the oldest; undefined beyond the end. */
  at(index: number): T | undefined
  /** Replaces an element; throws RangeError beyond the end. */
  put(index: number, element: T): void
}

/**
 * First in, first out. In Solidity: `struct { uint256 head; uint256 tail; mapping(uint256 => T) items; }`. head is the oldest
 * item's number, tail the next one's; both only grow.
 */
export function queue<T>(element: Value<T>): Field<Queue<T>> {
  const parts = layout({ head: u256, tail: u256, items: mapping(u256, element) })
  const open = (slots: SlotAccess, base: bigint): Queue<T> => {
    const { head, tail, items } = parts.open(slots, base)
    const length = () => Number(tail.get() - head.get())
    const item = (index: number) => (isWithin(index, length()) ? items.at(head.get() + BigInt(index)) : undefined)
    return {
      get length() {
        return length()
      },
      push(of) {
        const next = tail.get()
        items.at(next).set(of)
        tail.set(next + 1n)
      },
      shift() {
        const oldest = item(0)
        if (oldest === undefined) return undefined
        const of = oldest.get()
        oldest.clear()
        head.set(head.get() + 1n)
        return of
      },
      at: (index) => item(index)?.get(),
      put(index, of) {
        const place = item(index)
        if (place === undefined) throw new RangeError(`no element ${index}`)
        place.set(of)
      },
      *[Symbol.iterator]() {
        for (let i = 0; i < length(); i++) yield items.at(head.get() + BigInt(i)).get()
      },
    }
  }
  return { width: parts.width, open }
}
