// The rows of a trie's nodes, by where they lie: those that one update opens and encodes.
import { equalBytes, fromLatin1, toHex } from '../lib/hex.ts'
import { isHashReference } from './trie-nodes.ts'

/** Where a node lies: a character (code 0 to 15) for each nibble from the root on. So it can index a map. */
export type NodePath = string

/** Reads a node's RLP by its path (the root's is empty); undefined when there is none. */
export type NodeReader = (path: NodePath) => Uint8Array | undefined

/** `node`: the row's RLP, or null when the row must go. */
export type NodeWrite = { readonly path: NodePath; readonly node: Uint8Array | null }

export const ROOT: NodePath = ''

/** The path of a branch's child. */
export const below = (path: NodePath, nibble: number): NodePath => path + String.fromCharCode(nibble)

export function readRow(read: NodeReader, path: NodePath): Uint8Array {
  const rlp = read(path)
  if (rlp === undefined) throw new Error(`trie node missing at path ${toHex(fromLatin1(path))}`)
  return rlp
}

/** Where nodes go that have a row of their own. */
export type Rows = { save(path: NodePath, node: Uint8Array): void }
export const NO_ROWS: Rows = { save: () => undefined }

type TouchedRow = { readonly path: NodePath; readonly before: Uint8Array | undefined; node: Uint8Array | null }

/** The rows that one update opens and encodes, by path. */
export class TouchedRows implements Rows {
  readonly #read: NodeReader
  readonly #rows = new Map<NodePath, TouchedRow>()

  constructor(read: NodeReader) {
    this.#read = read
  }

  /** RLP of the root, if there is one. */
  readRoot(): Uint8Array | undefined {
    const row = this.#read(ROOT)
    return row && this.#touched(ROOT, row)
  }

  /** RLP of the node behind a reference; `path` is the node's own. */
  read(reference: Uint8Array, path: NodePath): Uint8Array {
    return isHashReference(reference) ? this.#touched(path, readRow(this.#read, path)) : reference
  }

  save(path: NodePath, node: Uint8Array): void {
    const row = this.#rows.get(path)
    if (row) row.node = node
    else this.#rows.set(path, { path, before: undefined, node })
  }

  writes(): NodeWrite[] {
    return [...this.#rows.values()].filter(({ before, node }) => !before || !node || !equalBytes(before, node))
  }

  #touched(path: NodePath, row: Uint8Array): Uint8Array {
    this.#rows.set(path, { path, before: row, node: null })
    return row
  }
}
