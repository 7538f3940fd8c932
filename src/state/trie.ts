// Merkle-Patricia tries stored by path: an update takes changes and returns the new root and the node rows to write and delete.
// Which nodes have rows: the root, and every node whose RLP is 32 bytes or more; a smaller node is embedded in its parent. A
// row's key is the node's path (nibbles from the root), its value the node's RLP. After the writes the rows are exactly those
// of the new trie: every row that was opened is deleted unless a node is encoded at its path again, and no node is encoded at
// the path of an unopened row.
import { memo } from '../lib/caches.ts'
import {
  bigToBytes,
  compareBytes,
  EMPTY_BYTES,
  equalBytes,
  fromHex,
  fromLatin1,
  type Hash,
  toHex,
  toLatin1,
} from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import {
  type Branch,
  type Child,
  childAt,
  decodeNode,
  type Extension,
  encodeBranch,
  encodeExtension,
  encodeLeaf,
  isEmbedded,
  isHashReference,
  isLeafOf,
  isOpen,
  join,
  nibbleAt,
  noChildren,
  referenceTo,
  sharedLength,
  type TrieNode,
  toNibbles,
} from './trie-nodes.ts'
export type TrieUpdate = { readonly root: Uint8Array; readonly writes: readonly NodeWrite[] }

const EMPTY_TRIE = Uint8Array.of(0x80)

/** The root of a trie without keys: keccak256 of the RLP of no bytes. */
export const EMPTY_ROOT: Hash = keccakHash(EMPTY_TRIE)
export const EMPTY_ROOT_BYTES = fromHex(EMPTY_ROOT)

/**
 * Applies changes in any order (the last one for a key wins) and returns the resulting row changes. Writes nothing. Deleting an
 * absent key changes nothing. Throws if a referenced row is missing or malformed (the store is corrupt), if a value is empty,
 * and if one key is a prefix of another.
 */
export function updateTrie(read: NodeReader, changes: readonly TrieChange[]): TrieUpdate {
  const rows = new TouchedRows(read)
  const edits = sortedEdits(changes)
  const root = apply(rows, rows.readRoot(), ROOT, edits, 0, edits.length)
  if (root === undefined) return { root: EMPTY_ROOT_BYTES, writes: rows.writes() }
  const rlp = encode(rows, root, ROOT)
  rows.save(ROOT, rlp)
  return { root: keccak256(rlp), writes: rows.writes() }
}

/**
 * The RLP of the nodes from the root towards the key (32 bytes, hashed), up to its leaf or to the node that proves its absence.
 * Embedded nodes are not listed, and an empty trie has none. Throws on a corrupt store.
 */
export function proveTrie(read: NodeReader, key: Uint8Array): Uint8Array[] {
  const nibbles = toNibbles(key)
  const proof: Uint8Array[] = []
  let rlp = read(ROOT)
  if (rlp !== undefined) proof.push(rlp)
  let depth = 0
  while (rlp !== undefined) {
    const node = decodeNode(rlp)
    if (node.kind === 'leaf') break
    if (node.kind === 'extension' && sharedLength(node.path, nibbles.subarray(depth)) < node.path.length) break
    const child = node.kind === 'extension' ? node.child : childAt(node, nibbleAt(nibbles, depth))
    depth += node.kind === 'extension' ? node.path.length : 1
    // A node that was just decoded has references as children, not opened nodes.
    if (child === undefined || isOpen(child)) break
    rlp = child
    if (isHashReference(child)) {
      rlp = readRow(read, toLatin1(nibbles.subarray(0, depth)))
      proof.push(rlp)
    }
  }
  return proof
}

/** The keys of list positions, rlp(index) as nibbles, are the same in every list. */
const CACHED_INDICES = 10_000
const indexKey = memo(CACHED_INDICES, (index: number) => toNibbles(encodeRlp(bigToBytes(BigInt(index)))))

/** Root of a list (transactions, receipts, withdrawals): the trie from rlp(index) to the value. Values are not empty. */
export function orderedListRoot(values: readonly Uint8Array[]): Uint8Array {
  const list = new ListTrie()
  for (const value of values) list.add(value)
  return list.root()
}

/** From 256 on, the keys of 256 consecutive indices differ in the last byte only. Those below 256 have two lengths. */
const GROUP = 256

/** The root of a growing list. Complete subtries are hashed at once, so that little work is left for the root. */
export class ListTrie {
  readonly #parts: Part[] = []
  #length = 0

