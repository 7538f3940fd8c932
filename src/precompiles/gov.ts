// Governance: proposals, deposits and votes. Users and contracts act only for themselves: these messages cannot be granted. The
// module executes passed proposals at the end of a block.

import { toBech32 } from '../lib/bech32.ts'
import { formatDec } from '../lib/dec.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToFixed, fromHex, toHex, ZERO_ADDRESS } from '../lib/hex.ts'
import { STATUSES, type Tally, VOTE_OPTIONS, type Vote } from '../modules/gov/layout.ts'
import { listsOf, tokensOf } from '../modules/gov/submission.ts'
import { weightsOf, wholeVote } from '../modules/gov/tally.ts'
import { reverted } from '../modules/module.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { requireOwner } from './authority.ts'
import { type CoinStruct, coinsOf, requireCoins } from './coins.ts'
import { definePrecompile, implement, type ReadCall } from './define.ts'
import { govAbi } from './generated/abi.ts'
import { byKey, byPlace, page } from './paging.ts'
import { readTokenMetadata } from './tokens.ts'

/** Gas of each byte of a proposal for reading, checking, storing and later deleting it. */
const SUBMISSION_BYTE_GAS = 100n
/** Gas of checking a list of opcode proposals: an opcode table is built for every later fork and upgrade. */
const LIST_GAS = 100_000n
const REMOVED_DEPOSIT_GAS = 8_000n
const REMOVED_VOTE_GAS = 3_000n
/** Gas of each delegation of a voter: the tally at the end of a block reads it again. */
const DELEGATION_GAS = 1_000n
const COVERED_DELEGATIONS = 3
/** Gas of each option of a weighted vote. */
const OPTION_GAS = 2_000n

const transactions = implement(govAbi, {
  gas: { submitProposal: 60_000n, cancelProposal: 20_000n, deposit: 30_000n, vote: 20_000n, voteWeighted: 20_000n },
  functions: {
    async submitProposal(call, proposer, jsonProposal, deposit) {
      const { gov, erc20 } = call.modules
      requireOwner(call, proposer, 'proposer')
      const json = fromHex(jsonProposal)
      call.charge(SUBMISSION_BYTE_GAS * BigInt(json.length))
      const submission = gov.read(json)
      call.charge(LIST_GAS * BigInt(listsOf(submission)))
      const amount = depositOf(call.spec, deposit)
      for (const token of tokensOf(submission)) erc20.describe(token, await readTokenMetadata(call, token))
      const proposalId = gov.submit(proposer, submission, amount)
      call.emit('SubmitProposal', { proposer, proposalId })
      return [proposalId]
    },
    cancelProposal(call, proposer, proposalId) {
      const { gov } = call.modules
      requireOwner(call, proposer, 'proposer')
      call.charge(REMOVED_DEPOSIT_GAS * BigInt(gov.deposits(proposalId).length))
      call.charge(REMOVED_VOTE_GAS * BigInt(gov.votes(proposalId).length))
      gov.cancel(proposalId, proposer)
      call.emit('CancelProposal', { proposer, proposalId })
      return [true]
    },
    deposit(call, depositor, proposalId, amount) {
      requireOwner(call, depositor, 'depositor')
      call.modules.gov.deposit(proposalId, depositor, depositOf(call.spec, amount))
      call.emit('Deposit', { depositor, proposalId, amount })
      return [true]
    },
    vote(call, voter, proposalId, option, metadata) {
      requireOwner(call, voter, 'voter')
      chargeCount(call, voter)
      call.modules.gov.vote(proposalId, voter, { options: wholeVote(option), metadata })
      call.emit('Vote', { voter, proposalId, option })
      return [true]
    },
    voteWeighted(call, voter, proposalId, options, metadata) {
      requireOwner(call, voter, 'voter')
      call.charge(OPTION_GAS * BigInt(options.length))
      chargeCount(call, voter)
      call.modules.gov.vote(proposalId, voter, { options: weightsOf(options), metadata })
      call.emit('VoteWeighted', { voter, proposalId, options })
      return [true]
    },
  },
})

/**
 * Charges a vote for its part of the tally. The function's price covers one delegation to each of as many validators as a chain
 * begins with; further ones are charged.
 */
function chargeCount({ modules, charge }: ReadCall, voter: Address): void {
  const beyond = modules.staking.delegationCount(voter) - COVERED_DELEGATIONS
  if (beyond > 0) charge(DELEGATION_GAS * BigInt(beyond))
}

