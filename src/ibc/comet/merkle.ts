// Merkle trees of RFC 6962, as CometBFT hashes headers, validators and the roots of an application's stores.
import { sha256 } from '../../lib/sha256.ts'

const LEAF = Uint8Array.of(0)
const INNER = Uint8Array.of(1)

export const leafHash = (leaf: Uint8Array): Uint8Array => sha256(LEAF, leaf)
export const innerHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(INNER, left, right)

/** The root over leaves in this order; the hash of nothing without leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves
  if (first === undefined) return sha256()
  if (leaves.length === 1) return leafHash(first)
  // The largest power of two below the number of leaves.
  const left = 2 ** (31 - Math.clz32(leaves.length - 1))
  return innerHash(merkleRoot(leaves.slice(0, left)), merkleRoot(leaves.slice(left)))
}
