// The messages of a proposal in the Cosmos SDK's JSON: built from flags, and described in text for people.
import { z } from 'zod'
import { decodeBech32, readAddress, toBech32 } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import { formatCoins, parseCoin } from '../native/amount.ts'
import type { EvmParamsAnswer } from './chain-queries.ts'

/** Actions requested by flags. */
export type Actions = {
  readonly activate: readonly string[]
  readonly deactivate: readonly string[]
  /** Wei per gas. */
  readonly minBaseFee?: bigint | undefined
  /** `RECIPIENT:AMOUNT` */
  readonly spend: readonly string[]
  readonly registerErc20: readonly string[]
  /** A token's address or its denomination. */
  readonly toggleErc20: readonly string[]
  /** `CLIENT=SUBSTITUTE` */
  readonly recoverClient: readonly string[]
  readonly blockGasLimit?: bigint | undefined
  readonly blockMaxBytes?: bigint | undefined
  /** Seconds. */
  readonly blockTime?: number | undefined
  /** `NAME@HEIGHT`, or `NAME@+BLOCKS` from the head on. */
  readonly upgrade?: string | undefined
  readonly upgradeInfo?: string | undefined
  readonly cancelUpgrade?: boolean | undefined
}

/** The values of the chain that messages depend on. */
export type ProposalContext = {
  /** The account that proposals act as, in bech32. */
  readonly authority: string
  readonly base: string
  readonly evmParams: EvmParamsAnswer
  /** The newest block. */
  readonly head: bigint
  /** Names of the opcode proposals that can be activated. */
  readonly known: readonly string[]
}

export type MessageJson = { readonly '@type': string; readonly [field: string]: unknown }

/** The messages, in the order of the flags' descriptions. Throws ChainError `invalid-params`. */
export function messagesOf(actions: Actions, context: ProposalContext): MessageJson[] {
  const { authority, base, evmParams } = context
  const { activate, deactivate, minBaseFee, spend, registerErc20, toggleErc20, recoverClient } = actions
  const messages: MessageJson[] = []
  if (activate.length + deactivate.length > 0) {
    // The message replaces the whole set.
    const params = { ...evmParams, extraEips: changed(context, activate, deactivate) }
    messages.push({ '@type': '/ethermint.evm.v1.MsgUpdateParams', authority, params })
  }
  if (minBaseFee !== undefined) {
    const params = { min_base_fee: minBaseFee.toString() }
    messages.push({ '@type': '/ethermint.feemarket.v1.MsgUpdateParams', authority, params })
  }
  messages.push(...consensusMessages(actions, authority), ...upgradeMessages(actions, context))
  if (registerErc20.length > 0)
    messages.push({ '@type': '/evmos.erc20.v1.MsgRegisterERC20', authority, erc20addresses: registerErc20 })
  for (const token of toggleErc20) messages.push({ '@type': '/evmos.erc20.v1.MsgToggleConversion', authority, token })
  for (const text of recoverClient) {
    const [subject_client_id, substitute_client_id] = text.split('=')
    const fields = { subject_client_id, substitute_client_id, signer: authority }
    messages.push({ '@type': '/ibc.core.client.v1.MsgRecoverClient', ...fields })
  }
  for (const text of spend) {
    const [, recipient = '', amount = ''] = /^([^:]+):(.+)$/.exec(text) ?? []
    if (recipient === '') throw refused(`expected RECIPIENT:AMOUNT, not "${text}"`)
    const { prefix } = decodeBech32(authority)
    const coin = parseCoin(amount, base)
    messages.push({
      '@type': '/cosmos.distribution.v1beta1.MsgCommunityPoolSpend',
      authority,
      recipient: toBech32(prefix, readAddress(prefix, recipient)),
      amount: [{ denom: coin.denom, amount: coin.amount.toString() }],
    })
  }
  return messages
}

/** Only what changes: the rest stays as it is. */
function consensusMessages({ blockGasLimit, blockMaxBytes, blockTime }: Actions, authority: string): MessageJson[] {
  if (blockGasLimit === undefined && blockMaxBytes === undefined && blockTime === undefined) return []
  const block = {
    ...(blockMaxBytes !== undefined && { max_bytes: blockMaxBytes.toString() }),
    ...(blockGasLimit !== undefined && { max_gas: blockGasLimit.toString() }),
  }
  const time = blockTime === undefined ? {} : { block_time_ms: Math.round(blockTime * 1_000) }
  return [{ '@type': '/cosmos.consensus.v1.MsgUpdateParams', authority, block, ...time }]
}

function upgradeMessages(
  { upgrade, upgradeInfo: info = '', cancelUpgrade = false }: Actions,
  { authority, head }: ProposalContext,
): MessageJson[] {
  if (cancelUpgrade) return [{ '@type': '/cosmos.upgrade.v1beta1.MsgCancelUpgrade', authority }]
  if (upgrade === undefined) return []
  const [, name, plus, number = ''] = UPGRADE.exec(upgrade) ?? []
  const height = (plus === '+' ? head : 0n) + BigInt(number)
  const plan = { name, height: height.toString(), info }
  return [{ '@type': '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade', authority, plan }]
}

/** `v2@1200` or `v2@+100` */
export const UPGRADE = /^([A-Za-z0-9][\w.+-]{0,63})@(\+?)(\d{1,15})$/

/** The list of active opcode proposals after a change; new ones come last, because they are applied in this order. */
function changed(
  { evmParams: { extraEips: active }, known }: ProposalContext,
  added: readonly string[],
  removed: readonly string[],
): string[] {
  for (const name of added) {
    if (active.includes(name)) throw refused(`${name} is active already`)
    if (!known.includes(name)) throw refused(`the node knows no proposal ${name}; it knows ${known.join(', ')}`)
  }
  for (const name of removed) if (!active.includes(name)) throw refused(`${name} is not active`)
  return [...active.filter((name) => !removed.includes(name)), ...added]
}