/** Base units of a deposit, possibly 0. Throws ChainError for malformed coins and other denominations. */
function depositOf({ denom }: NativeSpec, coins: readonly CoinStruct[]): bigint {
  requireCoins(coins)
  const [coin, ...more] = coins
  if (coin === undefined) return 0n
  if (coin.denom === denom && more.length === 0) return coin.amount
  const given = coins.map((of) => `${of.amount}${of.denom}`).join()
  const why = `deposited ${given}, but gov accepts only the following denom(s): [${denom}]`
  throw new ChainError('execution-reverted', `${why}: invalid deposit denom`)
}

/** Gas of each visited proposal, the additional gas if it is listed, and gas of each listed vote and deposit. */
const LOOK_GAS = 300n
const PROPOSAL_GAS = 4_000n
const LISTED_VOTE_GAS = 1_500n
const LISTED_DEPOSIT_GAS = 1_000n
/** Gas of each byte of text. */
const TEXT_BYTE_GAS = 10n
/** Gas of each validator, vote and delegation in a tally. */
const TALLY_GAS = 1_000n

const NANOSECONDS = 1_000_000_000n

/** A proposal id as a page key: 8 bytes. */
const keyOf = (id: bigint) => toHex(bigToFixed(id, 8))

const queries = implement(govAbi, {
  gas: {
    getVote: 4_000n,
    getVotes: 4_000n,
    getDeposit: 3_000n,
    getDeposits: 4_000n,
    getTallyResult: 4_000n,
    getProposal: 6_000n,
    getProposals: 4_000n,
    getParams: 6_000n,
    getConstitution: 3_000n,
    getAuthority: 1_000n,
    getMessages: 4_000n,
    getFailure: 4_000n,
  },
  functions: {
    getVote({ modules, spec }, proposalId, voter) {
      const vote = modules.gov.voteOf(proposalId, voter)
      if (vote === undefined) {
        throw reverted(`voter: ${toBech32(spec.bech32Prefix, voter)} not found for proposal: ${proposalId}`)
      }
      return [shownVote(proposalId, voter, vote)]
    },
    getVotes({ modules, charge }, proposalId, pagination) {
      const votes = modules.gov.votes(proposalId)
      const { places, response } = page(pagination, byPlace(votes.length))
      charge(LISTED_VOTE_GAS * BigInt(places.length))
      const shown = places.map((place) => {
        const { of, given } = votes.at(place)
        return shownVote(proposalId, of, given)
      })
      return [shown, response]
    },
    getDeposit({ modules, spec }, proposalId, depositor) {
      const amount = modules.gov.depositOf(proposalId, depositor)
      if (amount === undefined) {
        throw reverted(`depositer: ${toBech32(spec.bech32Prefix, depositor)} not found for proposal: ${proposalId}`)
      }
      return [{ proposalId, depositor, amount: coinsOf(spec.denom, amount) }]
    },
    getDeposits({ modules, spec, charge }, proposalId, pagination) {
      const deposits = modules.gov.deposits(proposalId)
      const { places, response } = page(pagination, byPlace(deposits.length))
      charge(LISTED_DEPOSIT_GAS * BigInt(places.length))
      const shown = places.map((place) => {
        const { of, given } = deposits.at(place)
        return { proposalId, depositor: of, amount: coinsOf(spec.denom, given) }
      })
      return [shown, response]
    },
    getTallyResult: ({ modules, charge }, proposalId) => [
      shownTally(modules.gov.tally(proposalId, () => charge(TALLY_GAS))),
    ],
    getProposal: (call, proposalId) => [shownProposal(call, proposalId)],
    getProposals(call, proposalStatus, voter, depositor, pagination) {
      const ids = matching(call, proposalStatus, voter, depositor)
      const { places, response } = page(pagination, byKey(ids.map(keyOf), 8))
      const listed = places.flatMap((place) => ids[place] ?? [])
      const shown = listed.map((id) => {
        call.charge(PROPOSAL_GAS)
        return shownProposal(call, id)
      })
      return [shown, response]
    },
    getParams({ modules, spec }) {
      const params = modules.gov.params()
      const { proposalCancelDest: destination, burnVoteQuorum, burnProposalDepositPrevote, burnVoteVeto } = params
      return [
        {
          votingPeriod: params.votingPeriod * NANOSECONDS,
          minDeposit: coinsOf(spec.denom, params.minDeposit),
          maxDepositPeriod: params.maxDepositPeriod * NANOSECONDS,
          quorum: formatDec(params.quorum),
          threshold: formatDec(params.threshold),
          vetoThreshold: formatDec(params.vetoThreshold),
          minInitialDepositRatio: formatDec(params.minInitialDepositRatio),
          proposalCancelRatio: formatDec(params.proposalCancelRatio),
          proposalCancelDest: destination === ZERO_ADDRESS ? '' : toBech32(spec.bech32Prefix, destination),
          expeditedVotingPeriod: params.expeditedVotingPeriod * NANOSECONDS,
          expeditedThreshold: formatDec(params.expeditedThreshold),
          expeditedMinDeposit: coinsOf(spec.denom, params.expeditedMinDeposit),
          burnVoteQuorum,
          burnProposalDepositPrevote,
          burnVoteVeto,
          minDepositRatio: formatDec(params.minDepositRatio),
        },
      ]
    },
    getConstitution({ modules, charge }) {
      const constitution = modules.gov.constitution()
      charge(TEXT_BYTE_GAS * BigInt(constitution.length))
      return [constitution]
    },
    getAuthority: ({ spec }) => [toBech32(spec.bech32Prefix, MODULE_ACCOUNT.gov), MODULE_ACCOUNT.gov],
    getMessages({ modules, charge }, proposalId) {
      charge(TEXT_BYTE_GAS * modules.gov.proposal(proposalId).size)
      return [modules.gov.messages(proposalId)]
    },
    getFailure({ modules, charge }, proposalId) {
      charge(TEXT_BYTE_GAS * modules.gov.proposal(proposalId).size)
      return [modules.gov.texts(proposalId).failure]
    },
  },
})

