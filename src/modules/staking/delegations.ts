// Delegations: each is an account's shares of a validator. Every change of shares passes through the two functions here,
// which call the hooks at the moments on which the distribution's reward periods depend.

import { type Dec, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { reverted } from '../module.ts'
import type { StakingContext } from './context.ts'
import type { BondStatus } from './layout.ts'
import {
  addTokens,
  hasNoPrice,
  jail,
  movePool,
  poolOf,
  removeShares,
  removeValidator,
  requireStake,
  type Stake,
  sharesFromTokens,
  tokensFromShares,
} from './validators.ts'

/** Zero: there is no delegation. */
export const sharesOf = ({ state }: StakingContext, delegator: Address, operator: Address): Dec =>
  state.delegations.at(delegator).get(operator) ?? 0n

function setShares({ state }: StakingContext, delegator: Address, operator: Address, shares: Dec): void {
  if (shares > 0n) {
    state.delegations.at(delegator).set(operator, shares)
    state.delegators.at(operator).set(delegator, true)
  } else {
    state.delegations.at(delegator).delete(operator)
    state.delegators.at(operator).delete(delegator)
  }
}

/**
 * Adds tokens to a validator for new shares of the delegator. They come out of the delegator's own account, or out of
 * the pool of the named status. Returns the new shares.
 */
export function bond(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  amount: bigint,
  from: 'account' | BondStatus,
): Dec {
  const { bank, hooks } = context
  const validator = requireStake(context, operator)
  if (hasNoPrice(validator)) throw reverted('cannot delegate to validators with invalid (zero) ex-rate')
  // Pays out rewards, so the coins are taken afterwards.
  hooks.beforeDelegationSharesChange(delegator, operator)
  if (from === 'account') bank.delegate(delegator, poolOf(validator.status), amount)
  else movePool(context, from, validator.status, amount)
  const minted = addTokens(context, validator, amount)
  setShares(context, delegator, operator, sharesOf(context, delegator, operator) + minted)
  hooks.afterDelegationChange(delegator, operator)
  return minted
}

/** Takes shares out of a delegation. Returns their tokens, whose coins stay in their pool. */
export function unbond(context: StakingContext, delegator: Address, operator: Address, shares: Dec): bigint {
  const { hooks } = context
  const owned = sharesOf(context, delegator, operator)
  if (owned === 0n) throw reverted('no delegation for (address, validator) tuple')
  if (owned < shares) throw reverted('not enough delegation shares')
  hooks.beforeDelegationSharesChange(delegator, operator)
  const validator = requireStake(context, operator)
  if (delegator === operator && isTooSmall(context, validator, owned - shares)) jail(context, operator)
  setShares(context, delegator, operator, owned - shares)
  // The starting info of the rest is computed at the exchange rate before the tokens leave, as in the SDK.
  if (owned > shares) hooks.afterDelegationChange(delegator, operator)
  const tokens = removeShares(context, validator, shares)
  if (shares === validator.shares && validator.status === 'unbonded') {
    removeValidator(context, operator)
  }
  return tokens
}

/** Whether an operator who keeps these shares must be jailed for holding too little of its own validator. */
function isTooSmall({ state }: StakingContext, stake: Stake, kept: Dec): boolean {
  const validator = state.validators.at(stake.operator)
  return (
    !validator.member('jailed') && truncateInt(tokensFromShares(stake, kept)) < validator.member('minSelfDelegation')
  )
}

/** The shares that must go so that `amount` tokens leave. Throws ChainError when the delegation is not worth as much. */
export function sharesWorth(context: StakingContext, delegator: Address, operator: Address, amount: bigint): Dec {
  const validator = requireStake(context, operator)
  const owned = sharesOf(context, delegator, operator)
  if (owned === 0n) throw reverted('no delegation for (address, validator) tuple')
  const shares = sharesFromTokens(validator, amount)
  if (shares > owned) throw reverted('invalid shares amount: invalid request')
  return shares
}
