// The staking contract as its users see it: the published interface, a running chain with the network's three validators, and
// generated contracts that call it.
import {
  type Address,
  concatHex,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseEventLogs,
  size,
} from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { operatorPrefix } from '../../src/spec/addresses.ts'
import { account, testChain } from '../support/chain.ts'

export const STAKING = '0x0000000000000000000000000000000000000800'
export const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
export const COIN = 10n ** 18n
/** 21 days in seconds. */
export const UNBONDING = 1_814_400n

// The interface as published by Evmos v13, with functions of later releases.
export const abi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct Validator { string operatorAddress; string consensusPubkey; bool jailed; uint8 status; uint256 tokens; uint256 delegatorShares; string description; int64 unbondingHeight; int64 unbondingTime; uint256 commission; uint256 minSelfDelegation; }',
  'struct UnbondingDelegationEntry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 balance; }',
  'struct RedelegationEntry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 sharesDst; }',
  'struct Redelegation { string delegatorAddress; string validatorSrcAddress; string validatorDstAddress; RedelegationEntry[] entries; }',
  'struct RedelegationEntryResponse { RedelegationEntry redelegationEntry; uint256 balance; }',
  'struct RedelegationResponse { Redelegation redelegation; RedelegationEntryResponse[] entries; }',
  'function delegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (bool success)',
  'function undelegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (int64 completionTime)',
  'function redelegate(address delegatorAddress, string validatorSrcAddress, string validatorDstAddress, uint256 amount) returns (int64 completionTime)',
  'function cancelUnbondingDelegation(address delegatorAddress, string validatorAddress, uint256 amount, uint256 creationHeight) returns (bool success)',
  'function delegation(address delegatorAddress, string validatorAddress) view returns (uint256 shares, Coin balance)',
  'function unbondingDelegation(address delegatorAddress, string validatorAddress) view returns (UnbondingDelegationEntry[] entries)',
  'function validator(string validatorAddress) view returns (Validator validator)',
  'function validators(string status, PageRequest pageRequest) view returns (Validator[] validators, PageResponse pageResponse)',
  'function redelegation(address delegatorAddress, string srcValidatorAddress, string dstValidatorAddress) view returns (RedelegationEntry[] entries)',
  'function redelegations(address delegatorAddress, string srcValidatorAddress, string dstValidatorAddress, PageRequest pageRequest) view returns (RedelegationResponse[] response, PageResponse pageResponse)',
  'event Delegate(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 newShares)',
  'event Unbond(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 completionTime)',
  'event Redelegate(address indexed delegatorAddress, string indexed validatorSrcAddress, string indexed validatorDstAddress, uint256 amount, uint256 completionTime)',
  'event CancelUnbondingDelegation(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 creationHeight)',
])

export const byAddressAbi = parseAbi([
  'struct Validator { string operatorAddress; string consensusPubkey; bool jailed; uint8 status; uint256 tokens; uint256 delegatorShares; string description; int64 unbondingHeight; int64 unbondingTime; uint256 commission; uint256 minSelfDelegation; }',
  'function validator(address validatorAddress) view returns (Validator validator)',
])

export const operatorsAbi = parseAbi([
  'struct Description { string moniker; string identity; string website; string securityContact; string details; }',
  'struct CommissionRates { uint256 rate; uint256 maxRate; uint256 maxChangeRate; }',
  'function createValidator(Description description, CommissionRates commissionRates, uint256 minSelfDelegation, address validatorAddress, string pubkey, uint256 value) returns (bool success)',
  'function editValidator(Description description, address validatorAddress, int256 commissionRate, int256 minSelfDelegation) returns (bool success)',
  'event CreateValidator(address indexed validatorAddress, uint256 value)',
  'event EditValidator(address indexed validatorAddress, int256 commissionRate, int256 minSelfDelegation)',
])

/** The bech32 operator address of an account of the mnemonic. The network's validators are accounts 10 to 12. */
export const operator = (index: number): string =>
  toBech32(operatorPrefix('kest'), hexToAddress(account(index).address))
export const A = operator(10)
export const B = operator(11)
export const C = operator(12)
export const owner = account(0).address

export const delegate = (amount: bigint, delegator: Address = owner, validator = A): Hex =>
  encodeFunctionData({ abi, functionName: 'delegate', args: [delegator, validator, amount] })
export const undelegate = (amount: bigint, delegator: Address = owner, validator = A): Hex =>
  encodeFunctionData({ abi, functionName: 'undelegate', args: [delegator, validator, amount] })
export const redelegate = (amount: bigint, from = A, to = B): Hex =>
  encodeFunctionData({ abi, functionName: 'redelegate', args: [owner, from, to, amount] })
export const cancel = (amount: bigint, height: bigint): Hex =>
  encodeFunctionData({ abi, functionName: 'cancelUnbondingDelegation', args: [owner, A, amount, height] })
