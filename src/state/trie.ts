// Merkle-Patricia tries kept by path: changes in, the new root and the node rows to write and delete out.
// The rule of rows: the root has one, and so has every node whose RLP is 32 bytes or more; a smaller node lives inside
// its parent and has none. A row's key is the node's path (nibbles from the root) and its value the node's RLP.
// After the writes are applied the rows are exactly those of the new trie: every row that is opened is dropped unless
// a node is encoded at its path again, and no node is encoded where an unopened row may lie.
import { bigToBytes, compareBytes, EMPTY_BYTES, equalBytes, type Hash, toHex, toLatin1 } from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import {
  type Branch,
  below,
  type Child,
  childAt,
  decodeNode,
  type Extension,
  encodeBranch,
  encodeExtension,
  encodeLeaf,
  isHashReference,
  isOpen,
  join,
  nibbleAt,
  noChildren,
  referenceTo,
  sharedLength,
  type TrieNode,
  toNibbles,
} from './trie-nodes.ts'

/** Reads a node's RLP by its path in nibbles (the root's path is empty); undefined when there is none. */
export type NodeReader = (path: Uint8Array) => Uint8Array | undefined

/** `key`: the hashed key (32 bytes); `value`: the RLP of the account or word, never empty, or null to delete. */
export type TrieChange = { readonly key: Uint8Array; readonly value: Uint8Array | null }

/** `path` in nibbles; `node`: the row's RLP, or null when the row must go. */
export type NodeWrite = { readonly path: Uint8Array; readonly node: Uint8Array | null }

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
  const root = apply(rows, rows.openRoot(), EMPTY_BYTES, sortedEdits(changes))
  if (root === undefined) return { root: keccak256(EMPTY_TRIE), writes: rows.writes() }
  const rlp = encode(rows, root, EMPTY_BYTES)
  rows.save(EMPTY_BYTES, rlp)
  return { root: keccak256(rlp), writes: rows.writes() }
}

/**
 * The nodes from the root towards the key (32 bytes, hashed), as RLP, ending at its leaf or where its absence shows.
 * Nodes embedded in their parent are not listed; an empty trie gives no nodes. Throws on a corrupt store.
 */
export function proveTrie(read: NodeReader, key: Uint8Array): Uint8Array[] {
  const nibbles = toNibbles(key)
  const proof: Uint8Array[] = []
  let rlp = read(EMPTY_BYTES)
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
      rlp = readRow(read, nibbles.subarray(0, depth))
      proof.push(rlp)
    }
  }
  return proof
}

/** Root of a list (transactions, receipts, withdrawals): the trie from rlp(index) to the value. Values are not empty. */
export function orderedListRoot(values: readonly Uint8Array[]): Uint8Array {
  const changes = values.map((value, index) => ({ key: encodeRlp(bigToBytes(BigInt(index))), value }))
  const root = build(0, sortedEdits(changes).filter(isPut))
  return keccak256(root === undefined ? EMPTY_TRIE : encode(NO_ROWS, root, EMPTY_BYTES))
}

/** Where nodes go that have a row of their own. */
type Rows = { save(path: Uint8Array, node: Uint8Array): void }
const NO_ROWS: Rows = { save: () => undefined }

/** The rows that one update opens and encodes, by path. */
class TouchedRows implements Rows {
  readonly #read: NodeReader
  readonly #rows = new Map<string, { path: Uint8Array; before: Uint8Array | undefined; node: Uint8Array | null }>()

  constructor(read: NodeReader) {
    this.#read = read
  }

  openRoot(): TrieNode | undefined {
    const rlp = this.#read(EMPTY_BYTES)
    return rlp && this.#opened(EMPTY_BYTES, rlp)
  }

  /** The node behind a child; `path` is the child's own. */
  open(child: Child, path: Uint8Array): TrieNode {
    if (isOpen(child)) return child
    return isHashReference(child) ? this.#opened(path, readRow(this.#read, path)) : decodeNode(child)
  }

  save(path: Uint8Array, node: Uint8Array): void {
    const id = toLatin1(path)
    const row = this.#rows.get(id)
    if (row) row.node = node
    else this.#rows.set(id, { path, before: undefined, node })
  }

  writes(): NodeWrite[] {
    return [...this.#rows.values()].filter(({ before, node }) => !before || !node || !equalBytes(before, node))
  }

  #opened(path: Uint8Array, rlp: Uint8Array): TrieNode {
    this.#rows.set(toLatin1(path), { path, before: rlp, node: null })
    return decodeNode(rlp)
  }
}

/** A change with its key in nibbles. */
type Put = { readonly key: Uint8Array; readonly value: Uint8Array }
type Edit = Put | { readonly key: Uint8Array; readonly value: null }

const isPut = (edit: Edit): edit is Put => edit.value !== null

function sortedEdits(changes: readonly TrieChange[]): Edit[] {
  const sorted = changes.toSorted((a, b) => compareBytes(a.key, b.key))
  const edits: Edit[] = []
  for (const [i, { key, value }] of sorted.entries()) {
    if (value?.length === 0) throw new RangeError('a trie holds no empty values')
    const next = sorted[i + 1]
    if (!next || !equalBytes(key, next.key)) edits.push({ key: toNibbles(key), value })
  }
  return edits
}

