// The kinds of Merkle trees whose proofs are read (ICS-23): those of Cosmos chains (IAVL stores below a tree of CometBFT's kind)
// and of kestrel (a sparse Merkle tree below the same). A client that names another kind is refused, so a proof's form is bounded.
import { create, toBinary } from '@bufbuild/protobuf'
import {
  HashOp,
  InnerSpecSchema,
  LeafOpSchema,
  LengthOp,
  type ProofSpec,
  ProofSpecSchema,
} from '../../protobuf/generated/cosmos/ics23/v1/proofs_pb.ts'
import { refused } from '../wire.ts'

/** The hash of an empty subtree of a sparse Merkle tree, by definition. */
export const EMPTY_SUBTREE = new Uint8Array(32)

export type TreeName = 'iavl' | 'tendermint' | 'smt'

/** How leaves and inner nodes of a tree are hashed; all hashes are SHA-256. */
export type Tree = {
  readonly name: TreeName
  /** Whether a leaf holds the hash of its key, by which keys are ordered then, or the key itself. */
  readonly hashesKeys: boolean
  /** Whether key and value of a leaf are hashed with their lengths before them. */
  readonly hasLengths: boolean
  /** Bytes of an inner node before its first child: least and most. */
  readonly prefix: readonly [number, number]
  /** Bytes of a child in an inner node; 33 with the length before its hash. */
  readonly childSize: number
  readonly maxDepth: number
}

const DEFAULT_DEPTH = 128

export const TREES: Readonly<Record<TreeName, Tree>> = {
  iavl: { name: 'iavl', hashesKeys: false, hasLengths: true, prefix: [4, 12], childSize: 33, maxDepth: DEFAULT_DEPTH },
  tendermint: {
    name: 'tendermint',
    hashesKeys: false,
    hasLengths: true,
    prefix: [1, 1],
    childSize: 32,
    maxDepth: DEFAULT_DEPTH,
  },
  smt: { name: 'smt', hashesKeys: true, hasLengths: false, prefix: [1, 1], childSize: 32, maxDepth: 256 },
}

/** A tree as clients name it. */
export function proofSpec({ name, hashesKeys, hasLengths, prefix, childSize }: Tree): ProofSpec {
  const [minPrefixLength, maxPrefixLength] = prefix
  return create(ProofSpecSchema, {
    leafSpec: create(LeafOpSchema, {
      hash: HashOp.SHA256,
      prehashKey: hashesKeys ? HashOp.SHA256 : HashOp.NO_HASH,
      prehashValue: HashOp.SHA256,
      length: hasLengths ? LengthOp.VAR_PROTO : LengthOp.NO_PREFIX,
      prefix: Uint8Array.of(0),
    }),
    innerSpec: create(InnerSpecSchema, {
      childOrder: [0, 1],
      childSize,
      minPrefixLength,
      maxPrefixLength,
      ...(name === 'smt' && { emptyChild: EMPTY_SUBTREE }),
      hash: HashOp.SHA256,
    }),
    ...(name === 'smt' && { maxDepth: 256, prehashKeyBeforeComparison: true }),
  })
}

const NAMED = new Map(Object.values(TREES).map((tree) => [encoded(proofSpec(tree)), tree]))

function encoded(spec: ProofSpec): string {
  return Buffer.from(toBinary(ProofSpecSchema, spec)).toString('hex')
}

/** The tree that a client means. Throws ChainError for other trees than the three. */
export function treeOf(spec: ProofSpec): Tree {
  const tree = NAMED.get(encoded(spec))
  if (tree === undefined) throw refused('unknown proof specification')
  return tree
}
