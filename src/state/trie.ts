// Merkle-Patricia tries kept by path: changes in, the new root and the node rows to write and delete out.
// The rule of rows: the root has one, and so has every node whose RLP is 32 bytes or more; a smaller node lives inside
// its parent and has none. A row's key is the node's path (nibbles from the root) and its value the node's RLP.
// After the writes are applied the rows are exactly those of the new trie: every row that is opened is dropped unless
// a node is encoded at its path again, and no node is encoded where an unopened row may lie.
import { memo } from '../lib/caches.ts'
import {
  bigToBytes,
  compareBytes,
  EMPTY_BYTES,
  equalBytes,
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

/**
 * Applies the changes, in any order (of several for one key the last counts), and tells which rows differ afterwards.
 * Nothing is written here. Deleting an absent key changes nothing.
 * Throws when a row that a node refers to is missing or malformed (the store is corrupt), when a value is empty,
 * and when one key is the beginning of another.
 */
export function updateTrie(read: NodeReader, changes: readonly TrieChange[]): TrieUpdate {
  const rows = new TouchedRows(read)
  const edits = sortedEdits(changes)
  const root = apply(rows, rows.readRoot(), ROOT, edits, 0, edits.length)
  if (root === undefined) return { root: keccak256(EMPTY_TRIE), writes: rows.writes() }
  const rlp = encode(rows, root, ROOT)
  rows.save(ROOT, rlp)
  return { root: keccak256(rlp), writes: rows.writes() }
}

/**
 * The nodes from the root towards the key (32 bytes, hashed), as RLP, ending at its leaf or where its absence shows.
 * Nodes embedded in their parent are not listed; an empty trie gives no nodes. Throws on a corrupt store.
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
    // A node fresh from its row has references for children.
    if (child === undefined || isOpen(child)) break
    rlp = child
    if (isHashReference(child)) {
      rlp = readRow(read, toLatin1(nibbles.subarray(0, depth)))
      proof.push(rlp)
    }
  }
  return proof
}

/** Where an index leads in the trie of a list: the same in every list. */
const KNOWN_INDICES = 10_000
const indexKey = memo(KNOWN_INDICES, (index: number) => toNibbles(encodeRlp(bigToBytes(BigInt(index)))))

/** Root of a list (transactions, receipts, withdrawals): the trie from rlp(index) to the value. Values are not empty. */
export function orderedListRoot(values: readonly Uint8Array[]): Uint8Array {
  const list = new ListTrie()
  for (const value of values) list.add(value)
  return list.root()
}

/** So many indices have keys that differ in the last byte only; those of the first so many are of two lengths. */
const ALIKE = 256

/** The same while the list grows: what is full is hashed at once, so that little is left when the root is asked for. */
export class ListTrie {
  readonly #parts: Part[] = []
  #length = 0

  add(value: Uint8Array): void {
    const parts = this.#parts
    const key = indexKey(this.#length++)
    parts.push({ key, value })
    if (this.#length % ALIKE !== 0 || this.#length === ALIKE) return
    const path = key.subarray(0, -2)
    const full = build(path.length, parts.splice(-ALIKE), 0, ALIKE)
    if (full !== undefined) parts.push({ key: path, node: decodeNode(encode(NO_ROWS, full, toLatin1(path))) })
  }

  root(): Uint8Array {
    const parts = this.#parts.toSorted(byKey)
    const root = build(0, parts, 0, parts.length)
    return keccak256(root === undefined ? EMPTY_TRIE : encode(NO_ROWS, root, ROOT))
  }
}

/** A value with its key in nibbles, or a node that stands for all below its path. */
type Part = Put | { readonly key: Uint8Array; readonly node: TrieNode }

/**
 * The subtrie at `path`, where this child was, after the edits from one index up to another, all of which lie below it;
 * undefined when nothing is left.
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
  // By far most leaves that are met are to hold another value.
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
  // Of sorted keys the first or the last leaves the extension soonest.
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
  // A reference stands at the beginning of itself.
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
  // A branch with one child left gives way to it; only an opened child can be lengthened by the nibble.
  return prefixed(Uint8Array.of(nibble), isOpen(child) ? child : decodeNode(rows.read(child, below(path, nibble))))
}

/** `build` of those edits that put a value. */
function buildFrom(depth: number, edits: readonly Edit[]): TrieNode | undefined {
  const puts = edits.filter(isPut)
  return build(depth, puts, 0, puts.length)
}

/** The subtrie at `depth` that holds the parts from one index up to another, in order of key, and nothing else. */
function build(depth: number, parts: readonly Part[], from: number, to: number): TrieNode | undefined {
  const first = parts[from]
  const last = parts[to - 1]
  if (first === undefined || last === undefined) return undefined
  const path = first.key.subarray(depth)
  if (first === last) return 'value' in first ? { kind: 'leaf', path, value: first.value } : prefixed(path, first.node)
  // What the first and the last share, all share.
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

/** The node that leads from `path.length` nibbles higher to this one alone. */
function prefixed(path: Uint8Array, node: TrieNode): TrieNode {
  if (path.length === 0) return node
  return node.kind === 'branch' ? { kind: 'extension', path, child: node } : { ...node, path: join(path, node.path) }
}

/** RLP of the node at `path`. Saves the rows below it; whether it has one itself is for the caller to say. */
function encode(rows: Rows, node: TrieNode, path: NodePath): Uint8Array {
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
        // Most children were never opened.
        children.push(typeof child === 'object' ? encodeBelow(rows, child, below(path, nibble)) : child)
      }
      return encodeBranch(node.row, children)
    }
  }
}

/** RLP of a node at `path` that is not the root: it is saved if it has a row. */
function encodeBelow(rows: Rows, node: TrieNode, path: NodePath): Uint8Array {
  const rlp = encode(rows, node, path)
  if (!isEmbedded(rlp)) rows.save(path, rlp)
  return rlp
}

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
