// The parameters of all modules in the explorer's form, by module and key. Periods are seconds, fractions rates.
import { z } from 'zod'
import { checksummed } from '../../lib/checksummed.ts'
import { ZERO_ADDRESS } from '../../lib/hex.ts'
import type { DistributionParams } from '../../modules/distribution/layout.ts'
import type { Erc20 } from '../../modules/erc20/erc20.ts'
import type { GovParams } from '../../modules/gov/layout.ts'
import type { InflationGenesis } from '../../modules/inflation.ts'
import type { ConsensusParams, EvmParams, FeeMarketParams, UpgradePlan } from '../../modules/params.ts'
import type { SlashingParams } from '../../modules/slashing/layout.ts'
import type { StakingParams } from '../../modules/staking/layout.ts'
import type { Transfer } from '../../modules/transfer/transfer.ts'
import { wire } from '../codec.ts'
import { type Native, rate, showRate } from './modules.ts'

const period = z.number().int().describe('seconds')
const count = z.number().int()

export const parametersSchema = z.strictObject({
  evm: z.strictObject({
    active_proposals: z.array(z.string()).describe('opcode proposals in order of application'),
  }),
  staking: z.strictObject({
    unbonding_time: period,
    max_validators: count,
    max_entries: count,
    min_commission_rate: rate,
    power_reduction: wire.decimal.describe('tokens of a unit of voting power'),
  }),
  slashing: z
    .strictObject({
      signed_blocks_window: count,
      min_signed_per_window: rate,
      downtime_jail_duration: period,
      slash_fraction_double_sign: rate,
      slash_fraction_downtime: rate,
    })
    .nullable()
    .describe('null on chains without slashing'),
  distribution: z.strictObject({ community_tax: rate, withdraw_addr_enabled: z.boolean() }),
  inflation: z.strictObject({ per_block: wire.decimal.describe('base units'), staking_share: rate }),
  gov: z.strictObject({
    voting_period: period,
    max_deposit_period: period,
    min_deposit: wire.decimal,
    quorum: rate,
    threshold: rate,
    veto_threshold: rate,
    min_initial_deposit_ratio: rate,
    min_deposit_ratio: rate,
    proposal_cancel_ratio: rate,
    proposal_cancel_dest: wire.address.nullable().describe('null: it is burnt'),
    expedited_voting_period: period,
    expedited_threshold: rate,
    expedited_min_deposit: wire.decimal,
    burn_vote_quorum: z.boolean(),
    burn_proposal_deposit_prevote: z.boolean(),
    burn_vote_veto: z.boolean(),
  }),
  authz: z.strictObject({ default_expiration: period }),
  erc20: z.strictObject({ enabled: z.boolean() }),
  transfer: z.strictObject({ send_enabled: z.boolean(), receive_enabled: z.boolean() }),
  consensus: z
    .strictObject({
      block_max_gas: wire.decimal.nullable(),
      block_max_bytes: wire.decimal.nullable(),
      block_time_ms: count.nullable(),
      evidence_max_age_num_blocks: wire.decimal.nullable(),
      evidence_max_age_duration: period.nullable(),
      evidence_max_bytes: wire.decimal.nullable(),
    })
    .describe('null: governance has not set it, and the genesis holds'),
  upgrade: z
    .strictObject({ name: z.string().nullable(), height: count.nullable(), info: z.string().nullable() })
    .describe('the upgrade that governance has scheduled; null: none'),
  fee_market: z.strictObject({
    burn_base_fee: z.boolean(),
    min_base_fee: wire.decimal
      .nullable()
      .describe('floor of the base fee in wei per gas; null: governance cannot set one'),
  }),
})
export type Parameters = z.input<typeof parametersSchema>

export const showEvmParams = ({ extraEips }: EvmParams): Parameters['evm'] => ({ active_proposals: [...extraEips] })

export const showFeeMarketParams = ({ minBaseFee }: FeeMarketParams) => ({ min_base_fee: minBaseFee.toString() })

export const showStakingParams = (of: StakingParams): Parameters['staking'] => ({
  unbonding_time: Number(of.unbondingTime),
  max_validators: Number(of.maxValidators),
  max_entries: Number(of.maxEntries),
  min_commission_rate: showRate(of.minCommissionRate),
  power_reduction: of.powerReduction.toString(),
})

