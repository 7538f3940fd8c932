// Governance: proposals, deposits and votes, and the contract as a whole. Users and contracts
// act only for themselves; no message here can be granted. The module executes passed proposals at the end of a block.
import { ChainError } from '../lib/errors.ts'
import { type Address, fromHex } from '../lib/hex.ts'
import { listsOf, tokensOf } from '../modules/gov/submission.ts'
import { weightsOf, wholeVote } from '../modules/gov/votes.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { requireOwner } from './authority.ts'
import { type CoinStruct, requireCoins } from './coins.ts'
import { definePrecompile, implement, type ReadCall } from './define.ts'
import { govTransactionsAbi } from './gov-abi.ts'
import { govQueries } from './gov-queries.ts'
import { faceOfToken } from './tokens.ts'

/** Gas of each byte of a proposal, which is read, checked and kept; and of what has to be removed with it. */
const BYTE_GAS = 100n
/** Gas of trying out a list of improvement proposals: an opcode table is built for every fork and upgrade to come. */
const LIST_GAS = 100_000n
const DEPOSIT_GAS = 8_000n
const VOTE_GAS = 3_000n
/** Gas of each delegation of a voter: it is read again when the votes are counted, at the end of a block. */
const DELEGATION_GAS = 1_000n
const COVERED_DELEGATIONS = 3
/** Gas of each option that a vote is split over. */
const OPTION_GAS = 2_000n

const transactions = implement({
  abi: govTransactionsAbi,
  gas: { submitProposal: 60_000n, cancelProposal: 20_000n, deposit: 30_000n, vote: 20_000n, voteWeighted: 20_000n },
  functions: {
    async submitProposal(call, proposer, jsonProposal, deposit) {
      const { gov, erc20 } = call.modules
      requireOwner(call, proposer, 'proposer')
      const json = fromHex(jsonProposal)
      call.charge(BYTE_GAS * BigInt(json.length))
      const submission = gov.read(json)
      call.charge(LIST_GAS * BigInt(listsOf(submission)))
      const amount = depositOf(call.spec, deposit)
      for (const token of tokensOf(submission)) erc20.describe(token, await faceOfToken(call, token))
      const proposalId = gov.submit(proposer, submission, amount)
      call.emit('SubmitProposal', { proposer, proposalId })
      return [proposalId]
    },
    cancelProposal(call, proposer, proposalId) {
      const { gov } = call.modules
      requireOwner(call, proposer, 'proposer')
      call.charge(DEPOSIT_GAS * BigInt(gov.deposits(proposalId).length))
      call.charge(VOTE_GAS * BigInt(gov.votes(proposalId).length))
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

export const gov = definePrecompile({
  name: 'gov',
  address: NATIVE_CONTRACT.gov,
  since: 0n,
  interfaces: [transactions, govQueries],
})

/**
 * Charges a vote for being counted. The function's own price covers one delegation to each of as many validators as a
 * chain begins with; what goes beyond is charged.
 */
function chargeCount({ modules, charge }: ReadCall, voter: Address): void {
  const beyond = modules.staking.delegationCount(voter) - COVERED_DELEGATIONS
  if (beyond > 0) charge(DELEGATION_GAS * BigInt(beyond))
}

/** Base units of a deposit, which may be nothing. Throws ChainError for malformed coins, and for other denominations. */
function depositOf({ denom }: NativeSpec, coins: readonly CoinStruct[]): bigint {
  requireCoins(coins)
  const [coin, ...more] = coins
  if (coin === undefined) return 0n
  if (coin.denom === denom && more.length === 0) return coin.amount
  const given = coins.map((of) => `${of.amount}${of.denom}`).join()
  const why = `deposited ${given}, but gov accepts only the following denom(s): [${denom}]`
  throw new ChainError('execution-reverted', `${why}: invalid deposit denom`)
}