/** Ids of the matching proposals in ascending order; status 0 and zero addresses match all. */
function matching(
  { modules: { gov }, charge }: ReadCall,
  status: bigint,
  voter: Address,
  depositor: Address,
): bigint[] {
  const wanted = STATUSES[Number(status)]
  if (wanted === undefined) throw reverted(`invalid proposal status ${status}`)
  const found: bigint[] = []
  const last = gov.lastId()
  for (let id = 1n; id <= last; id++) {
    charge(LOOK_GAS)
    const is = gov.status(id)
    const matches =
      is !== 'none' &&
      (wanted === 'none' || is === wanted) &&
      (voter === ZERO_ADDRESS || gov.voteOf(id, voter) !== undefined) &&
      (depositor === ZERO_ADDRESS || gov.depositOf(id, depositor) !== undefined)
    if (matches) found.push(id)
  }
  return found
}

function shownProposal({ modules: { gov }, spec, charge }: ReadCall, id: bigint) {
  const { status, tally, totalDeposit, size, ...record } = gov.proposal(id)
  charge(TEXT_BYTE_GAS * size)
  const { title, summary, metadata } = gov.texts(id)
  return {
    id,
    messages: gov.messages(id).map(typeOf),
    status: BigInt(STATUSES.indexOf(status)),
    finalTallyResult: shownTally(tally),
    submitTime: record.submitTime,
    depositEndTime: record.depositEndTime,
    totalDeposit: coinsOf(spec.denom, totalDeposit),
    votingStartTime: record.votingStartTime,
    votingEndTime: record.votingEndTime,
    metadata,
    title,
    summary,
    proposer: record.proposer,
  }
}

/** The `@type` of a message that the module has checked. */
const typeOf = (message: string): string => (JSON.parse(message) as { readonly '@type': string })['@type']

const shownVote = (proposalId: bigint, voter: Address, { options, metadata }: Vote) => ({
  proposalId,
  voter,
  options: options.map(({ option, weight }) => ({
    option: BigInt(VOTE_OPTIONS.indexOf(option)),
    weight: formatDec(weight),
  })),
  metadata,
})

const shownTally = ({ yes, abstain, no, noWithVeto }: Tally) => ({
  yes: yes.toString(),
  abstain: abstain.toString(),
  no: no.toString(),
  noWithVeto: noWithVeto.toString(),
})

export const gov = definePrecompile({
  name: 'gov',
  address: NATIVE_CONTRACT.gov,
  since: 0n,
  abi: govAbi,
  functions: { ...transactions, ...queries },
})
