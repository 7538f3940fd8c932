// The sentences for calls of native contracts: one line for each function that changes something.
import type { AbiParameter } from 'abitype'
import { decodedData, decodedEvent } from '../../contracts/abi.ts'
import { nativeAt, nativeTitle } from '../../contracts/native-sources.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { UNLIMITED } from '../../modules/authz/authz.ts'
import { VOTE_OPTIONS } from '../../modules/gov/layout.ts'
import type { Shape } from '../../primitives/abi-decoder.ts'
import type { Log } from '../../primitives/types.ts'
import type { ExplorerContext } from '../context.ts'
import { readAccount } from '../native/modules.ts'
import { WIRE_OPTION } from '../native/proposal.ts'
import { account, coins, listed, type Phrase, say } from './phrase.ts'

const GRANTS = {
  approve: '{from} allowed {spender} {methods} of up to {amount}',
  increaseAllowance: '{from} allowed {spender} {methods} of {amount} more',
  decreaseAllowance: '{from} allowed {spender} {methods} of {amount} less',
  revoke: '{from} revoked {methods} of {spender}',
}

/**
 * By contract and function. A name in braces is an argument, `{Event.name}` a value of the contract's event; `{from}` is the sender,
 * `{coin}` the amount of a denomination, `{a|vote}` a value as one of `SHOWN` shows it. Others are shown by their types (`shown`).
 */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Authorization: GRANTS,
  Staking: {
    ...GRANTS,
    delegate: '{delegatorAddress} delegated {amount} to {validatorAddress}',
    undelegate: '{delegatorAddress} began to unbond {amount} from {validatorAddress}',
    redelegate: '{delegatorAddress} moved {amount} from {validatorSrcAddress} to {validatorDstAddress}',
    cancelUnbondingDelegation: '{delegatorAddress} stopped unbonding {amount} from {validatorAddress}',
    createValidator: '{validatorAddress} created the validator {description.moniker} with {value}',
    editValidator: '{validatorAddress} edited its description or commission as a validator',
  },
  Distribution: {
    ...GRANTS,
    withdrawDelegatorRewards:
      '{delegatorAddress} withdrew {WithdrawDelegatorRewards.amount}{WithdrawDelegatorReward.amount} of rewards from {validatorAddress}',
    claimRewards: '{delegatorAddress} claimed {ClaimRewards.amount} of rewards',
    withdrawValidatorCommission: '{validatorAddress} withdrew {WithdrawValidatorCommission.commission} of commission',
    setWithdrawAddress: '{delegatorAddress} made {withdrawerAddress} the receiver of its rewards',
    fundCommunityPool: '{depositor} gave {amount} to the community pool',
    depositValidatorRewardsPool: '{depositor} gave {amount} of rewards to the delegators of {validatorAddress}',
  },
  Slashing: { unjail: '{validatorAddress} unjailed itself as a validator' },
  ICS20: {
    approve: '{from} allowed {grantee}{spender} to transfer {allocations|limits}',
    increaseAllowance: '{from} allowed {spender} to transfer {coin} more over {sourceChannel}',
    decreaseAllowance: '{from} allowed {spender} to transfer {coin} less over {sourceChannel}',
    revoke: '{from} revoked the transfers of {spender}',
    transfer: '{sender} sent {coin} to {receiver} over {sourceChannel}',
  },
  IBC: {
    createClient: '{from} made the client {CreateClient.clientId|plain} of the chain {CreateClient.chainId|plain}',
    registerCounterparty:
      '{from} registered {counterpartyClientId|plain} as the counterparty of the client {clientId|plain}',
    updateClient: '{from} updated the client {clientId|plain}',
    recvPacket: '{from} delivered packet {packet.sequence|plain} over {packet.destClient|plain}',
    acknowledgePacket:
      '{from} delivered the acknowledgement of packet {packet.sequence|plain} over {packet.sourceClient|plain}',
    timeoutPacket: '{from} ended packet {packet.sequence|plain} over {packet.sourceClient|plain} by its timeout',
  },
  Vesting: {
    approve: '{from} allowed {grantee} {method}',
    createClawbackVestingAccount: '{vestingAddress} became a vesting account of {funderAddress}',
    fundVestingAccount: '{funderAddress} funded the vesting account {vestingAddress} with {vestingPeriods|sum}',
    clawback: '{funderAddress} took back what {accountAddress} had not vested',
    updateVestingFunder: '{funderAddress} made {newFunderAddress} the funder of {vestingAddress}',
    convertVestingAccount: '{vestingAddress} became an ordinary account',
  },
  Gov: {
    submitProposal: '{proposer} submitted proposal {SubmitProposal.proposalId} with a deposit of {deposit}',
    deposit: '{depositor} deposited {amount} for proposal {proposalId}',
    vote: '{voter} voted {option|vote} on proposal {proposalId}',
    voteWeighted: '{voter} voted {options|votes} on proposal {proposalId}',
    cancelProposal: '{proposer} cancelled proposal {proposalId}',
  },
}

