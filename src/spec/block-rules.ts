// Rules of blocks that differ between Ethereum and chains of our own: how timestamps follow each other, and the most gas
// that a transaction may ask for. Who builds, checks, pools or simulates a block asks here, so that all of them agree.
import { MAX_TRANSACTION_GAS } from '../primitives/gas.ts'
import type { ChainSpec, Fork } from './chain-spec.ts'
import { atLeast } from './forks.ts'

/**
 * The earliest timestamp, in Unix seconds, of a block whose parent has this one: a second later (Yellow Paper 4.4.4), or the
 * same second where the genesis says so (`kestrel.clock`).
 */
export const earliestTimestamp = ({ native }: Pick<ChainSpec, 'native'>, parent: bigint): bigint =>
  native?.clock === 'non-decreasing' ? parent : parent + 1n

/**
 * The most gas that one transaction may ask for, beside the block's gas limit; undefined: there is no other cap. A chain
 * of our own has the cap of its genesis (`kestrel.transactionGasCap`), any other EIP-7825's from Osaka on.
 */
export function transactionGasCap({ native }: Pick<ChainSpec, 'native'>, fork: Fork): bigint | undefined {
  if (native !== undefined) return native.transactionGasCap
  return atLeast(fork, 'osaka') ? MAX_TRANSACTION_GAS : undefined
}