export const delegationOf = (delegator: Address): Hex =>
  encodeFunctionData({ abi, functionName: 'delegation', args: [delegator, A] })

export const PAGE = { key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false } as const

type Sending = { readonly to?: Address; readonly from?: number; readonly value?: bigint; readonly gas?: bigint }

export async function stakingChain(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain(overrides)
  const { viem, raw, dev, walletOf } = chain
  const read = { address: STAKING, abi } as const
  return {
    ...chain,
    async send(data: Hex, { to = STAKING, from = 0, value = 0n, gas = 2_000_000n }: Sending = {}) {
      const hash = await walletOf(from).sendTransaction({ to, data, value, gas })
      const receipt = await viem.waitForTransactionReceipt({ hash })
      return { ...receipt, events: parseEventLogs({ abi, logs: receipt.logs }) }
    },
    /** The reason of a call's refusal; undefined if it succeeds. */
    async refusal(data: Hex, { to = STAKING, from = 0, value = 0n }: Sending = {}) {
      const request = { from: account(from).address, to, data, value: numberToHex(value) }
      const { error } = await raw('eth_call', request, 'latest')
      if (error === undefined) return undefined
      if (error.data === undefined || error.data === '0x') return error.message
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error.data as Hex }).args[0]
    },
    async delegation(delegator: Address = owner, validator = A) {
      const [shares, { denom, amount }] = await viem.readContract({
        ...read,
        functionName: 'delegation',
        args: [delegator, validator],
      })
      return { shares, denom, amount }
    },
    unbonding: (delegator: Address = owner, validator = A) =>
      viem.readContract({ ...read, functionName: 'unbondingDelegation', args: [delegator, validator] }),
    redelegation: (from = A, to = B) =>
      viem.readContract({ ...read, functionName: 'redelegation', args: [owner, from, to] }),
    async validator(text = A) {
      return viem.readContract({ ...read, functionName: 'validator', args: [text] })
    },
    validators: (status: string, page: Partial<Record<keyof typeof PAGE, unknown>> = {}) =>
      viem.readContract({ ...read, functionName: 'validators', args: [status, { ...PAGE, ...page } as typeof PAGE] }),
    balance: (address: Address = owner) => viem.getBalance({ address }),
    /** Mines a block at this time. */
    async mineAt(timestamp: bigint) {
      await dev.setNextBlockTimestamp({ timestamp })
      await dev.mine({ blocks: 1 })
    },
  }
}

export type Step =
  /**
   * Calls the staking contract. `must`: reverts with its revert data if it fails; `keep`: the slot for the first word of its
   * result.
   */
  | { readonly call: Hex; readonly must?: boolean; readonly keep?: number }
  /** Stores an account's balance. */
  | { readonly balance: Address; readonly keep: number }
  /** Sends coins. */
  | { readonly pay: Address; readonly value: bigint }

/** Runtime code that performs these steps in order for any input, and then stops or reverts. */
export function script(steps: readonly Step[], end: 'stop' | 'revert' = 'stop'): Hex {
  const calls = steps.flatMap((step) => ('call' in step ? [step.call] : []))
  const assemble = (dataAt: number): Hex => {
    const code: Hex[] = []
    let at = dataAt
    for (const step of steps) {
      code.push(stepCode(step, at, size(concatHex(['0x', ...code]))))
      if ('call' in step) at += size(step.call)
    }
    return concatHex([...code, end === 'stop' ? '0x00' : '0x5f5ffd'])
  }
  // Every push of an offset has two bytes, so the code's length does not depend on it.
  return concatHex([assemble(size(assemble(0))), ...calls])
}

const push2 = (value: number): Hex => concatHex(['0x61', numberToHex(value, { size: 2 })])
const store = (slot: number): Hex => concatHex(['0x60', numberToHex(slot, { size: 1 }), '0x55'])

function stepCode(step: Step, dataAt: number, begin: number): Hex {
  if ('balance' in step) return concatHex(['0x73', step.balance, '0x31', store(step.keep)])
  if ('pay' in step) {
    const value = concatHex(['0x7f', numberToHex(step.value, { size: 32 })])
    return concatHex(['0x5f5f5f5f', value, '0x73', step.pay, '0x5af150'])
  }
  const length = push2(size(step.call))
  const call = concatHex([
    length,
    push2(dataAt),
    '0x5f39', // codecopy(0, dataAt, length)
    '0x5f5f',
    length,
    '0x5f5f73',
    STAKING,
    '0x5af1', // call(gas, staking, 0, 0, length, 0, 0)
  ])
  // jumpi over: returndatacopy(0, 0, returndatasize), revert(0, returndatasize)
  const jumpdest = begin + size(call) + 11
  const outcome = step.must ? concatHex([push2(jumpdest), '0x573d5f5f3e3d5ffd5b']) : '0x50'
  const kept = step.keep === undefined ? '0x' : concatHex(['0x60205f5f3e5f51', store(step.keep)])
  return concatHex([call, outcome, kept])
}
