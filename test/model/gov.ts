// x/gov: deposits, votes, tally, and two kinds of messages.
import { burn, MODULE, send } from './bank.ts'
import { dec, mul, ONE, quo, truncate } from './dec.ts'
import { spendCommunityPool } from './distribution.ts'
import {
  type Address,
  attempt,
  type Message,
  need,
  type Proposal,
  pair,
  refuseIf,
  type State,
  type Vote,
} from './state.ts'

const QUORUM = (334n * ONE) / 1000n
const THRESHOLD = ONE / 2n
const EXPEDITED_THRESHOLD = (667n * ONE) / 1000n
const VETO = (334n * ONE) / 1000n
const CANCEL_RATIO = ONE / 2n
const MIN_DEPOSIT_RATIO = ONE / 100n

const proposalOf = (state: State, id: bigint): Proposal => need(state.proposals, id, 'proposal not found')

export function submit(state: State, proposer: Address, message: Message, expedited: boolean, deposited: bigint): void {
  const id = state.nextProposal
  state.nextProposal += 1n
  state.proposals.set(id, {
    proposer,
    message,
    expedited,
    status: 1,
    depositEnd: state.time + state.params.depositPeriod,
    votingStart: 0n,
    votingEnd: 0n,
    total: 0n,
    deposits: new Map(),
    votes: new Map(),
    tally: [0n, 0n, 0n, 0n],
  })
  deposit(state, proposer, id, deposited)
}

export function deposit(state: State, depositor: Address, id: bigint, amount: bigint): void {
  const proposal = proposalOf(state, id)
  const { minDeposit, expeditedMinDeposit, votingPeriod, expeditedVotingPeriod } = state.params
  const least = proposal.expedited ? expeditedMinDeposit : minDeposit
  refuseIf(proposal.status > 2, 'inactive proposal')
  refuseIf(amount < truncate(least * MIN_DEPOSIT_RATIO), 'received deposit too small')
  send(state, depositor, MODULE.gov, amount)
  proposal.total += amount
  proposal.deposits.set(depositor, (proposal.deposits.get(depositor) ?? 0n) + amount)
  if (proposal.status === 2 || proposal.total < least) return
  proposal.status = 2
  proposal.votingStart = state.time
  proposal.votingEnd = state.time + (proposal.expedited ? expeditedVotingPeriod : votingPeriod)
}

export function vote(state: State, voter: Address, id: bigint, options: Vote): void {
  const proposal = proposalOf(state, id)
  refuseIf(proposal.status !== 2, 'inactive proposal')
  refuseIf(options.reduce((sum, { weight }) => sum + weight, 0n) !== ONE, 'total weight must be 1')
  refuseIf(new Set(options.map(({ option }) => option)).size < options.length, 'duplicated vote option')
  proposal.votes.set(voter, options)
}

/** The proposer takes a proposal back; a part of all deposits is burnt. */
export function cancel(state: State, proposer: Address, id: bigint): void {
  const proposal = proposalOf(state, id)
  refuseIf(proposal.proposer !== proposer || proposal.status > 2, 'cannot cancel')
  for (const [depositor, amount] of proposal.deposits) {
    const charged = truncate(mul(dec(amount), CANCEL_RATIO))
    burn(state, MODULE.gov, charged)
    send(state, MODULE.gov, depositor, amount - charged)
  }
  state.proposals.delete(id)
}

function settleDeposits(state: State, { deposits }: Proposal, isBurnt: boolean): void {
  for (const [depositor, amount] of deposits)
    if (isBurnt) burn(state, MODULE.gov, amount)
    else send(state, MODULE.gov, depositor, amount)
  deposits.clear()
}

/** Counts the stake behind the options; delegators override their validators. */
function tally(state: State, { votes, expedited }: Proposal) {
  const sums = [0n, 0n, 0n, 0n]
  let voted = 0n
  const count = (options: Vote, power: bigint): void => {
    for (const { option, weight } of options) sums[option - 1] = (sums[option - 1] ?? 0n) + mul(power, weight)
    voted += power
  }
  let bonded = 0n
  for (const [operator, { status, tokens, shares }] of state.validators) {
    if (status !== 3) continue
    bonded += tokens
    let rest = shares
    for (const [voter, options] of votes) {
      const own = state.delegations.get(pair(voter, operator)) ?? 0n
      rest -= own
      if (own > 0n) count(options, quo(own * tokens, shares))
    }
    const inherited = votes.get(operator)
    if (inherited !== undefined) count(inherited, quo(rest * tokens, shares))
  }
  const [yes = 0n, abstain = 0n, , veto = 0n] = sums
  const verdict = (): { passes: boolean; isBurnt: boolean } => {
    if (bonded === 0n || quo(voted, dec(bonded)) < QUORUM) return { passes: false, isBurnt: false }
    if (voted === abstain) return { passes: false, isBurnt: false }
    if (quo(veto, voted) > VETO) return { passes: false, isBurnt: true }
    return { passes: quo(yes, voted - abstain) > (expedited ? EXPEDITED_THRESHOLD : THRESHOLD), isBurnt: false }
  }
  return { sums, ...verdict() }
}

function execute(state: State, message: Message): void {
  if (message.kind === 'spend') spendCommunityPool(state, message.to, message.amount)
  else {
    const { maxEntries, unbondingTime, maxValidators } = message
    Object.assign(state.params, { maxEntries, unbondingTime, maxValidators })
  }
}

/** Proposals whose deposit or voting period is over: the end of a block. */
export function endProposals(state: State): void {
  for (const [id, proposal] of state.proposals)
    if (proposal.status === 1 && proposal.depositEnd <= state.time) {
      settleDeposits(state, proposal, false)
      state.proposals.delete(id)
    }
  const due = [...state.proposals].filter(([, { status, votingEnd }]) => status === 2 && votingEnd <= state.time)
  for (const [id] of due.sort(([a, x], [b, y]) => Number(x.votingEnd - y.votingEnd || a - b))) {
    const proposal = proposalOf(state, id)
    const { sums, passes, isBurnt } = tally(state, proposal)
    proposal.votes.clear()
    proposal.tally = sums.map(truncate)
    // It goes on as a regular proposal; its deposits stay.
    if (proposal.expedited && !passes) {
      proposal.expedited = false
      proposal.votingEnd = proposal.votingStart + state.params.votingPeriod
      continue
    }
    settleDeposits(state, proposal, isBurnt)
    proposal.status = passes ? 3 : 4
    if (passes && !attempt(state, () => execute(state, proposal.message))) proposalOf(state, id).status = 5
  }
}
