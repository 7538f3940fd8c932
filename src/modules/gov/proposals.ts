// The life of a proposal until its vote is over: submitted, paid for, voted on, and perhaps cancelled.
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { schedule } from '../staking/calendar.ts'
import { type Found, type GovContext, nameOf, refuse, requireProposal } from './context.ts'
import { chargeDeposits, minDepositOf, requireDeposit, requireInitialDeposit, takeDeposit } from './deposits.ts'
import type { ProposalState, Vote } from './layout.ts'
import type { Act } from './messages.ts'
import { LONGEST_METADATA, readStored, requireLength, type Submission } from './submission.ts'

/** Brings a proposal into being with its first deposit, which may be nothing. Returns its number. */
export function submit(context: GovContext, proposer: Address, submission: Submission, deposit: bigint): bigint {
  const { state, block } = context
  const { title, summary, metadata, messages, isExpedited, acts } = submission
  requireInitialDeposit(context, isExpedited, deposit)
  checkActs(context, acts)
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
  schedule(state.depositEnds, { time: depositEndTime, id })
  addDeposit(context, requireProposal(context, id), proposer, deposit)
  return id
}

/** Throws ChainError `message <index>: <why>` for the first message that could not be carried out. */
function checkActs({ reach }: GovContext, acts: readonly Act[]): void {
  for (const [index, act] of acts.entries()) {
    try {
      act.check(reach)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      throw new ChainError('execution-reverted', `message ${index}: ${error.message}`, undefined, error.detail)
    }
  }
}

/** Adds coins to a proposal that is not over. */
export function deposit(context: GovContext, id: bigint, depositor: Address, amount: bigint): void {
  const found = requireProposal(context, id)
  if (!isOpen(found)) throw refuse(`${id}: inactive proposal`)
  requireDeposit(context, found, amount)
  addDeposit(context, found, depositor, amount)
}

function addDeposit(context: GovContext, found: Found, depositor: Address, amount: bigint): void {
  const total = takeDeposit(context, found, depositor, amount)
  const { record } = found
  if (record.status === 'deposit' && total >= minDepositOf(context.state.params.get(), record)) {
    beginVoting(context, found)
  }
}

function beginVoting(context: GovContext, { id, proposal, record }: Found): void {
  const { state, block } = context
  const { votingPeriod, expeditedVotingPeriod } = state.params.get()
  const votingStartTime = block.timestamp
  const votingEndTime = votingStartTime + (record.isExpedited ? expeditedVotingPeriod : votingPeriod)
  proposal.record.update({ status: 'voting', votingStartTime, votingEndTime })
  schedule(state.votingEnds, { time: votingEndTime, id })
  contest(context, proposal, 1n)
}

/** Notes that the vote on a proposal begins (1) or is over (-1), for those who have to wait for its outcome. */
export function contest({ spec, state }: GovContext, proposal: ProposalState, change: 1n | -1n): void {
  for (const message of proposal.messages.get()) {
    const { contested } = readStored(spec, message)
    if (contested === undefined) continue
    const votes = state.contested.at(contested)
    votes.set(votes.get() + change)
  }
}

/** Takes a proposal back, at the price the parameters name. */
export function cancel(context: GovContext, id: bigint, proposer: Address): void {
  const found = requireProposal(context, id)
  const { proposal, record } = found
  if (record.proposer !== proposer) {
    throw refuse(`invalid proposer ${nameOf(context, proposer)}: invalid proposer`)
  }
  if (!isOpen(found)) throw refuse('proposal should be in the deposit or voting period: invalid proposal')
  if (record.status === 'voting' && record.votingEndTime < context.block.timestamp) {
    throw refuse(`voting period is already ended for this proposal ${id}: voting period already ended`)
  }
  if (record.status === 'voting') contest(context, proposal, -1n)
  chargeDeposits(context, proposal)
  clearVotes(proposal)
  removeProposal(proposal)
}

const isOpen = ({ record: { status } }: Found): boolean => status === 'deposit' || status === 'voting'

/** Leaves nothing of a proposal whose deposits and votes are gone. */
export function removeProposal(proposal: ProposalState): void {
  for (const part of [proposal.record, proposal.texts, proposal.messages]) part.clear()
}

/** Casts a vote, in place of the voter's last one. Whether there is any stake behind it shows when it is counted. */
export function vote(context: GovContext, id: bigint, voter: Address, of: Vote): void {
  const { proposal, record } = requireProposal(context, id)
  if (record.status !== 'voting') throw refuse(`${id}: inactive proposal`)
  requireLength('metadata', of.metadata, LONGEST_METADATA)
  proposal.votes.set(voter, of)
}

export function clearVotes({ votes }: ProposalState): void {
  for (const voter of [...votes.keys()].reverse()) votes.delete(voter)
}
