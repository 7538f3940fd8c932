// Unbonding delegations: tokens that have left their validator and stay in the not-bonded pool until the end of the unbonding
// time. They can be slashed until then, and delegated again by a cancellation.

import { toBech32 } from '../../lib/bech32.ts'
import { type Dec, mulInt, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT, operatorPrefix } from '../../spec/addresses.ts'
import { schedule, takeDue } from '../calendar.ts'
import { reverted } from '../module.ts'
import { nextEntryId, SLASH_WORK, type StakingContext } from './context.ts'
import { delegate, unbond, validateUnbondAmount } from './delegations.ts'
import type { PendingSlash, UnbondingEntry } from './layout.ts'
import { hasInvalidExchangeRate, movePool, requireStake } from './validators.ts'

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

/** Begins the unbonding of `amount` tokens. Returns the completion time. */
export function undelegate(context: StakingContext, delegator: Address, operator: Address, amount: bigint): bigint {
  const { state, block } = context
  const { status } = requireStake(context, operator)
  const shares = validateUnbondAmount(context, delegator, operator, amount)
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

/** Adds an entry, or adds the tokens to the entry of the same block. */
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

/** Delegates tokens of the entry with this creation height again. Returns the new shares. */
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
  if (hasInvalidExchangeRate(validator)) throw reverted('cannot delegate to validators with invalid (zero) ex-rate')
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
  const shares = delegate(context, delegator, operator, amount, 'unbonding')
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

/** Completes mature unbonding entries, at most `MAX_ENDED_PER_BLOCK`, and pays their balances. */
export function completeUnbondings(context: StakingContext): void {
  const { state, block, bank } = context
  const isDue = ({ completionTime }: UnbondingEntry) => completionTime <= block.timestamp
  for (const { delegator, operator } of takeDue(state.endingUnbondings, block.timestamp, context.mostEnded)) {
    const entries = unbondingEntries(context, delegator, operator)
    // The entry may have been cancelled, or completed together with another one of the pair.
    if (!entries.some(isDue)) continue
    setEntries(
      context,
      delegator,
      operator,
      entries.filter((entry) => !isDue(entry)),
    )
    const paid = entries.filter(isDue).reduce((sum, { balance }) => sum + balance, 0n)
    if (paid > 0n) bank.undelegate(MODULE_ACCOUNT.notBondedPool, delegator, paid)
  }
}

/** The inputs of a slash of entries. */
export type SlashOf = Pick<PendingSlash, 'fraction' | 'infractionHeight' | 'time'>

/** Whether an entry's tokens were bonded at the infraction height, and not complete at the time of the report. */
export const isLiable = (
  { creationHeight, completionTime }: Pick<UnbondingEntry, 'creationHeight' | 'completionTime'>,
  { infractionHeight, time }: SlashOf,
): boolean => creationHeight >= infractionHeight && completionTime > time

/** The slashed amount of an entry, computed from its initial balance. */
export const slashOfEntry = ({ initialBalance }: Pick<UnbondingEntry, 'initialBalance'>, fraction: Dec): bigint =>
  truncateInt(mulInt(fraction, initialBalance))

/** Slashes a delegator's unbonding entries. Returns the slashed amount, even if the balances were smaller. */
export function slashUnbondingDelegation(
  context: StakingContext,
  delegator: Address,
  operator: Address,
  slash: SlashOf,
): bigint {
  let total = 0n
  burnFromEntries(context, delegator, operator, slash, (entry) => {
    const part = slashOfEntry(entry, slash.fraction)
    total += part
    return part
  })
  return total
}

/** Burns the amount that `take` returns for each liable entry, at most its balance. */
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
