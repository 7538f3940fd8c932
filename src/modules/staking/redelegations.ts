// Redelegations: tokens move to another validator at once, but can be slashed for infractions of the source validator until the
// unbonding time is over. Until then they cannot be redelegated again (no transitive redelegation, as in the SDK).

import { type Dec, mul } from '../../lib/dec.ts'
import { fromHex, type Hash } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { schedule, takeDue } from '../calendar.ts'
import { reverted } from '../module.ts'
import { nextEntryId, SLASH_WORK, type StakingContext } from './context.ts'
import { delegate, sharesOf, unbond, validateUnbondAmount } from './delegations.ts'
import type { Redelegation, RedelegationEntry } from './layout.ts'
import { burnFromEntries, isLiable, type SlashOf, slashOfEntry } from './unbonding.ts'
import { findStake, hasInvalidExchangeRate, poolOf, requireStake, type Stake, sharesFromTokens } from './validators.ts'

export type Route = Pick<Redelegation, 'delegator' | 'source' | 'destination'>

const keyOf = ({ delegator, source, destination }: Route): Hash =>
  keccakHash(Buffer.concat([fromHex(delegator), fromHex(source), fromHex(destination)]))

/** In order of creation. */
export const redelegationEntries = ({ state }: StakingContext, route: Route): readonly RedelegationEntry[] =>
  state.redelegations.at(keyOf(route)).member('entries')

function setEntries({ state }: StakingContext, route: Route, entries: readonly RedelegationEntry[]): void {
  const { delegator, source, destination } = route
  const key = keyOf(route)
  const count = state.redelegationsTo.at(delegator).at(destination)
  const of = state.redelegationsOf.at(delegator)
  if (entries.length > 0) {
    if (!of.has(key)) count.set(count.get() + 1n)
    of.set(key, true)
    state.redelegationsFrom.at(source).set(key, true)
    state.redelegations.at(key).set({ ...route, entries })
  } else if (of.delete(key)) {
    count.set(count.get() - 1n)
    state.redelegationsFrom.at(source).delete(key)
    state.redelegations.at(key).clear()
  }
}

/**
 * Moves `amount` tokens of a delegation to another validator. Returns the completion time: until then infractions of the source
 * validator can slash the tokens. It is now if that validator is unbonded.
 */
export function redelegate(context: StakingContext, route: Route, amount: bigint): bigint {
  const { state, block } = context
  const { delegator, source, destination } = route
  if (source === destination) throw reverted('cannot redelegate to the same validator')
  if (!state.operators.has(destination)) throw reverted('redelegation destination validator not found')
  const from = requireStake(context, source)
  const shares = validateUnbondAmount(context, delegator, source, amount)
  if (state.redelegationsTo.at(delegator).at(source).get() > 0n) {
    throw reverted(
      'redelegation to this validator already in progress; first redelegation to this validator must complete before next redelegation',
    )
  }
  if (BigInt(redelegationEntries(context, route).length) >= state.params.get().maxEntries) {
    throw reverted('too many redelegation entries for (delegator, src-validator, dst-validator) tuple')
  }
  const tokens = unbond(context, delegator, source, shares)
  if (tokens === 0n) throw reverted('too few tokens to redelegate (truncates to zero tokens)')
  const sharesDst = delegate(context, delegator, destination, tokens, from.status)
  const info = beginInfo(context, from)
  if (info === undefined) return block.timestamp
  const entry = { id: nextEntryId(context), ...info, initialBalance: tokens, sharesDst }
  setEntries(context, route, [...redelegationEntries(context, route), entry])
  schedule(state.endingRedelegations, { time: info.completionTime, key: keyOf(route) })
  return info.completionTime
}

/** Creation height and completion time of an entry (`getBeginInfo` of x/staking); undefined: it is complete at once. */
function beginInfo({ state, block }: StakingContext, { operator, status }: Stake) {
  if (status === 'unbonded') return undefined
  if (status === 'unbonding') {
    const validator = state.validators.at(operator)
    return { creationHeight: validator.member('unbondingHeight'), completionTime: validator.member('unbondingTime') }
  }
  return { creationHeight: block.number, completionTime: block.timestamp + state.params.get().unbondingTime }
}

/** Completes mature redelegation entries, at most `MAX_ENDED_PER_BLOCK`. */
export function completeRedelegations(context: StakingContext): void {
  const { state, block } = context
  for (const { key } of takeDue(state.endingRedelegations, block.timestamp, context.mostEnded)) {
    const { entries, ...route } = state.redelegations.at(key).get()
    if (entries.length === 0) continue
    setEntries(
      context,
      route,
      entries.filter(({ completionTime }) => completionTime > block.timestamp),
    )
  }
}

/**
 * Slashes the entries of one redelegation from the slashed validator: first burns tokens that are unbonding from the
 * destination, then tokens of the delegation to it. Returns the slashed amount, even if fewer tokens could be burnt.
 */
export function slashRedelegation(context: StakingContext, key: Hash, slash: SlashOf): bigint {
  const { entries, ...route } = context.state.redelegations.at(key).get()
  context.slashWork.left -= SLASH_WORK.look * entries.length
  let total = 0n
  for (const entry of entries) {
    if (!isLiable(entry, slash)) continue
    const part = slashOfEntry(entry, slash.fraction)
    total += part
    burnAtDestination(context, route, entry, part, slash)
  }
  return total
}

/** Burns the slashed amount of an entry, at most the delegator's tokens at the destination. */
function burnAtDestination(
  context: StakingContext,
  { delegator, destination }: Route,
  { sharesDst }: RedelegationEntry,
  part: bigint,
  slash: SlashOf,
): void {
  let left = part
  burnFromEntries(context, delegator, destination, slash, ({ balance }) => {
    const taken = balance < left ? balance : left
    left -= taken
    return taken
  })
  const validator = findStake(context, destination)
  const owned = sharesOf(context, delegator, destination)
  if (validator === undefined || hasInvalidExchangeRate(validator) || owned === 0n || left === 0n) return
  const asked = context.slashingVersion === 1 ? sharesOfRemainder(validator, left) : mul(slash.fraction, sharesDst)
  const shares = asked < owned ? asked : owned
  if (shares === 0n) return
  context.slashWork.left -= SLASH_WORK.unbond
  context.bank.burn(poolOf(validator.status), unbond(context, delegator, destination, shares))
}

/**
 * Version 1: the present shares of the amount that unbonding entries have not covered. The Cosmos SDK (0.47 to 0.53) removes the
 * slashed fraction of the entry's first shares, even if unbonding entries have covered a part of the amount.
 */
const sharesOfRemainder = (validator: Stake, left: bigint): Dec => sharesFromTokens(validator, left)
