// Calls of native contracts as a node has made them, for `test/SameAsOnTheNode.t.sol`: the samples of every function, from accounts and
// through contracts, each really sent, with its return data, logs and balances.
import {
  type AbiFunction,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  hexToBytes,
  parseAbiParameters,
  toFunctionSignature,
} from 'viem'
import { traceHash } from '../../../src/modules/transfer/denoms.ts'
import { PRECOMPILES } from '../../../src/precompiles/index.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { BANK, bankAbi, ICS20, other, owner, TOKEN, transfer } from '../../precompiles/ics20-support.ts'
import { contractOf, type Fixture, OWNER, type Role, STRANGER, sampleOf } from '../../precompiles/matrix-samples.ts'
import { account } from '../../support/chain.ts'
import type { Clients } from '../../support/process.ts'

const GAS = 3_000_000n

export type Call = {
  readonly name: string
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  /** Whether it calls a native contract directly, without value. */
  readonly isPlain: boolean
  /** Whether the native call is undone, whose logs forge records all the same. */
  readonly isUndone: boolean
}

/** Every function: by an account, with value, by a stranger, and through contracts that call it in every way. */
export function sampleCalls({ undelegated }: Fixture): Call[] {
  return PRECOMPILES.flatMap((of) =>
    of.abi.flatMap((entry) => (entry.type === 'function' ? callsOf(of.name, of.address, entry, undelegated) : [])),
  )
}

/** Contracts that call a function: one that changes something, and a query. */
const ROLES: Readonly<Record<'change' | 'query', readonly Role[]>> = {
  change: ['grantee', 'bare', 'static', 'nestedStatic', 'delegate', 'callcode', 'reverting', 'attempting'],
  query: ['static', 'delegate'],
}

const UNDOING: ReadonlySet<Role> = new Set(['reverting', 'attempting'])

function callsOf(contract: string, address: Address, entry: AbiFunction, undelegated: bigint): Call[] {
  const signature = toFunctionSignature(entry)
  const { args, from = OWNER } = sampleOf(contract, entry.name, signature)
  const given = entry.name === 'cancelUnbondingDelegation' ? [...args.slice(0, -1), undelegated] : args
  const data = encodeFunctionData({ abi: [entry], functionName: entry.name, args: given })
  const call = (way: string, to: Address, index = from, value = 0n, isUndone = false): Call => ({
    name: `${contract}.${signature}, ${way}`,
    from: account(index).address,
    to,
    data,
    value,
    isPlain: to === address && value === 0n,
    isUndone,
  })
  const roles = ROLES[entry.stateMutability === 'view' ? 'query' : 'change']
  return [
    call('directly', address),
    call('by a stranger', address, STRANGER),
    call('with value', address, from, 1n),
    ...roles.map((role) => call(`through ${role}`, contractOf(address, role), from, 0n, UNDOING.has(role))),
  ]
}

/** Transfers of a token that is also a coin, which the native contract makes by calling the token, and of a voucher. */
export function tokenCalls(): Call[] {
  const call = (name: string, from: Address, to: Address, data: Hex): Call => ({
    ...{ name, from, to, data, value: 0n, isPlain: to !== TOKEN, isUndone: false },
  })
  const ask = (name: string, to: Address, of: Address) =>
    call(name, owner, to, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [of] }))
  const move = (from: Address, at: Address, to: Address, amount: bigint) =>
    call('transfer', from, at, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }))
  const voucher = getAddress(`0x${traceHash('transfer/channel-2/uatom').slice(-40)}`)
  const balances = encodeFunctionData({ abi: bankAbi, functionName: 'balances', args: [owner] })
  return [
    move(owner, TOKEN, other, 50n),
    call('escrow', owner, ICS20, transfer({ denom: TOKEN, amount: 100n })),
    ask('owner', TOKEN, owner),
    call('escrow again', owner, ICS20, transfer({ denom: TOKEN, amount: 30n })),
    ask('module', TOKEN, MODULE_ACCOUNT.erc20),
    call('balances', owner, BANK, balances),
    move(owner, voucher, other, 5n),
    ask('voucher', voucher, other),
    call('send a voucher', owner, ICS20, transfer({ denom: voucher, channel: 'channel-2', amount: 7n })),
    ask('vouchers left', voucher, owner),
  ]
}

