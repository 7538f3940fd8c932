// Redelegations: tokens move from one validator to another at once, but answer for the faults of the one they left until
// the unbonding time is over. Until then they may not be redelegated again (no transitive redelegation, as in the SDK).

import type { Dec } from '../../lib/dec.ts'
import { type Address, fromHex, type Hash } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { schedule, takeDue } from '../calendar.ts'
import { reverted } from '../module.ts'
import { MAX_ENDED_PER_BLOCK, nextEntryId, type StakingContext } from './context.ts'
import { bond, sharesOf, sharesWorth, unbond } from './delegations.ts'
import type { Redelegation, RedelegationEntry } from './layout.ts'
import { burnFromEntries, isLiable, type SlashOf, slashOfEntry } from './unbonding.ts'
import { findStake, hasNoPrice, poolOf, requireStake, type Stake, sharesFromTokens } from './validators.ts'

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
 * Moves `amount` tokens of a delegation to another validator. Returns when they stop answering for the old one:
 * at once if that is unbonded.
 */
export function redelegate(context: StakingContext, route: Route, amount: bigint): bigint {
  const { state, block } = context
  const { delegator, source, destination } = route
  if (source === destination) throw reverted('cannot redelegate to the same validator')
  if (!state.operators.has(destination)) throw reverted('redelegation destination validator not found')
  const from = requireStake(context, source)
  const shares = sharesWorth(context, delegator, source, amount)
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
  const sharesDst = bond(context, delegator, destination, tokens, from.status)
  const liability = liabilityOf(context, from)
  if (liability === undefined) return block.timestamp
  const entry = { id: nextEntryId(context), ...liability, initialBalance: tokens, sharesDst }
  setEntries(context, route, [...redelegationEntries(context, route), entry])
  schedule(state.endingRedelegations, { time: liability.completionTime, key: keyOf(route) })
  return liability.completionTime
}

/** Since when and until when tokens that leave the validator now answer for it; undefined: they do not. */
function liabilityOf({ state, block }: StakingContext, { operator, status }: Stake) {
  if (status === 'unbonded') return undefined
  if (status === 'unbonding') {
    const validator = state.validators.at(operator)
    return { creationHeight: validator.member('unbondingHeight'), completionTime: validator.member('unbondingTime') }
  }
  return { creationHeight: block.number, completionTime: block.timestamp + state.params.get().unbondingTime }
}

/** Deletes redelegation entries whose time is over, at most `MAX_ENDED_PER_BLOCK`. */
export function finishRedelegations(context: StakingContext): void {
  const { state, block } = context
  for (const { key } of takeDue(state.endingRedelegations, block.timestamp, MAX_ENDED_PER_BLOCK)) {
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
 * Takes the slash of a validator from the tokens that have moved on from it: first from what is unbonding at their
 * destination, then from the delegation there. Returns what the slash comes to, burnt or not.
 */
export function slashRedelegations(context: StakingContext, source: Address, slash: SlashOf): bigint {
  const { state, block } = context
  let total = 0n
  for (const key of [...state.redelegationsFrom.at(source).keys()]) {
    const { delegator, destination, entries } = state.redelegations.at(key).get()
    for (const entry of entries) {
      if (!isLiable(entry, slash.infractionHeight, block.timestamp)) continue
      const part = slashOfEntry(entry, slash.fraction)
      total += part
      burnAt(context, delegator, destination, part, slash.infractionHeight)
    }
  }
  return total
}

/** Burns up to `amount` of what a delegator has at a validator. */
function burnAt(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  amount: bigint,
  infractionHeight: bigint,
): void {
  let left = amount
  const unbonding = burnFromEntries(context, delegator, operator, infractionHeight, ({ balance }) => {
    const taken = balance < left ? balance : left
    left -= taken
    return taken
  })
  context.bank.burn(MODULE_ACCOUNT.notBondedPool, unbonding)
  const validator = findStake(context, operator)
  if (validator === undefined || hasNoPrice(validator)) return
  const shares = sharesToBurn(validator, left, sharesOf(context, delegator, operator))
  if (shares === 0n) return
  context.bank.burn(poolOf(validator.status), unbond(context, delegator, operator, shares))
}

/** Shares worth an amount, but no more than are owned. */
function sharesToBurn(validator: Stake, amount: bigint, owned: Dec): Dec {
  if (amount === 0n || owned === 0n) return 0n
  const shares = sharesFromTokens(validator, amount)
  return shares < owned ? shares : owned
}
