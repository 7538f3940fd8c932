// Checks Merkle proofs that others made (EIP-1186): the value of a key follows from the root that one trusts, or nothing is believed.
import { equalBytes, fromHex, type Hash } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { EMPTY_ROOT_BYTES } from './trie.ts'
import {
  childAt,
  decodeNode,
  isHashReference,
  isOpen,
  nibbleAt,
  sharedLength,
  type TrieNode,
  toNibbles,
} from './trie-nodes.ts'

/** A proof does not belong to its root and key, or ends too early. */
export class FalseProof extends Error {}

/**
 * The value that a proof gives a key of a trie; undefined: the trie has no such key. `key` is the hashed one, `proof` the RLP of the
 * nodes from the root down. Nodes that are not needed are ignored. Throws FalseProof.
 */
export function provenValue(root: Hash, key: Uint8Array, proof: readonly Uint8Array[]): Uint8Array | undefined {
  const hash = fromHex(root)
  if (equalBytes(hash, EMPTY_ROOT_BYTES)) return undefined
  const path = toNibbles(key)
  let next = 0
  const open = (hashed: Uint8Array): TrieNode => {
    const rlp = proof[next++]
    if (rlp === undefined || !equalBytes(keccak256(rlp), hashed))
      throw new FalseProof('a node of the proof has another hash')
    return decodeNode(rlp)
  }
  let node = open(hash)
  for (let depth = 0; ; ) {
    if (node.kind === 'leaf') return equalBytes(node.path, path.subarray(depth)) ? node.value : undefined
    if (node.kind === 'extension' && sharedLength(node.path, path.subarray(depth)) < node.path.length) return undefined
    const child = node.kind === 'extension' ? node.child : childAt(node, nibbleAt(path, depth))
    depth += node.kind === 'extension' ? node.path.length : 1
    if (child === undefined) return undefined
    if (isOpen(child)) node = child
    else node = isHashReference(child) ? open(child.subarray(1)) : decodeNode(child)
  }
}
