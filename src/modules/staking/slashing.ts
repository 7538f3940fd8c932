// Slashing stake: burns a fraction of the tokens that a validator had at the time of its fault, also of those that have
// begun to unbond or were redelegated since.

import { type Dec, fromInt, mulInt, ONE, quoRoundUp, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { reverted } from '../module.ts'
import type { StakingContext } from './context.ts'
import { sharesOf } from './delegations.ts'
import { slashRedelegations } from './redelegations.ts'
import { slashUnbondings } from './unbonding.ts'
import { burnTokens, jail, requireValidator, tokensFromShares } from './validators.ts'

export type Infraction = {
  /** Block of the fault, this one or earlier. */
  readonly height: bigint
  /** The validator's power then. */
  readonly power: bigint
  /** Of the stake: 5 * 10^16 is a twentieth. */
  readonly fraction: Dec
}

/** Slashes a bonded or unbonding validator. Returns the tokens that were burnt at the validator itself. */
export function slash(context: StakingContext, operator: Address, { height, power, fraction }: Infraction): bigint {
  const { state, block, hooks } = context
  if (fraction < 0n || fraction > ONE) throw reverted('slash fraction must be between 0 and 1: invalid request')
  if (height > block.number) throw reverted('cannot slash for an infraction in the future: invalid request')
  if (requireValidator(context, operator).status === 'unbonded') throw reverted('cannot slash an unbonded validator')
  let amount = truncateInt(mulInt(fraction, power * state.params.get().powerReduction))
  if (height < block.number) {
    const of = { fraction, infractionHeight: height }
    amount -= slashUnbondings(context, operator, of) + slashRedelegations(context, operator, of)
  }
  const validator = requireValidator(context, operator)
  const burnt = amount < 0n ? 0n : amount > validator.tokens ? validator.tokens : amount
  if (burnt === 0n) return 0n
  // The distribution records the loss before it happens.
  hooks.beforeValidatorSlashed(operator, quoRoundUp(fromInt(burnt), fromInt(validator.tokens)))
  burnTokens(context, validator, burnt)
  return burnt
}

/** Jails a validator; `until` is the earliest time of its return. */
export function jailValidator(context: StakingContext, operator: Address, until: bigint): void {
  if (requireValidator(context, operator).jailed) throw reverted('validator is already jailed')
  jail(context, operator, until)
}

/** Lets a validator back, if it still holds enough of its own. */
export function unjailValidator(context: StakingContext, operator: Address): void {
  const { state, block } = context
  const validator = requireValidator(context, operator)
  const own = sharesOf(context, operator, operator)
  if (own === 0n) throw reverted('validator has no self-delegation; cannot be unjailed')
  if (truncateInt(tokensFromShares(validator, own)) < validator.minSelfDelegation) {
    throw reverted("validator's self delegation less than minimum; cannot be unjailed")
  }
  if (!validator.jailed) throw reverted('validator not jailed; cannot be unjailed')
  if (block.timestamp < validator.jailedUntil) throw reverted('validator still jailed; cannot be unjailed')
  state.validators.at(operator).update({ jailed: false, jailedUntil: 0n })
  state.powersChanged.set(true)
}
