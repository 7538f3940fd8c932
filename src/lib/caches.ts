// What was used lately, in two generations: when the younger one is full it becomes the older, and what nobody asked for
// since the last time goes. A look costs one or two of a Map's; keeping the exact order of use costs some times as much.

export class GenerationalCache<K, V extends NonNullable<unknown>> {
  readonly #half: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  /** Keeps at least the `max / 2` entries that were used last, and never more than `max`. */
  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2))
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  /** Whether it is there; asking is no use. */
  has(key: K): boolean {
    return this.#young.has(key) || this.#old.has(key)
  }

  set(key: K, value: V): void {
    this.#young.set(key, value)
    if (this.#young.size < this.#half) return
    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}

// Answers that cannot become untrue, kept by their question: hashes of what is asked for again and again.

/** A pure function that keeps its answers; when there are more than `max`, it begins anew. Nobody writes on an answer. */
export function memo<Q, A>(max: number, answer: (question: Q) => A): (question: Q) => A {
  const known = new Map<Q, A>()
  return (question) => {
    const before = known.get(question)
    if (before !== undefined) return before
    if (known.size >= max) known.clear()
    const found = answer(question)
    known.set(question, found)
    return found
  }
}
