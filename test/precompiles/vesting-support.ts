// The vesting contract as its users see it: the published interface over a running chain. The first account is the funder, the
// second the holder.
import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  parseEventLogs,
} from 'viem'
import { account, testChain } from '../support/chain.ts'

export const VESTING = '0x0000000000000000000000000000000000000803'
export const COIN = 10n ** 18n
export const funder = account(0).address
export const holder = account(1).address
export const stranger = account(2).address
export const FUNDER = 0
export const HOLDER = 1
export const STRANGER = 2

// The interface as published by Evmos v14, with the `approve` of v15.
export const abi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct Period { int64 length; Coin[] amount; }',
  'function createClawbackVestingAccount(address funderAddress, address vestingAddress, bool enableGovClawback) returns (bool success)',
  'function fundVestingAccount(address funderAddress, address vestingAddress, uint64 startTime, Period[] lockupPeriods, Period[] vestingPeriods) returns (bool success)',
  'function clawback(address funderAddress, address accountAddress, address destAddress) returns (Coin[])',
  'function updateVestingFunder(address funderAddress, address newFunderAddress, address vestingAddress) returns (bool success)',
  'function convertVestingAccount(address vestingAddress) returns (bool success)',
  'function balances(address vestingAddress) view returns (Coin[] locked, Coin[] unvested, Coin[] vested)',
  'function approve(address grantee, string method) returns (bool approved)',
  'event CreateClawbackVestingAccount(address indexed funderAddress, address indexed vestingAddress)',
  'event FundVestingAccount(address indexed funderAddress, address indexed vestingAddress, uint64 startTime, Period[] lockupPeriods, Period[] vestingPeriods)',
  'event Clawback(address indexed funderAddress, address indexed accountAddress, address destAddress)',
  'event UpdateVestingFunder(address indexed funderAddress, address indexed vestingAddress, address newFunderAddress)',
  'event ConvertVestingAccount(address indexed vestingAddress)',
  'event Approval(address indexed grantee, address indexed granter, string method)',
])

export const create = (by: Address = funder, of: Address = holder): Hex =>
  encodeFunctionData({ abi, functionName: 'createClawbackVestingAccount', args: [by, of, false] })

/** Length in seconds and amount in base units of each period. */
export type Periods = readonly (readonly [length: bigint, amount: bigint])[]
export const coins = (amount: bigint, denom = 'akest') => [{ denom, amount }]
export const periodsOf = (periods: Periods) => periods.map(([length, amount]) => ({ length, amount: coins(amount) }))

export const fund = (start: bigint, lockup: Periods, vesting: Periods, by: Address = funder): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'fundVestingAccount',
    args: [by, holder, start, periodsOf(lockup), periodsOf(vesting)],
  })

export const clawback = (to: Address, by: Address = funder): Hex =>
  encodeFunctionData({ abi, functionName: 'clawback', args: [by, holder, to] })
export const updateFunder = (to: Address, by: Address = funder): Hex =>
  encodeFunctionData({ abi, functionName: 'updateVestingFunder', args: [by, to, holder] })
export const convert = (of: Address = holder): Hex =>
  encodeFunctionData({ abi, functionName: 'convertVestingAccount', args: [of] })
export const balancesOf = (of: Address = holder): Hex =>
  encodeFunctionData({ abi, functionName: 'balances', args: [of] })

/** V12, in whole coins. */
export const LOCKUP: Periods = [
  [2_000n, 500n * COIN],
  [1_000n, 500n * COIN],
]
export const STEPS: Periods = [250n, 250n, 250n, 250n].map((amount) => [1_000n, amount * COIN] as const)

type Sending = { readonly to?: Address; readonly from?: number; readonly value?: bigint }

export async function vestingChain(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain(overrides)
  const { viem, raw, dev, walletOf } = chain
  const setTime = (timestamp: bigint) => dev.setNextBlockTimestamp({ timestamp })
  const { timestamp: genesis } = await viem.getBlock()
  /** The start of the grants: a round second in the future, because the clock never goes back. */
  const T = (genesis / 1_000n + 1_000_000n) * 1_000n
  const it = {
    ...chain,
    T,
    async send(data: Hex, { to = VESTING, from = FUNDER, value = 0n }: Sending = {}) {
      const hash = await walletOf(from).sendTransaction({ to, data, value, gas: 3_000_000n })
      const receipt = await viem.waitForTransactionReceipt({ hash })
      return { ...receipt, events: parseEventLogs({ abi, logs: receipt.logs }) }
    },
    /** The reason of a call's refusal; undefined if it succeeds. */
    async refusal(data: Hex, { to = VESTING, from = FUNDER, value = 0n }: Sending = {}) {
      const request = { from: account(from).address, to, data, value: numberToHex(value) }
      const { error } = await raw('eth_call', request, 'latest')
      if (error === undefined) return undefined
      if (error.data === undefined || error.data === '0x') return error.message
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error.data as Hex }).args[0]
    },
    /** Returns locked, unvested and vested. */
    async balances(of: Address = holder) {
      const lists = await viem.readContract({ address: VESTING, abi, functionName: 'balances', args: [of] })
      return lists.map((list) => list.reduce((sum, { denom, amount }) => sum + (denom === 'akest' ? amount : 0n), 0n))
    },
    balance: (address: Address) => viem.getBalance({ address }),
    /** Mines a block at this time. */
    async mineAt(timestamp: bigint) {
      await setTime(timestamp)
      await dev.mine({ blocks: 1 })
    },
    /** Makes the holder a clawback account with V12's grant, at T. */
    async grant() {
      await it.send(create(), { from: HOLDER })
      await setTime(T)
      const receipt = await it.send(fund(T, LOCKUP, STEPS))
      if (receipt.status !== 'success') throw new Error('the account was not funded')
      return receipt
    },
  }
  return it
}
