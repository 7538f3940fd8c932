// The three kinds of Merkle-Patricia node and their RLP (Yellow Paper, appendices B to D).
// Keys of one trie are prefix-free (hashed keys, RLP indices), so a branch never holds a value of its own.
// Paths are nibbles, one to a byte. Decoding slices the row and copies nothing; rows are never written on.
import { unwritten } from '../lib/bytes.ts'
import { keccak256 } from '../lib/keccak.ts'
import { encodeRlp, joinList, prefixLength, writePrefix } from '../primitives/rlp.ts'

/** `path` is the rest of the key below the leaf's own position. */
export type Leaf = { readonly kind: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array }
export type Extension = { readonly kind: 'extension'; readonly path: Uint8Array; readonly child: Child }
/** A number is where the reference to a child stands in the row that the branch was read from: few are ever asked for. */
export type Branch = {
  readonly kind: 'branch'
  readonly row: Uint8Array
  readonly children: readonly (Child | number | undefined)[]
}
export type TrieNode = Leaf | Extension | Branch
/** A child as its parent's RLP spells it (a hash, or the whole node when that is under 32 bytes), or opened. */
export type Child = Uint8Array | TrieNode

const NO_ITEM = 0x80
const HASH_ITEM_LENGTH = 33

/** Whether the reference is a hash, so that the child has a row of its own. */
export const isHashReference = (reference: Uint8Array): boolean => reference.length === HASH_ITEM_LENGTH

export const isOpen = (child: Child | number | undefined): child is TrieNode =>
  typeof child === 'object' && !(child instanceof Uint8Array)

export function childAt({ row, children }: Pick<Branch, 'row' | 'children'>, nibble: number): Child | undefined {
  const child = children[nibble]
  return typeof child === 'number' ? row.subarray(child, itemEnd(row, child)) : child
}

/** How a parent's RLP refers to a child with this RLP. */
export function referenceTo(rlp: Uint8Array): Uint8Array {
  if (rlp.length < 32) return rlp
  const reference = unwritten(HASH_ITEM_LENGTH)
  reference[0] = 0xa0
  reference.set(keccak256(rlp), 1)
  return reference
}

export const encodeLeaf = (path: Uint8Array, value: Uint8Array): Uint8Array => encodeRlp([packPath(path, true), value])

export const encodeExtension = (path: Uint8Array, child: Uint8Array): Uint8Array =>
  joinList([encodeRlp(packPath(path, false)), child])

/** RLP of a branch from its sixteen references; a number is where one stands in the row. */
export function encodeBranch(row: Uint8Array, children: readonly (Uint8Array | number | undefined)[]): Uint8Array {
  let length = 1
  for (const child of children) {
    length += typeof child === 'number' ? itemEnd(row, child) - child : (child?.length ?? 1)
  }
  const out = unwritten(prefixLength(length) + length)
  let at = writePrefix(0xc0, length, out, 0)
  for (let nibble = 0; nibble < children.length; nibble++) {
    const child = children[nibble]
    if (typeof child === 'number') {
      // Those that stand side by side are copied together.
      let end = itemEnd(row, child)
      for (; children[nibble + 1] === end; nibble++) end = itemEnd(row, end)
      out.set(row.subarray(child, end), at)
      at += end - child
    } else if (child === undefined) out[at++] = NO_ITEM
    else {
      out.set(child, at)
      at += child.length
    }
  }
  out[at] = NO_ITEM
  return out
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
  const children = noChildren<number>()
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

export const noChildren = <C>(): (C | undefined)[] => new Array<C | undefined>(16).fill(undefined)

/** Nibbles to bytes with the leading flag nibble: 2 for a leaf, plus 1 when the number of nibbles is odd. */
function packPath(path: Uint8Array, isLeaf: boolean): Uint8Array {
  const odd = path.length & 1
  const packed = unwritten(1 + (path.length >> 1))
  packed[0] = (isLeaf ? 0x20 : 0) | (odd ? 0x10 | (path[0] ?? 0) : 0)
  for (let i = odd, at = 1; i < path.length; i += 2, at++) packed[at] = ((path[i] ?? 0) << 4) | (path[i + 1] ?? 0)
  return packed
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
  const nibbles = unwritten(bytes.length * 2)
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
  const joined = unwritten(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}

/** The path of a branch's child. */
export function below(path: Uint8Array, nibble: number): Uint8Array {
  const child = unwritten(path.length + 1)
  child.set(path)
  child[path.length] = nibble
  return child
}
