// Delegations: an account's shares of a validator. Only `delegate` and `unbond` change shares. They call the hooks before and
// after the change, because the distribution module ends a reward period there.

import { type Dec, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { reverted } from '../module.ts'
import type { StakingContext } from './context.ts'
import type { BondStatus } from './layout.ts'
import {
  addTokensFromDelegation,
  hasInvalidExchangeRate,
  jail,
  movePool,
  poolOf,
  removeDelegationShares,
  removeValidator,
  requireStake,
  type Stake,
  sharesFromTokens,
  tokensFromShares,
} from './validators.ts'

/** Zero: no delegation. */
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
 * Adds tokens to a validator for new shares of the delegator. The tokens come from the delegator's account, or from the pool of
 * the given status. Returns the new shares.
 */
export function delegate(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  amount: bigint,
  from: 'account' | BondStatus,
): Dec {
  const { bank, hooks } = context
  const validator = requireStake(context, operator)
  if (hasInvalidExchangeRate(validator)) throw reverted('cannot delegate to validators with invalid (zero) ex-rate')
  // The hook pays rewards to the delegator, so it runs before the coins are taken.
  hooks.beforeDelegationSharesModified(delegator, operator)
  if (from === 'account') bank.delegate(delegator, poolOf(validator.status), amount)
  else movePool(context, from, validator.status, amount)
  const minted = addTokensFromDelegation(context, validator, amount)
  setShares(context, delegator, operator, sharesOf(context, delegator, operator) + minted)
  hooks.afterDelegationModified(delegator, operator)
  return minted
}

/** Removes shares from a delegation (`Unbond` of x/staking). Returns their tokens; the coins stay in the validator's pool. */
export function unbond(context: StakingContext, delegator: Address, operator: Address, shares: Dec): bigint {
  const { hooks } = context
  const owned = sharesOf(context, delegator, operator)
  if (owned === 0n) throw reverted('no delegation for (address, validator) tuple')
  if (owned < shares) throw reverted('not enough delegation shares')
  hooks.beforeDelegationSharesModified(delegator, operator)
  const validator = requireStake(context, operator)
  if (delegator === operator && isBelowMinimum(context, validator, owned - shares)) jail(context, operator)
  setShares(context, delegator, operator, owned - shares)
  // The starting info of the rest is computed at the exchange rate before the tokens leave, as in the SDK.
  if (owned > shares) hooks.afterDelegationModified(delegator, operator)
  const tokens = removeDelegationShares(context, validator, shares)
  if (shares === validator.shares && validator.status === 'unbonded') {
    removeValidator(context, operator)
  }
  return tokens
}

/** Whether an operator with these remaining shares has less than its minimum self-delegation, for which it is jailed. */
function isBelowMinimum({ state }: StakingContext, stake: Stake, kept: Dec): boolean {
  const validator = state.validators.at(stake.operator)
  return (
    !validator.member('jailed') && truncateInt(tokensFromShares(stake, kept)) < validator.member('minSelfDelegation')
  )
}

/** Shares of `amount` tokens (`ValidateUnbondAmount` of x/staking). Throws ChainError when the delegation has fewer shares. */
export function validateUnbondAmount(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  amount: bigint,
): Dec {
  const validator = requireStake(context, operator)
  const owned = sharesOf(context, delegator, operator)
  if (owned === 0n) throw reverted('no delegation for (address, validator) tuple')
  const shares = sharesFromTokens(validator, amount)
  if (shares > owned) throw reverted('invalid shares amount: invalid request')
  return shares
}
