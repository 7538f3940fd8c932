// The network form of blob transactions, before they are in a block: with blobs, commitments and proofs (EIP-4844: one proof
// per blob; EIP-7594, wrapper version 1: 128 cell proofs per blob).
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { ChainError } from '../lib/errors.ts'
import { type Hash, toHash, toHex } from '../lib/hex.ts'
import { type Kzg, loadKzg } from './kzg.ts'
import { asBytes, asList, asUint, concatBytes, decodeRlp, Malformed, type RlpItem, reading, splitList } from './rlp.ts'
import { decodeTransaction } from './transaction.ts'
import type { BlobSidecar, SignedTransaction } from './types.ts'

export { kzg, loadKzg } from './kzg.ts'

const BLOB_TYPE = 3
/** 4096 field elements of 32 bytes. */
const BLOB_SIZE = 131_072
/** A compressed point of BLS12-381's G1. */
const POINT_SIZE = 48
const CELLS_PER_BLOB = 128
const VERSIONED_HASH_KZG = 0x01

export type NetworkTransaction = {
  readonly transaction: SignedTransaction
  /** undefined for other types, and for a blob transaction without its blobs. */
  readonly sidecar: BlobSidecar | undefined
}

/** Decodes a submitted transaction. `verifySidecar` checks the blobs. Throws ChainError `transaction-rejected`. */
export function decodeNetworkTransaction(raw: Uint8Array): NetworkTransaction {
  if (raw[0] !== BLOB_TYPE || raw.length === 1) return { transaction: decodeTransaction(raw), sidecar: undefined }
  return reading('transaction-rejected', () => {
    const [first, ...rest] = splitList(raw.subarray(1))
    const isWrapped = first !== undefined && (first[0] ?? 0) >= 0xc0
    if (!isWrapped) return { transaction: decodeTransaction(raw), sidecar: undefined }
    const transaction = decodeTransaction(concatBytes([Uint8Array.of(BLOB_TYPE), first]))
    return { transaction, sidecar: readSidecar(rest.map(decodeRlp)) }
  })
}

/** EIP-4844's versioned hash of a commitment. */
export function versionedHash(commitment: Uint8Array): Hash {
  const hash = new Uint8Array(createHash('sha256').update(commitment).digest())
  hash[0] = VERSIONED_HASH_KZG
  return toHash(hash)
}

/**
 * Checks that the sidecar belongs to the transaction: counts, versioned hashes, and all proofs of every blob (EIP-4844's or
 * EIP-7594's cell proofs). Takes about 40 ms (version 0) or 300 ms (version 1) per blob and yields after each. Throws
 * ChainError `transaction-rejected`.
 */
export async function verifySidecar(transaction: SignedTransaction, sidecar: BlobSidecar): Promise<void> {
  const { version, blobs, commitments, proofs } = sidecar
  const hashes = transaction.blobVersionedHashes
  const proofsPerBlob = version === 0 ? 1 : CELLS_PER_BLOB
  if (blobs.length !== hashes.length) throw rejected(`${blobs.length} blobs for ${hashes.length} blob hashes`)
  if (commitments.length !== blobs.length) throw rejected(`${commitments.length} commitments for ${blobs.length} blobs`)
  if (proofs.length !== blobs.length * proofsPerBlob)
    throw rejected(`${proofs.length} proofs for ${blobs.length} blobs`)
  commitments.forEach((commitment, index) => {
    if (versionedHash(commitment) !== hashes[index]) throw rejected(`blob ${index}: commitment and blob hash differ`)
  })
  const scheme = await loadKzg()
  for (const [index, blob] of blobs.entries()) {
    const [commitment = ''] = commitments.slice(index, index + 1).map(toHex)
    const own = proofs.slice(index * proofsPerBlob, (index + 1) * proofsPerBlob).map(toHex)
    const holds = version === 0 ? blobProofHolds : cellProofsHold
    if (!holds(scheme, toHex(blob), commitment, own)) throw rejected(`blob ${index}: invalid proof`)
    await setImmediate()
  }
}

const rejected = (why: string) => new ChainError('transaction-rejected', `invalid blob sidecar: ${why}`)

type ProofCheck = (scheme: Kzg, blob: string, commitment: string, proofs: string[]) => boolean

const blobProofHolds: ProofCheck = (scheme, blob, commitment, proofs) =>
  scheme.verifyBlobProofBatch([blob], [commitment], proofs)

/** The cells are computed from the blob, so that proofs for all of them also prove the blob's commitment. */
const cellProofsHold: ProofCheck = (scheme, blob, commitment, proofs) => {
  try {
    const cells = scheme.computeCells(blob)
    const indices = cells.map((_, index) => index)
    return scheme.verifyCellKzgProofBatch(Array(cells.length).fill(commitment), indices, cells, proofs)
  } catch {
    // Thrown for an invalid field element or point: an invalid proof like any other.
    return false
  }
}

/** The items after the transaction: three lists, preceded by the version unless it is 0. */
function readSidecar(items: readonly RlpItem[]): BlobSidecar {
  const version = items.length === 4 ? asUint(items[0], 'wrapper version', 1) : 0n
  const [blobs, commitments, proofs, ...excess] = version === 1n ? items.slice(1) : items
  if (excess.length > 0) throw new Malformed('rlp: unknown wrapper version or too many elements for blob transaction')
  return {
    version: version === 1n ? 1 : 0,
    blobs: asStrings(blobs, 'blob', BLOB_SIZE),
    commitments: asStrings(commitments, 'commitment', POINT_SIZE),
    proofs: asStrings(proofs, 'proof', POINT_SIZE),
  }
}

const asStrings = (item: RlpItem | undefined, name: string, size: number): Uint8Array[] =>
  asList(item, `${name}s`).map((string) => asBytes(string, name, size))
