// The end of proposals in version 2 of the rules (`govVersion`): a block does a bounded part of it (`GOV_WORK`), and the next blocks
// the rest. One proposal ends at a time, in order of time and id. The result is that of the block in which its end began:
// - The count takes the bonded validators as they were when it began. A voter is counted before a delegation of it changes
//   (`countBeforeChange`), so delegations count as they were, too. Sums of rounded powers do not depend on the order.
// - It accepts no votes and deposits, and cannot be cancelled. Nothing else changes the parameters: only proposals do.
// - Its messages are executed when all deposits are refunded or burnt.
import { type Address, ZERO_ADDRESS } from '../../lib/hex.ts'
import { schedule, takeDue } from '../calendar.ts'
import type { GovContext } from './context.ts'
import { bondedElectors, execute } from './end-block.ts'
import { type Ending, isDueBefore, type ProposalState } from './layout.ts'
import { adjustContested, closeDeposit, removeProposal } from './proposals.ts'
import { decide, powerOf, tallyOf, type VoteCount, withVote } from './tally.ts'

/**
 * Limit of the work of ending proposals in a block, and the cost of each step. Measured with the commit of the block, 10,000 votes and
 * deposits: one unit is about 0.03 ms of CPU time, and up to four times that. So a block spends about 0.15 s, at most 0.6 s.
 */
export const GOV_WORK = {
  ofBlock: 5_000,
  proposal: 50,
  slot: 1,
  elector: 3,
  vote: 25,
  delegation: 2,
  deposit: 25,
  execution: 500,
}

type Work = { left: number }

/** Ends proposals whose deposit or voting period is over, within the block's work. */
export function endProposals(context: GovContext): void {
  const work = { left: GOV_WORK.ofBlock }
  while (work.left > 0) {
    const ending = context.state.ending.get()
    if (ending.stage === 'counting') count(context, ending, work)
    else if (ending.stage === 'closing') close(context, ending, work)
    else if (!begin(context, work)) return
  }
}

/** Begins the end of the next proposal, those without enough deposits first. Returns false if none is due. */
function begin(context: GovContext, work: Work): boolean {
  const { state, block, staking } = context
  const { timestamp } = block
  for (const { id } of takeDue(state.depositEnds, timestamp, 1, isDueBefore)) {
    work.left -= GOV_WORK.proposal
    if (state.proposals.at(id).record.get().status !== 'deposit') return true
    const burns = state.params.get().burnProposalDepositPrevote
    state.ending.set({ ...NOT_ENDING, stage: 'closing', id, outcome: 'removed', burns })
    return true
  }
  for (const { id, time } of takeDue(state.votingEnds, timestamp, 1, isDueBefore)) {
    work.left -= GOV_WORK.proposal
    const { record, votes } = state.proposals.at(id)
    const { status, votingEndTime } = record.get()
    if (status !== 'voting' || votingEndTime !== time) return true
    for (const { operator, tokens, shares } of bondedElectors(context)) {
      work.left -= GOV_WORK.elector
      state.electors.set(operator, { tokens, shares, left: shares, options: votes.get(operator)?.options ?? [] })
    }
    state.ending.set({ ...NOT_ENDING, stage: 'counting', id, totalBonded: staking.totalBonded() })
    return true
  }
  return false
}

const NOT_ENDING: Ending = {
  stage: 'none',
  id: 0n,
  counted: { yes: 0n, abstain: 0n, no: 0n, noWithVeto: 0n },
  voted: 0n,
  totalBonded: 0n,
  outcome: 'rejected',
  burns: false,
}

const countOf = ({ counted, voted }: Ending): VoteCount => ({ options: counted, voted })

function count(context: GovContext, ending: Ending, work: Work): void {
  const { state } = context
  const { votes } = state.proposals.at(ending.id)
  let counted = countOf(ending)
  while (votes.size > 0 && work.left > 0) {
    const [voter = ZERO_ADDRESS] = votes.keys(votes.size - 1)
    counted = countVoter(context, ending.id, voter, counted, work)
  }
  state.ending.update({ counted: counted.options, voted: counted.voted })
  if (votes.size === 0) conclude(context, { ...ending, counted: counted.options, voted: counted.voted }, work)
}