type Value = bigint | boolean | string | readonly Value[] | Fields
type Fields = { readonly [name: string]: Value }

/** Values with the names of their parameters. */
const named: Shape<Value> = {
  scalar: (_type, value) => value,
  array: (values) => values,
  tuple: (components, values) => fieldsOf(components, values),
}
const fieldsOf = (parameters: readonly AbiParameter[], values: readonly Value[]): Fields =>
  Object.fromEntries(values.map((value, i) => [parameters[i]?.name ?? '', value]))

const isFields = (value: Value | undefined): value is Fields => typeof value === 'object' && !Array.isArray(value)
const at = (of: Value | undefined, name: string): Value | undefined => (isFields(of) ? of[name] : undefined)
const items = (of: Value | undefined): readonly Value[] => (Array.isArray(of) ? of : [])

/** `no with veto` */
function vote(of: Value | undefined): Phrase {
  const option = VOTE_OPTIONS[Number(of)]
  if (option === undefined) return say`${String(of)}`
  return say`${option === 'none' ? 'nothing' : WIRE_OPTION[option].replaceAll('_', ' ')}`
}

/** Values that their types do not explain. */
const SHOWN: Readonly<Record<string, (context: ExplorerContext, of: Value | undefined) => Phrase>> = {
  plain: (_context, of) => say`${String(of ?? '')}`,
  vote: (_context, of) => vote(of),
  votes: (_context, of) =>
    listed(
      items(of).map((each) => say`${vote(at(each, 'option'))} with a weight of ${String(at(each, 'weight'))}`),
      'others',
    ),
  limits: (context, of) =>
    listed(
      items(of).map((each) => say`${shown(context, at(each, 'spendLimit'))} over ${String(at(each, 'sourceChannel'))}`),
      'others',
    ),
  /** Base coins of all periods. */
  sum: ({ spec }, of) => {
    const all = items(of).flatMap((period) => items(at(period, 'amount')))
    const base = all.filter((coin) => at(coin, 'denom') === spec.native?.denom)
    return coins(base.reduce((sum: bigint, coin) => sum + BigInt(String(at(coin, 'amount'))), 0n))
  },
}

/** A value by its type: an integer is an amount of the base coin, a text that is an address an account. */
function shown(context: ExplorerContext, of: Value | undefined): Phrase {
  if (typeof of === 'bigint') return of === UNLIMITED ? say`any amount` : coins(of)
  if (typeof of === 'string') {
    const address = addressIn(context, of)
    return address === undefined ? say`${of.split('.').at(-1) ?? of}` : account(context, address)
  }
  if (Array.isArray(of))
    return of.length === 0
      ? say`nothing`
      : listed(
          of.map((each) => shown(context, each)),
          'others',
        )
  return isFields(of) ? coin(context, of) : say`${String(of ?? '')}`
}

/** An amount of a denomination. */
function coin(context: ExplorerContext, of: Fields): Phrase {
  const denom = String(of['denom'])
  const amount = BigInt(String(of['amount'] ?? 0))
  return denom === context.spec.native?.denom ? coins(amount) : say`${amount.toString()} ${denom}`
}

/** The account of an address of this chain, hexadecimal or bech32. */
function addressIn({ spec }: ExplorerContext, text: string): Address | undefined {
  try {
    return spec.native && readAccount(spec.native, text)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

type Call = {
  readonly from: Address
  readonly to: Address
  readonly data: Uint8Array
  readonly logs: readonly Log[]
}

/** A successful call of a native contract; undefined for other contracts, and for functions that change nothing. */
export function nativeCall(context: ExplorerContext, { from, to, data, logs }: Call): Phrase | undefined {
  const native = nativeAt(context.spec, to)
  const found = native && decodedData(context, to, 'functions', data, named)
  const words = native && found && WORDS[nativeTitle(native.name)]?.[found.entry.name]
  if (found === undefined || words === undefined) return undefined
  const call: Fields = { ...fieldsOf(found.entry.inputs, found.values), ...eventsOf(context, to, logs) }
  return words.split(/[{}]/).flatMap((part, i): Phrase => {
    if (i % 2 === 0) return part === '' ? [] : [part]
    if (part === 'from') return account(context, from)
    if (part === 'coin') return coin(context, call)
    const [path = '', kind = ''] = part.split('|')
    const value = path.split('.').reduce<Value | undefined>(at, call)
    if (SHOWN[kind] !== undefined) return SHOWN[kind](context, value)
    if (value === undefined) return []
    return path.endsWith('proposalId') ? say`${String(value)}` : shown(context, value)
  })
}

/** The contract's events, by name: the first of each. */
function eventsOf(context: ExplorerContext, of: Address, logs: readonly Log[]): Fields {
  const events = logs.flatMap((log) => {
    const found = log.address === of ? decodedEvent(context, log, named) : undefined
    return found === undefined ? [] : [[found.entry.name, fieldsOf(found.entry.inputs, found.values)] as const]
  })
  return Object.fromEntries(events.reverse())
}
