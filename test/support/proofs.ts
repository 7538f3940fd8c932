// Merkle proofs, verified by another implementation (@ethereumjs/mpt).
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { type Address, bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, toHex } from 'viem'
import { expect } from 'vitest'
import type { Clients } from './process.ts'

type Proven = { readonly address: Address; readonly slots?: readonly Hex[] }

/**
 * Checks that eth_getProof's result at a block follows from the state root in the block's header, and returns it. A missing
 * account or slot must be proven absent.
 */
export async function provenAccount(
  { viem }: Pick<Clients, 'viem'>,
  { address, slots = [] }: Proven,
  blockNumber: bigint,
) {
  const { stateRoot } = await viem.getBlock({ blockNumber })
  const answer = await viem.getProof({ address, storageKeys: [...slots], blockNumber })
  const leaf = await valueAt(stateRoot, address, answer.accountProof)
  const { nonce, balance, storageHash, codeHash } = answer
  const account = RLP.encode([minimal(nonce), minimal(balance), storageHash, codeHash])
  if (leaf !== undefined) expect(leaf, `account ${address}`).toBe(bytesToHex(account))
  else expect({ nonce: Number(nonce), balance }, `account ${address}`).toEqual({ nonce: 0, balance: 0n })
  for (const { key, value, proof } of answer.storageProof) {
    const slot = numberToHex(BigInt(key), { size: 32 })
    const word = proof.length === 0 ? undefined : await valueAt(storageHash, slot, proof)
    const expected = value === 0n ? undefined : bytesToHex(RLP.encode(minimal(value)))
    expect(word, `slot ${key} of ${address}`).toBe(expected)
  }
  return answer
}

/** The value that a proof proves under a root; undefined when it proves absence. Throws for an invalid proof. */
async function valueAt(root: Hex, key: Hex, proof: readonly Hex[]): Promise<Hex | undefined> {
  const options = { root: hexToBytes(root), useKeyHashing: false }
  const value = await verifyMerkleProof(
    hexToBytes(keccak256(key)),
    proof.map((node) => hexToBytes(node)),
    options,
  )
  return value === null ? undefined : bytesToHex(value)
}

/** RLP integers have no leading zeros, and zero is the empty string. */
const minimal = (value: bigint | number): Uint8Array => {
  if (BigInt(value) === 0n) return new Uint8Array()
  const hex = toHex(value).slice(2)
  return hexToBytes(`0x${hex.padStart(hex.length + (hex.length % 2), '0')}`)
}
