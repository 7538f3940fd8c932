// Calls of every function of every native contract on a grown state: the samples of `matrix-samples.ts`, other pages of their lists,
// and arguments that cause more work. Functions come from the registry, so new functions are included.
import { type AbiFunction, encodeFunctionData, erc20Abi, type Hex, hexToBytes, toFunctionSignature } from 'viem'
import type { NativeContract } from '../../src/evm/native-call.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { type Address, hexToAddress } from '../../src/lib/hex.ts'
import { voucherContracts } from '../../src/precompiles/coin-contracts.ts'
import type { FaultReport, Precompile } from '../../src/precompiles/define.ts'
import { PRECOMPILES, precompilesWith } from '../../src/precompiles/index.ts'
import type { NativeInterfaces } from '../../src/spec/chain-spec.ts'
import { account } from '../support/chain.ts'
import { addressOf, type Grown, START, voucherHash } from './grown-state.ts'
import { OWNER, sampleOf } from './matrix-samples.ts'

const COIN = 10n ** 18n
const HOSTILE_TEXT = 'transfer/channel-1/'.repeat(1_000)
const coins = (amount: bigint) => [{ denom: 'akest', amount }]
const receivers = Array.from({ length: 400 }, (_, index) => `kest1receiver${index}`.padEnd(43, 'q'))
const allocation = { sourcePort: 'transfer', sourceChannel: 'channel-0', spendLimit: coins(COIN), allowList: receivers }
const period = { length: 1n, amount: coins(COIN) }
const owner = account(0).address
const funded = account(8).address
const spender = `0x${'5e'.repeat(20)}` as const
const methods = ['MSG_DELEGATE', 'MSG_UNDELEGATE', 'MSG_REDELEGATE', 'MSG_CANCEL_UNDELEGATION']

/** Arguments that cause more work than the sample, by `precompile.function`. */
const HARDER: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'authorization.approve': [[spender, COIN, [...methods, ...methods, ...methods]]],
  'staking.redelegations': [[`0x${'00'.repeat(20)}`, operator(10), '', pageOf({ limit: 1_000n })]],
  'staking.validators': [['BOND_STATUS_UNBONDED', pageOf({ limit: 1n })]],
  'ics20.approve': [
    [spender, [allocation]],
    [spender, [{ ...allocation, allowedPacketData: receivers }]],
  ],
  'ics20.denomTrace': [[voucherHash]],
  'ics20.denomHash': [[HOSTILE_TEXT]],
  // Starts before all existing periods, so that every step of both schedules moves.
  'vesting.fundVestingAccount': [
    [owner, funded, START - 10n, [period], [period]],
    [owner, account(7).address, START, Array(900).fill(period), Array(900).fill({ length: 1n, amount: coins(COIN) })],
  ],
  'gov.getProposals': [[0, `0x${'00'.repeat(20)}`, owner, pageOf({ limit: 1n })]],
  'gov.getMessages': [[3n]],
  'distribution.claimRewards': [[owner, 100]],
  // The sample's entry does not exist here.
  'staking.cancelUnbondingDelegation': [[owner, operator(10), COIN / 2n, 2n]],
  'bech32.hexToBech32': [[owner, 'k'.repeat(10_000)]],
  'bech32.bech32ToHex': [[`kest1${'q'.repeat(50_000)}`]],
}

function operator(index: number): string {
  return toBech32('kestvaloper', addressOf(index))
}
function pageOf(change: object) {
  return { key: '0x', offset: 0n, limit: 100n, countTotal: true, reverse: false, ...change }
}
const isPage = (argument: unknown): boolean =>
  typeof argument === 'object' && argument !== null && 'countTotal' in argument

/** The sample, the sample with other pages if it has one, and the harder arguments. */
function callsOf(name: string, { name: fn, inputs }: AbiFunction, sample: readonly unknown[]): (readonly unknown[])[] {
  const pages = [
    { limit: 1n },
    { limit: 1_000n },
    { limit: 1_000n, reverse: true },
    { offset: 10n ** 6n },
    { offset: 150n, limit: 3n },
  ]
  const paged = sample.some(isPage)
    ? pages.map((page) => sample.map((argument) => (isPage(argument) ? pageOf(page) : argument)))
    : []
  const harder = (HARDER[`${name}.${fn}`] ?? []).filter((args) => isFor(args, inputs.length))
  return [sample, ...paged, ...harder]
}
const isFor = (args: readonly unknown[], length: number): boolean => args.length === length

