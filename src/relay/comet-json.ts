// Values in the JSON of CometBFT's RPC, and a light block in it (`commit` and `validators`), as `kestrel_getCommit` passes it on too. Strangers
// write it, so each value is bounded; whether a block is right, the light client says.
import { create } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { z } from 'zod'
import { LONGEST_CHAIN_ID, MOST_VALIDATORS } from '../ibc/comet/light-block.ts'
import {
  BlockIDSchema,
  CommitSchema,
  CommitSigSchema,
  HeaderSchema,
} from '../protobuf/generated/tendermint/types/types_pb.ts'
import { BlockIDFlag, ValidatorSetSchema } from '../protobuf/generated/tendermint/types/validator_pb.ts'
import type { LightBlock } from './end.ts'

/** A number of 64 bits, in decimal. */
export const integer = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt)
const hex = z
  .string()
  .max(64)
  .regex(/^([0-9A-Fa-f]{2})*$/)
  .transform((text) => new Uint8Array(Buffer.from(text, 'hex')))
/** Bytes of at most so many characters. */
export const base64 = (longest: number) =>
  z
    .base64()
    .max(longest)
    .transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
const keyOrSignature = base64(128)
/** RFC 3339 with up to nine decimals, as Go writes it. */
const time = z
  .string()
  .max(40)
  .transform((text, context): Timestamp => {
    const [, date = '', decimals = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text) ?? []
    const milliseconds = Date.parse(`${date}Z`)
    if (!Number.isNaN(milliseconds))
      return create(TimestampSchema, {
        seconds: BigInt(milliseconds / 1000),
        nanos: Number(decimals.padEnd(9, '0')),
      })
    context.addIssue({ code: 'custom', message: 'expected a time' })
    return z.NEVER
  })

const blockId = z
  .object({
    hash: hex,
    parts: z.object({
      total: z
        .int()
        .min(0)
        .max(2 ** 31),
      hash: hex,
    }),
  })
  .transform(({ hash, parts }) => create(BlockIDSchema, { hash, partSetHeader: parts }))

const header = z
  .object({
    version: z.object({ block: integer, app: integer.default(0n) }),
    chain_id: z.string().max(LONGEST_CHAIN_ID),
    height: integer,
    time,
    last_block_id: blockId,
    last_commit_hash: hex,
    data_hash: hex,
    validators_hash: hex,
    next_validators_hash: hex,
    consensus_hash: hex,
    app_hash: hex,
    last_results_hash: hex,
    evidence_hash: hex,
    proposer_address: hex,
  })
  .transform((of) =>
    create(HeaderSchema, {
      version: of.version,
      chainId: of.chain_id,
      height: of.height,
      time: of.time,
      lastBlockId: of.last_block_id,
      lastCommitHash: of.last_commit_hash,
      dataHash: of.data_hash,
      validatorsHash: of.validators_hash,
      nextValidatorsHash: of.next_validators_hash,
      consensusHash: of.consensus_hash,
      appHash: of.app_hash,
      lastResultsHash: of.last_results_hash,
      evidenceHash: of.evidence_hash,
      proposerAddress: of.proposer_address,
    }),
  )

const signature = z
  .object({
    block_id_flag: z.enum(BlockIDFlag),
    validator_address: hex,
    timestamp: time,
    signature: keyOrSignature.nullish(),
  })
  .transform((of) =>
    create(CommitSigSchema, {
      blockIdFlag: of.block_id_flag,
      validatorAddress: of.validator_address,
      timestamp: of.timestamp,
      signature: of.signature ?? new Uint8Array(0),
    }),
  )

const commit = z
  .object({
    height: integer,
    round: z
      .int()
      .min(0)
      .max(2 ** 31 - 1),
    block_id: blockId,
    signatures: z.array(signature).max(MOST_VALIDATORS),
  })
  .transform(({ block_id, ...of }) => create(CommitSchema, { ...of, blockId: block_id }))

const validator = z
  .object({
    address: hex,
    pub_key: z.object({ type: z.literal('tendermint/PubKeyEd25519'), value: keyOrSignature }),
    voting_power: integer,
  })
  .transform(({ address, pub_key, voting_power }) => ({
    address,
    pubKey: { sum: { case: 'ed25519' as const, value: pub_key.value } },
    votingPower: voting_power,
  }))

/** `{ signed_header, validators }`: a header, the commit of its height, and all validators of the height in their order. */
export const lightBlockSchema = z
  .object({
    signed_header: z.object({ header, commit }),
    validators: z.array(validator).min(1).max(MOST_VALIDATORS),
  })
  .transform(({ signed_header: { header, commit }, validators }): LightBlock => {
    const isProposer = ({ address }: (typeof validators)[number]) =>
      Buffer.compare(address, header.proposerAddress) === 0
    // Cosmos' decoder wants a proposer, and does not compare it with the header's.
    const proposer = validators.find(isProposer) ?? validators[0]
    return {
      header,
      commit,
      validators: create(ValidatorSetSchema, { validators, ...(proposer && { proposer }) }),
    }
  })
