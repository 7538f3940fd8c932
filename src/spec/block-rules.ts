// Rules of blocks that differ between Ethereum and chains with a `kestrel` section: the order of timestamps, the most gas
// that a transaction may ask for, and which blocks an engine decides. Building, checking and simulating blocks and the pool all use these functions.
import { MAX_TRANSACTION_GAS } from '../primitives/gas.ts'
import type { ChainSpec, Fork, NativeSpec } from './chain-spec.ts'
import { forkRules } from './fork-rules.ts'

/**
 * The earliest timestamp of a child, in Unix seconds, from its parent's: one second later (Yellow Paper 4.4.4), or the same
 * second where `kestrel.clock` is `non-decreasing`.
 */
export const earliestTimestamp = ({ native }: Pick<ChainSpec, 'native'>, parent: bigint): bigint =>
  native?.clock === 'non-decreasing' ? parent : parent + 1n

/** Whether the engine of a network decides a block; block 0 counts where the chain has always been a network. */
export function isNetworkBlock({ consensus }: Pick<NativeSpec, 'consensus'>, number: bigint): boolean {
  if (consensus === undefined) return false
  return number >= consensus.initialHeight || (number === 0n && consensus.initialHeight === 1n)
}

/**
 * The rules of slashing, `kestrel.modules.slashing.version`. 1, also where the genesis names none: a slash is carried out whole
 * in its block, a redelegation pays what its unbonding entries leave of its part, and attacks on light clients go unpunished.
 * 2: the Cosmos SDK's of 0.50, in pieces (`modules/staking/slashing.ts`).
 */
export function slashingVersion({ modules: { slashing } }: Pick<NativeSpec, 'modules'>): 1 | 2 {
  return typeof slashing === 'object' && slashing !== null && 'version' in slashing && slashing.version === 2 ? 2 : 1
}

/**
 * The most gas that one transaction may ask for; undefined when only the block's gas limit bounds it. A native chain has
 * `kestrel.transactionGasCap` of its genesis, any other chain EIP-7825's cap from Osaka on.
 */
export function transactionGasCap({ native }: Pick<ChainSpec, 'native'>, fork: Fork): bigint | undefined {
  if (native !== undefined) return native.transactionGasCap
  return forkRules(fork).osaka ? MAX_TRANSACTION_GAS : undefined
}
