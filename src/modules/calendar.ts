// A calendar: items by time in a list, kept as a binary heap, so that the earliest is found at once whatever the order
// in which they came. Items of one time come out in an order that follows from how they went in, and from nothing else.
import type { List } from '../state/layout.ts'

export type Timed = { readonly time: bigint }

/** Notes an item under its time. */
export function schedule<T extends Timed>(calendar: List<T>, item: T): void {
  calendar.push(item)
  let place = calendar.length - 1
  while (place > 0) {
    const above = (place - 1) >> 1
    const parent = calendar.at(above)
    if (parent === undefined || parent.time <= item.time) break
    calendar.put(place, parent)
    place = above
  }
  calendar.put(place, item)
}

/** Takes out the items whose time has come (`time` <= now), earliest first, and no more than `most`; the others stay. */
export function* takeDue<T extends Timed>(
  calendar: List<T>,
  now: bigint,
  most = Number.POSITIVE_INFINITY,
): Generator<T> {
  for (let taken = 0; taken < most; taken++) {
    const first = calendar.at(0)
    if (first === undefined || first.time > now) return
    const last = calendar.pop()
    if (last !== undefined && calendar.length > 0) sink(calendar, last)
    yield first
  }
}

/** Puts an item where the first was, then down to its place. */
function sink<T extends Timed>(calendar: List<T>, item: T): void {
  let place = 0
  for (;;) {
    const left = calendar.at(2 * place + 1)
    const right = calendar.at(2 * place + 2)
    if (left === undefined) break
    const [child, below] = right !== undefined && right.time < left.time ? [right, 2] : [left, 1]
    if (child.time >= item.time) break
    calendar.put(place, child)
    place = 2 * place + below
  }
  calendar.put(place, item)
}
