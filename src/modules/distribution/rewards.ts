// How coins come in and go out: fees are shared among the bonded validators at the beginning of a block, delegators and
// operators take what is theirs. What rounding leaves over goes to the community pool, so nothing is ever lost.

import { type Dec, fromInt, mul, mulTruncate, ONE, quoTruncate, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { reverted } from '../revert.ts'
import { booksOf, type DistributionContext, giveToPool, pay } from './context.ts'
import { closeBooks, earned, endEarning, endPeriod } from './periods.ts'

/** Base units that one block shares out at most; the rest waits. So no sum here can outgrow its slot. */
const MOST_A_BLOCK = 2n ** 128n

/** Shares the fees that were collected: the tax for the community pool, the rest by power. */
export function allocateFees(context: DistributionContext): void {
  const { bank, state, staking } = context
  const collected = bank.balance(MODULE_ACCOUNT.feeCollector)
  const fees = collected < MOST_A_BLOCK ? collected : MOST_A_BLOCK
  if (fees === 0n) return
  bank.transfer(MODULE_ACCOUNT.feeCollector, MODULE_ACCOUNT.distribution, fees)
  const bonded = staking().bondedValidators()
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
