// What accounts can do: each operation as a call of a native contract, and as a change of the model.
import { bech32 } from '@scure/base'
import { type Abi, bytesToHex, encodeFunctionData, formatUnits, type Hex, hexToBytes, stringToHex } from 'viem'
import { ABI, CONTRACT } from './abi.ts'
import { actFor, approve, changeAllowance, type MessageName, revoke, type Sender } from './authz.ts'
import {
  claimRewards,
  fundCommunityPool,
  setWithdrawAddress,
  withdrawCommission,
  withdrawRewards,
} from './distribution.ts'
import { cancel, deposit, submit, vote } from './gov.ts'
import { cancelUnbonding, createValidator, delegate, redelegate, undelegate } from './staking.ts'
import type { Address, Message, Period, State, Vote } from './state.ts'
import { editValidator, unjail } from './validators.ts'
import { clawback, convertVesting, createVesting, fundVesting } from './vesting.ts'

/** The arguments of each operation; `who` is the account for which it is done. */
export type Operations = {
  delegate: { who: Address; validator: Address; amount: bigint }
  undelegate: { who: Address; validator: Address; amount: bigint }
  redelegate: { who: Address; from: Address; to: Address; amount: bigint }
  cancelUnbonding: { who: Address; validator: Address; amount: bigint; height: bigint }
  createValidator: {
    who: Address
    consensusKey: Hex
    consensus: Address
    amount: bigint
    rate: bigint
    minSelfDelegation: bigint
  }
  editValidator: { who: Address; rate: bigint; minSelfDelegation: bigint }
  withdraw: { who: Address; validator: Address }
  withdrawCommission: { who: Address }
  claim: { who: Address; most: number }
  setWithdrawAddress: { who: Address; to: Address }
  fundPool: { who: Address; amount: bigint }
  approve: { spender: Address; amount: bigint; names: MessageName[] }
  revoke: { spender: Address; names: MessageName[] }
  changeAllowance: { spender: Address; change: bigint; names: MessageName[] }
  unjail: { who: Address }
  submit: { who: Address; message: Message; expedited: boolean; amount: bigint }
  deposit: { who: Address; id: bigint; amount: bigint }
  vote: { who: Address; id: bigint; options: Vote }
  cancelProposal: { who: Address; id: bigint }
  createVesting: { who: Address; funder: Address }
  fundVesting: { who: Address; account: Address; start: bigint; lockup: Period[]; vesting: Period[] }
  clawback: { who: Address; account: Address; to: Address }
  convertVesting: { account: Address }
}
export type Operation = { [Name in keyof Operations]: { name: Name } & Operations[Name] }[keyof Operations]
type Call = { readonly to: Address; readonly data: Hex }
type Kind<Given> = { encode(given: Given): Call; apply(state: State, sender: Sender, given: Given): void }

const DENOM = 'akest'
const PREFIX = 'kest'
const coins = (amount: bigint) => [{ denom: DENOM, amount }]
const periodsOf = (periods: readonly Period[]) =>
  periods.map(({ length, amount }) => ({ length, amount: coins(amount) }))
/** An account in its other spelling, for texts that modules read. */
const textOf = (account: Address): string => bech32.encode(PREFIX, bech32.toWords(hexToBytes(account)))
/** The account of a bech32 text of any prefix. */
export const accountOf = (text: string): Address =>
  bytesToHex(bech32.fromWords(bech32.decode(text as `${string}1${string}`).words)) as Address

const calling =
  (contract: keyof typeof CONTRACT) =>
  (functionName: string, ...args: readonly unknown[]): Call => {
    const abi: Abi = ABI[contract]
    return { to: CONTRACT[contract], data: encodeFunctionData({ abi, functionName, args }) }
  }
const staking = calling('staking')
const distribution = calling('distribution')
const gov = calling('gov')
const vesting = calling('vesting')
const authorization = calling('authorization')
const slashing = calling('slashing')

