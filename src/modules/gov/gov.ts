// The governance module (Cosmos SDK x/gov): accounts with bonded coins vote on proposals; one that passes is executed at
// the end of the block in which its voting period ends. Refusals have the Cosmos SDK's wording.
import { toBech32 } from '../../lib/bech32.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../spec/addresses.ts'
import { govVersion } from '../../spec/block-rules.ts'
import type { Enumerable } from '../../state/layout.ts'
import { type Bank, isBlocked } from '../bank.ts'
import { type ModuleContext, type NativeModule, reverted } from '../module.ts'
import { type GovContext, type GovernedModules, requireProposal } from './context.ts'
import { countVotes, dropInactiveProposals, endVotingPeriods } from './end-block.ts'
import { countBeforeChange, endProposals } from './ending.ts'
import {
  type GovParams,
  govLayout,
  type ProposalRecord,
  type ProposalStatus,
  type ProposalTexts,
  type Tally,
  type Vote,
} from './layout.ts'
import type { GovGenesis } from './params.ts'
import { cancel, deposit, isEnding, ownCoins, submit, vote } from './proposals.ts'
import { type ProposalSubmission, readSubmission } from './submission.ts'
import { tallyOf } from './tally.ts'

/** Deposits or votes, in the order of each account's first one. */
export type Listed<T> = { readonly length: number; at(place: number): { readonly of: Address; readonly given: T } }

function listed<T>(all: Enumerable<Address, T>): Listed<T> {
  return {
    length: all.size,
    at(place) {
      const [entry] = all.entries(place)
      if (entry === undefined) throw new RangeError(`nothing at place ${place}`)
      return { of: entry[0], given: entry[1] }
    },
  }
}

export class Gov implements NativeModule<GovGenesis> {
  readonly name = 'gov'
  readonly #context: GovContext

  constructor(
    { spec, block, view, access, report = () => undefined }: ModuleContext,
    bank: Bank,
    staking: GovContext['staking'],
    others: Omit<GovernedModules, 'gov'>,
  ) {
    const state = govLayout.open(view.slots(NATIVE_CONTRACT.gov, access))
    this.#context = { spec, block, view, bank, staking, state, report, governed: { ...others, gov: this } }
  }

  initGenesis({ params, constitution }: GovGenesis): void {
    this.#context.state.params.set(params)
    this.#context.state.constitution.set(constitution)
  }

