// Storage of the distribution module, at its contract's address. Rewards and ratios are Decs (10^-18) of base units: the base coin
// is the only one in which fees are paid.
import type { Dec } from '../../lib/dec.ts'
import { enumerable, layout, list, mapping, struct } from '../../state/layout.ts'
import { address, bool, dec, u64, u256 } from '../../state/storage-types.ts'
import { increasingTotals } from './totals.ts'

export type DistributionParams = {
  /** The community pool's part of the fees. */
  readonly communityTax: Dec
  readonly withdrawAddrEnabled: boolean
}

/** The current period, and the delegators' rewards in it so far. */
export type ValidatorCurrentRewards = { readonly period: bigint; readonly rewards: Dec }

/** An ended period that the current period, a slash event or a starting info refers to. */
export type ValidatorHistoricalRewards = {
  /** Rewards per token from the first period to the end of this one. */
  readonly cumulativeRewardRatio: Dec
  readonly referenceCount: bigint
}

export type ValidatorSlashEvent = {
  readonly height: bigint
  /** The period that the slash ended. */
  readonly period: bigint
  /** Part of the validator's tokens that was slashed. */
  readonly fraction: Dec
}

/** From where on the rewards of a delegation are calculated. */
export type DelegatorStartingInfo = {
  /** The period before the first one that counts; zero: no delegation. */
  readonly previousPeriod: bigint
  /** Tokens of the delegation's shares at that time. */
  readonly stake: Dec
  readonly height: bigint
}

/** A validator's part of the pending fees. */
export type Payee = {
  /** Its part of the voting power. */
  readonly share: Dec
  readonly commissionRate: Dec
  /** Number of pending blocks that are allocated to it already. */
  readonly settled: bigint
}

const validatorRewards = layout({
  /** Rewards of the delegators and commission that are not withdrawn yet, with remainders of rounding. */
  outstandingRewards: dec,
  /** The operator's part of the outstanding rewards. */
  accumulatedCommission: dec,
  currentRewards: struct<ValidatorCurrentRewards>({ period: u64, rewards: dec }),
  historicalRewards: mapping(
    u64,
    struct<ValidatorHistoricalRewards>({ cumulativeRewardRatio: dec, referenceCount: u64 }),
  ),
  /** In order of height and period. */
  slashEvents: list(struct<ValidatorSlashEvent>({ height: u64, period: u64, fraction: dec })),
  /** By delegator. */
  startingInfos: mapping(address, struct<DelegatorStartingInfo>({ previousPeriod: u64, stake: dec, height: u64 })),
})
/** The records of one validator. */
export type ValidatorRewards = ReturnType<typeof validatorRewards.open>

export const distributionLayout = layout({
  params: struct<DistributionParams>({ communityTax: dec, withdrawAddrEnabled: bool }),
  /** The community pool, in base units. */
  communityPool: dec,
  /** By delegator or operator; zero: their own. */
  withdrawAddresses: mapping(address, address),
  /** By operator. */
  validatorRewards: mapping(address, validatorRewards),
  /** Version 2: the validators that the pending fees are allocated to, by operator. */
  payees: enumerable(address, struct<Payee>({ share: dec, commissionRate: dec, settled: u64 })),
  /** What the payees were read from (`payeesSource`); zero: it has changed since. */
  payeesSource: u256,
})

/** Storage of the fee collector, whose account every block with fees changes anyway. Version 2 only. */
export const feeCollectorLayout = layout({
  /** Sums of the pending blocks' fees, each from the oldest of these blocks on. */
  pending: increasingTotals,
  /** The part of the pending coins that is in the distribution's account already. */
  moved: u256,
})