const stakingKinds = {
  delegate: {
    encode: ({ who, validator, amount }) => staking('delegate', who, validator, amount),
    apply: (state, sender, { who, validator, amount }) =>
      actFor(state, sender, who, 'MSG_DELEGATE', () => delegate(state, who, validator, amount), { validator, amount }),
  },
  undelegate: {
    encode: ({ who, validator, amount }) => staking('undelegate', who, validator, amount),
    apply: (state, sender, { who, validator, amount }) =>
      actFor(state, sender, who, 'MSG_UNDELEGATE', () => undelegate(state, who, validator, amount), {
        validator,
        amount,
      }),
  },
  redelegate: {
    encode: ({ who, from, to, amount }) => staking('redelegate', who, from, to, amount),
    apply: (state, sender, { who, from, to, amount }) =>
      actFor(state, sender, who, 'MSG_REDELEGATE', () => redelegate(state, who, from, to, amount), {
        validator: to,
        amount,
      }),
  },
  cancelUnbonding: {
    encode: ({ who, validator, amount, height }) =>
      staking('cancelUnbondingDelegation', who, validator, amount, height),
    apply: (state, sender, { who, validator, amount, height }) => {
      const run = () => cancelUnbonding(state, who, validator, amount, height)
      actFor(state, sender, who, 'MSG_CANCEL_UNDELEGATION', run, { validator, amount })
    },
  },
  createValidator: {
    encode: ({ who, consensusKey, amount, rate, minSelfDelegation }) => {
      const description = { moniker: 'new', identity: '', website: '', securityContact: '', details: '' }
      const rates = { rate, maxRate: rate * 2n, maxChangeRate: rate }
      const key = Buffer.from(hexToBytes(consensusKey)).toString('base64')
      return staking('createValidator', description, rates, minSelfDelegation, who, key, amount)
    },
    apply: (state, sender, { who, consensus, amount, rate, minSelfDelegation }) =>
      actFor(state, sender, who, undefined, () =>
        createValidator(state, who, consensus, amount, {
          rate,
          maxRate: rate * 2n,
          maxChangeRate: rate,
          minSelfDelegation,
        }),
      ),
  },
  editValidator: {
    encode: ({ who, rate, minSelfDelegation }) => {
      const same = '[do-not-modify]'
      const description = { moniker: same, identity: same, website: same, securityContact: same, details: same }
      return staking('editValidator', description, who, rate, minSelfDelegation)
    },
    apply: (state, sender, { who, rate, minSelfDelegation }) =>
      actFor(state, sender, who, undefined, () => editValidator(state, who, rate, minSelfDelegation)),
  },
  unjail: {
    encode: ({ who }) => slashing('unjail', who),
    apply: (state, sender, { who }) => actFor(state, sender, who, undefined, () => unjail(state, who)),
  },
} satisfies { [Name in keyof Operations]?: Kind<Operations[Name]> }

const rewardKinds = {
  withdraw: {
    encode: ({ who, validator }) => distribution('withdrawDelegatorRewards', who, validator),
    apply: (state, sender, { who, validator }) =>
      actFor(state, sender, who, 'MSG_WITHDRAW_DELEGATOR_REWARD', () => withdrawRewards(state, who, validator)),
  },
  withdrawCommission: {
    encode: ({ who }) => distribution('withdrawValidatorCommission', who),
    apply: (state, sender, { who }) =>
      actFor(state, sender, who, 'MSG_WITHDRAW_VALIDATOR_COMMISSION', () => withdrawCommission(state, who)),
  },
  claim: {
    encode: ({ who, most }) => distribution('claimRewards', who, most),
    apply: (state, sender, { who, most }) =>
      actFor(state, sender, who, 'MSG_WITHDRAW_DELEGATOR_REWARD', () => claimRewards(state, who, BigInt(most))),
  },
  setWithdrawAddress: {
    encode: ({ who, to }) => distribution('setWithdrawAddress', who, to),
    apply: (state, sender, { who, to }) =>
      actFor(state, sender, who, 'MSG_SET_WITHDRAWER_ADDRESS', () => setWithdrawAddress(state, who, to)),
  },
  fundPool: {
    encode: ({ who, amount }) => distribution('fundCommunityPool', who, amount),
    apply: (state, sender, { who, amount }) =>
      actFor(state, sender, who, undefined, () => fundCommunityPool(state, who, amount)),
  },
  approve: {
    encode: ({ spender, amount, names }) => authorization('approve', spender, amount, names),
    apply: (state, { caller }, { spender, amount, names }) => approve(state, caller, spender, amount, names),
  },
  revoke: {
    encode: ({ spender, names }) => authorization('revoke', spender, names),
    apply: (state, { caller }, { spender, names }) => revoke(state, caller, spender, names),
  },
  changeAllowance: {
    encode: ({ spender, change, names }) =>
      change < 0n
        ? authorization('decreaseAllowance', spender, -change, names)
        : authorization('increaseAllowance', spender, change, names),
    apply: (state, { caller }, { spender, change, names }) => changeAllowance(state, caller, spender, change, names),
  },
} satisfies { [Name in keyof Operations]?: Kind<Operations[Name]> }

