// A queue in contract storage, for modules' work that waits. Its elements are numbered for good: a number is never used again.
import { isWithin, layout, mapping } from './layout.ts'
import type { SlotAccess } from './types.ts'
import { type Field, u256, type Value } from './words.ts'

export type Queue<T> = Iterable<T> & {
  readonly length: number
  push(element: T): void
  /** Takes the oldest; undefined when there is none. */
  shift(): T | undefined
  /** The element that is `index` places behind the oldest; undefined beyond the end. */
  at(index: number): T | undefined
  /** Replaces an element; throws RangeError beyond the end. */
  put(index: number, element: T): void
}

/**
 * First in, first out. In Solidity: `struct { uint256 head; uint256 tail; mapping(uint256 => T) items; }`,
 * where head is the oldest item's number and tail the next one's; both only grow.
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
