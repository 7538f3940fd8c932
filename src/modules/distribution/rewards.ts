// The F1 algorithm of the Cosmos SDK (x/distribution): rewards are computed without visiting each delegation in each block. The
// blocks of a validator are divided into periods; its delegations change only between two periods. The historical rewards of a
// period hold the sum of rewards per token from the first period to the end of that one. A delegation earns the difference of
// two such sums times its stake. A slash also ends a period, because it reduces the stake of every delegation.
import { type Dec, fromInt, mulTruncate, ONE, quoTruncate, truncateInt } from '../../lib/dec.ts'
import { type Address, bytesToBig } from '../../lib/hex.ts'
import { keccak256 } from '../../lib/keccak.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { type BlockInfo, reverted } from '../module.ts'
import type { BondedValidator } from '../staking/layout.ts'
import { tokensFromSharesTruncated } from '../staking/validators.ts'
import {
  addToCommunityPool,
  type DistributionContext,
  sendToWithdrawAddress,
  validatorOf,
  validatorRewards,
} from './context.ts'
import type { ValidatorRewards, ValidatorSlashEvent } from './layout.ts'
import { afterTax, allocateFees, type FeeShare } from './pending-fees.ts'

// --- validators

/** Writes the rewards of a new validator: historical rewards of period 0, period 1 as the current one. */
export function initializeValidator(context: DistributionContext, operator: Address): void {
  const { historicalRewards, currentRewards } = validatorRewards(context, operator)
  historicalRewards.at(0n).set({ cumulativeRewardRatio: 0n, referenceCount: 1n })
  currentRewards.set({ period: 1n, rewards: 0n })
}

/**
 * Pays out and deletes the rewards of a validator that has no delegations: whole units of the commission to the operator, the
 * rest to the community pool.
 */
export function removeValidator(context: DistributionContext, operator: Address): void {
  const rewards = validatorRewards(context, operator)
  const { outstandingRewards, accumulatedCommission, currentRewards, historicalRewards, slashEvents } = rewards
  const commission = truncateInt(accumulatedCommission.get())
  sendToWithdrawAddress(context, operator, commission)
  addToCommunityPool(context, outstandingRewards.get() - fromInt(commission))
  historicalRewards.at(currentRewards.get().period - 1n).clear()
  for (const { period } of slashEvents.get()) historicalRewards.at(period).clear()
  for (const cell of [outstandingRewards, accumulatedCommission, currentRewards, slashEvents]) cell.clear()
}

// --- periods

const cumulativeRewardRatio = ({ historicalRewards }: ValidatorRewards, period: bigint): Dec =>
  historicalRewards.at(period).member('cumulativeRewardRatio')

/** The cumulative reward ratio of the current period if it ended now. Without tokens the period adds nothing. */
function currentRewardRatio(of: ValidatorRewards, tokens: bigint): Dec {
  const { period, rewards } = of.currentRewards.get()
  const previous = cumulativeRewardRatio(of, period - 1n)
  return tokens === 0n ? previous : previous + quoTruncate(rewards, fromInt(tokens))
}

/** Ends the current period and begins the next. Returns the number of the ended period. */
export function incrementValidatorPeriod(context: DistributionContext, operator: Address): bigint {
  const of = validatorRewards(context, operator)
  const { tokens } = validatorOf(context, operator)
  const { period, rewards } = of.currentRewards.get()
  const ratio = currentRewardRatio(of, tokens)
  if (tokens === 0n) {
    // No delegation has a part in these rewards.
    addToCommunityPool(context, rewards)
    of.outstandingRewards.set(of.outstandingRewards.get() - rewards)
  }
  decrementReferenceCount(of, period - 1n)
  of.historicalRewards.at(period).set({ cumulativeRewardRatio: ratio, referenceCount: 1n })
  of.currentRewards.set({ period: period + 1n, rewards: 0n })
  return period
}

function incrementReferenceCount({ historicalRewards }: ValidatorRewards, period: bigint): void {
  const record = historicalRewards.at(period)
  record.update({ referenceCount: record.member('referenceCount') + 1n })
}

/** Deletes the historical rewards of the period when the count reaches zero. */
function decrementReferenceCount({ historicalRewards }: ValidatorRewards, period: bigint): void {
  const record = historicalRewards.at(period)
  const referenceCount = record.member('referenceCount') - 1n
  if (referenceCount === 0n) record.clear()
  else record.update({ referenceCount })
}

