// A binary heap: reads the first item by an order in constant time, and replaces it in logarithmic time.

export class Heap<T> {
  readonly #items: T[]
  readonly #before: (a: T, b: T) => boolean

  /** Takes over the array. `before` is a strict order: whether `a` comes out before `b`. */
  constructor(items: T[], before: (a: T, b: T) => boolean) {
    this.#items = items
    this.#before = before
    for (let i = (items.length >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  first(): T | undefined {
    return this.#items[0]
  }

  /** Replaces the first item; undefined removes it. */
  replaceFirst(item: T | undefined): void {
    const next = item ?? this.#items.pop()
    if (next === undefined || (item === undefined && this.#items.length === 0)) return
    this.#items[0] = next
    this.#sink(0)
  }

  #sink(from: number): void {
    const items = this.#items
    let at = from
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      let best = at
      if (left < items.length && this.#before(items[left] as T, items[best] as T)) best = left
      if (right < items.length && this.#before(items[right] as T, items[best] as T)) best = right
      if (best === at) return
      const moved = items[at] as T
      items[at] = items[best] as T
      items[best] = moved
      at = best
    }
  }
}
