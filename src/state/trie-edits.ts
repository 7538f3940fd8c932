// Changes to a trie in the order in which it is walked: by key, so that those of one subtrie stand side by side.
import { compareBytes, equalBytes } from '../lib/hex.ts'
import { nibbleAt, toNibbles } from './trie-nodes.ts'

/** `key`: the hashed key (32 bytes); `value`: the RLP of the account or word, never empty, or null to delete. */
export type TrieChange = { readonly key: Uint8Array; readonly value: Uint8Array | null }

/** A change with its key in nibbles. */
export type Put = { readonly key: Uint8Array; readonly value: Uint8Array }
export type Edit = { readonly key: Uint8Array; readonly value: Uint8Array | null }

export const isPut = (edit: Edit | undefined): edit is Put => edit !== undefined && edit.value !== null

/** Of several changes for one key the last counts. Throws RangeError when a value is empty. */
export function sortedEdits(changes: readonly TrieChange[]): Edit[] {
  const sorted = changes.toSorted(byKey)
  const edits: Edit[] = []
  for (let i = 0; i < sorted.length; i++) {
    const { key, value } = sorted[i] as TrieChange
    if (value?.length === 0) throw new RangeError('a trie holds no empty values')
    const next = sorted[i + 1]
    if (!next || !equalBytes(key, next.key)) edits.push({ key: toNibbles(key), value })
  }
  return edits
}

type Keyed = { readonly key: Uint8Array }

export const byKey = (a: Keyed, b: Keyed): number => compareBytes(a.key, b.key)

/** Where those end, of some in order of key, that have this nibble at `depth` as the first has. */
export function endOfGroup(keyed: readonly Keyed[], start: number, to: number, depth: number, nibble: number): number {
  let end = start + 1
  while (end < to && nibbleAt((keyed[end] as Keyed).key, depth) === nibble) end++
  return end
}

/** The edits with the leaf that was here before them, unless one of them concerns its key. */
export function withLeaf(edits: readonly Edit[], leaf: Put): readonly Edit[] {
  const later = edits.findIndex((edit) => compareBytes(edit.key, leaf.key) >= 0)
  const at = later === -1 ? edits.length : later
  const found = edits[at]
  return found && equalBytes(found.key, leaf.key) ? edits : edits.toSpliced(at, 0, leaf)
}
