// The distribution contract as its users see it: the published interface, and a running chain with two validators.
import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseEventLogs,
} from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { MODULE_ACCOUNT, operatorPrefix } from '../../src/spec/addresses.ts'
import type { ChainSpec, NativeSpec } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'

export const DISTRIBUTION = '0x0000000000000000000000000000000000000801'
export const STAKING = '0x0000000000000000000000000000000000000800'
export const AUTHORIZATION = '0x0000000000000000000000000000000000000a00'
export const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
export const COIN = 10n ** 18n
export const MILLI = 10n ** 15n

const DEC_COIN = 'struct DecCoin { string denom; uint256 amount; uint8 precision; }'
const COMMON = [
  'struct Coin { string denom; uint256 amount; }',
  DEC_COIN,
  'struct Dec { uint256 value; uint8 precision; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct ValidatorDistributionInfo { string operatorAddress; DecCoin[] selfBondRewards; DecCoin[] commission; }',
  'struct ValidatorSlashEvent { uint64 validatorPeriod; Dec fraction; }',
  'struct DelegationDelegatorReward { string validatorAddress; DecCoin[] reward; }',
] as const

// The functions and events of the specification.
export const abi = parseAbi([
  ...COMMON,
  'function setWithdrawAddress(address delegatorAddress, string withdrawerAddress) returns (bool success)',
  'function withdrawDelegatorRewards(address delegatorAddress, string validatorAddress) returns (Coin[] amount)',
  'function withdrawValidatorCommission(string validatorAddress) returns (Coin[] amount)',
  'function validatorDistributionInfo(string validatorAddress) view returns (ValidatorDistributionInfo distributionInfo)',
  'function validatorOutstandingRewards(string validatorAddress) view returns (DecCoin[] rewards)',
  'function validatorCommission(string validatorAddress) view returns (DecCoin[] commission)',
  'function validatorSlashes(string validatorAddress, uint64 startingHeight, uint64 endingHeight) view returns (ValidatorSlashEvent[] slashes, PageResponse pageResponse)',
  'function delegationRewards(address delegatorAddress, string validatorAddress) view returns (DecCoin[] rewards)',
  'function delegationTotalRewards(address delegatorAddress) view returns (DelegationDelegatorReward[] rewards, DecCoin[] total)',
  'function delegatorValidators(address delegatorAddress) view returns (string[] validators)',
  'function delegatorWithdrawAddress(address delegatorAddress) view returns (string withdrawAddress)',
  'event SetWithdrawerAddress(address indexed caller, string withdrawerAddress)',
  'event WithdrawDelegatorRewards(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount)',
  'event WithdrawValidatorCommission(string indexed validatorAddress, uint256 commission)',
])

// Functions that later Evmos releases added.
export const lateAbi = parseAbi([
  'function claimRewards(address delegatorAddress, uint32 maxRetrieve) returns (bool success)',
  'function fundCommunityPool(address depositor, uint256 amount) returns (bool success)',
  'event ClaimRewards(address indexed delegatorAddress, uint256 amount)',
  'event FundCommunityPool(address indexed depositor, uint256 amount)',
])
export const pagedAbi = parseAbi([
  'struct Dec { uint256 value; uint8 precision; }',
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct ValidatorSlashEvent { uint64 validatorPeriod; Dec fraction; }',
  'function validatorSlashes(string validatorAddress, uint64 startingHeight, uint64 endingHeight, PageRequest pageRequest) view returns (ValidatorSlashEvent[] slashes, PageResponse pageResponse)',
])
const otherAbi = parseAbi([
  'function delegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (bool success)',
  'function approve(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function allowance(address owner, address spender, string method) view returns (uint256 remaining)',
])

/** The bech32 operator address of an account of the mnemonic. */
export const operator = (index: number): string =>
  toBech32(operatorPrefix('kest'), hexToAddress(account(index).address))
export const bech32 = (of: Address): string => toBech32('kest', hexToAddress(of))
export const A = operator(10)
export const B = operator(11)
export const owner = account(0).address

/**
 * The default network with V6's validators: A has 40 coins and 10 % commission, B has 40 coins and 5 %.
 * The base fee is zero, so that only the fees of `share` are allocated.
 */
export function spec(change: Partial<NativeSpec> = {}): ChainSpec {
  const preset = presets.kestrel()
  const { native } = preset
  if (native === undefined) throw new Error('the preset is a native chain')
  const validators = native.validators.slice(0, 2).map((validator, i) => ({
    ...validator,
    selfDelegation: 40n * COIN,
    commission: { rate: i === 0 ? COIN / 10n : COIN / 20n, maxRate: COIN, maxChangeRate: COIN },
  }))
  const genesis = { ...preset.genesis, baseFeePerGas: 0n }
  return { ...preset, genesis, native: { ...native, validators, ...change } }
}