/** A message of a proposal as the JSON of the Cosmos SDK. */
function messageJson(message: Message): object {
  const authority = textOf('0x7b5fe22b5446f7c62ea27b8bd71cef94e03f3df2')
  if (message.kind === 'spend') {
    const amount = [{ denom: DENOM, amount: message.amount.toString() }]
    return {
      '@type': '/cosmos.distribution.v1beta1.MsgCommunityPoolSpend',
      authority,
      recipient: textOf(message.to),
      amount,
    }
  }
  const params = {
    unbonding_time: `${message.unbondingTime}s`,
    max_validators: Number(message.maxValidators),
    max_entries: Number(message.maxEntries),
    historical_entries: 10_000,
    bond_denom: DENOM,
    min_commission_rate: '0.000000000000000000',
  }
  return { '@type': '/cosmos.staking.v1beta1.MsgUpdateParams', authority, params }
}

const otherKinds = {
  submit: {
    encode: ({ who, message, expedited, amount }) => {
      const json = { messages: [messageJson(message)], title: 'A title', summary: 'A summary', expedited }
      return gov('submitProposal', who, stringToHex(JSON.stringify(json)), coins(amount))
    },
    apply: (state, sender, { who, message, expedited, amount }) =>
      actFor(state, sender, who, undefined, () => submit(state, who, message, expedited, amount)),
  },
  deposit: {
    encode: ({ who, id, amount }) => gov('deposit', who, id, coins(amount)),
    apply: (state, sender, { who, id, amount }) =>
      actFor(state, sender, who, undefined, () => deposit(state, who, id, amount)),
  },
  vote: {
    encode: ({ who, id, options }) => {
      const weighted = options.map(({ option, weight }) => ({ option, weight: formatUnits(weight, 18) }))
      return gov('voteWeighted', who, id, weighted, '')
    },
    apply: (state, sender, { who, id, options }) =>
      actFor(state, sender, who, undefined, () => vote(state, who, id, options)),
  },
  cancelProposal: {
    encode: ({ who, id }) => gov('cancelProposal', who, id),
    apply: (state, sender, { who, id }) => actFor(state, sender, who, undefined, () => cancel(state, who, id)),
  },
  createVesting: {
    encode: ({ who, funder }) => vesting('createClawbackVestingAccount', funder, who, false),
    apply: (state, { origin }, { who, funder }) =>
      actFor(state, { caller: origin, origin }, who, undefined, () => createVesting(state, funder, who)),
  },
  fundVesting: {
    encode: ({ who, account, start, lockup, vesting: vested }) =>
      vesting('fundVestingAccount', who, account, start, periodsOf(lockup), periodsOf(vested)),
    apply: (state, sender, { who, account, start, lockup, vesting: vested }) =>
      actFor(state, sender, who, undefined, () => fundVesting(state, who, account, start, lockup, vested)),
  },
  clawback: {
    encode: ({ who, account, to }) => vesting('clawback', who, account, to),
    apply: (state, sender, { who, account, to }) =>
      actFor(state, sender, who, undefined, () => clawback(state, who, account, to)),
  },
  convertVesting: {
    encode: ({ account }) => vesting('convertVestingAccount', account),
    apply: (state, _, { account }) => convertVesting(state, account),
  },
} satisfies { [Name in keyof Operations]?: Kind<Operations[Name]> }

const KINDS: { [Name in keyof Operations]: Kind<Operations[Name]> } = { ...stakingKinds, ...rewardKinds, ...otherKinds }
/** The kind of an operation; its arguments belong to it, which the types of a table cannot say. */
const kindOf = (operation: Operation) => KINDS[operation.name] as Kind<Operation>

export const encode = (operation: Operation): Call => kindOf(operation).encode(operation)
export const apply = (state: State, sender: Sender, operation: Operation): void =>
  kindOf(operation).apply(state, sender, operation)