/** The default title of a proposal. */
export function titleOf(actions: Actions): string {
  const { activate, deactivate, minBaseFee, spend, registerErc20, toggleErc20 } = actions
  const { blockGasLimit, blockMaxBytes, blockTime, upgrade, cancelUpgrade, recoverClient } = actions
  const parts = [
    activate.length > 0 && `activate ${activate.join(', ')}`,
    deactivate.length > 0 && `deactivate ${deactivate.join(', ')}`,
    minBaseFee !== undefined && `set the floor of the base fee to ${minBaseFee} wei`,
    blockGasLimit !== undefined && `set the block gas limit to ${blockGasLimit}`,
    blockMaxBytes !== undefined && `set the most bytes of a block to ${blockMaxBytes}`,
    blockTime !== undefined && `set the time between blocks to ${blockTime} s`,
    upgrade !== undefined && `upgrade ${upgrade}`,
    cancelUpgrade && 'cancel the upgrade',
    registerErc20.length > 0 && `register ERC-20 ${registerErc20.join(', ')}`,
    toggleErc20.length > 0 && `toggle conversion of ${toggleErc20.join(', ')}`,
    recoverClient.length > 0 && `recover the IBC client ${recoverClient.join(', ').replaceAll('=', ' by ')}`,
    spend.length > 0 && `spend from the community pool: ${spend.join(', ')}`,
  ]
  const text = parts.filter((part) => typeof part === 'string').join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const message = z.looseObject({ '@type': z.string() })
const strings = z.array(z.string())
const updatedParams = z.looseObject({ extra_eips: strings.optional(), extraEips: strings.optional() })
const floor = z.looseObject({ min_base_fee: z.unknown(), minBaseFee: z.unknown() }).partial()
const upgradePlan = z.object({ name: z.string(), height: z.coerce.string(), info: z.string().default('') })
const coins = z.array(z.object({ denom: z.string(), amount: z.coerce.bigint() }))

/** Describes a message in words; an unknown one as JSON. */
export function describe(given: unknown, base: string): string {
  const { data } = message.safeParse(given)
  if (data === undefined) return JSON.stringify(given)
  const { '@type': type, authority: _, ...fields } = data
  const text = (name: string) => String(fields[name])
  switch (type) {
    case '/ethermint.evm.v1.MsgUpdateParams':
    case '/cosmos.evm.vm.v1.MsgUpdateParams': {
      const { extra_eips, extraEips = extra_eips ?? [] } = updatedParams.catch({}).parse(fields.params)
      return extraEips.length === 0
        ? 'lets no improvement proposal be active'
        : `lets these improvement proposals be active, in this order: ${extraEips.join(', ')}`
    }
    case '/ethermint.feemarket.v1.MsgUpdateParams':
    case '/cosmos.evm.feemarket.v1.MsgUpdateParams': {
      const { min_base_fee, minBaseFee = min_base_fee } = floor.catch({}).parse(fields.params)
      return `sets the floor of the base fee to ${minBaseFee} wei per gas`
    }
    case '/evmos.erc20.v1.MsgRegisterERC20':
    case '/cosmos.evm.erc20.v1.MsgRegisterERC20':
      return `registers ERC-20 tokens as coins: ${strings.catch([]).parse(fields.erc20addresses).join(', ')}`
    case '/evmos.erc20.v1.MsgToggleConversion':
    case '/cosmos.evm.erc20.v1.MsgToggleConversion':
      return `switches conversion of ${text('token')} on, or off if it is on`
    case '/cosmos.distribution.v1beta1.MsgCommunityPoolSpend':
      return `pays ${formatCoins(coins.catch([]).parse(fields.amount), base)} from the community pool to ${text('recipient')}`
    case '/cosmos.consensus.v1.MsgUpdateParams':
      return `sets consensus parameters: ${JSON.stringify(fields)}`
    case '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade': {
      const { name, height, info } = upgradePlan.catch({ name: '', height: '', info: '' }).parse(fields.plan)
      return `stops every node before block ${height}, until its program has the upgrade ${name}${info === '' ? '' : `: ${info}`}`
    }
    case '/cosmos.upgrade.v1beta1.MsgCancelUpgrade':
      return 'cancels the scheduled upgrade'
    case '/ibc.core.client.v1.MsgRecoverClient':
      return `gives the IBC client ${text('subject_client_id')} the newest header of ${text('substitute_client_id')}`
    case '/cosmos.bank.v1beta1.MsgSend':
      return `pays ${formatCoins(coins.catch([]).parse(fields.amount), base)} from the governance account to ${text('to_address')}`
    default:
      return `${type} ${JSON.stringify(fields)}`
  }
}

const file = z.looseObject({
  messages: z.array(message).default([]),
  title: z.string().min(1),
  summary: z.string().default(''),
  metadata: z.string().default(''),
  deposit: z.string().optional(),
  expedited: z.boolean().default(false),
})

export type ProposalFile = z.output<typeof file>

/** Reads a proposal in the format of the Cosmos SDK's tools. Throws ChainError `invalid-params`, naming file and field. */
export function parseProposalFile(name: string, text: string): ProposalFile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw refused(`${name}: ${error instanceof Error ? error.message : 'not JSON'}`)
  }
  const parsed = file.safeParse(json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw refused(`${name}: ${issue?.path.join('.')}: ${issue?.message}`)
}

const refused = (why: string): ChainError => new ChainError('invalid-params', why)
