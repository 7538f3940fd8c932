// Proofs of kestrel's own stores in ICS-23's form: of an entry of the provable store, or that it is absent, and of the store's root
// below the app hash. They are what `verify.ts` and Cosmos' libraries verify with the trees `smt` and `tendermint`.
import { create } from '@bufbuild/protobuf'
import { fromHex, type Hash, toHash } from '../../lib/hex.ts'
import { sha256 } from '../../lib/sha256.ts'
import {
  type CommitmentProof,
  CommitmentProofSchema,
  type ExistenceProof,
  ExistenceProofSchema,
  HashOp,
} from '../../protobuf/generated/cosmos/ics23/v1/proofs_pb.ts'
import { innerHash, leafHash } from '../comet/merkle.ts'
import { proofSpec, TREES } from './specs.ts'

type Step = { readonly sibling: Uint8Array; readonly side: 'left' | 'right' }
/** An entry of a sparse Merkle tree, with its siblings from the leaf to the root. */
type Leaf = { readonly key: Uint8Array; readonly value: Uint8Array; readonly steps: readonly Step[] }

const INNER = Uint8Array.of(1)
const NOTHING = new Uint8Array(0)

/** A proof that the tree has this leaf. */
export const presenceProof = (leaf: Leaf): CommitmentProof =>
  create(CommitmentProofSchema, { proof: { case: 'exist', value: existence(leaf) } })

/** A proof that the tree does not have `key`, by the leaves next to it. */
export const absenceProof = (key: Uint8Array, left: Leaf | undefined, right: Leaf | undefined): CommitmentProof =>
  create(CommitmentProofSchema, {
    proof: {
      case: 'nonexist',
      value: { key, ...(left && { left: existence(left) }), ...(right && { right: existence(right) }) },
    },
  })

function existence({ key, value, steps }: Leaf): ExistenceProof {
  const path = steps.map(({ sibling, side }) => ({
    hash: HashOp.SHA256,
    prefix: side === 'left' ? Buffer.concat([INNER, sibling]) : INNER,
    suffix: side === 'left' ? NOTHING : sibling,
  }))
  const { leafSpec } = proofSpec(TREES.smt)
  return create(ExistenceProofSchema, { key, value, ...(leafSpec && { leaf: leafSpec }), path })
}

/** The names of the two stores below the app hash. Peers register the second as the prefix of all keys. */
export const [EVM_STORE, IBC_STORE] = ['evm', 'ibc']

/** What an app hash commits to. */
export type AppHashLeaves = {
  /** Hash of the block. */
  readonly evm: Hash
  /** Root of the provable store after the block; undefined: the chain has no IBC. */
  readonly ibc: Hash | undefined
}

/** A leaf of CometBFT's tree of stores: name and hash of the root, each with its length before it. */
const storeLeaf = (name: string, root: Hash): Uint8Array =>
  leafHash(Buffer.concat([Uint8Array.of(name.length), Buffer.from(name), Uint8Array.of(32), sha256(fromHex(root))]))

/**
 * The app hash of a block, in the engine's header of the next height: the root over the hash of the block and the root of the provable
 * store (RFC 6962), or the hash of the block on a chain without IBC.
 */
export const appHashOf = ({ evm, ibc }: AppHashLeaves): Hash =>
  ibc === undefined ? evm : toHash(innerHash(storeLeaf(EVM_STORE, evm), storeLeaf(IBC_STORE, ibc)))

/** A proof that the app hash commits to this root of the provable store. */
export function storeProof(evm: Hash, ibc: Hash): CommitmentProof {
  const { leafSpec } = proofSpec(TREES.tendermint)
  const path = [{ hash: HashOp.SHA256, prefix: Buffer.concat([INNER, storeLeaf(EVM_STORE, evm)]), suffix: NOTHING }]
  const value = { key: Buffer.from(IBC_STORE), value: fromHex(ibc), ...(leafSpec && { leaf: leafSpec }), path }
  return create(CommitmentProofSchema, { proof: { case: 'exist', value } })
}