export const delegate = (amount: bigint, delegator: Address = owner, validator = A): Hex =>
  encodeFunctionData({ abi: otherAbi, functionName: 'delegate', args: [delegator, validator, amount] })
export const approve = (methods: readonly string[], amount = 1n): Hex =>
  encodeFunctionData({ abi: otherAbi, functionName: 'approve', args: [CONTRACT, amount, methods] })
export const withdraw = (delegator: Address = owner, validator = A): Hex =>
  encodeFunctionData({ abi, functionName: 'withdrawDelegatorRewards', args: [delegator, validator] })
export const withdrawCommission = (validator = A): Hex =>
  encodeFunctionData({ abi, functionName: 'withdrawValidatorCommission', args: [validator] })
export const setWithdrawAddress = (to: string, delegator: Address = owner): Hex =>
  encodeFunctionData({ abi, functionName: 'setWithdrawAddress', args: [delegator, to] })
export const claim = (most: number, delegator: Address = owner): Hex =>
  encodeFunctionData({ abi: lateAbi, functionName: 'claimRewards', args: [delegator, most] })
export const fund = (amount: bigint, depositor: Address = owner): Hex =>
  encodeFunctionData({ abi: lateAbi, functionName: 'fundCommunityPool', args: [depositor, amount] })

type Sending = {
  readonly to?: Address
  readonly from?: number
  readonly value?: bigint
  readonly gas?: bigint
  /** Gas price in wei. */
  readonly price?: bigint
}

export async function distributionChain(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain({ spec: spec(), ...overrides })
  const { viem, raw, dev, walletOf } = chain
  const read = { address: DISTRIBUTION, abi } as const
  return {
    ...chain,
    async send(data: Hex, { to = DISTRIBUTION, from = 0, value = 0n, gas = 2_000_000n, price = 0n }: Sending = {}) {
      const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price }
      const hash = await walletOf(from).sendTransaction({ to, data, value, gas, ...fees })
      const receipt = await viem.waitForTransactionReceipt({ hash })
      return {
        ...receipt,
        fee: receipt.gasUsed * receipt.effectiveGasPrice,
        events: parseEventLogs({ abi: [...abi, ...lateAbi], logs: receipt.logs }),
      }
    },
    /** The reason of a call's refusal; undefined if it succeeds. */
    async refusal(data: Hex, { to = DISTRIBUTION, from = 0, value = 0n }: Sending = {}) {
      const request = { from: account(from).address, to, data, value: numberToHex(value) }
      const { error } = await raw('eth_call', request, 'latest')
      if (error === undefined) return undefined
      if (error.data === undefined || error.data === '0x') return error.message
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error.data as Hex }).args[0]
    },
    /** Mines an empty block that allocates these fees. */
    async share(fees: bigint) {
      await dev.setBalance({ address: MODULE_ACCOUNT.feeCollector, value: fees })
      await dev.mine({ blocks: 1 })
    },
    balance: (address: Address = owner) => viem.getBalance({ address }),
    rewards: (delegator: Address = owner, validator = A, blockNumber?: bigint) =>
      viem.readContract({
        ...read,
        functionName: 'delegationRewards',
        args: [delegator, validator],
        ...(blockNumber !== undefined && { blockNumber }),
      }),
    outstanding: (validator = A) =>
      viem.readContract({ ...read, functionName: 'validatorOutstandingRewards', args: [validator] }),
    commission: (validator = A) =>
      viem.readContract({ ...read, functionName: 'validatorCommission', args: [validator] }),
    info: (validator = A) =>
      viem.readContract({ ...read, functionName: 'validatorDistributionInfo', args: [validator] }),
    total: (delegator: Address = owner) =>
      viem.readContract({ ...read, functionName: 'delegationTotalRewards', args: [delegator] }),
    validatorsOf: (delegator: Address = owner) =>
      viem.readContract({ ...read, functionName: 'delegatorValidators', args: [delegator] }),
    withdrawAddress: (delegator: Address = owner) =>
      viem.readContract({ ...read, functionName: 'delegatorWithdrawAddress', args: [delegator] }),
    allowance: (method: string) =>
      viem.readContract({
        address: AUTHORIZATION,
        abi: otherAbi,
        functionName: 'allowance',
        args: [owner, CONTRACT, method],
      }),
  }
}

/** Amounts as the contract returns them. */
export const shown = (amount: bigint) => (amount === 0n ? [] : [{ denom: 'akest', amount, precision: 18 }])
