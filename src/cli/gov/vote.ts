// `kestrel gov vote`: casts votes, and waits for the outcome.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, getAddress, type TransactionReceipt } from 'viem'
import { parseDec } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import { WrongCommandLine } from '../explain.ts'
import { wrongFlag } from '../flags.ts'
import { note } from '../native/answers.ts'
import { numberOf } from '../native/arguments.ts'
import { addressOfSender, bondedOperators, isFromValidators, oneSender, type SenderFlags } from '../native/sender.ts'
import { blockOf, estimateCall, type NativeCall, send, transact } from '../native/transaction.ts'
import { ifOffered, type RpcClient } from '../rpc-client.ts'
import { govCall, type ProposalAnswer, readProposal } from './chain-queries.ts'

/** One option, or several with weights that add up to 1. */
export type BallotFlags = readonly { readonly option: number; readonly weight: string }[]

/** Reads `yes`, or `yes=0.7,no=0.3`. Throws ChainError `invalid-params`. */
export function parseBallot(option: string | undefined, weights: string | undefined): BallotFlags {
  if ((option === undefined) === (weights === undefined))
    throw refused('expected one of yes, no, abstain, veto, or --weights such as yes=0.7,no=0.3')
  if (option !== undefined) return [{ option: optionNamed(option), weight: '1' }]
  const ballot = (weights ?? '').split(',').map((part) => {
    const [name = '', weight = '', ...rest] = part.split('=').map((text) => text.trim())
    if (rest.length > 0 || weight === '') throw refused(`--weights: expected OPTION=SHARE, not "${part}"`)
    return { option: optionNamed(name), weight, share: shareOf(weight) }
  })
  if (ballot.reduce((sum, { share }) => sum + share, 0n) !== 10n ** 18n)
    throw refused('--weights: they must add up to 1')
  return ballot.map(({ option, weight }) => ({ option, weight }))
}

function shareOf(text: string): bigint {
  if (!/^[01](\.\d{1,18})?$/.test(text)) throw refused(`--weights: expected a share such as 0.7, not "${text}"`)
  return parseDec(text)
}

function optionNamed(name: string): number {
  const option = numberOf('uint8 option', name)
  if (option === undefined) throw refused(`expected one of yes, no, abstain, veto, not "${name}"`)
  return option
}

export type VoteFlags = { readonly voter: string; readonly transaction: string; readonly block: number }

/** Votes as the sender, or as every bonded validator whose key the node holds. Throws ChainError if no vote succeeds. */
export async function castVotes(
  node: RpcClient,
  flags: SenderFlags,
  id: number,
  ballot: BallotFlags,
): Promise<VoteFlags[]> {
  if (!isFromValidators(flags)) {
    const sender = await oneSender(node, flags)
    return [toVote(await transact(node, sender, voteCall(addressOfSender(sender), id, ballot)))]
  }
  if (flags.privateKeyFile !== undefined || flags.keystore !== undefined)
    throw wrongFlag('from', 'for `validators` the node signs; leave out the key')
  const operators = (await bondedOperators(node)).map((operator) => getAddress(operator))
  const tried = await Promise.all(
    operators.map((operator) => estimateCall(node, operator, voteCall(operator, id, ballot))),
  )
  // All at once, so that they share a block: each block moves the clock towards the end of voting.
  const sent = await Promise.allSettled(tried.map((call) => send(node, call)))
  const votes = sent.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [toVote(outcome.value)]
    const { reason } = outcome
    if (!(reason instanceof ChainError) || reason.code !== 'unknown-account') throw reason
    note(`the node has no key of validator ${operators[index]}: it does not vote`)
    return []
  })
  if (votes.length === 0) throw new ChainError('unknown-account', 'the node holds no key of a bonded validator')
  return votes
}

const voteCall = (voter: Address, id: number, ballot: BallotFlags): NativeCall => {
  const [only, ...others] = ballot
  return only !== undefined && others.length === 0
    ? govCall('vote', voter, BigInt(id), only.option, '')
    : govCall('voteWeighted', voter, BigInt(id), ballot, '')
}

const toVote = (receipt: TransactionReceipt): VoteFlags => ({ voter: getAddress(receipt.from), ...blockOf(receipt) })

/** Milliseconds between requests for the proposal's status. */
const POLLING = 500

/**
 * Settles with the proposal when its voting is over. A node that makes blocks only for transactions would leave it undecided
 * until the next one, so the node is asked for a block if it offers that.
 */
export async function waitForOutcome(node: RpcClient, id: number): Promise<ProposalAnswer> {
  // An expedited proposal that does not pass gets a second, longer period.
  let requestedFor = 0
  for (;;) {
    const proposal = await readProposal(node, id)
    if (proposal.status !== 'voting') return proposal
    const next = await node.viem.getBlock({ blockTag: 'pending' })
    const left = proposal.votingEndTime - Number(next.timestamp)
    if (left <= 0 && requestedFor !== proposal.votingEndTime && !(await makesBlocksByClock(node))) {
      requestedFor = proposal.votingEndTime
      const isMade = (await ifOffered(node, 'evm_mine')) !== undefined
      note(
        isMade
          ? 'voting is over; as this node makes blocks for transactions only, it was asked for one (evm_mine) to decide'
          : 'voting is over; the next block decides, and this node makes one when a transaction comes',
      )
      if (isMade) continue
    }
    await sleep(Math.min(POLLING, Math.max(left, 0.1) * 1000))
  }
}

const makesBlocksByClock = async (node: RpcClient): Promise<boolean> =>
  Number((await ifOffered(node, 'anvil_getIntervalMining')) ?? 0) > 0

const refused = (why: string): WrongCommandLine => new WrongCommandLine('invalid-params', why)
