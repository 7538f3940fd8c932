// F1: rewards without touching delegations. A validator's time is cut into periods, in which no delegation to it changes.
// Of every period that is still needed there is the sum of rewards per token up to its end; a delegation has earned the
// difference of two such sums times its stake. A slash ends a period too, because it changes all stakes at once.
import { type Dec, fromInt, mul, mulTruncate, ONE, quoTruncate, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { reverted } from '../module.ts'
import type { BondedValidator } from '../staking/layout.ts'
import { tokensFromSharesTruncated } from '../staking/validators.ts'
import { booksOf, type DistributionContext, giveToPool, pay, validatorOf } from './context.ts'
import type { Books, SlashEvent } from './layout.ts'

/** Begins a validator's books. */
export function openBooks(context: DistributionContext, operator: Address): void {
  const { historical, current } = booksOf(context, operator)
  historical.at(0n).set({ cumulativeRatio: 0n, references: 1n })
  current.set({ period: 1n, rewards: 0n })
}

/** Deletes the records of a validator that has no delegations. */
export function closeBooks(context: DistributionContext, operator: Address): void {
  const { outstanding, commission, current, historical, slashes } = booksOf(context, operator)
  historical.at(current.get().period - 1n).clear()
  for (const { period } of slashes.get()) historical.at(period).clear()
  for (const cell of [outstanding, commission, current, slashes]) cell.clear()
}

const ratioAt = ({ historical }: Books, period: bigint): Dec => historical.at(period).member('cumulativeRatio')

/** What the running period's sum would be if it ended now. */
function ratioNow(books: Books, tokens: bigint): Dec {
  const { period, rewards } = books.current.get()
  const before = ratioAt(books, period - 1n)
  return tokens === 0n ? before : before + quoTruncate(rewards, fromInt(tokens))
}

/** Ends the running period. Returns its number. */
export function endPeriod(context: DistributionContext, operator: Address): bigint {
  const books = booksOf(context, operator)
  const { tokens } = validatorOf(context, operator)
  const { period, rewards } = books.current.get()
  const cumulativeRatio = ratioNow(books, tokens)
  if (tokens === 0n) {
    // No delegation shares them.
    giveToPool(context, rewards)
    books.outstanding.set(books.outstanding.get() - rewards)
  }
  release(books, period - 1n)
  books.historical.at(period).set({ cumulativeRatio, references: 1n })
  books.current.set({ period: period + 1n, rewards: 0n })
  return period
}

function hold({ historical }: Books, period: bigint): void {
  const record = historical.at(period)
  record.update({ references: record.member('references') + 1n })
}

/** Deletes a period when its last reference is released. */
function release({ historical }: Books, period: bigint): void {
  const record = historical.at(period)
  const references = record.member('references') - 1n
  if (references === 0n) record.clear()
  else record.update({ references })
}

/** Ends the period, because the validator will lose a fraction of its tokens. */
export function recordSlash(context: DistributionContext, operator: Address, fraction: Dec): void {
  const books = booksOf(context, operator)
  const period = endPeriod(context, operator)
  hold(books, period)
  books.slashes.push({ height: context.block.number, period, fraction })
}

/** Place of the first slash at or after a height. */
export function firstSlashFrom({ slashes }: Books, height: bigint): number {
  let [from, to] = [0, slashes.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((slashes.at(middle)?.height ?? 0n) < height) from = middle + 1
    else to = middle
  }
  return from
}

/** Whether the account has a delegation whose rewards are recorded. */
export const isEarning = (context: DistributionContext, delegator: Address, operator: Address): boolean =>
  booksOf(context, operator).starting.at(delegator).member('previousPeriod') > 0n

/** Lets a delegation earn from here on, with the shares it has now. The running period must just have begun. */
export function beginEarning(context: DistributionContext, delegator: Address, operator: Address): void {
  const books = booksOf(context, operator)
  const shares = context.staking().delegation(delegator, operator)?.shares ?? 0n
  const stake = tokensFromSharesTruncated(validatorOf(context, operator), shares)
  const previousPeriod = books.current.member('period') - 1n
  hold(books, previousPeriod)
  books.starting.at(delegator).set({ previousPeriod, stake, height: context.block.number })
}

/** The delegation has been paid and earns no more. */
export function endEarning(context: DistributionContext, delegator: Address, operator: Address): void {
  const books = booksOf(context, operator)
  const info = books.starting.at(delegator)
  release(books, info.member('previousPeriod'))
  info.clear()
}

/** Slashes since the delegation began to earn, oldest first. */
export function slashesSince(context: DistributionContext, delegator: Address, operator: Address): SlashEvent[] {
  const books = booksOf(context, operator)
  const { height, previousPeriod } = books.starting.at(delegator).get()
  const events: SlashEvent[] = []
  for (let place = firstSlashFrom(books, height); place < books.slashes.length; place++) {
    const event = books.slashes.at(place)
    // One of the same block may have been before.
    if (event !== undefined && event.period > previousPeriod) events.push(event)
  }
  return events
}

/** What a delegation has earned and was not yet paid, as if the period ended now. Writes nothing. */
export function earned(context: DistributionContext, delegator: Address, operator: Address): Dec {
  const books = booksOf(context, operator)
  // Rewards come at the beginning of a block: there were none since.
  if (books.starting.at(delegator).member('height') === context.block.number) return 0n
  const { rewards, stake, ratio } = afterSlashes(context, delegator, operator)
  // Rounding may leave the stake some units above what the delegation is worth. (Where the two are more than three units
  // apart the SDK halts. That would lock the delegation; here the invariants tell of it.)
  const worth = worthOf(context, delegator, operator)
  const { tokens } = validatorOf(context, operator)
  return rewards + mulTruncate(ratioNow(books, tokens) - ratio, stake < worth ? stake : worth)
}

/** What a delegation had earned at the last slash, the stake that it left, and the sum of rewards per token then. */
export function afterSlashes(context: DistributionContext, delegator: Address, operator: Address) {
  const books = booksOf(context, operator)
  const { previousPeriod, stake: first } = books.starting.at(delegator).get()
  let stake = first
  let ratio = ratioAt(books, previousPeriod)
  let rewards = 0n
  for (const { period, fraction } of slashesSince(context, delegator, operator)) {
    const then = ratioAt(books, period)
    rewards += mulTruncate(then - ratio, stake)
    stake = mulTruncate(stake, ONE - fraction)
    ratio = then
  }
  return { rewards, stake, ratio }
}

/** Tokens that the delegation is worth by its shares. */
export function worthOf({ staking }: DistributionContext, delegator: Address, operator: Address): Dec {
  const shares = staking().delegation(delegator, operator)?.shares ?? 0n
  return staking().tokensFromShares(operator, shares)
}

/** Base units that one block shares out at most; the rest waits. So no sum here can outgrow its slot. */
const MOST_A_BLOCK = 2n ** 128n

/** Shares the fees that were collected: the tax for the community pool, the rest by power. */
export function allocateFees(context: DistributionContext): void {
  const { bank, state } = context
  const collected = bank.balance(MODULE_ACCOUNT.feeCollector)
  const fees = collected < MOST_A_BLOCK ? collected : MOST_A_BLOCK
  if (fees === 0n) return
  bank.transfer(MODULE_ACCOUNT.feeCollector, MODULE_ACCOUNT.distribution, fees)
  const bonded = earners(context)
  const total = bonded.reduce((sum, { power }) => sum + power, 0n)
  const shared = mulTruncate(fromInt(fees), ONE - state.params.get().communityTax)
  let left = fromInt(fees)
  for (const { operator, power } of bonded) {
    const reward = mulTruncate(shared, quoTruncate(fromInt(power), fromInt(total)))
    allocateTo(context, operator, reward)
    left -= reward
  }
  giveToPool(context, left)
}

/**
 * Who shares a block's fees, with their power: in a network the voters of the commit (Cosmos SDK), who follow the bonded
 * validators two blocks later; else those who sign.
 */
function earners({ block, signers, staking }: DistributionContext): readonly BondedValidator[] {
  if (block.commit === undefined) return staking().bondedValidators()
  return block.commit.votes.flatMap(({ address, power }) => {
    const operator = signers(address)
    return operator === undefined || !staking().has(operator) ? [] : [{ operator, power }]
  })
}

/** The operator's commission comes off a validator's reward first. */
function allocateTo(context: DistributionContext, operator: Address, reward: Dec): void {
  const { outstanding, commission, current } = booksOf(context, operator)
  const taken = mul(reward, context.staking().commissionRate(operator))
  commission.set(commission.get() + taken)
  current.update({ rewards: current.member('rewards') + reward - taken })
  outstanding.set(outstanding.get() + reward)
}

/** Pays a delegation what it has earned; it does not earn any more. Returns the base units paid. */
export function payDelegation(context: DistributionContext, delegator: Address, operator: Address): bigint {
  const { outstanding } = booksOf(context, operator)
  const due = earned(context, delegator, operator)
  endPeriod(context, operator)
  const there = outstanding.get()
  // The last digits may claim more than there is.
  const rewards = due < there ? due : there
  const paid = truncateInt(rewards)
  outstanding.set(there - rewards)
  giveToPool(context, rewards - fromInt(paid))
  pay(context, delegator, paid)
  endEarning(context, delegator, operator)
  return paid
}

/** Pays an operator its commission; decimals stay. Throws ChainError when there is none. */
export function payCommission(context: DistributionContext, operator: Address): bigint {
  const { outstanding, commission } = booksOf(context, operator)
  const accumulated = commission.get()
  const paid = truncateInt(accumulated)
  if (paid === 0n) throw reverted('no validator commission to withdraw')
  commission.set(accumulated - fromInt(paid))
  outstanding.set(outstanding.get() - fromInt(paid))
  pay(context, operator, paid)
  return paid
}

/** Winds a removed validator up: the commission to its operator, the rest to the community pool. */
export function windUp(context: DistributionContext, operator: Address): void {
  const { outstanding, commission } = booksOf(context, operator)
  const paid = truncateInt(commission.get())
  pay(context, operator, paid)
  giveToPool(context, outstanding.get() - fromInt(paid))
  closeBooks(context, operator)
}