export const showSlashingParams = (of: SlashingParams): Exclude<Parameters['slashing'], null> => ({
  signed_blocks_window: Number(of.signedBlocksWindow),
  min_signed_per_window: showRate(of.minSignedPerWindow),
  downtime_jail_duration: Number(of.downtimeJailDuration),
  slash_fraction_double_sign: showRate(of.slashFractionDoubleSign),
  slash_fraction_downtime: showRate(of.slashFractionDowntime),
})

export const showGovParams = (of: GovParams): Parameters['gov'] => ({
  voting_period: Number(of.votingPeriod),
  max_deposit_period: Number(of.maxDepositPeriod),
  min_deposit: of.minDeposit.toString(),
  quorum: showRate(of.quorum),
  threshold: showRate(of.threshold),
  veto_threshold: showRate(of.vetoThreshold),
  min_initial_deposit_ratio: showRate(of.minInitialDepositRatio),
  min_deposit_ratio: showRate(of.minDepositRatio),
  proposal_cancel_ratio: showRate(of.proposalCancelRatio),
  proposal_cancel_dest: of.proposalCancelDest === ZERO_ADDRESS ? null : checksummed(of.proposalCancelDest),
  expedited_voting_period: Number(of.expeditedVotingPeriod),
  expedited_threshold: showRate(of.expeditedThreshold),
  expedited_min_deposit: of.expeditedMinDeposit.toString(),
  burn_vote_quorum: of.burnVoteQuorum,
  burn_proposal_deposit_prevote: of.burnProposalDepositPrevote,
  burn_vote_veto: of.burnVoteVeto,
})

export const showConsensusParams = (of: ConsensusParams): Parameters['consensus'] => {
  const set = (value: bigint) => (value === 0n ? null : value.toString())
  return {
    block_max_gas: set(of.gasLimit),
    block_max_bytes: set(of.maxBytes),
    block_time_ms: of.blockTimeMs === 0n ? null : Number(of.blockTimeMs),
    evidence_max_age_num_blocks: set(of.evidenceBlocks),
    evidence_max_age_duration: of.hasEvidence ? Number(of.evidenceSeconds) : null,
    evidence_max_bytes: of.hasEvidence ? of.evidenceBytes.toString() : null,
  }
}

const showPlan = (plan: UpgradePlan | undefined): Parameters['upgrade'] => ({
  name: plan?.name ?? null,
  height: plan === undefined ? null : Number(plan.height),
  info: plan?.info ?? null,
})

export const showErc20Params = ({ isEnabled }: ReturnType<Erc20['params']>): Parameters['erc20'] => ({
  enabled: isEnabled,
})

export const showTransferParams = (of: ReturnType<Transfer['params']>): Parameters['transfer'] => ({
  send_enabled: of.sendEnabled,
  receive_enabled: of.receiveEnabled,
})

export const showDistributionParams = (of: DistributionParams): Parameters['distribution'] => ({
  community_tax: showRate(of.communityTax),
  withdraw_addr_enabled: of.withdrawAddrEnabled,
})

export const showInflation = (of: InflationGenesis): Parameters['inflation'] => ({
  per_block: of.perBlock.toString(),
  staking_share: showRate(of.stakingShare),
})

/** Whether the chain's parameters include a floor of the base fee, which may be 0. */
const hasFloor = ({ feeMarket }: Native['spec']): boolean => feeMarket.minBaseFee !== undefined

/** The parameters after the context's head. */
export function showParameters({ spec, modules }: Native): Parameters {
  const { params, upgrades, staking, slashing, distribution, inflation, gov, authz, erc20, transfer } = modules
  return {
    evm: showEvmParams(params.get()),
    staking: showStakingParams(staking.params()),
    slashing: slashing === undefined ? null : showSlashingParams(slashing.params()),
    distribution: showDistributionParams(distribution.params()),
    inflation: showInflation(inflation.params()),
    gov: showGovParams(gov.params()),
    authz: { default_expiration: Number(authz.lifetime()) },
    erc20: showErc20Params(erc20.params()),
    transfer: showTransferParams(transfer.params()),
    consensus: showConsensusParams(params.consensus()),
    upgrade: showPlan(upgrades.plan()),
    fee_market: {
      burn_base_fee: spec.feeMarket.burnBaseFee,
      min_base_fee: null,
      ...(hasFloor(spec) && showFeeMarketParams(params.feeMarket())),
    },
  }
}
