// The transactions of a validator's operator: create, edit, bond, unbond, unjail. Each waits for its block. They call the native
// contracts by functions that have the same arguments under every interface.
import type { Command } from 'commander'
import { decodeAbiParameters, type TransactionReceipt } from 'viem'
import { z } from 'zod'
import { hasKeys, readConsensusKey } from '../../consensus/cometbft/home.ts'
import { keyToBase64 } from '../../consensus/cometbft/keys.ts'
import { ONE, parseDec } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Hash, hexToAddress, toHash } from '../../lib/hex.ts'
import { WrongCommandLine } from '../explain.ts'
import { readFlags, readOperand, text } from '../flags.ts'
import { amountText, formatCoin, parseCoin } from '../native/amount.ts'
import { note, print, utc } from '../native/answers.ts'
import { readAccount } from '../native/arguments.ts'
import { contractNamed, functionsNamed } from '../native/contracts.ts'
import { addressOfSender, oneSender, type Sender, senderFlags, withSenderFlags } from '../native/sender.ts'
import {
  blockOf,
  callContract,
  type NativeCall,
  readBaseDenom,
  requireContract,
  transact,
} from '../native/transaction.ts'
import { ifOffered, type RpcClient, withNode as withRpc } from '../rpc-client.ts'
import { nodeFlags, nodeFolders, withNode } from './node-flags.ts'
import { duration, findValidator, jailWords, percent, requireValidator } from './validator-status.ts'

export function registerChanges(validator: Command): void {
  registerCreate(validator)
  registerEdit(validator)
  registerBond(validator)
  registerUnbond(validator)
  registerUnjail(validator)
}

function nativeCall(
  contractName: 'staking' | 'slashing',
  functionName: string,
  ...args: readonly unknown[]
): NativeCall {
  const contract = contractNamed(contractName)
  const [abi] = functionsNamed(contract, functionName)
  if (abi === undefined) throw new TypeError(functionName)
  return { contract, abi, args }
}

/** A node, the sender's transactions on it, and the base denomination. */
type Operator = {
  readonly node: RpcClient
  readonly me: ReturnType<typeof hexToAddress>
  readonly base: string
  readonly sender: Sender
}

/** Runs `work` as the account that the flags name. Throws ChainError if the chain has no staking. */
const asOperator = (flags: z.output<typeof sending>, work: (operator: Operator) => Promise<void>): Promise<void> =>
  withRpc(flags.rpcUrl, async (node) => {
    await requireContract(node, contractNamed('staking'))
    const sender = await oneSender(node, flags)
    await work({ node, sender, me: hexToAddress(addressOfSender(sender)), base: await readBaseDenom(node) })
  })

const sending = z.object(senderFlags)

/** Base units of an amount of the base coin. Throws ChainError `invalid-params`. */
function baseUnits(given: string, base: string): bigint {
  const { denom, amount } = parseCoin(given, base)
  if (denom === base) return amount
  throw new ChainError('invalid-params', `stakes are ${base}, not ${denom}`)
}

const coins = (amount: bigint, base: string): string => formatCoin({ denom: base, amount }, base)

/** `0.1` or `10%`, as 10^18ths. */
const rate = z.string().transform((given, context) => {
  const [, number = '', sign] = /^(\d{1,3}(?:\.\d{1,16})?)(%?)$/.exec(given.trim()) ?? []
  const value = number === '' ? undefined : parseDec(number) / (sign === '%' ? 100n : 1n)
  if (value !== undefined && value <= ONE) return value
  context.addIssue({ code: 'custom', message: `expected a share such as 0.1 or 10%, not "${given}"` })
  return z.NEVER
})

// --- create and edit

const DESCRIPTION = {
  identity: text.optional(),
  website: text.optional(),
  securityContact: text.optional(),
  details: text.optional(),
}

const withDescription = (command: Command): Command =>
  command
    .option('--identity <text>', 'signature of an identity, such as one of Keybase')
    .option('--website <url>', 'web site')
    .option('--security-contact <text>', 'contact for reports of faults')
    .option('--details <text>', 'anything else')

type DescriptionFlags = { readonly moniker?: string | undefined } & {
  readonly [Name in keyof typeof DESCRIPTION]?: string | undefined
}

const describe = (given: DescriptionFlags, missing: string) => {
  const { moniker, identity, website, securityContact, details } = given
  return {
    moniker: moniker ?? missing,
    identity: identity ?? missing,
    website: website ?? missing,
    securityContact: securityContact ?? missing,
    details: details ?? missing,
  }
}

const moniker = z.string().min(1, 'expected a name')

const consensusKey = z
  .string()
  .regex(/^(0x[0-9a-f]{64}|[A-Za-z0-9+/]{43}=)$/i, 'expected a public key of ed25519, in base64 or hex')
  .transform((given) =>
    toHash(given.startsWith('0x') ? Buffer.from(given.slice(2), 'hex') : Buffer.from(given, 'base64')),
  )

const creating = sending.extend({
  ...nodeFlags,
  ...DESCRIPTION,
  moniker,
  key: consensusKey.optional(),
  commission: rate,
  maxCommission: rate,
  maxCommissionChange: rate,
  minSelfDelegation: amountText.optional(),
})

