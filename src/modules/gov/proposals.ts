// A proposal until its voting period ends: submission, deposits, votes, cancellation.

import { fromInt, mul, truncateInt } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { ZERO_ADDRESS } from '../../lib/hex.ts'
import { MODULE_ACCOUNT } from '../../spec/addresses.ts'
import { govVersion } from '../../spec/block-rules.ts'
import { type Order, schedule } from '../calendar.ts'
import { reverted } from '../module.ts'
import { coinText, type FoundProposal, type GovContext, nameOf, requireProposal } from './context.ts'
import {
  type Deadline,
  type GovParams,
  isDueBefore,
  type ProposalRecord,
  type ProposalState,
  type Vote,
} from './layout.ts'
import type { ProposalMessage } from './messages.ts'
import { LONGEST_METADATA, type ProposalSubmission, readStored, requireLength } from './submission.ts'

/** Stores a new proposal with its first deposit, which may be 0. Returns its id. */
export function submit(
  context: GovContext,
  proposer: Address,
  submission: ProposalSubmission,
  deposit: bigint,
): bigint {
  const { state, block } = context
  const { title, summary, metadata, messages, isExpedited, parsedMessages } = submission
  requireInitialDeposit(context, isExpedited, deposit)
  checkMessages(context, parsedMessages)
  const id = state.lastId.get() + 1n
  state.lastId.set(id)
  const depositEndTime = block.timestamp + state.params.get().maxDepositPeriod
  const proposal = state.proposals.at(id)
  proposal.record.set({
    status: 'deposit',
    proposer,
    submitTime: block.timestamp,
    depositEndTime,
    votingStartTime: 0n,
    votingEndTime: 0n,
    totalDeposit: 0n,
    isExpedited,
    tally: { yes: 0n, abstain: 0n, no: 0n, noWithVeto: 0n },
    size: BigInt([title, summary, metadata, ...messages].reduce((sum, of) => sum + Buffer.byteLength(of, 'utf8'), 0)),
  })
  proposal.texts.set({ title, summary, metadata, failure: '' })
  proposal.messages.set(messages)
  schedule(state.depositEnds, { time: depositEndTime, id }, orderOf(context))
  addDeposit(context, requireProposal(context, id), proposer, deposit)
  return id
}

/** In version 2 the calendars are in order of time and id; version 1 sorts what is due. */
const orderOf = ({ spec }: GovContext): Order<Deadline> | undefined =>
  govVersion(spec) === 2 ? isDueBefore : undefined

/** Throws ChainError `message <index>: <why>` for the first message that could not be executed. */
function checkMessages({ governed }: GovContext, parsedMessages: readonly ProposalMessage[]): void {
  for (const [index, message] of parsedMessages.entries()) {
    try {
      message.check(governed)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      throw new ChainError('execution-reverted', `message ${index}: ${error.message}`, undefined, error.detail)
    }
  }
}

/** Adds a deposit to a proposal that has not ended. */
export function deposit(context: GovContext, id: bigint, depositor: Address, amount: bigint): void {
  const found = requireProposal(context, id)
  if (!isOpen(context, found)) throw reverted(`${id}: inactive proposal`)
  requireDeposit(context, found, amount)
  addDeposit(context, found, depositor, amount)
}

function addDeposit(context: GovContext, found: FoundProposal, depositor: Address, amount: bigint): void {
  const total = takeDeposit(context, found, depositor, amount)
  const { record } = found
  if (record.status === 'deposit' && total >= minDepositOf(context.state.params.get(), record)) {
    beginVoting(context, found)
  }
}

function beginVoting(context: GovContext, { id, proposal, record }: FoundProposal): void {
  const { state, block } = context
  const { votingPeriod, expeditedVotingPeriod } = state.params.get()
  const votingStartTime = block.timestamp
  const votingEndTime = votingStartTime + (record.isExpedited ? expeditedVotingPeriod : votingPeriod)
  proposal.record.update({ status: 'voting', votingStartTime, votingEndTime })
  schedule(state.votingEnds, { time: votingEndTime, id }, orderOf(context))
  adjustContested(context, proposal, 1n)
}

/**
 * Changes the number of open votes of each vesting account that a proposal would claw back: 1 when voting begins, -1 when it
 * ends.
 */
export function adjustContested({ spec, state }: GovContext, proposal: ProposalState, change: 1n | -1n): void {
  for (const message of proposal.messages.get()) {
    const { contested } = readStored(spec, message)
    if (contested === undefined) continue
    const votes = state.contested.at(contested)
    votes.set(votes.get() + change)
  }
}

/** Cancels a proposal; its proposer loses the fraction `proposalCancelRatio` of the deposits. */
export function cancel(context: GovContext, id: bigint, proposer: Address): void {
  const found = requireProposal(context, id)
  const { proposal, record } = found
  if (record.proposer !== proposer) {
    throw reverted(`invalid proposer ${nameOf(context, proposer)}: invalid proposer`)
  }
  if (!isOpen(context, found)) throw reverted('proposal should be in the deposit or voting period: invalid proposal')
  if (record.status === 'voting' && record.votingEndTime < context.block.timestamp) {
    throw reverted(`voting period is already ended for this proposal ${id}: voting period already ended`)
  }
  if (record.status === 'voting') adjustContested(context, proposal, -1n)
  chargeDeposits(context, proposal)
  clearVotes(proposal)
  removeProposal(proposal)
}

const isOpen = (context: GovContext, { id, record: { status } }: FoundProposal): boolean =>
  (status === 'deposit' || status === 'voting') && !isEnding(context, id)

