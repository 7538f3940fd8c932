// Verification of commitment proofs (ICS-23, vector commitments), exact for the trees of `specs.ts`: a proof is accepted only if the
// Go library of Cosmos accepts it, and every proof that such a tree makes is accepted. Its form decides which key a leaf has, so a
// proof of absence shows two neighbouring leaves, or the outermost one.
import { compareBytes, equalBytes } from '../../lib/hex.ts'
import { sha256 } from '../../lib/sha256.ts'
import {
  type CommitmentProof,
  type ExistenceProof,
  HashOp,
  type InnerOp,
  LengthOp,
  type NonExistenceProof,
} from '../../protobuf/generated/cosmos/ics23/v1/proofs_pb.ts'
import { refused } from '../wire.ts'
import { EMPTY_SUBTREE, type Tree } from './specs.ts'

const LEAF_PREFIX = 0
const INNER_PREFIX = 1

/**
 * Verifies that a chain of trees holds `value` below `root`, or nothing if it is undefined. `path`: the keys from the outermost tree
 * inwards; `trees` and `proofs` from the innermost outwards, as IBC's MerkleProof. Throws ChainError with the reason.
 */
export function verifyPath(of: {
  readonly trees: readonly Tree[]
  readonly root: Uint8Array
  readonly path: readonly Uint8Array[]
  readonly proofs: readonly CommitmentProof[]
  readonly value: Uint8Array | undefined
}): void {
  const { trees, root, path, proofs, value } = of
  if (proofs.length !== trees.length || path.length !== trees.length)
    throw refused(`expected ${trees.length} proofs and keys, got ${proofs.length} and ${path.length}`)
  const keys = path.toReversed()
  let [inner, isAbsence] = [value, value === undefined]
  for (const [level, tree] of trees.entries()) {
    const [proof, key] = [proofs[level]?.proof, keys[level]]
    if (key === undefined) throw refused('proof is missing')
    if (isAbsence) {
      if (proof?.case !== 'nonexist') throw refused('expected a proof of absence')
      inner = absenceRoot(tree, proof.value, key)
      isAbsence = false
    } else {
      if (proof?.case !== 'exist') throw refused('expected a proof of presence')
      if (inner === undefined || !equalBytes(proof.value.value, inner)) throw refused('proof is of another value')
      if (!equalBytes(proof.value.key, key)) throw refused('proof is of another key')
      inner = existenceRoot(tree, proof.value)
    }
  }
  if (inner === undefined || !equalBytes(inner, root)) throw refused('proof leads to another root')
}

/** The root that a proof of presence leads to. Throws ChainError if its form is not the tree's. */
export function existenceRoot(tree: Tree, { key, value, leaf, path }: ExistenceProof): Uint8Array {
  if (key.length === 0 || value.length === 0) throw refused('proof of an empty key or value')
  const isLeaf =
    leaf?.hash === HashOp.SHA256 &&
    leaf.prehashKey === (tree.hashesKeys ? HashOp.SHA256 : HashOp.NO_HASH) &&
    leaf.prehashValue === HashOp.SHA256 &&
    leaf.length === (tree.hasLengths ? LengthOp.VAR_PROTO : LengthOp.NO_PREFIX)
  if (!isLeaf || !isLeafPrefix(tree, leaf.prefix)) throw refused('leaf of the proof is not of the tree')
  if (path.length > tree.maxDepth) throw refused('proof is deeper than the tree')
  const parts = [tree.hashesKeys ? sha256(key) : key, sha256(value)]
  let hash = sha256(leaf.prefix, ...(tree.hasLengths ? parts.flatMap((part) => [varint(part.length), part]) : parts))
  for (const [layer, op] of path.entries()) {
    if (!isInner(tree, op, layer + 1)) throw refused('inner node of the proof is not of the tree')
    hash = sha256(op.prefix, hash, op.suffix)
  }
  return hash
}

/** The root below which a proof shows that `key` is absent. Throws ChainError. */
export function absenceRoot(tree: Tree, { left, right }: NonExistenceProof, key: Uint8Array): Uint8Array {
  const order = tree.hashesKeys ? sha256 : (bytes: Uint8Array) => bytes
  const roots = [left, right].filter((proof) => proof !== undefined).map((proof) => existenceRoot(tree, proof))
  const [root] = roots
  if (root === undefined) throw refused('proof of absence has no neighbours')
  if (!roots.every((other) => equalBytes(other, root))) throw refused('neighbours of the proof have different roots')
  if (right !== undefined && compareBytes(order(key), order(right.key)) >= 0)
    throw refused('key is not left of the right neighbour')
  if (left !== undefined && compareBytes(order(key), order(left.key)) <= 0)
    throw refused('key is not right of the left neighbour')
  if (!areNeighbours(tree, left?.path, right?.path)) throw refused('leaves of the proof are not neighbours')
  return root
}