function registerCreate(validator: Command): void {
  const create = validator
    .command('create')
    .description("make the sender the operator of a validator, with the key of this machine's node")
    .argument('<amount>', 'its own delegation, for example 100, 100KEST or 10000000akest')
    .optionsGroup('Validator:')
    .requiredOption('--moniker <name>', 'name of the validator')
    .option('--commission <share>', "share of its delegators' rewards that it keeps", '0.1')
    .option('--max-commission <share>', 'the most that this can ever be', '0.2')
    .option('--max-commission-change <share>', 'the most by which it can rise in a day', '0.01')
    .option('--min-self-delegation <amount>', 'below this own delegation it is jailed (default: one base unit)')
    .option('--key <key>', 'public key of its node, in base64 or hex (default: that in the home below)')
  withSenderFlags(withNode(withDescription(create).optionsGroup('Key:')))
    .addHelpText(
      'after',
      `
The node whose key it is should have caught up: a validator that does not sign is jailed.

Examples:
  kestrel validator create 700KEST --moniker carol --home net/node4 --keystore carol.json
  kestrel validator create 700 --moniker carol --key "$KEY" --private-key-file carol.key`,
    )
    .action(async (amount: string, given) => {
      const flags = readFlags(creating, given)
      readOperand('amount', amountText, amount)
      const key = flags.key ?? (await keyOfNode(flags))
      await asOperator(flags, (operator) => createValidator(operator, flags, key, amount))
    })
}

async function createValidator(
  { node, sender, me, base }: Operator,
  flags: z.output<typeof creating>,
  key: Hash,
  amount: string,
): Promise<void> {
  const value = baseUnits(amount, base)
  const least = flags.minSelfDelegation === undefined ? 1n : baseUnits(flags.minSelfDelegation, base)
  const rates = { rate: flags.commission, maxRate: flags.maxCommission, maxChangeRate: flags.maxCommissionChange }
  if ((await ifOffered(node, 'eth_syncing')) !== false)
    note(`the node at ${flags.rpcUrl} still catches up with its peers; a validator whose node does not sign is jailed`)
  const args = [describe(flags, ''), rates, least, me, keyToBase64(key), value] as const
  const receipt = await transact(node, sender, nativeCall('staking', 'createValidator', ...args))
  const { json } = flags
  await report(node, receipt, {
    json,
    operator: me,
    lines: [`Validator ${flags.moniker} is created: ${coins(value, base)}`],
  })
}

/** The key in the home that the flags name. Throws ChainError `not-found` if there is none: it would belong to no node. */
async function keyOfNode(flags: Parameters<typeof nodeFolders>[0]): Promise<Hash> {
  const { engine } = nodeFolders(flags)
  if (hasKeys(engine)) return readConsensusKey(engine)
  throw new ChainError('not-found', `${engine} has no key; \`kestrel validator key\` makes one, or name it by --key`)
}

/** In `editValidator`: leave this as it is. */
const UNCHANGED = { text: '[do-not-modify]', number: -1n }

const editing = sending.extend({
  ...DESCRIPTION,
  moniker: moniker.optional(),
  commission: rate.optional(),
  minSelfDelegation: amountText.optional(),
})

function registerEdit(validator: Command): void {
  const edit = validator
    .command('edit')
    .description("change the description, commission or minimum own delegation of the sender's validator")
    .optionsGroup('Changes:')
    .option('--moniker <name>', 'name of the validator')
    .option('--commission <share>', "share of its delegators' rewards that it keeps; once a day")
    .option('--min-self-delegation <amount>', 'it can only rise')
  withSenderFlags(withDescription(edit))
    .addHelpText(
      'after',
      `
Examples:
  kestrel validator edit --commission 5% --keystore carol.json
  kestrel validator edit --website https://carol.example --details ""`,
    )
    .action(async (given) => {
      const flags = readFlags(editing, given)
      const names = ['moniker', ...Object.keys(DESCRIPTION), 'commission', 'minSelfDelegation'] as const
      if (names.every((name) => !Object.hasOwn(given, name)))
        throw new WrongCommandLine('invalid-params', 'nothing to change: name at least one of the changes')
      await asOperator(flags, async ({ node, sender, me, base }) => {
        const { commission = UNCHANGED.number, minSelfDelegation: least, json } = flags
        const minimum = least === undefined ? UNCHANGED.number : baseUnits(least, base)
        const call = nativeCall('staking', 'editValidator', describe(flags, UNCHANGED.text), me, commission, minimum)
        const receipt = await transact(node, sender, call)
        const rates = flags.commission === undefined ? [] : [`Commission  ${percent(flags.commission)}`]
        await report(node, receipt, { json, operator: me, lines: ['The validator is changed', ...rates] })
      })
    })
}

// --- bond and unbond

const withValidator = (command: Command): Command =>
  command.argument('[validator]', "operator in hex or bech32 (default: the sender's own validator)")

