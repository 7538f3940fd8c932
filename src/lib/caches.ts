// Bounded caches that cost little more than a Map. An LRU cache keeps the exact order of use, which costs two to five times as
// much per access.

/** An approximate LRU cache of two generations: when the young one is full, it replaces the old one, which is dropped. */
export class GenerationalCache<K, V extends NonNullable<unknown>> {
  readonly #half: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  /** Keeps at least the `max / 2` most recently used entries, and at most `max`. */
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

  /** Whether the key is cached. Does not count as a use. */
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

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}

/**
 * A pure function that caches its results by argument. When it has `max` results it drops all of them. Callers share the
 * results and must not modify them.
 */
export function memo<Q, A>(max: number, compute: (argument: Q) => A): (argument: Q) => A {
  const results = new Map<Q, A>()
  return (argument) => {
    const known = results.get(argument)
    if (known !== undefined) return known
    if (results.size >= max) results.clear()
    const result = compute(argument)
    results.set(argument, result)
    return result
  }
}
