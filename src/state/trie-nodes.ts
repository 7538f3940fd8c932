// The three kinds of Merkle-Patricia node and their RLP (Yellow Paper, appendices B to D).
// Keys of one trie are prefix-free (hashed keys, RLP indices), so a branch never holds a value of its own.
// Paths are nibbles, one to a byte. Decoding slices the row and copies nothing; rows are never written on.
import { scratchBytes } from '../lib/byte-pool.ts'
import { keccak256 } from '../lib/keccak.ts'
import { encodedLength, encodeRlp, joinList, prefixLength, writePrefix, writeString } from '../primitives/rlp.ts'

/** `path` is the rest of the key below the leaf's own position. */
export type Leaf = { readonly kind: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array }
export type Extension = { readonly kind: 'extension'; readonly path: Uint8Array; readonly child: Child }
/**
 * A number is where the reference to a child stands in the row that the branch was read from: few are ever asked for.
 * A branch belongs to the update that has opened or made it, which changes its children in place.
 */
export type Branch = {
  readonly kind: 'branch'
  readonly row: Uint8Array
  readonly children: (TrieNode | number | undefined)[]
}
export type TrieNode = Leaf | Extension | Branch
/** A child as its parent's RLP spells it (a hash, or the whole node when that is under 32 bytes), or opened. */
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

/** How a parent's RLP refers to a child with this RLP. */
export function referenceTo(rlp: Uint8Array): Uint8Array {
  if (isEmbedded(rlp)) return rlp
  const reference = new Uint8Array(HASH_ITEM_LENGTH)
  writeReference(rlp, reference, 0)
  return reference
}

/** Whether a node with this RLP stands in its parent as it is, and has no row. */
export const isEmbedded = (rlp: Uint8Array): boolean => rlp.length < 32

/** Writes a parent's reference to a child with this RLP; returns where it ends. */
function writeReference(rlp: Uint8Array, out: Uint8Array, start: number): number {
  if (isEmbedded(rlp)) return copy(rlp, 0, rlp.length, out, start)
  out[start] = HASH_PREFIX
  return copy(keccak256(rlp), 0, HASH_ITEM_LENGTH - 1, out, start + 1)
}

/** By hand: for the few bytes of a reference or path, a view of them alone would take longer. Returns where they end. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let next = at
  for (let i = start; i < end; i++) to[next++] = from[i] ?? 0
  return next
}

/** In one go: most nodes that are written are leaves. */
export function encodeLeaf(path: Uint8Array, value: Uint8Array): Uint8Array {
  const packed = 1 + (path.length >> 1)
  const length = (packed === 1 ? 1 : 1 + packed) + encodedLength(value)
  const out = scratchBytes(prefixLength(length) + length)
  let at = writePrefix(0xc0, length, out, 0)
  // The flags are below 0x80: a path without more is its own encoding.
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

/**
 * RLP of a branch from its sixteen children: a number is where a reference stands in the row, bytes are the RLP of a
 * child that was encoded just now.
 */
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

/** Whether the row is the leaf of this key (in nibbles) at a depth: then nothing else of it need be read to replace it. */
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

/** A node from its RLP; its children stay references. Throws on anything that is no node of a prefix-free trie. */
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
  // Last comes its value, which it has not.
  if (at + 1 !== row.length || row[at] !== NO_ITEM) throw new Error('corrupt trie node')
  return { kind: 'branch', row, children }
}

export const noChildren = (): Branch['children'] => new Array<undefined>(16).fill(undefined)

/**
 * Writes nibbles as bytes with the leading flag nibble: 2 for a leaf, plus 1 when the number of nibbles is odd. Returns
 * where they end.
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

/** Where the item at `at` ends. */
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

/** The nibble at `depth`. Throws where the key has ended, because no key may begin another. */
export function nibbleAt(key: Uint8Array, depth: number): number {
  const nibble = key[depth]
  if (nibble === undefined) throw new RangeError('a trie key may not begin another')
  return nibble
}

/** How many nibbles two paths share from their beginning. */
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