/** A call with its results; `number` and `time` are those of its block. */
type Step = Omit<Call, 'isPlain'> & {
  readonly number: bigint
  readonly time: bigint
  readonly success: boolean
  readonly output: Hex
  /** Gas of a plain call without the transaction's own; 0: not compared. */
  readonly gasUsed: bigint
  readonly logs: readonly { readonly topics: readonly Hex[]; readonly data: Hex; readonly emitter: Address }[]
  readonly accounts: readonly Address[]
  readonly balances: readonly bigint[]
}

/** Sends each call on the same state. */
export async function singleSteps(chain: Clients, calls: readonly Call[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const call of calls) {
    const snapshot = await chain.rpc('evm_snapshot')
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', '0x0')
    steps.push(await resultOf(chain, call, await send(chain, call)))
    await chain.rpc('evm_revert', snapshot)
  }
  return steps
}

/** Sends the direct calls twice in one block, in which nothing but them changes the state. */
export async function sequenceSteps(chain: Pick<Clients, 'rpc' | 'viem'>, calls: readonly Call[]): Promise<Step[]> {
  const snapshot = await chain.rpc('evm_snapshot')
  await chain.rpc('evm_setAutomine', false)
  await chain.rpc('anvil_setNextBlockBaseFeePerGas', '0x0')
  const plain = calls.filter(({ isPlain }) => isPlain)
  const sent = new Map<Hex, Call>()
  for (const call of [...plain, ...plain]) sent.set(await send(chain, call), call)
  await chain.rpc('evm_mine')
  const { transactions } = await chain.viem.getBlock()
  const steps: Step[] = []
  for (const hash of transactions) {
    const call = sent.get(hash)
    if (call !== undefined) steps.push(await resultOf(chain, call, hash))
  }
  if (steps.length !== 2 * plain.length)
    throw new Error(`${steps.length} of ${2 * plain.length} calls are in the block`)
  await chain.rpc('evm_revert', snapshot)
  await chain.rpc('evm_setAutomine', true)
  return steps
}

const send = async ({ rpc }: Pick<Clients, 'rpc'>, { from, to, data, value }: Call): Promise<Hex> => {
  const fees = { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }
  await rpc('anvil_impersonateAccount', from)
  return (await rpc('eth_sendTransaction', { from, to, data, value: hexOf(value), gas: hexOf(GAS), ...fees })) as Hex
}

const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`

type Frame = { readonly output?: Hex; readonly error?: string }
type Balances = Readonly<Record<Address, { readonly balance?: Hex }>>

async function resultOf(
  { viem, rpc }: Pick<Clients, 'rpc' | 'viem'>,
  { isPlain, ...call }: Call,
  hash: Hex,
): Promise<Step> {
  const receipt = await viem.waitForTransactionReceipt({ hash })
  const { timestamp } = await viem.getBlock({ blockNumber: receipt.blockNumber })
  const frame = (await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })) as Frame
  const changes = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  const { post } = (await rpc('debug_traceTransaction', hash, changes)) as { readonly post: Balances }
  const paid = Object.entries(post).flatMap(([of, { balance }]) =>
    balance === undefined ? [] : [[of as Address, BigInt(balance)] as const],
  )
  return {
    ...call,
    number: receipt.blockNumber,
    time: timestamp,
    success: receipt.status === 'success',
    output: frame.output ?? '0x',
    gasUsed: isPlain ? gasOfFrame(receipt.gasUsed, call.data) : 0n,
    logs: receipt.logs.map(({ topics, data, address }) => ({ topics, data, emitter: address })),
    accounts: paid.map(([of]) => of),
    balances: paid.map(([, balance]) => balance),
  }
}

/** Without the transaction's own (EIP-2028); 0 if it paid the floor of its input (EIP-7623). */
function gasOfFrame(gasUsed: bigint, data: Hex): bigint {
  const tokens = hexToBytes(data).reduce((sum, byte) => sum + (byte === 0 ? 1n : 4n), 0n)
  return gasUsed === 21_000n + 10n * tokens ? 0n : gasUsed - 21_000n - 4n * tokens
}

const list = parseAbiParameters([
  'Step[] steps',
  'struct Log { bytes32[] topics; bytes data; address emitter; }',
  'struct Step { string name; address from; address to; bytes data; uint256 value; bool isUndone; uint256 number; uint256 time; bool success; bytes output; uint256 gasUsed; Log[] logs; address[] accounts; uint256[] balances; }',
])

export const encodeSteps = (steps: readonly Step[]): Uint8Array => hexToBytes(encodeAbiParameters(list, [steps]))
