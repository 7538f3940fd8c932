// The registry of precompiles, in order of address. The chain's genesis and the block number determine which of them exist, so
// adding one to the program does not change old blocks.
import type { NativeContract, NativeContracts } from '../evm/native-call.ts'
import type { Address } from '../lib/hex.ts'
import { createNativeAccount } from '../modules/module.ts'
import { MODULE_NAME, moduleAddress } from '../spec/addresses.ts'
import type { NativeInterfaces, NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { errorString } from './abi.ts'
import { authorization } from './authorization.ts'
import { bank } from './bank.ts'
import { bech32 } from './bech32.ts'
import { voucherContracts, werc20 } from './coin-contracts.ts'
import * as cosmosEvm from './cosmos-evm.ts'
import type { CheckProposals, FaultReport, Precompile } from './define.ts'
import { distribution } from './distribution.ts'
import { gov } from './gov.ts'
import { ibc } from './ibc.ts'
import { ics20 } from './ics20.ts'
import { slashing } from './slashing.ts'
import { staking } from './staking.ts'
import { vesting } from './vesting.ts'

/** Those with Evmos' interfaces. */
export const PRECOMPILES: readonly Precompile[] = [
  bech32,
  staking,
  distribution,
  ics20,
  vesting,
  bank,
  gov,
  slashing,
  ibc,
  authorization,
]

/** Those with cosmos/evm's interfaces. It has no grants and no vesting contract. */
const COSMOS_EVM: readonly Precompile[] = [
  bech32,
  cosmosEvm.staking,
  cosmosEvm.distribution,
  cosmosEvm.ics20,
  bank,
  gov,
  slashing,
  ibc,
  werc20,
]

export const precompilesWith = (interfaces: NativeInterfaces): readonly Precompile[] =>
  interfaces === 'cosmos-evm' ? COSMOS_EVM : PRECOMPILES

/** The precompiles of a chain, from its first block or a later one; none without native modules. */
export const precompilesOf = (spec: NativeSpec | undefined): readonly Precompile[] =>
  spec === undefined ? [] : precompilesWith(spec.interfaces ?? 'evmos').filter(({ isOn }) => isOn(spec))

/** The native contracts of a block by address, including module accounts and the contracts of existing vouchers. */
export function nativeContracts(
  spec: NativeSpec,
  block: bigint,
  report: FaultReport = (message, error) => console.error(message, error),
  checkProposals?: CheckProposals,
): NativeContracts {
  const active = precompilesOf(spec).filter(({ since }) => since <= block)
  const fixed = new Map(active.map((precompile) => [precompile.address, precompile.on(spec, report, checkProposals)]))
  const vouchers = voucherContracts(spec, report)
  return Object.assign(fixed, {
    find: (view: StateView, address: Address) => MODULE_ACCOUNTS.get(address) ?? vouchers(view, address),
  })
}

/** The same, created once for all blocks with the same contracts. */
export function sharedNativeContracts(
  spec: NativeSpec,
  report: FaultReport,
  checkProposals: CheckProposals,
): (block: bigint) => NativeContracts {
  const made = new Map<number, NativeContracts>()
  return (block) => {
    // Contracts are only ever added, so their number identifies the set.
    const count = precompilesOf(spec).filter(({ since }) => since <= block).length
    const known = made.get(count) ?? nativeContracts(spec, block, report, checkProposals)
    made.set(count, known)
    return known
  }
}

/** Creates the accounts of the contracts that begin with one of these blocks; block 0 is the genesis. */
export function installContracts(view: StateView, spec: NativeSpec, first: bigint, last = first): void {
  for (const { since, address } of precompilesOf(spec)) {
    if (since >= first && since <= last) createNativeAccount(view, address)
  }
}

function moduleAccount(name: string): NativeContract {
  const [coins, call] = [
    errorString(`module account ${name} is not allowed to receive funds: unauthorized`),
    errorString(`module account ${name} has no functions`),
  ]
  return {
    address: moduleAddress(name),
    run: ({ value }) => ({ output: value > 0n ? coins : call, gasUsed: 0n, logs: [], error: 'revert' }),
  }
}

/** All module accounts by address. They are not precompiles, so they are not initially warm (EIP-2929). */
export const MODULE_ACCOUNTS: ReadonlyMap<Address, NativeContract> = new Map(
  Object.values(MODULE_NAME)
    .map(moduleAccount)
    .map((account) => [account.address, account]),
)
