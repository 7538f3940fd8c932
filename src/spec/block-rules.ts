// Rules of blocks that differ between Ethereum and chains with a `kestrel` section: the order of timestamps, the gas cap of a
// transaction, and which blocks CometBFT decides. Building, checking and simulating blocks and the pool all use these
// functions.
import type { Hex } from '../lib/hex.ts'
import { MAX_TOTAL_GAS, MAX_TRANSACTION_GAS } from '../primitives/gas.ts'
import type { ChainSpec, Fork, NativeSpec } from './chain-spec.ts'
import { forkRules } from './fork-rules.ts'

/**
 * The earliest timestamp of a child, in Unix seconds: one second after its parent's (Yellow Paper 4.4.4), or the same second on a fork
 * of another chain, or if `kestrel.clock` is `non-decreasing`.
 */
export const earliestTimestamp = ({ native, isFork }: Pick<ChainSpec, 'native' | 'isFork'>, parent: bigint): bigint =>
  isFork === true || native?.clock === 'non-decreasing' ? parent : parent + 1n

/** Whether CometBFT decides a block; this includes block 0 if the chain has always been a network. */
export function isNetworkBlock({ consensus }: Pick<NativeSpec, 'consensus'>, number: bigint): boolean {
  if (consensus === undefined) return false
  return number >= consensus.initialHeight || (number === 0n && consensus.initialHeight === 1n)
}

/**
 * The version of the slashing rules, `kestrel.modules.slashing.version`; 1 if the genesis names none. 1: a slash is completed
 * in its block, a redelegation pays the part of its amount that unbonding entries have not covered, and attacks on light
 * clients are not punished, except on chains with IBC. 2: the rules of the Cosmos SDK 0.50, in several blocks if necessary
 * (`modules/staking/slashing.ts`).
 */
export const slashingVersion = ({ modules: { slashing } }: Pick<NativeSpec, 'modules'>): 1 | 2 => versionOf(slashing)

/**
 * The version of the rules by which fees are allocated, `kestrel.modules.distribution.version`; 1 if the genesis names none.
 * 1: every block allocates the fees of the block before. 2: they stay pending, with the same results
 * (`modules/distribution/pending-fees.ts`).
 */
export const distributionVersion = ({ modules: { distribution } }: Pick<NativeSpec, 'modules'>): 1 | 2 =>
  versionOf(distribution)

/**
 * The version of staking's rules, `kestrel.modules.staking.version`; 1 if the genesis names none. They differ in how many unbondings
 * a block completes (`MAX_ENDED_PER_BLOCK`).
 */
export const stakingVersion = ({ modules: { staking } }: Pick<NativeSpec, 'modules'>): 1 | 2 => versionOf(staking)

/**
 * The version of transfer's rules, `kestrel.modules.transfer.version`; 1 if the genesis names none. They differ in how many packets a
 * block delivers and times out (`MOST_PACKETS_A_BLOCK`).
 */
export const transferVersion = ({ modules: { transfer } }: Pick<NativeSpec, 'modules'>): 1 | 2 => versionOf(transfer)

/**
 * The version of governance's rules, `kestrel.modules.gov.version`; 1 if the genesis names none. 2: proposals can also send coins
 * of the governance account, set the parameters of all modules and of consensus, and schedule upgrades; the end of proposals takes
 * several blocks if necessary (`modules/gov/ending.ts`).
 */
export const govVersion = ({ modules: { gov } }: Pick<NativeSpec, 'modules'>): 1 | 2 => versionOf(gov)

/**
 * Whether the chain has IBC: its genesis names `kestrel.modules.ibc`. Its app hash then commits to IBC's provable store too
 * (`runtime/app-hash.ts`).
 */
export const hasIbc = ({ modules }: Pick<NativeSpec, 'modules'>): boolean => modules.ibc !== undefined

/** The extra data of a block that skips the upgrade of its height: "upgrade skipped". So it needs no option when it is replayed. */
export const SKIPPED_UPGRADE: Hex = '0x7570677261646520736b6970706564'

const versionOf = (section: unknown): 1 | 2 =>
  typeof section === 'object' && section !== null && 'version' in section && section.version === 2 ? 2 : 1

/**
 * Maximum gas limit of one transaction; undefined: only the block's gas limit bounds it. A native chain has
 * `kestrel.transactionGasCap` of its genesis, a fork of another chain none, any other chain EIP-7825's cap from Osaka on,
 * and EIP-8037's from Amsterdam on.
 */
export function transactionGasCap(
  { native, isFork }: Pick<ChainSpec, 'native' | 'isFork'>,
  fork: Fork,
): bigint | undefined {
  if (native !== undefined) return native.transactionGasCap
  const { osaka, amsterdam } = forkRules(fork)
  if (!osaka || isFork === true) return undefined
  return amsterdam ? MAX_TOTAL_GAS : MAX_TRANSACTION_GAS
}

/**
 * Most gas of a transaction that is execution gas; what its gas limit has above it is state gas (EIP-8037). undefined: all is
 * execution gas, as before Amsterdam and on a native chain.
 */
export const executionGasCap = ({ native }: Pick<ChainSpec, 'native'>, fork: Fork): bigint | undefined =>
  native === undefined && forkRules(fork).amsterdam ? MAX_TRANSACTION_GAS : undefined
