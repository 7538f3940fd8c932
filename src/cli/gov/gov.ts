// `kestrel gov`: proposals on a running chain, from submission to outcome.
import type { Command } from 'commander'
import { z } from 'zod'
import { oneOf, readFlags, readOperand, wholeNumber } from '../flags.ts'
import { amountText, formatCoins, parseCoin } from '../native/amount.ts'
import { print } from '../native/answers.ts'
import { addressOfSender, nodeFlags, oneSender, senderFlags, withNodeFlags, withSenderFlags } from '../native/sender.ts'
import { blockOf, transact } from '../native/transaction.ts'
import { type RpcClient, withNode } from '../rpc-client.ts'
import {
  baseDenom,
  govCall,
  readFailure,
  readGovParams,
  readMessages,
  readProposal,
  readProposals,
  STATUSES,
} from './chain-queries.ts'
import { inSeconds, listLines, paramsLines, proposalLines, row } from './output.ts'
import { registerSubmit } from './submit.ts'
import { castVotes, parseBallot, waitForOutcome } from './vote.ts'

export function register(gov: Command): void {
  gov.addHelpText(
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

const aboutProposal = (gov: Command, word: string, description: string): Command =>
  gov.command(word).description(description).argument('<number>', 'number of the proposal')

function registerDeposit(gov: Command): void {
  withSenderFlags(
    aboutProposal(gov, 'deposit', 'add to the deposit of a proposal').argument(
      '<amount>',
      'for example 10, 1.5KEST or 10000000akest',
    ),
  ).action(async (number: string, amount: string, given) => {
    const id = proposalNumber(number)
    readOperand('amount', amountText, amount)
    const options = readFlags(z.object(senderFlags), given)
    await withNode(options.rpcUrl, async (node) => {
      const base = baseDenom(await readGovParams(node))
      const coins = [parseCoin(amount, base)]
      const sender = await oneSender(node, options)
      const sent = await transact(node, sender, govCall('deposit', addressOfSender(sender), BigInt(id), coins))
      const proposal = await readProposal(node, id)
      print(options.json, { ...proposal, ...blockOf(sent) }, [
        `Proposal ${id}: ${formatCoins(coins, base)} added, ${formatCoins(proposal.deposit, base)} in all`,
        ...row('Status', proposal.status),
      ])
    })
  })
}

function registerCancel(gov: Command): void {
  withSenderFlags(aboutProposal(gov, 'cancel', 'withdraw your own proposal; a part of the deposit is lost')).action(
    async (number: string, given) => {
      const id = proposalNumber(number)
      const options = readFlags(z.object(senderFlags), given)
      await withNode(options.rpcUrl, async (node) => {
        await readProposal(node, id)
        const sender = await oneSender(node, options)
        const sent = await transact(node, sender, govCall('cancelProposal', addressOfSender(sender), BigInt(id)))
        print(options.json, { id, ...blockOf(sent) }, [`Proposal ${id} is cancelled`])
      })
    },
  )
}

const voteFlags = z.object({
  ...senderFlags,
  weights: z.string().optional(),
  wait: z.boolean().default(false),
})

function registerVote(gov: Command): void {
  withSenderFlags(
    aboutProposal(gov, 'vote', 'vote; the last vote of an account counts, by its bonded stake')
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
  withNodeFlags(aboutProposal(gov, 'show', 'show a proposal, its votes and its outcome')).action(
    async (number: string, given) => {
      const id = proposalNumber(number)
      const { rpcUrl, json } = readFlags(z.object(nodeFlags), given)
      const shown = await withNode(rpcUrl, async (node) => details(node, await readProposal(node, id)))
      print(json, shown.json, shown.lines)
    },
  )
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
