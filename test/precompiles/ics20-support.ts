// The ICS20 contract as its users see it: the published interface, a running chain with one looped channel and a simulated
// chain of each kind, and a contract that forwards every call to it.
import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseEventLogs,
} from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import type { NativeSpec } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { forwarder } from '../support/forwarder.ts'

export const ICS20 = '0x0000000000000000000000000000000000000802'
export const BANK = '0x0000000000000000000000000000000000000804'
export const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
export const COIN = 10n ** 18n

// The interface as published by Evmos v13.
export const abi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'struct Allocation { string sourcePort; string sourceChannel; Coin[] spendLimit; string[] allowList; }',
  'struct DenomTrace { string path; string baseDenom; }',
  'function approve(address spender, Allocation[] allocations) returns (bool approved)',
  'function revoke(address spender) returns (bool revoked)',
  'function increaseAllowance(address spender, string sourcePort, string sourceChannel, string denom, uint256 amount) returns (bool approved)',
  'function decreaseAllowance(address spender, string sourcePort, string sourceChannel, string denom, uint256 amount) returns (bool approved)',
  'function transfer(string sourcePort, string sourceChannel, string denom, uint256 amount, address sender, string receiver, Height timeoutHeight, uint64 timeoutTimestamp, string memo) returns (uint64 nextSequence)',
  'function denomTrace(string hash) view returns (DenomTrace denomTrace)',
  'function denomTraces(PageRequest pageRequest) view returns (DenomTrace[] denomTraces, PageResponse pageResponse)',
  'function denomHash(string trace) view returns (string hash)',
  'function allowance(address owner, address spender) view returns (Allocation[] allocations)',
  'event IBCTransfer(address indexed sender, string indexed receiver, string sourcePort, string sourceChannel, string denom, uint256 amount, string memo)',
  'event IBCTransferAuthorization(address indexed grantee, address indexed granter, string sourcePort, string sourceChannel, Coin[] spendLimit)',
  'event RevokeIBCTransferAuthorization(address indexed owner, address indexed spender)',
  'event AllowanceChange(address indexed owner, address indexed spender, string[] methods, uint256[] values)',
])

export const lateAbi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct ICS20Allocation { string sourcePort; string sourceChannel; Coin[] spendLimit; string[] allowList; string[] allowedPacketData; }',
  'function approve(address grantee, ICS20Allocation[] allocations) returns (bool approved)',
])

export const bankAbi = parseAbi([
  'struct Balance { address contractAddress; uint256 amount; }',
  'function balances(address account) view returns (Balance[] balances)',
  'function totalSupply() view returns (Balance[] totalSupply)',
  'function supplyOf(address erc20Address) view returns (uint256 totalSupply)',
])

export const owner = account(0).address
export const other = account(1).address
export const textOf = (of: Address): string => toBech32('kest', hexToAddress(of))

/** The addresses of the first account's first and second contract. */
export const TOKEN = getContractAddress({ from: owner, nonce: 0n })
export const UNUSED = getContractAddress({ from: owner, nonce: 1n })

export type Transfer = {
  readonly channel?: string
  readonly denom?: string
  readonly amount?: bigint
  readonly sender?: Address
  readonly receiver?: string
  readonly height?: { readonly revisionNumber: bigint; readonly revisionHeight: bigint }
  readonly timestamp?: bigint
  readonly memo?: string
}

/** A transfer from the first account to the second one with a distant timeout. */
export const transfer = ({
  channel = 'channel-0',
  denom = 'akest',
  amount = COIN,
  sender = owner,
  receiver = textOf(other),
  height = { revisionNumber: 0n, revisionHeight: 0n },
  timestamp = 4_000_000_000_000_000_000n,
  memo = '',
}: Transfer = {}): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'transfer',
    args: ['transfer', channel, denom, amount, sender, receiver, height, timestamp, memo],
  })

export const allocation = (spendLimit: bigint | { denom: string; amount: bigint }[], change: object = {}) => ({
  sourcePort: 'transfer',
  sourceChannel: 'channel-0',
  spendLimit: typeof spendLimit === 'bigint' ? [{ denom: 'akest', amount: spendLimit }] : spendLimit,
  allowList: [],
  ...change,
})

export const approve = (...allocations: ReturnType<typeof allocation>[]): Hex =>
  encodeFunctionData({ abi, functionName: 'approve', args: [CONTRACT, allocations] })

type Sending = { readonly to?: Address; readonly from?: number; readonly gas?: bigint; readonly value?: bigint }

/** `modules`: genesis sections of the modules; `native`: other changes of the preset. */
export async function ics20Chain(modules: Record<string, unknown> = {}, native: Partial<NativeSpec> = {}) {
  const preset = presets.kestrel()
  if (preset.native === undefined) throw new Error('the network has no native modules')
  const sinks = ['ack-success', 'ack-error', 'timeout', 'never'].map((behaviour, i) => ({
    channel: `channel-${i + 2}`,
    behaviour,
  }))
  const vouchers = [{ trace: 'transfer/channel-2/uatom', balances: { [owner]: '1000000' } }]
  const pairs = [
    { address: TOKEN, name: 'Token', symbol: 'TOK', decimals: 18 },
    { address: UNUSED, enabled: false },
  ]
  const all = { transfer: { sinks, vouchers }, erc20: { pairs }, ...modules }
  const chain = await testChain({ spec: { ...preset, native: { ...preset.native, ...native, modules: all } } })
  const { viem, raw, dev, walletOf } = chain
  await dev.setCode({ address: CONTRACT, bytecode: forwarder(ICS20) })
  const read = { address: ICS20, abi } as const
  return {
    ...chain,
    async send(data: Hex, { to = ICS20, from = 0, gas = 3_000_000n, value = 0n }: Sending = {}) {
      const hash = await walletOf(from).sendTransaction({ to, data, gas, value })
      const receipt = await viem.waitForTransactionReceipt({ hash })
      return { ...receipt, events: parseEventLogs({ abi: [...abi, ...token.abi], logs: receipt.logs }) }
    },
    /** The reason of a call's refusal; undefined if it succeeds. */
    async refusal(data: Hex, { to = ICS20, from = 0, value = 0n }: Sending = {}) {
      const request = { from: account(from).address, to, data, value: numberToHex(value) }
      const { error } = await raw('eth_call', request, 'latest')
      if (error === undefined) return undefined
      if (error.data === undefined || error.data === '0x') return error.message
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error.data as Hex }).args[0]
    },
    allowance: (of: Address = owner, to: Address = CONTRACT) =>
      viem.readContract({ ...read, functionName: 'allowance', args: [of, to] }),
    denomTrace: (hash: string) => viem.readContract({ ...read, functionName: 'denomTrace', args: [hash] }),
    denomHash: (trace: string) => viem.readContract({ ...read, functionName: 'denomHash', args: [trace] }),
    tokenBalance: (of: Address, at: Address = TOKEN) =>
      viem.readContract({ address: at, abi: token.abi, functionName: 'balanceOf', args: [of] }),
    balances: (of: Address) => viem.readContract({ address: BANK, abi: bankAbi, functionName: 'balances', args: [of] }),
    balance: (address: Address) => viem.getBalance({ address }),
  }
}
