// Consensus parameters that governance has set, as CometBFT takes them: it uses those of FinalizeBlock from the next height on. It
// refuses invalid ones by stopping, so their bounds are checked when they are voted on (`modules/consensus-params.ts`).
import { isDeepStrictEqual } from 'node:util'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConsensusParamsSchema } from '../../protobuf/generated/tendermint/types/params_pb.ts'
import type { GovernedParams } from '../../runtime/module-queries.ts'
import { type ChainSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { evidenceParams, maxGasOf } from '../cometbft/genesis.ts'

/** Evidence may take this part of a block: CometBFT stops when it leaves no room for the rest. */
const EVIDENCE_PART = 4n

type Update = MessageInitShape<typeof ConsensusParamsSchema>

export function consensusParams(spec: ChainSpec, params: GovernedParams): Update {
  const { hasEvidence, evidenceBlocks, evidenceSeconds, evidenceBytes } = params
  const maxBytes = params.maxBytes || requireNetwork(spec).consensus.maxBytes
  const maxGas = params.gasLimit || maxGasOf(spec)
  const genesis = evidenceParams(spec, maxBytes)
  const most = hasEvidence ? evidenceBytes : BigInt(genesis.max_bytes)
  return {
    block: { maxBytes, maxGas },
    evidence: {
      maxAgeNumBlocks: hasEvidence ? evidenceBlocks : BigInt(genesis.max_age_num_blocks),
      maxAgeDuration: { seconds: hasEvidence ? evidenceSeconds : BigInt(genesis.max_age_duration) / 1_000_000_000n },
      maxBytes: most < maxBytes / EVIDENCE_PART ? most : maxBytes / EVIDENCE_PART,
    },
  }
}

/** The parameters after a block, if it has changed them. */
export const changedConsensusParams = (
  spec: ChainSpec,
  before: GovernedParams | undefined,
  after: GovernedParams | undefined,
): Update | undefined =>
  after === undefined || isDeepStrictEqual(before, after) ? undefined : consensusParams(spec, after)