/** Whether no leaf can be between two; undefined: there is none on that side. */
function areNeighbours(
  tree: Tree,
  left: readonly InnerOp[] | undefined,
  right: readonly InnerOp[] | undefined,
): boolean {
  if (left === undefined) return right?.every((op) => isOutermost(tree, op, 'left')) ?? false
  if (right === undefined) return left.every((op) => isOutermost(tree, op, 'right'))
  // The nodes above both are equal; at the first that differs one leaf is left and the other right.
  let [below, other] = [left.length - 1, right.length - 1]
  while (isSame(left[below], right[other])) [below, other] = [below - 1, other - 1]
  const [parting, opposite] = [left[below], right[other]]
  if (parting === undefined || opposite === undefined) return false
  return (
    sideOf(tree, parting) === 'left' &&
    sideOf(tree, opposite) === 'right' &&
    left.slice(0, below).every((op) => isOutermost(tree, op, 'right')) &&
    right.slice(0, other).every((op) => isOutermost(tree, op, 'left'))
  )
}

const isSame = (a: InnerOp | undefined, b: InnerOp | undefined): boolean =>
  a !== undefined && b !== undefined && equalBytes(a.prefix, b.prefix) && equalBytes(a.suffix, b.suffix)

/** Which child of its node the proof's hash is. */
const sideOf = ({ childSize }: Tree, { suffix }: InnerOp): 'left' | 'right' =>
  suffix.length === childSize ? 'left' : 'right'

/** Whether no leaf is further to this side below the node: the child is on that side, or its sibling there is an empty subtree. */
function isOutermost(tree: Tree, op: InnerOp, side: 'left' | 'right'): boolean {
  if (sideOf(tree, op) === side) return true
  if (tree.name !== 'smt') return false
  const sibling = side === 'left' ? op.prefix.subarray(op.prefix.length - tree.childSize) : op.suffix
  return equalBytes(sibling, EMPTY_SUBTREE)
}

/** Whether the bytes before a leaf's key are the tree's. */
function isLeafPrefix({ name }: Tree, prefix: Uint8Array): boolean {
  if (name !== 'iavl') return prefix.length === 1 && prefix[0] === LEAF_PREFIX
  const numbers = iavlNumbers(prefix)
  return numbers !== undefined && numbers.height === 0n && numbers.size === 1n && numbers.rest === 0
}

/** Whether an inner node has the tree's form; `layer`: of its child, leaves are 0. */
function isInner(tree: Tree, { hash, prefix, suffix }: InnerOp, layer: number): boolean {
  const [least, most] = tree.prefix
  if (hash !== HashOp.SHA256 || (suffix.length !== 0 && suffix.length !== tree.childSize)) return false
  // A hash on the right follows that of the left child.
  const own = prefix.length - (suffix.length === 0 ? tree.childSize : 0)
  if (own < least || own > most) return false
  if (tree.name !== 'iavl') return prefix[0] === INNER_PREFIX
  const numbers = iavlNumbers(prefix)
  // The lengths before the hashes: one byte, and 33 more with a left sibling.
  const rest = suffix.length === 0 ? 34 : 1
  return prefix[0] !== LEAF_PREFIX && numbers !== undefined && numbers.height >= BigInt(layer) && numbers.rest === rest
}

/** The numbers before a node of IAVL: height, size and version, as zigzag varints; undefined if they are malformed or negative. */
function iavlNumbers(prefix: Uint8Array): { height: bigint; size: bigint; rest: number } | undefined {
  let at = 0
  const numbers: bigint[] = []
  for (let place = 0; place < 3; place++) {
    let [value, shift] = [0n, 0n]
    for (;;) {
      const byte = prefix[at++]
      if (byte === undefined || shift > 63n) return undefined
      value |= BigInt(byte & 0x7f) << shift
      shift += 7n
      if (byte < 0x80) break
    }
    // Zigzag: odd numbers are negative.
    if (value >= 2n ** 64n || value % 2n !== 0n) return undefined
    numbers.push(value / 2n)
  }
  const [height, size] = numbers
  return height === undefined || size === undefined ? undefined : { height, size, rest: prefix.length - at }
}

/** A length as protobuf writes it. */
function varint(length: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}
