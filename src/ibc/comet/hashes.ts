// What CometBFT hashes and signs: headers, sets of validators, precommits. The bytes are those of its Go code (0.34 to 1.x, without
// vote extensions), in which messages that are not optional are written even if they are empty.
import { create, toBinary } from '@bufbuild/protobuf'
import { sizeDelimitedEncode } from '@bufbuild/protobuf/wire'
import {
  BytesValueSchema,
  Int64ValueSchema,
  StringValueSchema,
  type Timestamp,
  TimestampSchema,
} from '@bufbuild/protobuf/wkt'
import { CanonicalVoteSchema } from '../../protobuf/generated/tendermint/types/canonical_pb.ts'
import {
  type BlockID,
  BlockIDSchema,
  type Commit,
  type Header,
  PartSetHeaderSchema,
  SignedMsgType,
} from '../../protobuf/generated/tendermint/types/types_pb.ts'
import { SimpleValidatorSchema, type Validator } from '../../protobuf/generated/tendermint/types/validator_pb.ts'
import { ConsensusSchema } from '../../protobuf/generated/tendermint/version/types_pb.ts'
import { merkleRoot } from './merkle.ts'

const bytesField = (value: Uint8Array) => toBinary(BytesValueSchema, create(BytesValueSchema, { value }))

/** The root over the 14 fields of a header: the hash of the block. */
export function headerHash(header: Header): Uint8Array {
  const version = header.version ?? create(ConsensusSchema)
  const blockId = create(BlockIDSchema, header.lastBlockId)
  return merkleRoot([
    toBinary(ConsensusSchema, version),
    toBinary(StringValueSchema, create(StringValueSchema, { value: header.chainId })),
    toBinary(Int64ValueSchema, create(Int64ValueSchema, { value: header.height })),
    toBinary(TimestampSchema, create(TimestampSchema, header.time)),
    toBinary(BlockIDSchema, { ...blockId, partSetHeader: blockId.partSetHeader ?? create(PartSetHeaderSchema) }),
    bytesField(header.lastCommitHash),
    bytesField(header.dataHash),
    bytesField(header.validatorsHash),
    bytesField(header.nextValidatorsHash),
    bytesField(header.consensusHash),
    bytesField(header.appHash),
    bytesField(header.lastResultsHash),
    bytesField(header.evidenceHash),
    bytesField(header.proposerAddress),
  ])
}

/** The root over key and power of each validator, in the set's order. */
export const validatorsHash = (validators: readonly Validator[]): Uint8Array =>
  merkleRoot(
    validators.map(({ pubKey, votingPower }) =>
      toBinary(SimpleValidatorSchema, create(SimpleValidatorSchema, { ...(pubKey && { pubKey }), votingPower })),
    ),
  )

/** The message that a validator signed at `timestamp` as its precommit for the commit's block, with its length before it. */
export function precommitBytes(chainId: string, { height, round, blockId }: Commit, timestamp: Timestamp): Uint8Array {
  const { hash, partSetHeader }: Partial<BlockID> = blockId ?? {}
  const vote = create(CanonicalVoteSchema, {
    type: SignedMsgType.PRECOMMIT,
    height,
    round: BigInt(round),
    blockId: {
      ...(hash && { hash }),
      partSetHeader: { total: partSetHeader?.total ?? 0, ...(partSetHeader && { hash: partSetHeader.hash }) },
    },
    timestamp,
    chainId,
  })
  return sizeDelimitedEncode(CanonicalVoteSchema, vote)
}
