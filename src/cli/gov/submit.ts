// `kestrel gov submit`: submits a proposal from a file, or built from flags.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { stringToHex, type TransactionReceipt } from 'viem'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { MAX_MIN_BASE_FEE } from '../../modules/params.ts'
import { integer, list, path, readFlags, readOperand, seconds, wrongFlag, wrongOperand } from '../flags.ts'
import { amountText, type CoinAmount, formatCoins, parseCoin } from '../native/amount.ts'
import { hint, print, utc } from '../native/answers.ts'
import { addressOfSender, oneSender, senderFlags, withSenderFlags } from '../native/sender.ts'
import { blockOf, decodedEvents, transact } from '../native/transaction.ts'
import { type RpcClient, withNode } from '../rpc-client.ts'
import {
  baseDenom,
  govCall,
  readAuthority,
  readEvmParams,
  readGovParams,
  readKnownProposals,
  readProposal,
} from './chain-queries.ts'
import {
  type Actions,
  describe,
  type MessageJson,
  messagesOf,
  parseProposalFile,
  titleOf,
  UPGRADE,
} from './messages.ts'
import { row } from './output.ts'

/** Names separated by commas; the flag may also be repeated. */
const names = z.array(z.string()).readonly().pipe(list).default([])

const number64 = integer(0n, 2n ** 63n - 1n).optional()
const changes = {
  activate: names,
  deactivate: names,
  minBaseFee: integer(0n, MAX_MIN_BASE_FEE).optional(),
  blockGasLimit: number64,
  blockMaxBytes: number64,
  blockTime: seconds.optional(),
}
const texts = {
  title: z.string().min(1, 'expected a title').optional(),
  summary: z.string().default(''),
  deposit: amountText.optional(),
}
const repeated = (form: RegExp, expected: string) => z.array(z.string().regex(form, `expected ${expected}`)).default([])
const flags = z.object({
  ...senderFlags,
  ...changes,
  ...texts,
  expedited: z.boolean().default(false),
  spend: repeated(/^[^:]+:\s*\d/, 'RECIPIENT:AMOUNT'),
  registerErc20: repeated(/^0x[0-9a-fA-F]{40}$/, 'an address (0x and 40 hex digits)'),
  upgrade: z.string().regex(UPGRADE, 'expected NAME@HEIGHT or NAME@+BLOCKS, such as v2@1200').optional(),
  upgradeInfo: z.string().optional(),
  cancelUpgrade: z.boolean().default(false),
  recoverClient: repeated(/^[\w-]+=[\w-]+$/, 'CLIENT=SUBSTITUTE, such as 07-tendermint-0=07-tendermint-3'),
  toggleErc20: repeated(/^(0x[0-9a-fA-F]{40}|[a-zA-Z][\w/:.-]+)$/, 'the address of a token or its denomination'),
})
type SubmitFlags = z.output<typeof flags>

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value]

const withChanges = (command: Command): Command =>
  command
    .option('--activate <names>', 'improvement proposals to activate, for example kestrel_0', collect)
    .option('--deactivate <names>', 'improvement proposals to deactivate', collect)
    .option('--min-base-fee <wei>', 'floor of the base fee from the next block on; 0 for none')
    .option('--block-gas-limit <gas>', 'block gas limit, which blocks approach by 1/1024 each')
    .option('--block-max-bytes <bytes>', "most bytes of a network's block")
    .option('--block-time <seconds>', 'time between blocks')

const withTexts = (command: Command): Command =>
  command
    .optionsGroup('Proposal:')
    .option('--title <text>', 'title (default: a description of the actions)')
    .option('--summary <text>', 'summary (default: the title)')
    .option('--deposit <amount>', 'initial deposit (default: the amount that voting requires)')

/** `gov submit` */
export function registerSubmit(gov: Command): void {
  const command = gov
    .command('submit')
    .description('submit a proposal from a file or from flags and print its number')
    .argument('[file]', "JSON as the Cosmos SDK's tools write it: messages, title, summary, deposit")
    .optionsGroup('Actions (each flag is one message):')
  withSenderFlags(
    withTexts(
      withChanges(command)
        .option(
          '--upgrade <name@height>',
          'stop every node before a block until its program has the upgrade; @+N counts from the head',
        )
        .option('--upgrade-info <text>', 'with --upgrade: text of the plan, for people and tools such as cosmovisor')
        .option('--cancel-upgrade', 'cancel the scheduled upgrade')
        .option('--spend <recipient:amount>', 'pay from the community pool; may be repeated', collect)
        .option('--register-erc20 <address>', 'make an ERC-20 token a coin too; may be repeated', collect)
        .option('--toggle-erc20 <token>', "enable or disable a token's conversion; may be repeated", collect)
        .option(
          '--recover-client <client=substitute>',
          'give an expired or frozen IBC client the newest header of an active one; may be repeated',
          collect,
        ),
    ).option('--expedited', 'shorter voting, higher threshold and deposit'),
  )
    .addHelpText(
      'after',
      `
Amounts: 10 and 1.5KEST are coins, 10000000akest are base units.

Examples:
  kestrel gov submit --activate kestrel_0
  kestrel gov submit --title "Pay the auditors" --spend 0xADDRESS:250
  kestrel gov submit --upgrade v2@1200
  kestrel gov submit --title "Blue or green?" --summary "Blue." --from 3
  kestrel gov submit proposal.json --private-key-file key.txt`,
    )
    .action((file: string | undefined, given) =>
      submit(readOperand('file', path.optional(), file), readFlags(flags, given)),
    )
}

