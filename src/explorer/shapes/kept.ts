// What an answer shows many times is made once: the same address, token or block stands in most rows of a page.
import type { ExplorerContext } from '../define.ts'

/** Remembers, within one request, what `make` makes of a key. */
export function keptBy<K, V>(make: (context: ExplorerContext, key: K) => V): (context: ExplorerContext, key: K) => V {
  const moments = new WeakMap<ExplorerContext, Map<K, V>>()
  return (context, key) => {
    const kept = moments.get(context) ?? new Map<K, V>()
    moments.set(context, kept)
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make(context, key)
    kept.set(key, made)
    return made
  }
}
