// `kestrel gov`: proposals on a running chain, from submission to outcome.
import type { Command } from 'commander'
import { encodeFunctionData } from 'viem'
import { z } from 'zod'
import { govAbi } from '../../precompiles/gov-abi.ts'
import { oneOf, readFlags, readOperand, wholeNumber } from '../flags.ts'
import { type RpcClient, withNode } from '../rpc-client.ts'
import { amountText, formatCoins, parseCoin } from './amount.ts'
import {
  baseDenom,
  readFailure,
  readGovParams,
  readMessages,
  readProposal,
  readProposals,
  STATUSES,
  transact,
} from './chain-queries.ts'
import { inSeconds, listLines, paramsLines, print, proposalLines, row } from './output.ts'
import { addressOfSender, nodeFlags, oneSender, senderFlags, withNodeFlags, withSenderFlags } from './sender.ts'
import { registerSubmit } from './submit.ts'
import { castVotes, parseBallot, waitForOutcome } from './vote.ts'

export function register(program: Command): void {
  const gov = program
    .command('gov')
    .description('governance of a running chain: submit proposals, deposit, vote')
    .addHelpText(
      'after',
      `
Examples:
  kestrel gov submit --activate kestrel_0
  kestrel gov vote 1 yes --from validators --wait
  kestrel gov show 1`,
    )
  registerSubmit(gov)
  registerDeposit(gov)
  registerCancel(gov)
  registerVote(gov)
  registerList(gov)
  registerShow(gov)
  registerParams(gov)
}

function registerDeposit(gov: Command): void {
  withSenderFlags(
    gov
      .command('deposit')
      .description('add to the deposit of a proposal')
      .argument('<number>', 'number of the proposal')
      .argument('<amount>', 'for example 10, 1.5KEST or 10000000akest'),
  ).action(async (number: string, amount: string, given) => {
    const id = proposalNumber(number)
    readOperand('amount', amountText, amount)
    const options = readFlags(z.object(senderFlags), given)
    await withNode(options.rpcUrl, async (node) => {
      const base = baseDenom(await readGovParams(node))
      const coin = parseCoin(amount, base)
      const sender = await oneSender(node, options)
      const args = [addressOfSender(sender), BigInt(id), [coin]] as const
      const receipt = await transact(node, sender, encodeFunctionData({ abi: govAbi, functionName: 'deposit', args }))
      const proposal = await readProposal(node, id)
      print(options.json, { ...proposal, transaction: receipt.transactionHash, block: Number(receipt.blockNumber) }, [
        `Proposal ${id}: ${formatCoins([coin], base)} added, ${formatCoins(proposal.deposit, base)} in all`,
        ...row('Status', proposal.status),
      ])
    })
  })
}

function registerCancel(gov: Command): void {
  withSenderFlags(
    gov
      .command('cancel')
      .description('withdraw your own proposal; a part of the deposit is lost')
      .argument('<number>', 'number of the proposal'),
  ).action(async (number: string, given) => {
    const id = proposalNumber(number)
    const options = readFlags(z.object(senderFlags), given)
    await withNode(options.rpcUrl, async (node) => {
      await readProposal(node, id)
      const sender = await oneSender(node, options)
      const args = [addressOfSender(sender), BigInt(id)] as const
      const data = encodeFunctionData({ abi: govAbi, functionName: 'cancelProposal', args })
      const { transactionHash: transaction, blockNumber } = await transact(node, sender, data)
      print(options.json, { id, transaction, block: Number(blockNumber) }, [`Proposal ${id} is cancelled`])
    })
  })
}

const voteFlags = z.object({
  ...senderFlags,
  weights: z.string().optional(),
  wait: z.boolean().default(false),
})

function registerVote(gov: Command): void {
  withSenderFlags(
    gov
      .command('vote')
      .description('vote; the last vote of an account counts, by its bonded stake')
      .argument('<number>', 'number of the proposal')
      .argument('[option]', 'yes, no, abstain or veto')
      .option('--weights <shares>', 'split the vote: yes=0.7,no=0.3')
      .option('--wait', 'wait until voting is over and print the outcome'),
  )
    .addHelpText(
      'after',
      `
--from validators votes as every bonded validator whose key the node holds: on a development chain, all of them.

Examples:
  kestrel gov vote 1 yes --from validators --wait
  kestrel gov vote 1 --weights yes=0.7,no=0.3 --keystore key.json`,
    )
    .action(async (number: string, option: string | undefined, given) => {
      const id = proposalNumber(number)
      const options = readFlags(voteFlags, given)
      const ballot = parseBallot(option, options.weights)
      await withNode(options.rpcUrl, async (node) => {
        await readProposal(node, id)
        const votes = await castVotes(node, options, id, ballot)
        const what = option ?? options.weights
        const lines = votes.map(({ voter, block }) => `${voter} votes ${what} on proposal ${id} (block ${block})`)
        if (!options.wait) return print(options.json, { id, votes }, lines)
        if (!options.json) print(false, undefined, lines)
        const outcome = await details(node, await waitForOutcome(node, id))
        print(options.json, { ...outcome.json, votes }, outcome.lines)
      })
    })
}

const listFlags = z.object({ ...nodeFlags, status: oneOf(...STATUSES).optional() })

function registerList(gov: Command): void {
  withNodeFlags(
    gov
      .command('list')
      .description('list the proposals')
      .option('--status <status>', `only those with this status: ${STATUSES.join(', ')}`),
  ).action(async (given) => {
    const { rpcUrl, json, status } = readFlags(listFlags, given)
    const proposals = await withNode(rpcUrl, (node) => readProposals(node, status))
    print(json, proposals, listLines(proposals))
  })
}

function registerShow(gov: Command): void {
  withNodeFlags(
    gov
      .command('show')
      .description('show a proposal, its votes and its outcome')
      .argument('<number>', 'number of the proposal'),
  ).action(async (number: string, given) => {
    const id = proposalNumber(number)
    const { rpcUrl, json } = readFlags(z.object(nodeFlags), given)
    const shown = await withNode(rpcUrl, async (node) => details(node, await readProposal(node, id)))
    print(json, shown.json, shown.lines)
  })
}

async function details(node: RpcClient, proposal: Awaited<ReturnType<typeof readProposal>>) {
  const { id } = proposal
  const [params, messages, failure] = await Promise.all([
    readGovParams(node),
    readMessages(node, id),
    readFailure(node, id),
  ])
  return {
    json: { ...proposal, messages, failure },
    lines: proposalLines(proposal, { messages, failure, base: baseDenom(params) }),
  }
}

function registerParams(gov: Command): void {
  withNodeFlags(gov.command('params').description('show the parameters of governance')).action(async (given) => {
    const { rpcUrl, json } = readFlags(z.object(nodeFlags), given)
    const params = await withNode(rpcUrl, readGovParams)
    print(json, inSeconds(params), paramsLines(params))
  })
}

const proposalNumber = (text: string): number => readOperand('number', wholeNumber(1, 1e15), text)
