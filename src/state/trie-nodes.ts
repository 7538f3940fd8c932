// The three kinds of Merkle-Patricia node and their RLP (Yellow Paper, appendices B to D). Keys of one trie are prefix-free
// (hashed keys, RLP indices), so a branch never has a value. Paths have one nibble per byte. Decoding slices the row without
// copying, so rows must not be modified.
import { scratchBytes } from '../lib/byte-pool.ts'
import { keccak256 } from '../lib/keccak.ts'
import { encodedLength, encodeRlp, joinList, prefixLength, writePrefix, writeString } from '../primitives/rlp.ts'

/** `path` is the rest of the key below the leaf's position. */
export type Leaf = { readonly kind: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array }
export type Extension = { readonly kind: 'extension'; readonly path: Uint8Array; readonly child: Child }
/**
 * A child is an opened node, or the offset of its reference in `row`, the RLP that the branch was read from: most children are
 * never opened. The update that opened or created a branch changes its children in place.
 */
export type Branch = {
  readonly kind: 'branch'
  readonly row: Uint8Array
  readonly children: (TrieNode | number | undefined)[]
}
export type TrieNode = Leaf | Extension | Branch
/** A child as in its parent's RLP (a hash, or the whole node if it is under 32 bytes), or an opened node. */
export type Child = Uint8Array | TrieNode

const NO_ITEM = 0x80
const HASH_PREFIX = 0xa0
const HASH_ITEM_LENGTH = 33

/** Whether the reference is a hash, so that the child has a row of its own. */
export const isHashReference = (reference: Uint8Array): boolean => reference.length === HASH_ITEM_LENGTH

export const isOpen = (child: Child): child is TrieNode => !(child instanceof Uint8Array)

export function childAt({ row, children }: Pick<Branch, 'row' | 'children'>, nibble: number): Child | undefined {
  const child = children[nibble]
  return typeof child === 'number' ? row.subarray(child, itemEnd(row, child)) : child
}

/** The reference to a child with this RLP in its parent's RLP. */
export function referenceTo(rlp: Uint8Array): Uint8Array {
  if (isEmbedded(rlp)) return rlp
  const reference = new Uint8Array(HASH_ITEM_LENGTH)
  writeReference(rlp, reference, 0)
  return reference
}

/** Whether a node with this RLP is embedded in its parent, and has no row. */
export const isEmbedded = (rlp: Uint8Array): boolean => rlp.length < 32

/** Writes a parent's reference to a child with this RLP. Returns the index after it. */
function writeReference(rlp: Uint8Array, out: Uint8Array, start: number): number {
  if (isEmbedded(rlp)) return copy(rlp, 0, rlp.length, out, start)
  out[start] = HASH_PREFIX
  return copy(keccak256(rlp), 0, HASH_ITEM_LENGTH - 1, out, start + 1)
}

/** A loop, because `set` with a subarray takes longer for up to 33 bytes. Returns the index after the copy. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let next = at
  for (let i = start; i < end; i++) to[next++] = from[i] ?? 0
  return next
}

/** RLP of a leaf, without an intermediate array for the path, because most encoded nodes are leaves. */
export function encodeLeaf(path: Uint8Array, value: Uint8Array): Uint8Array {
  const packed = 1 + (path.length >> 1)
  const length = (packed === 1 ? 1 : 1 + packed) + encodedLength(value)
  const out = scratchBytes(prefixLength(length) + length)
  let at = writePrefix(0xc0, length, out, 0)
  // A single byte has flags below 0x80, so it is its own RLP.
  if (packed > 1) out[at++] = 0x80 + packed
  at = packPath(path, true, out, at)
  writeString(value, out, at)
  return out
}

export function encodeExtension(path: Uint8Array, child: Uint8Array): Uint8Array {
  const packed = new Uint8Array(1 + (path.length >> 1))
  packPath(path, false, packed, 0)
  return joinList([encodeRlp(packed), child])
}

/** RLP of a branch from its sixteen children: a number is the offset of a reference in `row`, bytes are a child's RLP. */
export function encodeBranch(row: Uint8Array, children: readonly (Uint8Array | number | undefined)[]): Uint8Array {
  let length = 1
  for (const child of children) {
    if (child === undefined) length++
    else if (typeof child === 'number') length += itemEnd(row, child) - child
    else length += isEmbedded(child) ? child.length : HASH_ITEM_LENGTH
  }
  const out = scratchBytes(prefixLength(length) + length)
  let at = writePrefix(0xc0, length, out, 0)
  for (const child of children) {
    if (child === undefined) out[at++] = NO_ITEM
    else if (typeof child === 'number') at = copy(row, child, itemEnd(row, child), out, at)
    else at = writeReference(child, out, at)
  }
  out[at] = NO_ITEM
  return out
}