/** `params propose` */
export function registerPropose(params: Command): void {
  withSenderFlags(
    withTexts(withChanges(params.command('propose').description('submit a proposal to change the parameters'))),
  )
    .addHelpText('after', '\nExample:\n  kestrel params propose --activate kestrel_0')
    .action((given) => {
      const read = readFlags(flags, given)
      if (Object.keys(changes).every((name) => isUnset(read[name as keyof typeof changes])))
        throw wrongFlag(
          'activate',
          'expected --activate or --deactivate with a name such as kestrel_0, or another parameter; see --help',
        )
      return submit(undefined, read)
    })
}

/** A proposal before submission, with its deposit. */
type Draft = {
  readonly messages: readonly MessageJson[]
  readonly metadata: string
  readonly title: string
  readonly summary: string
  readonly expedited: boolean
}

/** Whether a flag asks for nothing. */
const isUnset = (value: unknown): boolean =>
  value === undefined || value === false || (Array.isArray(value) && value.length === 0)

/** Throws WrongCommandLine unless the proposal is given by either a file or flags. */
function requireOneSource(file: string | undefined, given: SubmitFlags): void {
  const { title, summary, expedited } = given
  const actions = [
    ...Object.keys(changes),
    'spend',
    'registerErc20',
    'toggleErc20',
    'recoverClient',
    'upgrade',
    'cancelUpgrade',
  ] as const
  const isInFlags = title !== undefined || actions.some((name) => !isUnset(given[name as keyof SubmitFlags]))
  if (given.upgradeInfo !== undefined && given.upgrade === undefined)
    throw wrongFlag('upgradeInfo', 'only with --upgrade')
  if (given.upgrade !== undefined && given.cancelUpgrade) throw wrongFlag('cancelUpgrade', 'not with --upgrade')
  if (file === undefined && !isInFlags)
    throw wrongOperand('file', 'expected a file, or --title, or a flag that says what to do; see --help')
  if (file !== undefined && (isInFlags || summary !== '' || expedited))
    throw wrongOperand('file', `${file} says what the proposal is; give either a file or flags`)
}

async function submit(file: string | undefined, given: SubmitFlags): Promise<void> {
  requireOneSource(file, given)
  await withNode(given.rpcUrl, async (node) => {
    const params = await readGovParams(node)
    const base = baseDenom(params)
    const { draft, deposit: written } = file === undefined ? await fromFlags(node, given, base) : await fromFile(file)
    const least = draft.expedited ? params.expeditedMinDeposit : params.minDeposit
    const amount = given.deposit ?? written
    const deposit = amount === undefined ? least : [parseCoin(amount, base)].filter((coin) => coin.amount > 0n)
    const sender = await oneSender(node, given)
    const json = stringToHex(JSON.stringify(draft))
    const receipt = await transact(node, sender, govCall('submitProposal', addressOfSender(sender), json, deposit))
    const id = decodedEvents(receipt).find(({ event }) => event.name === 'SubmitProposal')?.args.proposalId
    if (id === undefined) throw new ChainError('not-found', `transaction ${receipt.transactionHash} has no proposal`)
    await report(node, given, { id: Number(id), draft, base, least, receipt })
  })
}

type Submitted = {
  readonly id: number
  readonly draft: Draft
  readonly base: string
  readonly least: readonly CoinAmount[]
  readonly receipt: TransactionReceipt
}

async function report(node: RpcClient, { json, rpcUrl }: SubmitFlags, submitted: Submitted): Promise<void> {
  const { id, draft, base, least, receipt } = submitted
  const proposal = await readProposal(node, id)
  const isVoting = proposal.votingStartTime > 0
  const does = draft.messages.map((message) => describe(message, base))
  print(json, { ...proposal, messages: draft.messages, ...blockOf(receipt) }, [
    `Proposal ${id}: ${draft.title}`,
    ...row('Does', ...(does.length === 0 ? ['nothing by itself: it states an opinion'] : does)),
    ...row('Deposit', formatCoins(proposal.deposit, base)),
    ...(isVoting
      ? [
          ...row('Votes', `count until ${utc(proposal.votingEndTime)}`),
          ...row('Next', hint(`gov vote ${id} yes --from validators --wait`, rpcUrl)),
        ]
      : [
          ...row('Voting', `begins when ${formatCoins(least, base)} are deposited, by ${utc(proposal.depositEndTime)}`),
          ...row('Next', hint(`gov deposit ${id} AMOUNT`, rpcUrl)),
        ]),
  ])
}

type Drafted = { readonly draft: Draft; readonly deposit: string | undefined }

async function fromFile(file: string): Promise<Drafted> {
  const { deposit, ...draft } = parseProposalFile(file, await readFile(file, 'utf8'))
  return { draft, deposit }
}

async function fromFlags(node: RpcClient, given: SubmitFlags, base: string): Promise<Drafted> {
  const actions: Actions = given
  const title = given.title ?? titleOf(actions)
  const [authority, evmParams, proposals, head] = await Promise.all([
    readAuthority(node),
    readEvmParams(node),
    readKnownProposals(node),
    node.viem.getBlockNumber({ cacheTime: 0 }),
  ])
  const messages = messagesOf(actions, { authority, base, evmParams, head, known: proposals.map(({ name }) => name) })
  const { summary, expedited } = given
  return { draft: { messages, metadata: '', title, summary: summary || title, expedited }, deposit: undefined }
}