/** The subtrie at `path` after the edits, all of which lie below it; undefined when nothing is left. */
function apply(
  rows: TouchedRows,
  node: TrieNode | undefined,
  path: Uint8Array,
  edits: readonly Edit[],
): TrieNode | undefined {
  if (edits.length === 0) return node
  switch (node?.kind) {
    case undefined:
      return build(path.length, edits.filter(isPut))
    case 'leaf': {
      const [edit] = edits
      // By far most leaves that are met are to hold another value.
      if (edits.length === 1 && edit?.value && equalBytes(edit.key.subarray(path.length), node.path)) {
        return { ...node, value: edit.value }
      }
      const leaf = { key: join(path, node.path), value: node.value }
      return build(path.length, withLeaf(edits, leaf).filter(isPut))
    }
    case 'extension':
      return applyToExtension(rows, node, path, edits)
    case 'branch':
      return applyToBranch(rows, node, path, edits)
  }
}

function applyToExtension(
  rows: TouchedRows,
  node: Extension,
  path: Uint8Array,
  edits: readonly Edit[],
): TrieNode | undefined {
  // Of sorted keys the first or the last leaves the extension soonest.
  const outermost = [edits.at(0), edits.at(-1)].filter((edit) => edit !== undefined)
  const shared = Math.min(...outermost.map(({ key }) => sharedLength(node.path, key.subarray(path.length))))
  const head = node.path.subarray(0, shared)
  const fork = join(path, head)
  if (shared === node.path.length) {
    const child = apply(rows, rows.open(node.child, fork), fork, edits)
    return child && prefixed(head, child)
  }
  const tail = node.path.subarray(shared + 1)
  const children = noChildren<Child>()
  children[nibbleAt(node.path, shared)] =
    tail.length === 0 ? node.child : { kind: 'extension', path: tail, child: node.child }
  const branch = applyToBranch(rows, { kind: 'branch', row: EMPTY_BYTES, children }, fork, edits)
  return branch && prefixed(head, branch)
}

function applyToBranch(
  rows: TouchedRows,
  node: Branch,
  path: Uint8Array,
  edits: readonly Edit[],
): TrieNode | undefined {
  const children = [...node.children]
  for (const [nibble, group] of byNibble(edits, path.length)) {
    const child = childAt(node, nibble)
    const childPath = below(path, nibble)
    children[nibble] = apply(rows, child && rows.open(child, childPath), childPath, group)
  }
  const branch: Branch = { kind: 'branch', row: node.row, children }
  const nibble = children.findIndex((child) => child !== undefined)
  const child = childAt(branch, nibble)
  if (child === undefined) return undefined
  if (children.some((other, i) => other !== undefined && i !== nibble)) return branch
  // A branch with one child left gives way to it; only an opened child can be lengthened by the nibble.
  return prefixed(Uint8Array.of(nibble), rows.open(child, below(path, nibble)))
}

/** The subtrie at `depth` that holds these, in order of key, and nothing else. */
function build(depth: number, puts: readonly Put[]): TrieNode | undefined {
  const first = puts[0]
  const last = puts.at(-1)
  if (first === undefined || last === undefined) return undefined
  const path = first.key.subarray(depth)
  if (first === last) return { kind: 'leaf', path, value: first.value }
  // What the first and the last share, all share.
  const shared = sharedLength(path, last.key.subarray(depth))
  const fork = depth + shared
  const children = noChildren<Child>()
  for (const [nibble, group] of byNibble(puts, fork)) children[nibble] = build(fork + 1, group)
  return prefixed(path.subarray(0, shared), { kind: 'branch', row: EMPTY_BYTES, children })
}

/** The edits with the leaf that was here before them, unless one of them concerns its key. */
function withLeaf(edits: readonly Edit[], leaf: Put): readonly Edit[] {
  const later = edits.findIndex((edit) => compareBytes(edit.key, leaf.key) >= 0)
  const at = later === -1 ? edits.length : later
  const found = edits[at]
  return found && equalBytes(found.key, leaf.key) ? edits : edits.toSpliced(at, 0, leaf)
}

/** The node that leads from `path.length` nibbles higher to this one alone. */
function prefixed(path: Uint8Array, node: TrieNode): TrieNode {
  if (path.length === 0) return node
  return node.kind === 'branch' ? { kind: 'extension', path, child: node } : { ...node, path: join(path, node.path) }
}

/** RLP of the node at `path`. Saves the rows below it; whether it has one itself is for the caller to say. */
function encode(rows: Rows, node: TrieNode, path: Uint8Array): Uint8Array {
  switch (node.kind) {
    case 'leaf':
      return encodeLeaf(node.path, node.value)
    case 'extension':
      return encodeExtension(node.path, reference(rows, node.child, join(path, node.path)))
    case 'branch':
      // Most children were never opened: they need no path.
      return encodeBranch(
        node.row,
        node.children.map((child, nibble) => (isOpen(child) ? reference(rows, child, below(path, nibble)) : child)),
      )
  }
}

/** How a parent refers to its child at `path`. */
function reference(rows: Rows, child: Child, path: Uint8Array): Uint8Array {
  if (!isOpen(child)) return child
  const rlp = encode(rows, child, path)
  const result = referenceTo(rlp)
  if (isHashReference(result)) rows.save(path, rlp)
  return result
}

/** The edits, in order of key, by their nibble at `depth`. */
function byNibble<E extends Edit>(edits: readonly E[], depth: number): [number, readonly E[]][] {
  const groups: [number, readonly E[]][] = []
  for (let from = 0, to = 0; from < edits.length; from = to) {
    const nibble = nibbleAt((edits[from] as E).key, depth)
    while (to < edits.length && nibbleAt((edits[to] as E).key, depth) === nibble) to++
    groups.push([nibble, edits.slice(from, to)])
  }
  return groups
}

function readRow(read: NodeReader, path: Uint8Array): Uint8Array {
  const rlp = read(path)
  if (rlp === undefined) throw new Error(`trie node missing at path ${toHex(path)}`)
  return rlp
}