/** Whether the row is the leaf of this key (in nibbles) at a depth. Such a leaf is replaced without being decoded. */
export function isLeafOf(row: Uint8Array, key: Uint8Array, depth: number): boolean {
  const first = headerLength(row, 0)
  const second = itemEnd(row, first)
  const isPair = (row[0] ?? 0) >= 0xc0 && second < row.length && itemEnd(row, second) === row.length
  if (!isPair || itemEnd(row, 0) !== row.length) return false
  let at = first + headerLength(row, first)
  const odd = (key.length - depth) & 1
  if (second - at !== 1 + ((key.length - depth) >> 1)) return false
  if (row[at++] !== (odd ? 0x30 | (key[depth] ?? 0) : 0x20)) return false
  for (let i = depth + odd; i < key.length; i += 2, at++) {
    if (row[at] !== (((key[i] ?? 0) << 4) | (key[i + 1] ?? 0))) return false
  }
  return true
}

/** Decodes a node; its children remain references. Throws if it is not a node of a prefix-free trie. */
export function decodeNode(rlp: Uint8Array): TrieNode {
  const first = headerLength(rlp, 0)
  if ((rlp[0] ?? 0) < 0xc0 || itemEnd(rlp, 0) !== rlp.length) throw new Error('corrupt trie node')
  const second = itemEnd(rlp, first)
  if (second >= rlp.length || itemEnd(rlp, second) !== rlp.length) return decodeBranch(rlp, first)
  const packed = stringPayload(rlp.subarray(first, second))
  const path = unpackPath(packed)
  const item = rlp.subarray(second)
  const isLeaf = ((packed[0] ?? 0) & 0x20) !== 0
  return isLeaf ? { kind: 'leaf', path, value: stringPayload(item) } : { kind: 'extension', path, child: item }
}

function decodeBranch(row: Uint8Array, first: number): Branch {
  const children = noChildren()
  let at = first
  for (let nibble = 0; nibble < children.length; nibble++) {
    const end = itemEnd(row, at)
    if (end > at + 1) children[nibble] = at
    at = end
  }
  // The last item is the branch's value, which must be empty.
  if (at + 1 !== row.length || row[at] !== NO_ITEM) throw new Error('corrupt trie node')
  return { kind: 'branch', row, children }
}

export const noChildren = (): Branch['children'] => new Array<undefined>(16).fill(undefined)

/**
 * Writes the hex-prefix encoding (Yellow Paper, appendix C): a flag nibble, 2 for a leaf plus 1 for an odd number of nibbles,
 * then the nibbles. Returns the index after it.
 */
function packPath(path: Uint8Array, isLeaf: boolean, out: Uint8Array, start: number): number {
  const odd = path.length & 1
  let at = start
  out[at++] = (isLeaf ? 0x20 : 0) | (odd ? 0x10 | (path[0] ?? 0) : 0)
  for (let i = odd; i < path.length; i += 2) out[at++] = ((path[i] ?? 0) << 4) | (path[i + 1] ?? 0)
  return at
}

function unpackPath(packed: Uint8Array): Uint8Array {
  const nibbles = toNibbles(packed)
  return nibbles.subarray((nibbles[0] ?? 0) & 1 ? 1 : 2)
}

const stringPayload = (item: Uint8Array): Uint8Array => item.subarray(headerLength(item, 0))

/** Bytes before the payload of the item at `at`. */
function headerLength(rlp: Uint8Array, at: number): number {
  const head = rlp[at] ?? 0
  if (head < 0x80) return 0
  if (head < 0xb8) return 1
  if (head < 0xc0) return 1 + head - 0xb7
  return head < 0xf8 ? 1 : 1 + head - 0xf7
}

/** The index after the item at `at`. */
function itemEnd(rlp: Uint8Array, at: number): number {
  const head = rlp[at] ?? 0
  if (head < 0x80) return at + 1
  const offset = head < 0xc0 ? 0x80 : 0xc0
  const header = headerLength(rlp, at)
  if (header === 1) return at + 1 + head - offset
  let length = 0
  for (let i = 1; i < header; i++) length = length * 256 + (rlp[at + i] ?? 0)
  return at + header + length
}

export function toNibbles(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bytes.length * 2)
  for (let i = 0, at = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    nibbles[at++] = byte >> 4
    nibbles[at++] = byte & 0x0f
  }
  return nibbles
}

/** The nibble at `depth`. Throws RangeError at the end of the key, because no key may be a prefix of another. */
export function nibbleAt(key: Uint8Array, depth: number): number {
  const nibble = key[depth]
  if (nibble === undefined) throw new RangeError('a trie key may not begin another')
  return nibble
}

/** Length of the common prefix of two paths. */
export function sharedLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

export function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}
