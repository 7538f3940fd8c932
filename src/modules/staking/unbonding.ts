// Unbonding delegations: tokens that have left their validator and wait in the not-bonded pool, still liable for its
// faults, until they are paid out at the end of a block, or bonded again.

import { toBech32 } from '../../lib/bech32.ts'
import { type Dec, mulInt, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT, operatorPrefix } from '../../spec/addresses.ts'
import { schedule, takeDue } from '../calendar.ts'
import { reverted } from '../module.ts'
import { MAX_ENDED_PER_BLOCK, nextEntryId, SLASH_WORK, type StakingContext } from './context.ts'
import { bond, sharesWorth, unbond } from './delegations.ts'
import type { PendingSlash, UnbondingEntry } from './layout.ts'
import { hasNoPrice, movePool, requireStake } from './validators.ts'

/** In order of creation. */
export const unbondingEntries = (
  { state }: StakingContext,
  delegator: Address,
  operator: Address,
): readonly UnbondingEntry[] => state.unbondings.at(delegator).get(operator) ?? []

function setEntries(
  { state }: StakingContext,
  delegator: Address,
  operator: Address,
  entries: readonly UnbondingEntry[],
): void {
  if (entries.length > 0) {
    state.unbondings.at(delegator).set(operator, entries)
    state.unbonders.at(operator).set(delegator, true)
  } else {
    state.unbondings.at(delegator).delete(operator)
    state.unbonders.at(operator).delete(delegator)
  }
}

/** Begins the way back of `amount` tokens. Returns when they will be paid out. */
export function undelegate(context: StakingContext, delegator: Address, operator: Address, amount: bigint): bigint {
  const { state, block } = context
  const { status } = requireStake(context, operator)
  const shares = sharesWorth(context, delegator, operator, amount)
  const { maxEntries, unbondingTime } = state.params.get()
  if (BigInt(unbondingEntries(context, delegator, operator).length) >= maxEntries) {
    throw reverted('too many unbonding delegation entries for (delegator, validator) tuple')
  }
  const tokens = unbond(context, delegator, operator, shares)
  movePool(context, status, 'unbonding', tokens)
  const time = block.timestamp + unbondingTime
  addEntry(context, delegator, operator, tokens, time)
  schedule(state.endingUnbondings, { time, delegator, operator })
  return time
}

/** A further entry, or more in the one of this very block. */
function addEntry(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  tokens: bigint,
  completionTime: bigint,
): void {
  const creationHeight = context.block.number
  const entries = unbondingEntries(context, delegator, operator)
  const isSame = (entry: UnbondingEntry) =>
    entry.creationHeight === creationHeight && entry.completionTime === completionTime
  const changed = entries.some(isSame)
    ? entries.map((entry) => (isSame(entry) ? { ...entry, ...added(entry, tokens) } : entry))
    : [
        ...entries,
        { id: nextEntryId(context), creationHeight, completionTime, initialBalance: tokens, balance: tokens },
      ]
  setEntries(context, delegator, operator, changed)
}

const added = ({ initialBalance, balance }: UnbondingEntry, tokens: bigint) => ({
  initialBalance: initialBalance + tokens,
  balance: balance + tokens,
})

/** Bonds tokens again that an entry of this block number holds. Returns the new shares. */
export function cancelUnbonding(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  amount: bigint,
  creationHeight: bigint,
): Dec {
  const validator = requireStake(context, operator)
  if (context.state.validators.at(operator).member('jailed'))
    throw reverted('validator for this address is currently jailed')
  if (hasNoPrice(validator)) throw reverted('cannot delegate to validators with invalid (zero) ex-rate')
  const entries = unbondingEntries(context, delegator, operator)
  if (entries.length === 0) {
    const names = [toBech32(context.prefix, delegator), toBech32(operatorPrefix(context.prefix), operator)]
    throw reverted(`unbonding delegation with delegator ${names[0]} not found for validator ${names[1]}: not found`)
  }
  const entry = entries.find(
    (of) => of.creationHeight === creationHeight && of.completionTime >= context.block.timestamp,
  )
  if (entry === undefined) {
    throw reverted(`unbonding delegation entry is not found at block height ${creationHeight}: not found`)
  }
  if (entry.balance < amount) {
    throw reverted('amount is greater than the unbonding delegation entry balance: invalid request')
  }
  const shares = bond(context, delegator, operator, amount, 'unbonding')
  const rest = { ...entry, ...added(entry, -amount) }
  const changed = entries.map((of) => (of.id === entry.id ? rest : of))
  setEntries(
    context,
    delegator,
    operator,
    changed.filter((of) => of !== rest || of.balance > 0n),
  )
  return shares
}

/** Completes unbonding entries whose time is over, at most `MAX_ENDED_PER_BLOCK`. */
export function payUnbonded(context: StakingContext): void {
  const { state, block, bank } = context
  const isDue = ({ completionTime }: UnbondingEntry) => completionTime <= block.timestamp
  for (const { delegator, operator } of takeDue(state.endingUnbondings, block.timestamp, MAX_ENDED_PER_BLOCK)) {
    const entries = unbondingEntries(context, delegator, operator)
    // An entry that was cancelled, or paid together with another, is no longer there.
    if (!entries.some(isDue)) continue
    setEntries(
      context,
      delegator,
      operator,
      entries.filter((entry) => !isDue(entry)),
    )
    const paid = entries.filter(isDue).reduce((sum, { balance }) => sum + balance, 0n)
    if (paid > 0n) bank.giveBack(MODULE_ACCOUNT.notBondedPool, delegator, paid)
  }
}

/** The inputs of a slash of entries. */
export type SlashOf = Pick<PendingSlash, 'fraction' | 'infractionHeight' | 'time'>

/** Whether an entry's tokens were bonded when the fault happened, and still waited when it was reported. */
export const isLiable = (
  { creationHeight, completionTime }: Pick<UnbondingEntry, 'creationHeight' | 'completionTime'>,
  { infractionHeight, time }: SlashOf,
): boolean => creationHeight >= infractionHeight && completionTime > time

/** The part of an entry that a slash takes, however much of it is left. */
export const slashOfEntry = ({ initialBalance }: Pick<UnbondingEntry, 'initialBalance'>, fraction: Dec): bigint =>
  truncateInt(mulInt(fraction, initialBalance))

/** Burns what a delegator's liable entries at the slashed validator owe. Returns what they owe, burnt or not. */
export function slashUnbonding(context: StakingContext, delegator: Address, operator: Address, slash: SlashOf): bigint {
  let total = 0n
  burnFromEntries(context, delegator, operator, slash, (entry) => {
    const part = slashOfEntry(entry, slash.fraction)
    total += part
    return part
  })
  return total
}

/** Burns of each liable entry what `take` asks, as far as it is there. */
export function burnFromEntries(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  slash: SlashOf,
  take: (entry: UnbondingEntry) => bigint,
): void {
  const { slashWork, bank } = context
  let burnt = 0n
  const entries = unbondingEntries(context, delegator, operator)
  slashWork.left -= SLASH_WORK.look * entries.length
  const changed = entries.map((entry) => {
    if (!isLiable(entry, slash)) return entry
    const asked = take(entry)
    const taken = asked < entry.balance ? asked : entry.balance
    if (taken > 0n) slashWork.left -= SLASH_WORK.burn
    burnt += taken
    return { ...entry, balance: entry.balance - taken }
  })
  if (burnt > 0n) setEntries(context, delegator, operator, changed)
  bank.burn(MODULE_ACCOUNT.notBondedPool, burnt)
}
