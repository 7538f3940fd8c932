// Merkle proofs of an account and its slots (EIP-1186), at whatever version the view was opened.
import { type Address, bigToFixed, fromHex, toHash, toHex } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import type { StateTrie } from './state-trie.ts'
import { proveTrie } from './trie.ts'
import type { AccountProof, StateView } from './types.ts'

/** Nodes from the root down; for what does not exist, the nodes that prove its absence. */
export function proveAccount(view: StateView, trie: StateTrie, of: Address, slots: readonly bigint[]): AccountProof {
  // First the root: it brings the nodes up to date.
  const storageRoot = toHash(trie.storageRoot(of))
  const storage = trie.storageReader(of)
  return {
    account: view.account(of),
    storageRoot,
    accountProof: proveTrie(trie.accountReader(), keccak256(fromHex(of))).map(toHex),
    storageProofs: slots.map((key) => ({
      key,
      value: view.storage(of, key),
      proof: proveTrie(storage, keccak256(bigToFixed(key, 32))).map(toHex),
    })),
  }
}