function registerBond(validator: Command): void {
  const bond = validator.command('bond').description('delegate coins to a validator, by default to its own')
  withSenderFlags(withValidator(bond.argument('<amount>', 'for example 100, 100KEST or 10000000akest')))
    .addHelpText(
      'after',
      `
Examples:
  kestrel validator bond 100KEST --keystore carol.json
  kestrel validator bond 5 kestvaloper1… --from 0`,
    )
    .action(async (amount: string, text: string | undefined, given) => {
      readOperand('amount', amountText, amount)
      const named = text === undefined ? undefined : readAccount('validator', text)
      const flags = readFlags(sending, given)
      await asOperator(flags, async ({ node, sender, me, base }) => {
        const { operator, operatorAddress } = await requireValidator(node, named ?? me)
        const value = baseUnits(amount, base)
        const receipt = await transact(node, sender, nativeCall('staking', 'delegate', me, operatorAddress, value))
        const lines = [`${coins(value, base)} delegated to ${operatorAddress}`]
        await report(node, receipt, { json: flags.json, operator, lines })
      })
    })
}

function registerUnbond(validator: Command): void {
  const unbond = validator
    .command('unbond')
    .description('take delegated coins back; a validator without coins leaves the set')
    .argument('<amount>', 'for example 100, 100KEST or 10000000akest; or `all`')
  withSenderFlags(withValidator(unbond))
    .addHelpText(
      'after',
      `
Examples:
  kestrel validator unbond 100KEST --keystore carol.json
  kestrel validator unbond all --private-key-file carol.key`,
    )
    .action(async (amount: string, text: string | undefined, given) => {
      if (amount !== 'all') readOperand('amount', amountText, amount)
      const named = text === undefined ? undefined : readAccount('validator', text)
      const flags = readFlags(sending, given)
      await asOperator(flags, async (sent) => {
        const { node, sender, me, base } = sent
        const { operator, operatorAddress } = await requireValidator(node, named ?? me)
        const value = amount === 'all' ? await delegated(sent, operatorAddress) : baseUnits(amount, base)
        const receipt = await transact(node, sender, nativeCall('staking', 'undelegate', me, operatorAddress, value))
        const until = completionIn(receipt)
        const { timestamp } = await node.viem.getBlock({ blockNumber: receipt.blockNumber })
        const lines = [
          `${coins(value, base)} taken back from ${operatorAddress}`,
          `They are paid at ${utc(Number(until))}, in ${duration(Number(until - timestamp))}`,
        ]
        await report(node, receipt, { json: flags.json, operator, lines, more: { completionTime: until } })
      })
    })
}

/** What the sender has delegated to a validator, in base units. */
async function delegated({ node, me }: Operator, validator: string): Promise<bigint> {
  const [, balance] = await callContract(node, nativeCall('staking', 'delegation', me, validator))
  return z.object({ amount: z.bigint() }).parse(balance).amount
}

/** `amount` and `completionTime` are what the event `Unbond` has beside its topics. */
const UNBOND = [{ type: 'uint256' }, { type: 'uint256' }] as const

/** Unix seconds at which the coins of an undelegation are paid. */
function completionIn({ logs }: TransactionReceipt): bigint {
  const { address } = contractNamed('staking')
  const log = logs.findLast((one) => one.address.toLowerCase() === address)
  return log === undefined ? 0n : decodeAbiParameters(UNBOND, log.data)[1]
}

// --- unjail

function registerUnjail(validator: Command): void {
  withSenderFlags(
    validator.command('unjail').description("let the sender's validator sign again, after its time in jail"),
  )
    .addHelpText(
      'after',
      `
Start its node first and let it catch up, or it will be jailed anew.

Examples:
  kestrel validator unjail --keystore carol.json
  kestrel validator unjail --from 0x70997970C51812dc3A010C7d01b50e0d17dc79C8`,
    )
    .action(async (given) => {
      const flags = readFlags(sending, given)
      await asOperator(flags, async ({ node, sender, me }) => {
        const found = await requireValidator(node, me)
        const { timestamp: time } = await node.viem.getBlock({ blockTag: 'pending' })
        if (found.jailed && (found.tombstoned || time < found.jailedUntil))
          throw new ChainError('not-allowed', `the validator is jailed ${jailWords({ ...found, time })}`)
        const receipt = await transact(node, sender, nativeCall('slashing', 'unjail', me))
        await report(node, receipt, { json: flags.json, operator: me, lines: ['The validator is out of jail'] })
      })
    })
}

// --- what is printed

type Report = {
  readonly json: boolean
  readonly operator: ReturnType<typeof hexToAddress>
  readonly lines: readonly string[]
  readonly more?: Readonly<Record<string, unknown>>
}

/** The transaction, and the validator as it is after it. */
async function report(node: RpcClient, receipt: TransactionReceipt, { json, operator, lines, more }: Report) {
  const after = await findValidator(node, operator)
  const { transaction, block } = blockOf(receipt)
  const state =
    after === undefined
      ? 'the validator is removed'
      : `${after.status}${after.jailed ? ', jailed' : ''}, power ${after.power}`
  print(json, { ...more, transaction, block, validator: after ?? null }, [
    ...lines,
    `Status      ${state}`,
    `Transaction ${transaction}, block ${block}`,
  ])
}
