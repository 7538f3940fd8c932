// Parameters of consensus that governance sets (Cosmos SDK x/consensus, with the time between blocks). They are in the state, so
// every block has those of its height; zero is what governance has not set, for which the genesis holds.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import { govVersion } from '../spec/block-rules.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { seconds, whole } from './genesis-section.ts'
import { type ConsensusParams, paramsLayout } from './params.ts'

const between = (least: bigint, most: bigint, unit: string) =>
  whole.refine((value) => value >= least && value <= most, { error: `expected ${least} to ${most} ${unit}` })

// The bounds keep a chain alive after any vote: a proposal that undoes it must still fit into a block.

/** A submission of the longest proposal, 100,000 bytes, has a floor of 4,000,000 gas (EIP-7623). */
const MIN_BLOCK_GAS = 5_000_000n
const MAX_BLOCK_GAS = 1_000_000_000n
/** Room for the commit of 1,000 validators (110 bytes each), for evidence, and for the longest proposal. */
const MIN_BLOCK_BYTES = 524_288n
/** CometBFT's limit. */
const MAX_BLOCK_BYTES = 104_857_600n
/** Timestamps of faster blocks run ahead of the clock, because every block of a network is a second later. */
const MIN_BLOCK_TIME = 1_000n
const MAX_BLOCK_TIME = 60_000n
const MAX_EVIDENCE_BLOCKS = 100_000_000n
/** A network gives evidence at most a quarter of a block's bytes (`consensus/network/param-updates.ts`). */
const MAX_EVIDENCE_BYTES = MAX_BLOCK_BYTES / 4n

const blockParams = z.strictObject({
  maxBytes: between(MIN_BLOCK_BYTES, MAX_BLOCK_BYTES, 'bytes').optional(),
  maxGas: between(MIN_BLOCK_GAS, MAX_BLOCK_GAS, 'gas').optional(),
})
const evidenceParams = z.strictObject({
  maxAgeNumBlocks: between(1n, MAX_EVIDENCE_BLOCKS, 'blocks'),
  maxAgeDuration: seconds,
  maxBytes: between(0n, MAX_EVIDENCE_BYTES, 'bytes'),
})

/** Fields of the SDK's message, and `blockTimeMs`. What is left out stays as it is. */
export const consensusParamsSchema = z.strictObject({
  block: blockParams.optional(),
  evidence: evidenceParams.optional(),
  validator: z.strictObject({ pubKeyTypes: z.tuple([z.literal('ed25519')]) }).optional(),
  abci: z.strictObject({ voteExtensionsEnableHeight: z.union([z.literal(0), z.literal('0')]).optional() }).optional(),
  blockTimeMs: between(MIN_BLOCK_TIME, MAX_BLOCK_TIME, 'milliseconds').optional(),
})
export type ConsensusParamsUpdate = z.output<typeof consensusParamsSchema>

export const NO_CONSENSUS_PARAMS: ConsensusParams = {
  gasLimit: 0n,
  maxBytes: 0n,
  blockTimeMs: 0n,
  evidenceBlocks: 0n,
  evidenceSeconds: 0n,
  evidenceBytes: 0n,
  hasEvidence: false,
}

/** The parameters after an update. */
export const updatedConsensusParams = (
  now: ConsensusParams,
  { block, evidence, blockTimeMs = now.blockTimeMs }: ConsensusParamsUpdate,
): ConsensusParams => ({
  gasLimit: block?.maxGas ?? now.gasLimit,
  maxBytes: block?.maxBytes ?? now.maxBytes,
  blockTimeMs,
  evidenceBlocks: evidence?.maxAgeNumBlocks ?? now.evidenceBlocks,
  evidenceSeconds: evidence?.maxAgeDuration ?? now.evidenceSeconds,
  evidenceBytes: evidence?.maxBytes ?? now.evidenceBytes,
  hasEvidence: evidence !== undefined || now.hasEvidence,
})

/** The parameters that hold for blocks after a state; undefined: governance has set none. */
export function consensusParamsOn(spec: NativeSpec | undefined, view: StateView): ConsensusParams | undefined {
  if (spec === undefined || govVersion(spec) === 1) return undefined
  const params = paramsLayout.open(view.slots(MODULE_ACCOUNT.evm, 'read')).consensus.get()
  return isDeepStrictEqual(params, NO_CONSENSUS_PARAMS) ? undefined : params
}