/** Ends the period and records a slash event, before the validator loses the fraction of its tokens. */
export function updateValidatorSlashFraction(context: DistributionContext, operator: Address, fraction: Dec): void {
  const of = validatorRewards(context, operator)
  const period = incrementValidatorPeriod(context, operator)
  incrementReferenceCount(of, period)
  of.slashEvents.push({ height: context.block.number, period, fraction })
}

/** Index of the first slash event at or after a height, by binary search. */
export function firstSlashEventFrom({ slashEvents }: ValidatorRewards, height: bigint): number {
  let from = 0
  let to = slashEvents.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((slashEvents.at(middle)?.height ?? 0n) < height) from = middle + 1
    else to = middle
  }
  return from
}

// --- delegations

/** Whether the delegation has a starting info. Every delegation has one, except while its shares are being changed. */
export const hasStartingInfo = (context: DistributionContext, delegator: Address, operator: Address): boolean =>
  validatorRewards(context, operator).startingInfos.at(delegator).member('previousPeriod') > 0n

/**
 * Writes the starting info of a delegation with its present shares, which refers to the period that has just ended. The current
 * period must have no rewards yet.
 */
export function initializeDelegation(context: DistributionContext, delegator: Address, operator: Address): void {
  const of = validatorRewards(context, operator)
  const shares = context.staking().delegation(delegator, operator)?.shares ?? 0n
  const stake = tokensFromSharesTruncated(validatorOf(context, operator), shares)
  const previousPeriod = of.currentRewards.member('period') - 1n
  incrementReferenceCount(of, previousPeriod)
  of.startingInfos.at(delegator).set({ previousPeriod, stake, height: context.block.number })
}

/** Slash events since the delegation's starting info, oldest first. */
export function slashEventsSince(
  context: DistributionContext,
  delegator: Address,
  operator: Address,
): ValidatorSlashEvent[] {
  const of = validatorRewards(context, operator)
  const { height, previousPeriod } = of.startingInfos.at(delegator).get()
  const events: ValidatorSlashEvent[] = []
  for (let index = firstSlashEventFrom(of, height); index < of.slashEvents.length; index++) {
    const event = of.slashEvents.at(index)
    // An event of the same height may have happened before the delegation began.
    if (event !== undefined && event.period > previousPeriod) events.push(event)
  }
  return events
}

/** Rewards of a delegation since its starting info, if the current period ended now. Writes nothing. */
export function calculateDelegationRewards(context: DistributionContext, delegator: Address, operator: Address): Dec {
  const of = validatorRewards(context, operator)
  // Rewards are allocated at the beginning of a block, before any starting info of the same block.
  if (of.startingInfos.at(delegator).member('height') === context.block.number) return 0n
  const { rewards, stake, ratio } = calculateRewardsUntilLastSlash(context, delegator, operator)
  // Rounding can make the computed stake some units larger than the tokens of the delegation's shares. The SDK panics if the
  // difference is more than three units, which would lock the delegation; here an invariant reports it.
  const limit = currentStake(context, delegator, operator)
  const { tokens } = validatorOf(context, operator)
  return rewards + mulTruncate(currentRewardRatio(of, tokens) - ratio, stake < limit ? stake : limit)
}

/** Rewards of a delegation up to the last slash event, its stake after that event, and the cumulative reward ratio there. */
export function calculateRewardsUntilLastSlash(context: DistributionContext, delegator: Address, operator: Address) {
  const of = validatorRewards(context, operator)
  const { previousPeriod, stake: startingStake } = of.startingInfos.at(delegator).get()
  let stake = startingStake
  let ratio = cumulativeRewardRatio(of, previousPeriod)
  let rewards = 0n
  for (const { period, fraction } of slashEventsSince(context, delegator, operator)) {
    const ending = cumulativeRewardRatio(of, period)
    rewards += mulTruncate(ending - ratio, stake)
    stake = mulTruncate(stake, ONE - fraction)
    ratio = ending
  }
  return { rewards, stake, ratio }
}

/** Tokens of the delegation's shares. */
export function currentStake({ staking }: DistributionContext, delegator: Address, operator: Address): Dec {
  const shares = staking().delegation(delegator, operator)?.shares ?? 0n
  return staking().tokensFromShares(operator, shares)
}