  /** Runs before staking, so that an executed proposal affects this block's validator set. */
  endBlock(): void {
    if (govVersion(this.#context.spec) === 2) {
      endProposals(this.#context)
      return
    }
    dropInactiveProposals(this.#context)
    endVotingPeriods(this.#context)
  }

  /** Hook of staking: before the shares of a delegation change. */
  beforeDelegationChanges(delegator: Address): void {
    if (govVersion(this.#context.spec) === 2) countBeforeChange(this.#context, delegator)
  }

  params(): GovParams {
    return this.#context.state.params.get()
  }

  updateParams(params: GovParams): void {
    this.#context.state.params.set(params)
  }

  send(to: Address, amount: bigint): void {
    const { spec, bank } = this.#context
    if (isBlocked(to))
      throw reverted(`${toBech32(spec.bech32Prefix, to)} is not allowed to receive funds: unauthorized`)
    this.requireCoins(amount)
    bank.transfer(MODULE_ACCOUNT.gov, to, amount)
  }

  requireCoins(amount: bigint): void {
    const own = ownCoins(this.#context)
    if (own >= amount) return
    const { denom } = this.#context.spec
    throw reverted(`spendable balance ${own}${denom} is smaller than ${amount}${denom}: insufficient funds`)
  }

  constitution(): string {
    return this.#context.state.constitution.get()
  }

  /** Whether a proposal that would take an account's coins is in its voting period. */
  isContested(account: Address): boolean {
    return this.#context.state.contested.at(account).get() > 0n
  }

  /** The id of the newest proposal, counted from 1. */
  lastId(): bigint {
    return this.#context.state.lastId.get()
  }

  /** `none` for an unknown one. */
  status(id: bigint): ProposalStatus {
    return this.#context.state.proposals.at(id).record.get().status
  }

  /** A proposal without its texts. */
  proposal(id: bigint): ProposalRecord {
    return requireProposal(this.#context, id).record
  }

  texts(id: bigint): ProposalTexts {
    return requireProposal(this.#context, id).proposal.texts.get()
  }

  /** A proposal's messages as JSON, in order. */
  messages(id: bigint): readonly string[] {
    return requireProposal(this.#context, id).proposal.messages.get()
  }

  /** Deposits in the order of each account's first one, without refunded and burnt ones. */
  deposits(id: bigint): Listed<bigint> {
    return listed(this.#context.state.proposals.at(id).deposits)
  }

  /** undefined: no deposit of this account. */
  depositOf(id: bigint, depositor: Address): bigint | undefined {
    return this.#context.state.proposals.at(id).deposits.get(depositor)
  }

  /** Votes not yet tallied, in the order of each account's first one. */
  votes(id: bigint): Listed<Vote> {
    return listed(this.#context.state.proposals.at(id).votes)
  }

  /** undefined: no vote of this account. */
  voteOf(id: bigint, voter: Address): Vote | undefined {
    return this.#context.state.proposals.at(id).votes.get(voter)
  }

  /** Tokens behind each option: the final result, the tally at this point, or what is counted of a vote that has ended. Calls `look` at every step, to charge gas. */
  tally(id: bigint, look: () => void = () => {}): Tally {
    const { proposal, record } = requireProposal(this.#context, id)
    if (record.status !== 'voting') return record.tally
    if (!isEnding(this.#context, id)) return tallyOf(countVotes(this.#context, proposal, look))
    const { stage, counted, voted } = this.#context.state.ending.get()
    return stage === 'counting' ? tallyOf({ options: counted, voted }) : record.tally
  }

  /** Reads a submission's JSON. Throws ChainError if it is not a valid proposal. */
  read(json: Uint8Array): ProposalSubmission {
    return readSubmission(this.#context.spec, json)
  }

  /**
   * Submits a proposal with its first deposit (base units). Returns its id. Throws ChainError for a deposit that is too small
   * and for a list of opcode proposals that cannot be activated.
   */
  submit(proposer: Address, submission: ProposalSubmission, deposit: bigint): bigint {
    return submit(this.#context, proposer, submission, deposit)
  }

  /** Cancels a proposal, at the cost of a part of its deposits. */
  cancel(id: bigint, proposer: Address): void {
    cancel(this.#context, id, proposer)
  }

  deposit(id: bigint, depositor: Address, amount: bigint): void {
    deposit(this.#context, id, depositor, amount)
  }

  /** Replaces the voter's vote. The weights must have been checked with `weightsOf`. */
  vote(id: bigint, voter: Address, of: Vote): void {
    vote(this.#context, id, voter, of)
  }

  /** The broken invariants in words; empty if there are none. */
  invariants(): readonly string[] {
    const { state, bank } = this.#context
    const broken: string[] = []
    let due = 0n
    for (let id = 1n; id <= this.lastId(); id++) {
      const { status, totalDeposit } = state.proposals.at(id).record.get()
      const isOpen = status === 'deposit' || status === 'voting'
      const put = [...state.proposals.at(id).deposits.entries()].reduce((sum, [, amount]) => sum + amount, 0n)
      // The deposits of a proposal that is ending are refunded in several blocks.
      const isWhole = isEnding(this.#context, id) ? put <= totalDeposit : put === (isOpen ? totalDeposit : 0n)
      if (!isWhole) broken.push(`proposal ${id} has deposits of ${put}`)
      if (status !== 'voting' && this.votes(id).length > 0) broken.push(`proposal ${id} keeps votes`)
      due += put
    }
    const held = bank.balance(MODULE_ACCOUNT.gov)
    return held >= due ? broken : [...broken, `${held} held, ${due} due`]
  }
}
