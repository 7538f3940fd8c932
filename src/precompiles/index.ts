// The registry of precompiles, in order of address. Which of them a block has follows from its number alone, so that
// adding one to the program leaves old blocks as they were.
import type { NativeContract } from '../evm/native-call.ts'
import type { Address } from '../lib/hex.ts'
import { createNativeAccount } from '../modules/module.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { authorization } from './authorization.ts'
import { bank } from './bank.ts'
import { bech32 } from './bech32.ts'
import type { FaultReport, Precompile } from './define.ts'
import { distribution } from './distribution.ts'
import { staking } from './staking.ts'
import { vesting } from './vesting.ts'

export const PRECOMPILES: readonly Precompile[] = [bech32, staking, distribution, vesting, bank, authorization]

/** The native contracts that answer in a block, by address. */
export function nativeContracts(
  spec: NativeSpec,
  block: bigint,
  report: FaultReport = (message, error) => console.error(message, error),
): ReadonlyMap<Address, NativeContract> {
  const active = PRECOMPILES.filter(({ since }) => since <= block)
  return new Map(active.map((precompile) => [precompile.address, precompile.on(spec, report)]))
}

/** Gives the contracts that begin with this block their accounts; block 0 is the genesis. */
export function installContracts(view: StateView, block: bigint): void {
  for (const { since, address } of PRECOMPILES) if (since === block) createNativeAccount(view, address)
}