/** Whether the proposal's period is over and its end has begun (`ending.ts`). */
export const isEnding = ({ spec, state }: Pick<GovContext, 'spec' | 'state'>, id: bigint): boolean =>
  govVersion(spec) === 2 && state.ending.member('id') === id

/** Deletes a proposal whose deposits and votes are already deleted. */
export function removeProposal(proposal: ProposalState): void {
  for (const part of [proposal.record, proposal.texts, proposal.messages]) part.clear()
}

/** Stores a vote and replaces the voter's former one. The tally determines its stake. */
export function vote(context: GovContext, id: bigint, voter: Address, of: Vote): void {
  const { proposal, record } = requireProposal(context, id)
  if (record.status !== 'voting' || isEnding(context, id)) throw reverted(`${id}: inactive proposal`)
  requireLength('metadata', of.metadata, LONGEST_METADATA)
  proposal.votes.set(voter, of)
}

export function clearVotes({ votes }: ProposalState): void {
  for (const voter of [...votes.keys()].reverse()) votes.delete(voter)
}

/** The deposit with which voting begins. */
export const minDepositOf = (params: GovParams, { isExpedited }: Pick<ProposalRecord, 'isExpedited'>): bigint =>
  isExpedited ? params.expeditedMinDeposit : params.minDeposit

/** Throws ChainError if the deposit at submission is too small. */
export function requireInitialDeposit(context: GovContext, isExpedited: boolean, amount: bigint): void {
  const params = context.state.params.get()
  // A fraction of an integer, rounded to an integer like the SDK.
  const least = mul(params.minInitialDepositRatio, minDepositOf(params, { isExpedited }))
  if (amount >= least) return
  const was = coinText(context, amount)
  const need = coinText(context, least)
  throw reverted(`was (${was}), need (${need}): minimum deposit is too small`)
}

/** Throws ChainError if a later deposit is too small. */
export function requireDeposit(context: GovContext, { record }: FoundProposal, amount: bigint): void {
  if (amount === 0n) throw reverted(': invalid coins')
  const params = context.state.params.get()
  const least = truncateInt(mul(fromInt(minDepositOf(params, record)), params.minDepositRatio))
  if (amount >= least) return
  const words = `received ${coinText(context, amount)} but need at least one of the following`
  throw reverted(`${words}: ${coinText(context, least)}: minimum deposit is too small`)
}

/** Adds a deposit, which may be 0. Returns the total deposit. */
export function takeDeposit(
  context: GovContext,
  { proposal, record }: FoundProposal,
  depositor: Address,
  amount: bigint,
): bigint {
  if (amount === 0n) return record.totalDeposit
  const { bank } = context
  adjustOpenDeposits(context, amount)
  const { deposits } = proposal
  bank.transfer(depositor, MODULE_ACCOUNT.gov, amount)
  deposits.set(depositor, (deposits.get(depositor) ?? 0n) + amount)
  const totalDeposit = record.totalDeposit + amount
  proposal.record.update({ totalDeposit })
  return totalDeposit
}

/** Refunds all deposits. The recorded total stays. */
export function refundDeposits(context: GovContext, proposal: ProposalState): void {
  for (const [depositor, amount] of clearDeposits(context, proposal))
    context.bank.transfer(MODULE_ACCOUNT.gov, depositor, amount)
}

export function burnDeposits(context: GovContext, proposal: ProposalState): void {
  for (const [, amount] of clearDeposits(context, proposal)) context.bank.burn(MODULE_ACCOUNT.gov, amount)
}

/** Refunds or burns one deposit. */
export function closeDeposit(
  context: GovContext,
  { deposits }: ProposalState,
  depositor: Address,
  burns: boolean,
): void {
  const amount = deposits.get(depositor) ?? 0n
  adjustOpenDeposits(context, -amount)
  deposits.delete(depositor)
  if (burns) context.bank.burn(MODULE_ACCOUNT.gov, amount)
  else context.bank.transfer(MODULE_ACCOUNT.gov, depositor, amount)
}

function adjustOpenDeposits({ spec, state }: GovContext, change: bigint): void {
  if (govVersion(spec) === 1) return
  state.openDeposits.set(state.openDeposits.get() + change)
}

/** Base units that the governance account holds beside the deposits of open proposals. */
export const ownCoins = ({ bank, state }: GovContext): bigint =>
  bank.balance(MODULE_ACCOUNT.gov) - state.openDeposits.get()

/** Keeps the fraction of all deposits that a cancellation costs, and refunds the rest. */
export function chargeDeposits(context: GovContext, proposal: ProposalState): void {
  const { bank, state } = context
  const { proposalCancelRatio, proposalCancelDest: destination } = state.params.get()
  let charged = 0n
  for (const [depositor, amount] of clearDeposits(context, proposal)) {
    const charge = truncateInt(mul(fromInt(amount), proposalCancelRatio))
    charged += charge
    bank.transfer(MODULE_ACCOUNT.gov, depositor, amount - charge)
  }
  if (destination === ZERO_ADDRESS) bank.burn(MODULE_ACCOUNT.gov, charged)
  else if (destination !== MODULE_ACCOUNT.distribution) bank.transfer(MODULE_ACCOUNT.gov, destination, charged)
  else context.governed.distribution.fundCommunityPool(MODULE_ACCOUNT.gov, charged)
}

/** Deletes the deposits; the caller moves the coins. */
function clearDeposits(context: GovContext, { deposits }: ProposalState): readonly [Address, bigint][] {
  const all = [...deposits.entries()]
  adjustOpenDeposits(context, -all.reduce((sum, [, amount]) => sum + amount, 0n))
  for (const [depositor] of all.toReversed()) deposits.delete(depositor)
  return all
}
