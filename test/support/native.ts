// Fixtures for tests of native contracts: an empty state, a specification, a block, a message.
import type { NativeCall, NativeContract, NativeResult } from '../../src/evm/native-call.ts'
import { hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import type { ModuleContext } from '../../src/modules/module.ts'
import type { ChainSpec, NativeSpec } from '../../src/spec/chain-spec.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import type { StateView } from '../../src/state/types.ts'
import type { View } from '../../src/state/view.ts'

export const alice = hexToAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
export const bob = hexToAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')

export const nativeSpec: NativeSpec = {
  textChainId: 'kestrel_125-1',
  denom: 'akest',
  symbol: 'KEST',
  bech32Prefix: 'kest',
  feeMarket: { burnBaseFee: false },
  clock: 'non-decreasing',
  transactionGasCap: undefined,
  boundedWork: true,
  authz: { granter: 'caller' },
  compat: { allowanceOrder: 'owner-first', entriesAsStruct: false, decCoinRaw: false, distributionGrants: true },
  proposals: [],
  params: { activeProposals: [] },
  upgrades: [],
  validators: [],
  modules: {},
}

export const emptyView = async (): Promise<View> => new StateStore(await openMemoryStore(), -1).at(-1)

export const moduleContext = (view: StateView, change: Partial<ModuleContext> = {}): ModuleContext => ({
  spec: nativeSpec,
  block: { number: 1n, timestamp: 1_700_000_000n, proposer: ZERO_ADDRESS },
  view,
  access: 'write',
  ...change,
})

/** A plain call by alice. */
export const nativeCall = (view: StateView, input: Uint8Array, change: Partial<NativeCall> = {}): NativeCall => ({
  caller: alice,
  origin: alice,
  value: 0n,
  input,
  isStatic: false,
  isDelegate: false,
  depth: 0,
  gasLimit: 1_000_000n,
  view,
  block: { number: 1n, timestamp: 1_700_000_000n, proposer: ZERO_ADDRESS },
  callContract: () => Promise.reject(new Error('there is no contract to call')),
  ...change,
})

/** The result of a contract that makes no calls, and is therefore synchronous. */
export function runNow(contract: NativeContract | undefined, call: NativeCall): NativeResult {
  const result = contract?.run(call)
  if (result === undefined || result instanceof Promise) throw new Error('the contract has no result now')
  return result
}

/** A chain on which functions cost their fixed prices alone, whatever their work is. */
export const withFixedPrices = <S extends Pick<ChainSpec, 'native'>>(spec: S): S => ({
  ...spec,
  native: spec.native && { ...spec.native, nativeGas: undefined },
})
