// Governance's end of a block, in version 1 of the rules (version 2: `ending.ts`): removes proposals whose deposit period ended without enough deposit, tallies those whose
// voting period ended, and executes the messages of those that passed, all or none.
import { ChainError, ReadFailure } from '../../lib/errors.ts'
import type { List } from '../../state/layout.ts'
import { schedule, takeDue } from '../calendar.ts'
import { type GovContext, requireProposal } from './context.ts'
import { type Deadline, isDueBefore, type ProposalState } from './layout.ts'
import type { ProposalMessage } from './messages.ts'
import { type StoredFailure, storedFailure } from './messages.ts'
import { adjustContested, burnDeposits, clearVotes, refundDeposits, removeProposal } from './proposals.ts'
import { readStored } from './submission.ts'
import { type BondedValidatorStake, countBallots, decide, tallyOf, type VoteCount } from './tally.ts'

/** Removes proposals that did not collect enough deposits in time. */
export function dropInactiveProposals(context: GovContext): void {
  const { state } = context
  for (const { id } of due(context, state.depositEnds)) {
    const proposal = state.proposals.at(id)
    if (proposal.record.get().status !== 'deposit') continue
    if (state.params.get().burnProposalDepositPrevote) burnDeposits(context, proposal)
    else refundDeposits(context, proposal)
    removeProposal(proposal)
  }
}

/** Tallies the proposals whose voting period has ended. */
export function endVotingPeriods(context: GovContext): void {
  const { state } = context
  for (const { id, time } of due(context, state.votingEnds)) {
    const { status, votingEndTime } = state.proposals.at(id).record.get()
    if (status === 'voting' && votingEndTime === time) conclude(context, id)
  }
}

/** Removes due deadlines and returns them, ordered by time, then by proposal id. */
function due({ block }: GovContext, calendar: List<Deadline>): readonly Deadline[] {
  return [...takeDue(calendar, block.timestamp)].sort((a, b) => (isDueBefore(a, b) ? -1 : 1))
}

function conclude(context: GovContext, id: bigint): void {
  const { state, staking } = context
  const { proposal, record } = requireProposal(context, id)
  const params = state.params.get()
  const counted = countVotes(context, proposal)
  const { passes, burns } = decide(counted, staking.totalBonded(), params, record.isExpedited)
  clearVotes(proposal)
  proposal.record.update({ tally: tallyOf(counted) })
  if (record.isExpedited && !passes && !burns) {
    // A failed expedited proposal continues as an ordinary one, with its votes cleared.
    const votingEndTime = record.votingStartTime + params.votingPeriod
    proposal.record.update({ isExpedited: false, votingEndTime })
    schedule(state.votingEnds, { time: votingEndTime, id })
    return
  }
  if (burns) burnDeposits(context, proposal)
  else refundDeposits(context, proposal)
  adjustContested(context, proposal, -1n)
  const failure = passes ? execute(context, id, proposal) : ''
  if (failure !== '') proposal.texts.update({ failure })
  proposal.record.update({ status: !passes ? 'rejected' : failure === '' ? 'passed' : 'failed' })
}

/**
 * Executes a proposal's messages in order. If one fails, all are reverted and the failure to store is returned (empty on
 * success); the error itself is only reported to the operator. A bug of this program also fails the proposal, because it must
 * not stop the chain.
 */
export function execute(context: GovContext, id: bigint, proposal: ProposalState): StoredFailure {
  const { spec, view, governed, report } = context
  let index = 0
  let parsed: ProposalMessage | undefined
  view.checkpoint()
  try {
    for (const message of proposal.messages.get()) {
      parsed = undefined
      parsed = readStored(spec, message)
      parsed.run(governed)
      index++
    }
    view.commit()
    return ''
  } catch (error) {
    view.revert()
    if (error instanceof ReadFailure) throw error
    report(`proposal ${id} failed at message ${index}`, error)
    if (!(error instanceof ChainError)) return storedFailure(index, 'internal-error')
    return storedFailure(index, parsed === undefined ? 'message-unreadable' : parsed.failure(governed))
  }
}

/** The bonded validators, whose tokens can vote. Calls `look` at every step. */
export const bondedElectors = ({ staking }: GovContext, look?: () => void): readonly BondedValidatorStake[] =>
  staking.bondedValidators().flatMap(({ operator }) => {
    look?.()
    const validator = staking.validator(operator)
    // A validator that was jailed in this block is still in the list.
    return validator?.status === 'bonded' && !validator.jailed ? [validator] : []
  })

/** Tallies the votes at this point. Calls `look` at every step, to charge gas. */
export function countVotes(context: GovContext, proposal: ProposalState, look?: () => void): VoteCount {
  const electors = bondedElectors(context, look)
  const ballots = [...proposal.votes.entries()].map(([voter, { options }]) => ({ voter, options }))
  return countBallots(electors, ballots, (voter) => context.staking.delegationsOf(voter), look)
}
