// A calendar: a list of items by time, stored as a binary heap, so that the earliest is found in constant time. The order of
// items with equal times depends only on the order of insertions, so it is deterministic; another order can decide between them.
import type { List } from '../state/layout.ts'

export type Timed = { readonly time: bigint }

/** Whether the first comes before the second. A calendar must always be used with the same order. */
export type Order<T> = (first: T, second: T) => boolean

const byTime: Order<Timed> = (first, second) => first.time < second.time

/** Inserts an item. */
export function schedule<T extends Timed>(calendar: List<T>, item: T, isBefore: Order<T> = byTime): void {
  calendar.push(item)
  let place = calendar.length - 1
  while (place > 0) {
    const above = (place - 1) >> 1
    const parent = calendar.at(above)
    if (parent === undefined || !isBefore(item, parent)) break
    calendar.put(place, parent)
    place = above
  }
  calendar.put(place, item)
}

/** Removes and yields due items (`time` <= now), earliest first, at most `most`. */
export function* takeDue<T extends Timed>(
  calendar: List<T>,
  now: bigint,
  most = Number.POSITIVE_INFINITY,
  isBefore: Order<T> = byTime,
): Generator<T> {
  for (let taken = 0; taken < most; taken++) {
    const first = calendar.at(0)
    if (first === undefined || first.time > now) return
    const last = calendar.pop()
    if (last !== undefined && calendar.length > 0) sink(calendar, last, isBefore)
    yield first
  }
}

/** Writes an item at the root and moves it down to its place. */
function sink<T extends Timed>(calendar: List<T>, item: T, isBefore: Order<T>): void {
  let place = 0
  for (;;) {
    const left = calendar.at(2 * place + 1)
    const right = calendar.at(2 * place + 2)
    if (left === undefined) break
    const [child, below] = right !== undefined && isBefore(right, left) ? [right, 2] : [left, 1]
    if (!isBefore(child, item)) break
    calendar.put(place, child)
    place = 2 * place + below
  }
  calendar.put(place, item)
}
