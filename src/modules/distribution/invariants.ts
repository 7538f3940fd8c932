// Invariants of the distribution's accounts at the end of every block, for tests and `dev_invariants`.
import { type Dec, formatDec, fromInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { booksOf, type DistributionContext } from './context.ts'
import { afterSlashes, earned, isEarning, worthOf } from './rewards.ts'

/** The broken ones, in words; empty when all is well. */
export function distributionInvariants(context: DistributionContext): string[] {
  const operators = context.staking().operators()
  return [
    ...solvency(context, operators),
    ...operators.flatMap((operator) => [
      ...debts(context, operator),
      ...stakes(context, operator),
      ...references(context, operator),
    ]),
  ]
}

/** The account holds what is owed and the community pool. (It may hold more: anyone can send it coins.) */
function solvency(context: DistributionContext, operators: readonly Address[]): string[] {
  const outstanding = operators.reduce((sum, operator) => sum + booksOf(context, operator).outstanding.get(), 0n)
  const due = outstanding + context.state.communityPool.get()
  const held = fromInt(context.bank.balance(MODULE_ACCOUNT.distribution))
  return held >= due ? [] : [`${formatDec(held)} held, ${formatDec(due)} due`]
}

/** Rounding error: a delegation's claim or stake may exceed what is left by this much; the last to withdraw gets less. */
const MARGIN: Dec = 10n ** 6n

/** All claims on a validator's rewards together are within what is outstanding. */
function debts(context: DistributionContext, operator: Address): string[] {
  const { outstanding, commission } = booksOf(context, operator)
  const delegations = context.staking().delegationsTo(operator)
  const owed = delegations.reduce((sum, { delegator }) => sum + earned(context, delegator, operator), commission.get())
  const there = outstanding.get()
  return owed <= there + MARGIN * BigInt(delegations.length)
    ? []
    : [`${operator} owes ${formatDec(owed)} of ${formatDec(there)}`]
}

/** No delegation earns for more than it is worth. */
function stakes(context: DistributionContext, operator: Address): string[] {
  return context
    .staking()
    .delegationsTo(operator)
    .flatMap(({ delegator }) => {
      const { stake } = afterSlashes(context, delegator, operator)
      const worth = worthOf(context, delegator, operator)
      return stake <= worth + MARGIN
        ? []
        : [`stake of ${delegator} at ${operator} is ${formatDec(stake)}, worth ${formatDec(worth)}`]
    })
}

/** Every delegation earns, and every period is held as often as it is needed. */
function references(context: DistributionContext, operator: Address): string[] {
  const { current, historical, slashes, starting } = booksOf(context, operator)
  const delegators = context
    .staking()
    .delegationsTo(operator)
    .map(({ delegator }) => delegator)
  const idle = delegators.filter((delegator) => !isEarning(context, delegator, operator))
  const needed = new Map<bigint, bigint>()
  const need = (period: bigint) => needed.set(period, (needed.get(period) ?? 0n) + 1n)
  need(current.get().period - 1n)
  for (const { period } of slashes.get()) need(period)
  for (const delegator of delegators) need(starting.at(delegator).get().previousPeriod)
  const wrong = [...needed].filter(([period, count]) => historical.at(period).get().references !== count)
  return [
    ...idle.map((delegator) => `delegation of ${delegator} to ${operator} earns nothing`),
    ...wrong.map(([period, count]) => `period ${period} of ${operator} is not held ${count} times`),
  ]
}
