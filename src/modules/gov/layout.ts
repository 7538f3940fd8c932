// Storage of governance, at its contract's address, and its plain records. Deposits are base units, held by the `gov`
// module account; fractions and weights are Decs (10^-18); times and periods are unix seconds.
import type { Dec } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { cell, enumerable, layout, list, mapping, struct } from '../../state/layout.ts'
import { address, bool, dec, oneOf, text, u64, u256 } from '../../state/storage-types.ts'

export type GovParams = {
  readonly votingPeriod: bigint
  readonly maxDepositPeriod: bigint
  /** The deposit with which voting begins. */
  readonly minDeposit: bigint
  /** Fraction of the bonded tokens that must vote. */
  readonly quorum: Dec
  /** Fraction of the votes without abstentions that yes must exceed. */
  readonly threshold: Dec
  /** Fraction of all votes that no-with-veto must not exceed. */
  readonly vetoThreshold: Dec
  /** Fraction of `minDeposit` that must come with the submission. */
  readonly minInitialDepositRatio: Dec
  /** Minimum of every later deposit, as a fraction of `minDeposit`. */
  readonly minDepositRatio: Dec
  /** Fraction of the deposits that a cancellation costs. */
  readonly proposalCancelRatio: Dec
  /** Receiver of that fraction; the zero address: it is burnt. */
  readonly proposalCancelDest: Address
  readonly expeditedVotingPeriod: bigint
  readonly expeditedThreshold: Dec
  readonly expeditedMinDeposit: bigint
  /** When deposits are burnt instead of refunded: quorum missed, voting never began, veto. */
  readonly burnVoteQuorum: boolean
  readonly burnProposalDepositPrevote: boolean
  readonly burnVoteVeto: boolean
}

/** `none`: unknown or removed. The order is that of the status numbers in the ABI. */
export const STATUSES = ['none', 'deposit', 'voting', 'passed', 'rejected', 'failed'] as const
export type ProposalStatus = (typeof STATUSES)[number]

/** The order is that of the option numbers in the ABI; `none` is not a vote. */
export const VOTE_OPTIONS = ['none', 'yes', 'abstain', 'no', 'noWithVeto'] as const
export type VoteOption = Exclude<(typeof VOTE_OPTIONS)[number], 'none'>

export type WeightedOption = { readonly option: VoteOption; readonly weight: Dec }

/** An account's current vote. */
export type Vote = { readonly options: readonly WeightedOption[]; readonly metadata: string }

/** Tokens behind each option, in base units. */
export type Tally = { readonly [O in VoteOption]: bigint }

export type ProposalRecord = {
  readonly status: ProposalStatus
  readonly proposer: Address
  readonly submitTime: bigint
  readonly depositEndTime: bigint
  /** Both zero until voting begins. */
  readonly votingStartTime: bigint
  readonly votingEndTime: bigint
  readonly totalDeposit: bigint
  readonly isExpedited: boolean
  /** Result of the last completed voting period; zero before. */
  readonly tally: Tally
  /** Bytes of its texts and messages, for the gas of reading them. */
  readonly size: bigint
}

export type ProposalTexts = {
  readonly title: string
  readonly summary: string
  readonly metadata: string
  /** Why its messages could not be executed: a `StoredFailure`. */
  readonly failure: string
}

const options = list(struct<WeightedOption>({ option: oneOf('yes', 'abstain', 'no', 'noWithVeto'), weight: dec }))

const proposal = layout({
  record: struct<ProposalRecord>({
    status: oneOf(...STATUSES),
    proposer: address,
    submitTime: u64,
    depositEndTime: u64,
    votingStartTime: u64,
    votingEndTime: u64,
    totalDeposit: u256,
    isExpedited: bool,
    tally: struct<Tally>({ yes: u256, abstain: u256, no: u256, noWithVeto: u256 }),
    size: u64,
  }),
  texts: struct<ProposalTexts>({ title: text, summary: text, metadata: text, failure: text }),
  /** As JSON, each with its `@type`. */
  messages: list(text),
  /** By depositor, until they are refunded or burnt. */
  deposits: enumerable(address, u256),
  /** By voter, until they are tallied. */
  votes: enumerable(address, struct<Vote>({ options, metadata: text })),
})
export type ProposalState = ReturnType<typeof proposal.open>

/** Voting power with 18 decimals behind each option. */
export type VotedPower = { readonly [O in VoteOption]: Dec }

/** A bonded validator when a count began: what it has, the shares of no counted voter, and its own vote (none: empty). */
export type Elector = {
  readonly tokens: bigint
  readonly shares: Dec
  readonly left: Dec
  readonly options: readonly WeightedOption[]
}

/** The proposal that is ending, and how far it is (`ending.ts`). */
export type Ending = {
  readonly stage: 'none' | 'counting' | 'closing'
  readonly id: bigint
  /** Power that is counted already, and the bonded tokens when the count began. */
  readonly counted: VotedPower
  readonly voted: Dec
  readonly totalBonded: bigint
  /** What becomes of it when all deposits are refunded, or burnt. */
  readonly outcome: 'removed' | 'rejected' | 'passed'
  readonly burns: boolean
}

/** The end of a proposal's deposit or voting period. */
export type Deadline = { readonly time: bigint; readonly id: bigint }
export const isDueBefore = (a: Deadline, b: Deadline): boolean => (a.time === b.time ? a.id < b.id : a.time < b.time)
const appointment = struct<Deadline>({ time: u64, id: u64 })

export const govLayout = layout({
  params: struct<GovParams>({
    votingPeriod: u64,
    maxDepositPeriod: u64,
    minDeposit: u256,
    quorum: dec,
    threshold: dec,
    vetoThreshold: dec,
    minInitialDepositRatio: dec,
    minDepositRatio: dec,
    proposalCancelRatio: dec,
    proposalCancelDest: address,
    expeditedVotingPeriod: u64,
    expeditedThreshold: dec,
    expeditedMinDeposit: u256,
    burnVoteQuorum: bool,
    burnProposalDepositPrevote: bool,
    burnVoteVeto: bool,
  }),
  constitution: text,
  /** Proposals are numbered from 1. */
  lastId: u64,
  /** By number. */
  proposals: mapping(u64, proposal),
  /** Calendars. Deadlines of cancelled or advanced proposals stay in them until their time and are then ignored. */
  depositEnds: list(appointment),
  votingEnds: list(appointment),
  /** By account: number of proposals in their voting period that would take coins from it. */
  contested: mapping(address, u64),
  /** Deposits of all open proposals, which the account may not spend. Version 2 of the rules only. */
  openDeposits: cell(u256),
  /** Version 2 of the rules only: the proposal that is ending, and the electors of its count by operator. */
  ending: struct<Ending>({
    stage: oneOf('none', 'counting', 'closing'),
    id: u64,
    counted: struct<VotedPower>({ yes: dec, abstain: dec, no: dec, noWithVeto: dec }),
    voted: dec,
    totalBonded: u256,
    outcome: oneOf('removed', 'rejected', 'passed'),
    burns: bool,
  }),
  electors: enumerable(address, struct<Elector>({ tokens: u256, shares: dec, left: dec, options })),
})
export type GovState = ReturnType<typeof govLayout.open>