/** Pays a delegation's rewards and deletes its starting info. Returns the paid base units. */
export function withdrawDelegationRewards(context: DistributionContext, delegator: Address, operator: Address): bigint {
  const of = validatorRewards(context, operator)
  const calculated = calculateDelegationRewards(context, delegator, operator)
  incrementValidatorPeriod(context, operator)
  const outstanding = of.outstandingRewards.get()
  // Rounding can make the calculated rewards larger than the outstanding ones in the last digits.
  const rewards = calculated < outstanding ? calculated : outstanding
  const paid = truncateInt(rewards)
  of.outstandingRewards.set(outstanding - rewards)
  addToCommunityPool(context, rewards - fromInt(paid))
  sendToWithdrawAddress(context, delegator, paid)
  const startingInfo = of.startingInfos.at(delegator)
  decrementReferenceCount(of, startingInfo.member('previousPeriod'))
  startingInfo.clear()
  return paid
}

/** Pays the whole units of an operator's accumulated commission. Throws ChainError when there are none. */
export function withdrawValidatorCommission(context: DistributionContext, operator: Address): bigint {
  const { outstandingRewards, accumulatedCommission } = validatorRewards(context, operator)
  const accumulated = accumulatedCommission.get()
  const paid = truncateInt(accumulated)
  if (paid === 0n) throw reverted('no validator commission to withdraw')
  accumulatedCommission.set(accumulated - fromInt(paid))
  outstandingRewards.set(outstandingRewards.get() - fromInt(paid))
  sendToWithdrawAddress(context, operator, paid)
  return paid
}

// --- fees

/** Most base units that one block allocates; the rest stays with the fee collector. It keeps the sums within their storage slots. */
const MAX_ALLOCATION = 2n ** 128n
/** Limit of a validator's outstanding rewards for deposits: a `Dec` has 256 bits, and fees are added to it. */
const MOST_REWARDS = 2n ** 250n

/** Allocates the collected fees: the community tax to the community pool, the rest to validators by voting power. */
export function allocateTokens(context: DistributionContext): void {
  const { bank, state, block, pendingFees } = context
  const collected = bank.balance(MODULE_ACCOUNT.feeCollector) - (pendingFees?.coins ?? 0n)
  const fees = collected < MAX_ALLOCATION ? collected : MAX_ALLOCATION
  if (fees <= 0n) return
  if (pendingFees !== undefined) {
    pendingFees.setPayees(payeesSource(block), () => feeShares(context))
    pendingFees.add(fees)
    return
  }
  bank.transfer(MODULE_ACCOUNT.feeCollector, MODULE_ACCOUNT.distribution, fees)
  const taxed = [afterTax(fees, state.params.get().communityTax)]
  let remaining = fromInt(fees)
  for (const of of feeShares(context)) remaining -= allocateFees(state.validatorRewards.at(of.operator), of, taxed)
  addToCommunityPool(context, remaining)
}

/** Transfers base units of an account to a validator, as fees that are for it alone. */
export function depositRewards(context: DistributionContext, from: Address, operator: Address, amount: bigint): void {
  const rewards = validatorRewards(context, operator)
  if (rewards.outstandingRewards.get() + fromInt(amount) > MOST_REWARDS) {
    throw reverted('rewards of the validator overflow: invalid request')
  }
  context.bank.transfer(from, MODULE_ACCOUNT.distribution, amount)
  const of = { share: ONE, commissionRate: context.staking().commissionRate(operator) }
  allocateFees(rewards, of, [fromInt(amount)])
}

/** Where a block's shares are read from: the bonded set, or the votes of a commit. Never zero. */
function payeesSource({ commit }: BlockInfo): bigint {
  if (commit === undefined) return 1n
  return bytesToBig(keccak256(Buffer.from(commit.votes.map(({ address, power }) => `${address} ${power}`).join())))
}

/** The validators that a block's fees are allocated to, with their parts of the voting power. */
function feeShares(context: DistributionContext): readonly FeeShare[] {
  const votes = bondedVotes(context)
  const totalPower = votes.reduce((sum, { power }) => sum + power, 0n)
  return votes.map(({ operator, power }) => ({
    operator,
    share: quoTruncate(fromInt(power), fromInt(totalPower)),
    commissionRate: context.staking().commissionRate(operator),
  }))
}

/**
 * In a network these are the votes of the last commit, as in the Cosmos SDK: a change of the bonded set appears there two blocks
 * later. Without CometBFT: the bonded set.
 */
function bondedVotes({ block, operatorByConsensusAddress, staking }: DistributionContext): readonly BondedValidator[] {
  if (block.commit === undefined) return staking().bondedValidators()
  return block.commit.votes.flatMap(({ address, power }) => {
    const operator = operatorByConsensusAddress(address)
    return operator === undefined || !staking().has(operator) ? [] : [{ operator, power }]
  })
}