/** A call by an account. `name`: `staking.delegate(address,string,uint256) #0`. */
export type GrownCall = {
  readonly name: string
  readonly isView: boolean
  readonly input: Uint8Array
  readonly from: Address
  contract(grown: Grown, report: FaultReport): NativeContract
}

const functionsOf = ({ abi }: Precompile) => abi.flatMap((entry) => (entry.type === 'function' ? [entry] : []))

const fixed: readonly GrownCall[] = PRECOMPILES.flatMap((of) =>
  functionsOf(of).flatMap((entry) => {
    const { args, from = OWNER } = sampleOf(of.name, entry.name, toFunctionSignature(entry))
    return callsOf(of.name, entry, args).flatMap((given, variant) => callOf(of, entry, given, { from, variant }))
  }),
)

/** A call of a contract with a fixed address; none if the arguments are those of an overload. */
function callOf(
  of: Precompile,
  entry: AbiFunction,
  args: readonly unknown[],
  { from = OWNER, variant = 0, interfaces = 'evmos' as NativeInterfaces },
): readonly GrownCall[] {
  const input = encoded(entry, args)
  if (input === undefined) return []
  return [
    {
      name: `${interfaces === 'evmos' ? '' : `${interfaces}.`}${of.name}.${toFunctionSignature(entry)} #${variant}`,
      isView: isView(entry),
      input: hexToBytes(input),
      from: addressOf(from),
      contract: ({ spec }, report) => of.on({ ...spec, interfaces }, report),
    },
  ]
}

const TOKEN_ARGS: Readonly<Record<string, readonly unknown[]>> = {
  balanceOf: [owner],
  allowance: [owner, spender],
  transfer: [spender, 1n],
  approve: [spender, 1n],
  // Nothing is allowed but zero.
  transferFrom: [owner, spender, 0n],
}

/** Arguments of functions that cosmos/evm's interfaces alone have. */
const COSMOS_ARGS: Readonly<Record<string, readonly unknown[]>> = {
  ...TOKEN_ARGS,
  deposit: [],
  withdraw: [1n],
  communityPool: [],
  fundCommunityPool: [owner, coins(COIN)],
  depositValidatorRewardsPool: [owner, operator(10), coins(COIN)],
  denom: [voucherHash],
  denoms: [pageOf({})],
}
const cosmos: readonly GrownCall[] = precompilesWith('cosmos-evm').flatMap((of) =>
  functionsOf(of).flatMap((entry) => {
    const args = COSMOS_ARGS[entry.name]
    const isOwn = !PRECOMPILES.includes(of) && (args !== undefined || of.name === 'werc20')
    return isOwn ? callOf(of, entry, args ?? [], { interfaces: 'cosmos-evm' }) : []
  }),
)

const VOUCHER = hexToAddress(`0x${voucherHash.slice(-40)}`)
const tokens: readonly GrownCall[] = erc20Abi
  .filter((entry) => entry.type === 'function')
  .map((entry) => ({
    name: `voucher.${toFunctionSignature(entry)} #0`,
    isView: isView(entry),
    input: hexToBytes(
      encodeFunctionData({
        abi: [entry as AbiFunction],
        functionName: entry.name,
        args: TOKEN_ARGS[entry.name] ?? [],
      }),
    ),
    from: addressOf(OWNER),
    contract({ spec, view }, report) {
      const found = voucherContracts(spec, report)(view, VOUCHER)
      if (found === undefined) throw new Error('the state has no voucher')
      return found
    },
  }))

/** All of them; contracts that a chain can lack answer on the grown state, and so do those of the other interfaces. */
export const GROWN_CALLS: readonly GrownCall[] = [...fixed, ...cosmos, ...tokens]

function isView({ stateMutability }: AbiFunction): boolean {
  return stateMutability === 'view' || stateMutability === 'pure'
}

/** undefined if the arguments do not fit. */
function encoded(entry: AbiFunction, args: readonly unknown[]): Hex | undefined {
  try {
    return encodeFunctionData({ abi: [entry], functionName: entry.name, args })
  } catch {
    return undefined
  }
}
