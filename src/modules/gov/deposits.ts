// Deposits on proposals. The governance account holds the coins until the proposal is over; then they are refunded or
// burnt.

import { fromInt, mul, truncateInt } from '../../lib/dec.ts'
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { reverted } from '../revert.ts'
import { coinText, type FoundProposal, type GovContext } from './context.ts'
import type { GovParams, ProposalRecord, ProposalState } from './layout.ts'

/** With what voting on a proposal begins. */
export const minDepositOf = (params: GovParams, { isExpedited }: Pick<ProposalRecord, 'isExpedited'>): bigint =>
  isExpedited ? params.expeditedMinDeposit : params.minDeposit

/** Throws ChainError when too little comes with a proposal itself. */
export function requireInitialDeposit(context: GovContext, isExpedited: boolean, amount: bigint): void {
  const params = context.state.params.get()
  // A fraction of an integer, rounded to an integer in the same way.
  const least = mul(params.minInitialDepositRatio, minDepositOf(params, { isExpedited }))
  if (amount >= least) return
  const [was, need] = [coinText(context, amount), coinText(context, least)]
  throw reverted(`was (${was}), need (${need}): minimum deposit is too small`)
}

/** Throws ChainError when a later deposit is too small to count. */
export function requireDeposit(context: GovContext, { record }: FoundProposal, amount: bigint): void {
  if (amount === 0n) throw reverted(': invalid coins')
  const params = context.state.params.get()
  const least = truncateInt(mul(fromInt(minDepositOf(params, record)), params.minDepositRatio))
  if (amount >= least) return
  const words = `received ${coinText(context, amount)} but need at least one of the following`
  throw reverted(`${words}: ${coinText(context, least)}: minimum deposit is too small`)
}

/** Takes a deposit, which may be nothing. Returns all that has come together by now. */
export function takeDeposit(
  { bank }: GovContext,
  { proposal, record }: FoundProposal,
  depositor: Address,
  amount: bigint,
): bigint {
  if (amount === 0n) return record.totalDeposit
  const { deposits } = proposal
  bank.transfer(depositor, MODULE_ACCOUNT.gov, amount)
  deposits.set(depositor, (deposits.get(depositor) ?? 0n) + amount)
  const totalDeposit = record.totalDeposit + amount
  proposal.record.update({ totalDeposit })
  return totalDeposit
}

/** Gives all deposits back. What was put down stays on record. */
export function refundDeposits({ bank }: GovContext, proposal: ProposalState): void {
  for (const [depositor, amount] of clearDeposits(proposal)) bank.transfer(MODULE_ACCOUNT.gov, depositor, amount)
}

export function burnDeposits({ bank }: GovContext, proposal: ProposalState): void {
  for (const [, amount] of clearDeposits(proposal)) bank.burn(MODULE_ACCOUNT.gov, amount)
}

/** Keeps the part of all deposits that a cancelled proposal costs, and gives the rest back. */
export function chargeDeposits(context: GovContext, proposal: ProposalState): void {
  const { bank, state } = context
  const { proposalCancelRatio, proposalCancelDest: destination } = state.params.get()
  let charged = 0n
  for (const [depositor, amount] of clearDeposits(proposal)) {
    const charge = truncateInt(mul(fromInt(amount), proposalCancelRatio))
    charged += charge
    bank.transfer(MODULE_ACCOUNT.gov, depositor, amount - charge)
  }
  if (destination === ZERO_ADDRESS) bank.burn(MODULE_ACCOUNT.gov, charged)
  else if (destination !== MODULE_ACCOUNT.distribution) bank.transfer(MODULE_ACCOUNT.gov, destination, charged)
  else context.governed.distribution.fundCommunityPool(MODULE_ACCOUNT.gov, charged)
}

/** Takes the deposits off the books; the coins are the caller's to move. */
function clearDeposits({ deposits }: ProposalState): readonly [Address, bigint][] {
  const all = [...deposits.entries()]
  for (const [depositor] of all.toReversed()) deposits.delete(depositor)
  return all
}