  add(value: Uint8Array): void {
    const parts = this.#parts
    const key = indexKey(this.#length++)
    parts.push({ key, value })
    if (this.#length % GROUP !== 0 || this.#length === GROUP) return
    const path = key.subarray(0, -2)
    const full = build(path.length, parts.splice(-GROUP), 0, GROUP)
    if (full !== undefined) parts.push({ key: path, node: decodeNode(encode(NO_ROWS, full, toLatin1(path))) })
  }

  root(): Uint8Array {
    const parts = this.#parts.toSorted(byKey)
    const root = build(0, parts, 0, parts.length)
    return root === undefined ? EMPTY_ROOT_BYTES : keccak256(encode(NO_ROWS, root, ROOT))
  }
}

/** A value with its key in nibbles, or a node that replaces all values below its path. */
type Part = Put | { readonly key: Uint8Array; readonly node: TrieNode }

/**
 * The subtrie at `path`, whose node was `child`, after the edits with indices from `from` up to `to`, all of which have keys
 * below `path`. undefined when it is empty.
 */
function apply(
  rows: TouchedRows,
  child: Child | undefined,
  path: NodePath,
  edits: readonly Edit[],
  from: number,
  to: number,
): TrieNode | undefined {
  if (child === undefined) return buildFrom(path.length, edits.slice(from, to))
  if (isOpen(child)) return applyTo(rows, child, path, edits, from, to)
  const rlp = rows.read(child, path)
  const edit = edits[from]
  // Most edits that reach a leaf only replace its value.
  if (to === from + 1 && isPut(edit) && isLeafOf(rlp, edit.key, path.length)) {
    return { kind: 'leaf', path: edit.key.subarray(path.length), value: edit.value }
  }
  return applyTo(rows, decodeNode(rlp), path, edits, from, to)
}

function applyTo(
  rows: TouchedRows,
  node: TrieNode,
  path: NodePath,
  edits: readonly Edit[],
  from: number,
  to: number,
): TrieNode | undefined {
  if (from === to) return node
  switch (node.kind) {
    case 'leaf': {
      const leaf = { key: join(fromLatin1(path), node.path), value: node.value }
      return buildFrom(path.length, withLeaf(edits.slice(from, to), leaf))
    }
    case 'extension':
      return applyToExtension(rows, node, path, edits, from, to)
    case 'branch':
      return applyToBranch(rows, node, path, edits, from, to)
  }
}

function applyToExtension(
  rows: TouchedRows,
  node: Extension,
  path: NodePath,
  edits: readonly Edit[],
  from: number,
  to: number,
): TrieNode | undefined {
  // The keys are sorted: either the first or the last one shares least with the extension.
  const outermost = [edits[from], edits[to - 1]].filter((edit) => edit !== undefined)
  const shared = Math.min(...outermost.map(({ key }) => sharedLength(node.path, key.subarray(path.length))))
  const head = node.path.subarray(0, shared)
  const fork = path + toLatin1(head)
  const { child } = node
  if (shared === node.path.length) {
    const left = apply(rows, child, fork, edits, from, to)
    return left && prefixed(head, left)
  }
  const tail = node.path.subarray(shared + 1)
  const children = noChildren()
  const only = tail.length > 0 ? ({ kind: 'extension', path: tail, child } as const) : child
  // A reference serves as its own row, at offset 0.
  children[nibbleAt(node.path, shared)] = isOpen(only) ? only : 0
  const row = isOpen(only) ? EMPTY_BYTES : only
  const branch = applyToBranch(rows, { kind: 'branch', row, children }, fork, edits, from, to)
  return branch && prefixed(head, branch)
}

function applyToBranch(
  rows: TouchedRows,
  node: Branch,
  path: NodePath,
  edits: readonly Edit[],
  from: number,
  to: number,
): TrieNode | undefined {
  const { children } = node
  let lost = false
  for (let start = from, end = from; start < to; start = end) {
    const nibble = nibbleAt((edits[start] as Edit).key, path.length)
    end = endOfGroup(edits, start, to, path.length, nibble)
    children[nibble] = apply(rows, childAt(node, nibble), below(path, nibble), edits, start, end)
    lost ||= children[nibble] === undefined
  }
  if (!lost) return node
  const nibble = children.findIndex((child) => child !== undefined)
  const child = childAt(node, nibble)
  if (child === undefined) return undefined
  if (children.some((other, i) => other !== undefined && i !== nibble)) return node
  // A branch with one child is replaced by that child, which must be opened to prepend the nibble to its path.
  return prefixed(Uint8Array.of(nibble), isOpen(child) ? child : decodeNode(rows.read(child, below(path, nibble))))
}

/** `build` with the edits that write a value. */
function buildFrom(depth: number, edits: readonly Edit[]): TrieNode | undefined {
  const puts = edits.filter(isPut)
  return build(depth, puts, 0, puts.length)
}

/** A new subtrie at `depth` of the parts with indices from `from` up to `to`, which are in order of key. */
function build(depth: number, parts: readonly Part[], from: number, to: number): TrieNode | undefined {
  const first = parts[from]
  const last = parts[to - 1]
  if (first === undefined || last === undefined) return undefined
  const path = first.key.subarray(depth)
  if (first === last) return 'value' in first ? { kind: 'leaf', path, value: first.value } : prefixed(path, first.node)
  // The parts are sorted: what the first and the last key share, all keys share.
  const shared = sharedLength(path, last.key.subarray(depth))
  const fork = depth + shared
  const children = noChildren()
  for (let start = from, end = from; start < to; start = end) {
    const nibble = nibbleAt((parts[start] as Part).key, fork)
    end = endOfGroup(parts, start, to, fork, nibble)
    children[nibble] = build(fork + 1, parts, start, end)
  }
  return prefixed(path.subarray(0, shared), { kind: 'branch', row: EMPTY_BYTES, children })
}

/** The node with `path` prepended: a longer leaf or extension, or an extension to a branch. */
function prefixed(path: Uint8Array, node: TrieNode): TrieNode {
  if (path.length === 0) return node
  return node.kind === 'branch' ? { kind: 'extension', path, child: node } : { ...node, path: join(path, node.path) }
}

/** RLP of the node at `path`. Saves the rows below it; the caller decides whether the node itself has a row. */
function encode(rows: TrieRows, node: TrieNode, path: NodePath): Uint8Array {
  switch (node.kind) {
    case 'leaf':
      return encodeLeaf(node.path, node.value)
    case 'extension': {
      const { child } = node
      const reference = isOpen(child) ? referenceTo(encodeBelow(rows, child, path + toLatin1(node.path))) : child
      return encodeExtension(node.path, reference)
    }
    case 'branch': {
      const children: (Uint8Array | number | undefined)[] = []
      for (let nibble = 0; nibble < node.children.length; nibble++) {
        const child = node.children[nibble]
        // Most children were not opened.
        children.push(typeof child === 'object' ? encodeBelow(rows, child, below(path, nibble)) : child)
      }
      return encodeBranch(node.row, children)
    }
  }
}

/** RLP of a node at `path` other than the root. Saves its row if it has one. */
function encodeBelow(rows: TrieRows, node: TrieNode, path: NodePath): Uint8Array {
  const rlp = encode(rows, node, path)
  if (!isEmbedded(rlp)) rows.save(path, rlp)
  return rlp
}

/** A node's position: a character (code 0 to 15) for each nibble from the root. A string, so that it can be a map's key. */
export type NodePath = string

/** Reads a node's RLP by its path (the root's is empty); undefined when there is none. */
export type NodeReader = (path: NodePath) => Uint8Array | undefined

/** A row to write; `node` is its RLP, or null when the row is deleted. */
export type NodeWrite = { readonly path: NodePath; readonly node: Uint8Array | null }

export const ROOT: NodePath = ''

/** The path of a branch's child. */
export const below = (path: NodePath, nibble: number): NodePath => path + String.fromCharCode(nibble)

export function readRow(read: NodeReader, path: NodePath): Uint8Array {
  const rlp = read(path)
  if (rlp === undefined) throw new Error(`trie node missing at path ${toHex(fromLatin1(path))}`)
  return rlp
}

/** Receives the nodes that have rows. */
export type TrieRows = { save(path: NodePath, node: Uint8Array): void }
export const NO_ROWS: TrieRows = { save: () => undefined }

type TouchedRow = { readonly path: NodePath; readonly before: Uint8Array | undefined; node: Uint8Array | null }

/** The rows that one update opens and encodes, by path. */
export class TouchedRows implements TrieRows {
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

  /** RLP of the node for a reference; `path` is the node's own. */
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

/** `key`: the hashed key (32 bytes); `value`: the RLP of the account or word, never empty, or null to delete. */
export type TrieChange = { readonly key: Uint8Array; readonly value: Uint8Array | null }

/** A change with its key in nibbles. Edits are sorted by key, so that those of one subtrie are consecutive. */
export type Put = { readonly key: Uint8Array; readonly value: Uint8Array }
export type Edit = { readonly key: Uint8Array; readonly value: Uint8Array | null }

export const isPut = (edit: Edit | undefined): edit is Put => edit !== undefined && edit.value !== null

/** The changes sorted by key. The last of several changes for one key wins. Throws RangeError when a value is empty. */
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

/** The end of the run of items, from `start`, that have this nibble at `depth`. The items are sorted by key. */
export function endOfGroup(keyed: readonly Keyed[], start: number, to: number, depth: number, nibble: number): number {
  let end = start + 1
  while (end < to && nibbleAt((keyed[end] as Keyed).key, depth) === nibble) end++
  return end
}

/** The edits and the existing leaf, which is left out when one of the edits has its key. */
export function withLeaf(edits: readonly Edit[], leaf: Put): readonly Edit[] {
  const later = edits.findIndex((edit) => compareBytes(edit.key, leaf.key) >= 0)
  const at = later === -1 ? edits.length : later
  const found = edits[at]
  return found && equalBytes(found.key, leaf.key) ? edits : edits.toSpliced(at, 0, leaf)
}
