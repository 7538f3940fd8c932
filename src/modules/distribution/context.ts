// The context of the distribution module's functions, and its coins. One module account holds the outstanding rewards of all
// validators and the community pool.

import { type Dec, fromInt } from '../../lib/dec.ts'
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import type { Bank } from '../bank.ts'
import type { BlockInfo } from '../module.ts'
import { reverted } from '../module.ts'
import type { Staking } from '../staking/staking.ts'
import type { Stake } from '../staking/validators.ts'
import type { distributionLayout, ValidatorRewards } from './layout.ts'
import type { PendingFees } from './pending-fees.ts'

/** What the module reads of staking. */
export type StakingReader = Pick<
  Staking,
  | 'has'
  | 'stake'
  | 'commissionRate'
  | 'operators'
  | 'bondedValidators'
  | 'delegation'
  | 'delegationsTo'
  | 'tokensFromShares'
>

export type DistributionContext = {
  readonly block: BlockInfo
  readonly bank: Bank
  readonly state: ReturnType<typeof distributionLayout.open>
  /** undefined: version 1 of the rules. */
  readonly pendingFees: PendingFees | undefined
  /** A function, because staking takes our hooks and so is opened later. */
  staking(): StakingReader
  /** In a network: the validator of a consensus address. */
  operatorByConsensusAddress(address: Address): Address | undefined
}

/** The records of a validator, with all fees up to the block before. */
export function validatorRewards({ state, pendingFees }: DistributionContext, operator: Address): ValidatorRewards {
  pendingFees?.settleValidator(operator)
  return state.validatorRewards.at(operator)
}

/** The community pool in base units, with its part of all fees up to the block before. */
export function communityPool({ state, pendingFees }: DistributionContext): Dec {
  pendingFees?.settle()
  return state.communityPool.get()
}

/** Throws if the validator does not exist; hooks and delegations name only existing ones. */
export function validatorOf({ staking }: DistributionContext, operator: Address): Stake {
  const stake = staking().stake(operator)
  if (stake === undefined) throw new Error(`no validator ${operator}`)
  return stake
}

/** The account that gets the rewards and the commission of an account. */
export function withdrawAddressOf({ state }: DistributionContext, of: Address): Address {
  const chosen = state.withdrawAddresses.at(of).get()
  return chosen === ZERO_ADDRESS ? of : chosen
}

/** Sends base units of rewards or commission. */
export function sendToWithdrawAddress(context: DistributionContext, to: Address, amount: bigint): void {
  if (amount > 0n) context.bank.transfer(MODULE_ACCOUNT.distribution, withdrawAddressOf(context, to), amount)
}

/** Adds an amount to the community pool that the module account holds already. */
export function addToCommunityPool({ state }: DistributionContext, amount: Dec): void {
  if (amount > 0n) state.communityPool.set(state.communityPool.get() + amount)
}

/** Limit of the community pool: above any supply, and below the largest value of its storage slot. */
const MAX_COMMUNITY_POOL = 2n ** 250n

/** Transfers base units of an account to the community pool. */
export function fundCommunityPool(context: DistributionContext, from: Address, amount: bigint): void {
  if (context.state.communityPool.get() + fromInt(amount) > MAX_COMMUNITY_POOL) {
    throw reverted('community pool overflow: invalid request')
  }
  context.bank.transfer(from, MODULE_ACCOUNT.distribution, amount)
  addToCommunityPool(context, fromInt(amount))
}

/** Transfers base units of the community pool to an account. */
export function distributeFromCommunityPool(context: DistributionContext, to: Address, amount: bigint): void {
  const left = communityPool(context) - fromInt(amount)
  if (left < 0n) throw reverted('community pool does not have sufficient coins to distribute')
  context.state.communityPool.set(left)
  context.bank.transfer(MODULE_ACCOUNT.distribution, to, amount)
}
