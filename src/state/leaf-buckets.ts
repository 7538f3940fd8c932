// The leaves of a trie that is built once from all of them. They may be added in any order and are packed, so large tries fit
// in memory: the trie is built one bucket at a time.
import { EMPTY_ROOT_BYTES, type NodePath, type TrieChange, updateTrie } from './trie.ts'

/** Nibbles that the keys of one bucket share. */
const PREFIX = 2
const HASH = 32

/** Leaves by the first byte of their keys, packed: about 110 bytes for each account, 70 for each slot. */
export class LeafBuckets {
  readonly #buckets = Array.from({ length: 256 }, () => ({ bytes: new Uint8Array(256), used: 0 }))

  /** `key`: 32 bytes; `value`: up to 255. */
  add(key: Uint8Array, value: Uint8Array): void {
    const bucket = this.#buckets[key[0] ?? 0]
    if (bucket === undefined) return
    const end = bucket.used + HASH + 1 + value.length
    if (end > bucket.bytes.length) {
      const bytes = new Uint8Array(2 * bucket.bytes.length)
      bytes.set(bucket.bytes.subarray(0, bucket.used))
      bucket.bytes = bytes
    }
    bucket.bytes.set(key, bucket.used)
    bucket.bytes[bucket.used + HASH] = value.length
    bucket.bytes.set(value, bucket.used + HASH + 1)
    bucket.used = end
  }

  /** Builds the trie and passes each node once to `write`, whose promise it awaits. Returns the root. */
  async writeTrie(write: (path: NodePath, node: Uint8Array) => Promise<void> | undefined): Promise<Uint8Array> {
    // Nodes that later buckets may change: those above the buckets' prefixes.
    const upper = new Map<NodePath, Uint8Array>()
    let root = EMPTY_ROOT_BYTES
    for (const changes of this.#inOrder()) {
      const update = updateTrie((at) => upper.get(at), changes)
      root = update.root
      for (const { path, node } of update.writes) {
        if (node === null) upper.delete(path)
        else if (path.length <= PREFIX) upper.set(path, node)
        else {
          const rest = write(path, node)
          if (rest !== undefined) await rest
        }
      }
    }
    for (const [path, node] of upper) await write(path, node)
    return root
  }

  /** The leaves of one bucket at a time, in order. Each bucket is freed when the next is requested. */
  *#inOrder(): Generator<TrieChange[]> {
    for (const bucket of this.#buckets) {
      const changes: TrieChange[] = []
      for (let at = 0; at < bucket.used; ) {
        const start = at + HASH + 1
        const end = start + (bucket.bytes[start - 1] ?? 0)
        changes.push({ key: bucket.bytes.subarray(at, at + HASH), value: bucket.bytes.subarray(start, end) })
        at = end
      }
      if (changes.length > 0) yield changes
      bucket.bytes = new Uint8Array(0)
    }
  }
}