/** Adds the power of a voter's delegations, and removes the vote. */
function countVoter(
  { state, staking }: GovContext,
  id: bigint,
  voter: Address,
  before: VoteCount,
  work: Work,
): VoteCount {
  const { votes } = state.proposals.at(id)
  const vote = votes.get(voter)
  if (vote === undefined) return before
  let counted = before
  work.left -= GOV_WORK.vote
  for (const { operator, shares } of staking.delegationsOf(voter)) {
    work.left -= GOV_WORK.delegation
    const elector = state.electors.get(operator)
    if (elector === undefined) continue
    state.electors.set(operator, { ...elector, left: elector.left - shares })
    counted = withVote(counted, vote.options, powerOf(elector, shares))
  }
  votes.delete(voter)
  return counted
}

/** Before a delegation changes: counts its delegator's vote, if it waits for being counted. */
export function countBeforeChange(context: GovContext, delegator: Address): void {
  const { state } = context
  if (state.ending.member('stage') !== 'counting') return
  const ending = state.ending.get()
  const counted = countVoter(context, ending.id, delegator, countOf(ending), { left: 0 })
  state.ending.update({ counted: counted.options, voted: counted.voted })
}

/** Adds the validators' own votes and decides. A failed expedited proposal continues as an ordinary one. */
function conclude({ state }: GovContext, ending: Ending, work: Work): void {
  const { id, totalBonded } = ending
  const proposal = state.proposals.at(id)
  const record = proposal.record.get()
  const params = state.params.get()
  let counted = countOf(ending)
  for (const [operator, elector] of [...state.electors.entries()].reverse()) {
    work.left -= GOV_WORK.elector
    if (elector.options.length > 0) counted = withVote(counted, elector.options, powerOf(elector, elector.left))
    state.electors.delete(operator)
  }
  const { passes, burns } = decide(counted, totalBonded, params, record.isExpedited)
  proposal.record.update({ tally: tallyOf(counted) })
  if (record.isExpedited && !passes && !burns) {
    const votingEndTime = record.votingStartTime + params.votingPeriod
    proposal.record.update({ isExpedited: false, votingEndTime })
    schedule(state.votingEnds, { time: votingEndTime, id }, isDueBefore)
    state.ending.set(NOT_ENDING)
    return
  }
  state.ending.update({ stage: 'closing', outcome: passes ? 'passed' : 'rejected', burns })
}

/** Refunds or burns deposits; after the last one the proposal gets its outcome. */
function close(context: GovContext, { id, outcome, burns }: Ending, work: Work): void {
  const proposal = context.state.proposals.at(id)
  const { deposits } = proposal
  while (deposits.size > 0) {
    if (work.left <= 0) return
    work.left -= GOV_WORK.deposit
    const [depositor = ZERO_ADDRESS] = deposits.keys(deposits.size - 1)
    closeDeposit(context, proposal, depositor, burns)
  }
  context.state.ending.set(NOT_ENDING)
  if (outcome === 'removed') {
    work.left -= GOV_WORK.slot * Math.ceil(Number(proposal.record.get().size) / 32)
    removeProposal(proposal)
  } else finish(context, id, proposal, outcome, work)
}

function finish(
  context: GovContext,
  id: bigint,
  proposal: ProposalState,
  outcome: 'rejected' | 'passed',
  work: Work,
): void {
  adjustContested(context, proposal, -1n)
  if (outcome === 'rejected') {
    proposal.record.update({ status: 'rejected' })
    return
  }
  work.left -= GOV_WORK.execution
  const failure = execute(context, id, proposal)
  if (failure !== '') proposal.texts.update({ failure })
  proposal.record.update({ status: failure === '' ? 'passed' : 'failed' })
}
