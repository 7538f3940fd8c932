// Invariants of the distribution module at the end of every block, for tests and `dev_invariants`.
import { type Dec, formatDec, fromInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { communityPool, type DistributionContext, validatorRewards } from './context.ts'
import { calculateDelegationRewards, calculateRewardsUntilLastSlash, currentStake, hasStartingInfo } from './rewards.ts'

/** The broken invariants in words. */
export function distributionInvariants(context: DistributionContext): string[] {
  const operators = context.staking().operators()
  return [
    ...moduleAccount(context, operators),
    ...operators.flatMap((operator) => [
      ...canWithdraw(context, operator),
      ...stakes(context, operator),
      ...referenceCounts(context, operator),
    ]),
  ]
}

/**
 * The module account and the fee collector, which has the coins of pending fees, hold all outstanding rewards and the community
 * pool. The module account may hold more: anyone can send it coins.
 */
function moduleAccount(context: DistributionContext, operators: readonly Address[]): string[] {
  const outstanding = operators.reduce(
    (sum, operator) => sum + validatorRewards(context, operator).outstandingRewards.get(),
    0n,
  )
  const due = outstanding + communityPool(context)
  const pending = context.pendingFees?.coins ?? 0n
  const held = fromInt(context.bank.balance(MODULE_ACCOUNT.distribution) + pending)
  if (context.bank.balance(MODULE_ACCOUNT.feeCollector) < pending) return [`the fee collector lacks ${pending}`]
  return held >= due ? [] : [`${formatDec(held)} held, ${formatDec(due)} due`]
}

/** Rounding error of a delegation's rewards or stake, in 10^-18 base units. The last to withdraw gets that much less. */
const MARGIN: Dec = 10n ** 6n

/** The outstanding rewards of a validator pay the commission and the rewards of all delegations. */
function canWithdraw(context: DistributionContext, operator: Address): string[] {
  const { outstandingRewards, accumulatedCommission } = validatorRewards(context, operator)
  const delegations = context.staking().delegationsTo(operator)
  const owed = delegations.reduce(
    (sum, { delegator }) => sum + calculateDelegationRewards(context, delegator, operator),
    accumulatedCommission.get(),
  )
  const outstanding = outstandingRewards.get()
  return owed <= outstanding + MARGIN * BigInt(delegations.length)
    ? []
    : [`${operator} owes ${formatDec(owed)} of ${formatDec(outstanding)}`]
}

/** The stake that rewards are calculated from is at most the tokens of the delegation's shares. */
function stakes(context: DistributionContext, operator: Address): string[] {
  return context
    .staking()
    .delegationsTo(operator)
    .flatMap(({ delegator }) => {
      const { stake } = calculateRewardsUntilLastSlash(context, delegator, operator)
      const limit = currentStake(context, delegator, operator)
      return stake <= limit + MARGIN
        ? []
        : [`stake of ${delegator} at ${operator} is ${formatDec(stake)}, worth ${formatDec(limit)}`]
    })
}

/** Every delegation has a starting info, and every reference count is the number of references. */
function referenceCounts(context: DistributionContext, operator: Address): string[] {
  const { currentRewards, historicalRewards, slashEvents, startingInfos } = validatorRewards(context, operator)
  const delegators = context
    .staking()
    .delegationsTo(operator)
    .map(({ delegator }) => delegator)
  const withoutInfo = delegators.filter((delegator) => !hasStartingInfo(context, delegator, operator))
  const counts = new Map<bigint, bigint>()
  const count = (period: bigint) => counts.set(period, (counts.get(period) ?? 0n) + 1n)
  count(currentRewards.get().period - 1n)
  for (const { period } of slashEvents.get()) count(period)
  for (const delegator of delegators) count(startingInfos.at(delegator).get().previousPeriod)
  const wrong = [...counts].filter(
    ([period, expected]) => historicalRewards.at(period).get().referenceCount !== expected,
  )
  return [
    ...withoutInfo.map((delegator) => `delegation of ${delegator} to ${operator} has no starting info`),
    ...wrong.map(([period, expected]) => `reference count of period ${period} of ${operator} is not ${expected}`),
  ]
}
