// Slashing stake: burns a fraction of the tokens that a validator had at the time of its fault, also of those that have
// begun to unbond or were redelegated since.
//
// By version 2 of the rules (`slashingVersion`) a block does a bounded part of that (`SLASH_WORK`): the slash is pending
// until the blocks after it have done the rest, at their beginning. What it burns is what it would have burnt at once, because
// nothing that it will come to can change until then:
// - The walk goes over the validator's `unbonders` and `redelegationsFrom`. Nobody joins or leaves these: who delegates to the
//   validator, unbonds from it or redelegates is refused, and ends of unbonding wait (also those of others, so that a block has
//   one bounded work or the other).
// - A redelegation pays with what the delegator has at the destination. The delegator is refused there, too, until then.
// - Liability is judged by the block and time of the report, which the pending slash keeps.
// - Another slash waits until the ones before it are finished, so that it finds the tokens that they leave.
// Other delegators notice nothing. Rewards and votes of the blocks between count what is not burnt yet; the validator itself is
// jailed at once.

import { type Dec, fromInt, mulInt, ONE, quoRoundUp, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { reverted } from '../module.ts'
import { SLASH_WORK, type StakingContext } from './context.ts'
import { sharesOf } from './delegations.ts'
import type { PendingSlash } from './layout.ts'
import { redelegationEntries, slashRedelegation } from './redelegations.ts'
import { slashUnbonding } from './unbonding.ts'
import { burnTokens, jail, requireValidator, tokensFromShares } from './validators.ts'

export type Infraction = {
  /** Block of the fault, this one or earlier. */
  readonly height: bigint
  /** The validator's power then. */
  readonly power: bigint
  /** Of the stake: 5 * 10^16 is a twentieth. */
  readonly fraction: Dec
}

/**
 * Slashes a bonded or unbonding validator. Returns the tokens that were burnt at the validator itself: 0 when the slash is left
 * pending.
 */
export function slash(context: StakingContext, operator: Address, { height, power, fraction }: Infraction): bigint {
  const { state, block } = context
  if (fraction < 0n || fraction > ONE) throw reverted('slash fraction must be between 0 and 1: invalid request')
  if (height > block.number) throw reverted('cannot slash for an infraction in the future: invalid request')
  if (requireValidator(context, operator).status === 'unbonded') throw reverted('cannot slash an unbonded validator')
  const left = truncateInt(mulInt(fraction, power * state.params.get().powerReduction))
  // No entry is older than a fault of this block.
  const done = height < block.number ? 0n : BigInt(entryOwners(context, operator))
  const begun = { operator, infractionHeight: height, time: block.timestamp, fraction, left, done }
  const { burnt, pending } = isSlashPending(context) ? { burnt: 0n, pending: begun } : carryOut(context, begun)
  if (pending !== undefined) state.pendingSlashes.push(pending)
  return burnt
}

/** Whether a slash waits for a later block. */
export const isSlashPending = ({ state, slashingVersion }: StakingContext): boolean =>
  slashingVersion === 2 && state.pendingSlashes.length > 0

/** Does a block's part of the pending slashes, the oldest first. */
export function carryOutPending(context: StakingContext): void {
  if (!isSlashPending(context)) return
  const { pendingSlashes } = context.state
  const rest = [...pendingSlashes.get()]
  for (let first = rest.shift(); first !== undefined; first = rest.shift()) {
    const { pending } = carryOut(context, first)
    if (pending === undefined) continue
    rest.unshift(pending)
    break
  }
  pendingSlashes.set(rest)
}

const entryOwners = ({ state }: StakingContext, operator: Address): number =>
  state.unbonders.at(operator).size + state.redelegationsFrom.at(operator).size

/** Carries a slash out as far as the block's work allows. Returns what is burnt at the validator, or what is still to do. */
function carryOut(
  context: StakingContext,
  slash: PendingSlash,
): { readonly burnt: bigint; readonly pending?: PendingSlash } {
  const { state, slashWork } = context
  const { operator } = slash
  let { left, done } = slash
  const pay = (part: bigint) => {
    left = part < left ? left - part : 0n
    done += 1n
  }
  const waits = () => slashWork.left <= 0
  const pending = () => ({ burnt: 0n, pending: { ...slash, left, done } })
  const unbonders = state.unbonders.at(operator)
  const movedBefore = Math.max(Number(done) - unbonders.size, 0)
  for (const delegator of unbonders.keys(Number(done))) {
    if (waits()) return pending()
    pay(slashUnbonding(context, delegator, operator, slash))
  }
  for (const key of state.redelegationsFrom.at(operator).keys(movedBefore)) {
    if (waits()) return pending()
    pay(slashRedelegation(context, key, slash))
  }
  if (waits()) return pending()
  slashWork.left -= SLASH_WORK.burn
  return { burnt: burnAtValidator(context, operator, left) }
}

/** The Cosmos SDK of 0.50 records no slash of nothing either. */
function burnAtValidator(context: StakingContext, operator: Address, amount: bigint): bigint {
  const validator = requireValidator(context, operator)
  const burnt = amount > validator.tokens ? validator.tokens : amount
  if (burnt === 0n) return 0n
  // The distribution records the loss before it happens.
  context.hooks.beforeValidatorSlashed(operator, quoRoundUp(fromInt(burnt), fromInt(validator.tokens)))
  burnTokens(context, validator, burnt)
  return burnt
}

/**
 * Throws ChainError when a pending slash will come to the delegator's stake at a validator: all stake at the one that is slashed,
 * and what was redelegated from there.
 */
export function requireNoSlashPending(context: StakingContext, delegator: Address, operator: Address): void {
  if (!isSlashPending(context)) return
  const isWaiting = context.state.pendingSlashes
    .get()
    .some(
      ({ operator: source }) =>
        source === operator || redelegationEntries(context, { delegator, source, destination: operator }).length > 0,
    )
  if (isWaiting) throw reverted('a slash of this stake is being carried out; try again in some blocks')
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
  requireNoSlashPending(context, operator, operator)
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
