// Commit info of a block from CometBFT (votes and evidence), and votes counted over a window, in the explorer's form.
import { z } from 'zod'
import { toBech32 } from '../../lib/bech32.ts'
import { fromInt, quoTruncate } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import type { SigningInfo } from '../../modules/slashing/layout.ts'
import { evidenceName, voteName } from '../../primitives/commit-info.ts'
import type { Block, Evidence, Vote } from '../../primitives/types.ts'
import { consensusPrefix } from '../../spec/addresses.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { nativeOf, rate, showRate, timeOrNull } from './modules.ts'
import { showValidatorRef, validatorRefSchema } from './stake.ts'

const NANOS_A_MICRO = 1000n

/** Unix nanoseconds with the explorer's six decimals of a second. */
const showNanos = (nanoseconds: bigint): string => {
  const micros = nanoseconds / NANOS_A_MICRO
  const seconds = new Date(Number(micros / 1_000_000n) * 1000).toISOString().slice(0, -'.000Z'.length)
  return `${seconds}.${(micros % 1_000_000n).toString().padStart(6, '0')}Z`
}

/** The consensus address as bech32: `kestvalcons1…`. */
export const consensusText = (context: ExplorerContext, signer: Address): string =>
  toBech32(consensusPrefix(nativeOf(context, 'head').spec.bech32Prefix), signer)

/** The validator that uses or used the key of a consensus address; null: unknown. */
export function showSigner(context: ExplorerContext, signer: Address) {
  const operator = nativeOf(context, 'head').modules.slashing?.operatorByConsensusAddress(signer)
  return operator === undefined ? null : showValidatorRef(context, operator)
}

export const voteSchema = z
  .enum(['commit', 'nil', 'absent', 'unknown'])
  .describe('for the block; for none; not in the commit')

const signerFields = {
  consensus_address: z.string().describe('bech32'),
  validator: validatorRefSchema.nullable(),
  power: wire.decimal,
}

export const commitSchema = z.strictObject({
  block_number: z.number().int(),
  block_hash: wire.hash,
  engine: z
    .literal('cometbft')
    .nullable()
    .describe('that decided the block; null for a block that one node made: it has no votes'),
  voted_block_number: z.number().int().nullable().describe('the block before, for which the votes are'),
  round: z.number().int().nullable().describe('in which the block before was decided'),
  time: wire.time.nullable().describe('of the block, by its engine'),
  signed_count: z.number().int().describe('votes for the block'),
  signed_power_share: rate.describe('their part of all power'),
  votes: z.array(z.strictObject({ ...signerFields, vote: voteSchema })),
  evidence: z
    .array(
      z.strictObject({
        ...signerFields,
        type: z.enum(['duplicate_vote', 'light_client_attack', 'unknown']),
        height: z.number().int().describe('of the fault'),
        time: wire.time,
      }),
    )
    .describe('misbehaviour that was proven in the block'),
})

/** CometBFT's BlockIDFlag of a vote for the block. */
const VOTE_FOR_BLOCK = 2

/** The commit info of a block. */
export function showCommit(context: ExplorerContext, { header, commit }: Block): z.input<typeof commitSchema> {
  const { votes = [], evidence = [], round, time } = commit ?? {}
  const sum = (of: readonly Vote[]) => of.reduce((total, { power }) => total + power, 0n)
  const signed = votes.filter(({ flag }) => flag === VOTE_FOR_BLOCK)
  const all = sum(votes)
  return {
    block_number: Number(header.number),
    block_hash: header.hash,
    engine: commit === undefined ? null : 'cometbft',
    voted_block_number: votes.length === 0 ? null : Number(header.number) - 1,
    round: round === undefined ? null : Number(round),
    time: time === undefined ? null : showNanos(time),
    signed_count: signed.length,
    signed_power_share: showRate(all === 0n ? 0n : quoTruncate(fromInt(sum(signed)), fromInt(all))),
    votes: votes.map((vote) => ({ ...showPower(context, vote), vote: voteName(vote.flag) })),
    evidence: evidence.map((of) => ({
      ...showPower(context, of),
      type: evidenceName(of.type),
      height: Number(of.height),
      time: showNanos(of.time),
    })),
  }
}

const showPower = (context: ExplorerContext, { address, power }: Vote | Evidence) => ({
  consensus_address: consensusText(context, address),
  validator: showSigner(context, address),
  power: power.toString(),
})

// --- the window of a validator's votes

export const signingInfoSchema = z.strictObject({
  start_height: z.number().int().describe('block in which it was last bonded'),
  votes_counted: z.number().int().describe('since it first bonded, or was last jailed for downtime'),
  window: z.number().int().describe('blocks of which votes are counted'),
  missed_blocks: z.number().int().describe('of the window'),
  uptime: rate.nullable().describe('part of the counted votes of the window that were given; null before the first'),
  jailed_until: wire.time.nullable().describe('end of its last jail for a fault'),
  tombstoned: z.boolean().describe('jailed for ever'),
})

export function showSigningInfo(
  { startHeight, indexOffset, missedBlocksCounter, jailedUntil, tombstoned }: SigningInfo,
  window: bigint,
): z.input<typeof signingInfoSchema> {
  const counted = indexOffset < window ? indexOffset : window
  return {
    start_height: Number(startHeight),
    votes_counted: Number(indexOffset),
    window: Number(window),
    missed_blocks: Number(missedBlocksCounter),
    uptime: counted === 0n ? null : showRate(quoTruncate(fromInt(counted - missedBlocksCounter), fromInt(counted))),
    jailed_until: timeOrNull(jailedUntil),
    tombstoned,
  }
}
