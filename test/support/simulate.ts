// Shared by tests of eth_simulateV1: the type of the result, accounts without keys, small programs, and request functions.
import { type Hex, pad } from 'viem'
import { account, type testChain } from './chain.ts'

export type Log = { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex; transactionHash: Hex; blockHash: Hex }
export type Call = {
  returnData: Hex
  logs: Log[]
  gasUsed: Hex
  maxUsedGas: Hex
  status: Hex
  error?: { code: number; message: string; data?: Hex }
}
export type Transaction = { hash: Hex; gas: Hex; type: Hex; nonce: Hex; from: Hex; gasPrice: Hex }
export type Block = Record<
  'hash' | 'parentHash' | 'number' | 'timestamp' | 'stateRoot' | 'receiptsRoot' | 'gasUsed' | 'gasLimit' | 'miner',
  Hex
> &
  Record<
    'mixHash' | 'baseFeePerGas' | 'logsBloom' | 'parentBeaconBlockRoot' | 'withdrawalsRoot' | 'sha3Uncles',
    Hex
  > & {
    calls: Call[]
    transactions: Transaction[]
    withdrawals: object[]
  }
export type Test = Awaited<ReturnType<typeof testChain>>

export const alice = account(0).address.toLowerCase() as Hex
export const bob = account(1).address.toLowerCase() as Hex
export const poor = `0x${'aa'.repeat(20)}` as const
export const contract = `0x${'c1'.repeat(20)}` as const
export const other = `0x${'c2'.repeat(20)}` as const
export const word = (value: number | bigint | Hex) =>
  pad(typeof value === 'string' ? value : `0x${value.toString(16)}`, { size: 32 })
export const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Bytecode that returns the word on the stack, and small programs with it. */
const RETURN = '5f5260205ff3'
export const returning = (code: string): Hex => `0x${code}${RETURN}`
export const paying = (to: Hex, wei = 1) => `5f5f5f5f60${wei.toString(16).padStart(2, '0')}73${to.slice(2)}5af150`
export const code = {
  /** Adds one to slot 0 and returns it. */
  counter: '0x5f54600101805f555f5260205ff3',
  revert: '0x5f5ffd',
  invalid: '0xfe',
  log: '0x5f5fa0',
} as const

export const simulate = async (
  { rpc }: Test,
  blocks: readonly object[],
  options: object = {},
  at: string | object = 'latest',
) => (await rpc('eth_simulateV1', { blockStateCalls: blocks, ...options }, at)) as Block[]

/** The result of a single simulated block. */
export async function callsOf(test: Test, calls: readonly object[], stateOverrides: object = {}, options: object = {}) {
  const [block] = await simulate(test, [{ calls, stateOverrides }], options)
  return block?.calls ?? []
}

export const codeOf = async ({ raw }: Test, blocks: readonly object[], options: object = {}) =>
  (await raw('eth_simulateV1', { blockStateCalls: blocks, ...options }, 'latest')).error?.code
