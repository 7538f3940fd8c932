// Slashing (x/staking/keeper/slash.go): burns a fraction of the tokens that a validator had at the infraction height, including
// tokens that have begun to unbond or were redelegated since then.
//
// In version 2 (`slashingVersion`) a block does a bounded part of a slash (`SLASH_WORK`). The rest stays in `pendingSlashes`, and
// the following blocks continue it when they begin. The result is the same as in one block, because its inputs cannot change:
// - The validator's `unbonders` and `redelegationsFrom` stay as they are: delegating to the validator, unbonding from it and
//   redelegating from it fail, and no unbonding completes (of any validator, so that a block has only one kind of bounded work).
// - A redelegation is slashed with the delegator's tokens at the destination. The delegator cannot move these either.
// - Liability depends on the height and the time of the report, which are stored with the pending slash.
// - Slashes are finished in the order of their reports.
// Other delegators are not affected. Until the slash is finished, rewards and votes count the tokens that are not burnt yet. The
// validator is jailed at once.

import { type Dec, fromInt, mulInt, ONE, quoRoundUp, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { reverted } from '../module.ts'
import { SLASH_WORK, type StakingContext } from './context.ts'
import { sharesOf } from './delegations.ts'
import type { PendingSlash } from './layout.ts'
import { redelegationEntries, slashRedelegation } from './redelegations.ts'
import { slashUnbondingDelegation } from './unbonding.ts'
import { burnTokens, jail, requireValidator, tokensFromShares } from './validators.ts'

export type Infraction = {
  /** Infraction height: this block or an earlier one. */
  readonly height: bigint
  /** The validator's power at that height. */
  readonly power: bigint
  /** Slash factor: 5 * 10^16 is a twentieth. */
  readonly fraction: Dec
}

/**
 * Slashes a bonded or unbonding validator. Returns the tokens that were burnt at the validator itself: 0 when the slash stays
 * pending.
 */
export function slash(context: StakingContext, operator: Address, { height, power, fraction }: Infraction): bigint {
  const { state, block } = context
  if (fraction < 0n || fraction > ONE) throw reverted('slash fraction must be between 0 and 1: invalid request')
  if (height > block.number) throw reverted('cannot slash for an infraction in the future: invalid request')
  if (requireValidator(context, operator).status === 'unbonded') throw reverted('cannot slash an unbonded validator')
  const left = truncateInt(mulInt(fraction, power * state.params.get().powerReduction))
  // After an infraction in this block no entry can have left before it, so none is visited.
  const done = height < block.number ? 0n : BigInt(entryOwnerCount(context, operator))
  const begun = { operator, infractionHeight: height, time: block.timestamp, fraction, left, done }
  const { burnt, pending } = isSlashPending(context) ? { burnt: 0n, pending: begun } : continueSlash(context, begun)
  if (pending !== undefined) state.pendingSlashes.push(pending)
  return burnt
}

/** Whether a slash waits for a later block. */
export const isSlashPending = ({ state, slashingVersion }: StakingContext): boolean =>
  slashingVersion === 2 && state.pendingSlashes.length > 0

/** Continues the pending slashes, the oldest first, within the block's `slashWork`. */
export function continuePendingSlashes(context: StakingContext): void {
  if (!isSlashPending(context)) return
  const { pendingSlashes } = context.state
  const rest = [...pendingSlashes.get()]
  for (let first = rest.shift(); first !== undefined; first = rest.shift()) {
    const { pending } = continueSlash(context, first)
    if (pending === undefined) continue
    rest.unshift(pending)
    break
  }
  pendingSlashes.set(rest)
}

const entryOwnerCount = ({ state }: StakingContext, operator: Address): number =>
  state.unbonders.at(operator).size + state.redelegationsFrom.at(operator).size

/** Continues one slash within the block's `slashWork`. Returns the tokens burnt at the validator, or the unfinished slash. */
function continueSlash(
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
    pay(slashUnbondingDelegation(context, delegator, operator, slash))
  }
  for (const key of state.redelegationsFrom.at(operator).keys(movedBefore)) {
    if (waits()) return pending()
    pay(slashRedelegation(context, key, slash))
  }
  if (waits()) return pending()
  slashWork.left -= SLASH_WORK.burn
  return { burnt: burnValidatorTokens(context, operator, left) }
}

/** Burns tokens of the validator itself. As in the Cosmos SDK 0.50, burning 0 tokens records no slash event. */
function burnValidatorTokens(context: StakingContext, operator: Address, amount: bigint): bigint {
  const validator = requireValidator(context, operator)
  const burnt = amount > validator.tokens ? validator.tokens : amount
  if (burnt === 0n) return 0n
  // The hook calculates rewards with the tokens before the slash.
  context.hooks.beforeValidatorSlashed(operator, quoRoundUp(fromInt(burnt), fromInt(validator.tokens)))
  burnTokens(context, validator, burnt)
  return burnt
}

/**
 * Throws ChainError when a pending slash can burn the delegator's tokens at a validator: any tokens at the slashed validator,
 * and tokens that were redelegated from it.
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

/** Jails a validator; `until` is the earliest time at which it can be unjailed. */
export function jailValidator(context: StakingContext, operator: Address, until: bigint): void {
  if (requireValidator(context, operator).jailed) throw reverted('validator is already jailed')
  jail(context, operator, until)
}

/** Unjails a validator whose self-delegation is large enough. */
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
