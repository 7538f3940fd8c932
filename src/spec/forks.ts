// Forks: the fork of a block, the blob parameters of a fork, and the fork id. Pure functions of the spec.
import { crc32 } from 'node:zlib'
import { bigToFixed, fromHex, type Hash, type Hex } from '../lib/hex.ts'
import {
  type BlobParams,
  type ChainSpec,
  FORKS,
  type Fork,
  type ForkActivation,
  isBlobParameterFork,
} from './chain-spec.ts'
import { forkRules } from './fork-rules.ts'

/** Ethereum mainnet's blob parameters (EIP-4844, EIP-7691, EIP-7892's first two steps). */
export const MAINNET_BLOBS: ReadonlyMap<Fork, BlobParams> = new Map<Fork, BlobParams>([
  ['cancun', { target: 3n, max: 6n, baseFeeUpdateFraction: 3_338_477n }],
  ['prague', { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n }],
  ['osaka', { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n }],
  ['bpo1', { target: 10n, max: 15n, baseFeeUpdateFraction: 8_346_193n }],
  ['bpo2', { target: 14n, max: 21n, baseFeeUpdateFraction: 11_684_671n }],
])

/**
 * Forks that a chain has from block 0 on: the named one and those before it that every chain has. Without parameters of its own a
 * later fork of blobs is none of them.
 */
export const fromGenesis = (newest: Fork): ForkActivation[] =>
  FORKS.filter((fork) => fork === newest || (forkRules(newest)[fork] && isCommon(fork))).map((fork) =>
    isByBlock(fork) ? { fork, block: 0n } : { fork, time: 0n },
  )
const isCommon = (fork: Fork): boolean =>
  fork !== 'dao' && fork !== 'amsterdamOpcodes' && !(isBlobParameterFork(fork) && !MAINNET_BLOBS.has(fork))
const isByBlock = (fork: Fork): boolean => !forkRules(fork).shanghai

/** The inputs that determine a block's fork. `merged`: the parent's total difficulty has reached the terminal one. */
export type ForkPoint = { readonly number: bigint; readonly timestamp: bigint; readonly merged: boolean }

/**
 * The fork of a block. Forks by timestamp begin only after the merge. `merged` is ignored if the schedule gives Paris a block
 * number.
 */
export function forkAt(spec: ChainSpec, at: ForkPoint): Fork {
  let current: Fork = 'chainstart'
  let merged = false
  for (const { fork, block, time } of spec.forks) {
    if (fork === 'paris') {
      merged = block !== undefined ? at.number >= block : at.merged
      if (merged) current = fork
    } else if (time !== undefined ? merged && at.timestamp >= time : block !== undefined && at.number >= block) {
      current = fork
    }
  }
  return current
}

/** The number of the genesis block. */
export const firstBlock = ({ genesis }: Pick<ChainSpec, 'genesis'>): bigint => genesis.number ?? 0n

/** The fork of the genesis block. */
export const genesisFork = (spec: ChainSpec): Fork =>
  forkAt(spec, {
    number: firstBlock(spec),
    timestamp: spec.genesis.timestamp,
    merged: spec.terminalTotalDifficulty !== undefined && spec.genesis.difficulty >= spec.terminalTotalDifficulty,
  })

/**
 * Blob limits of a fork: those of the newest fork up to it that the spec has limits for; if it has none, mainnet's. undefined before
 * Cancun.
 */
export function blobParamsAt({ blobSchedule }: ChainSpec, fork: Fork): BlobParams | undefined {
  const rules = forkRules(fork)
  const limits = blobSchedule.size > 0 ? blobSchedule : MAINNET_BLOBS
  const since = FORKS.findLast((each) => rules[each] && limits.has(each))
  return since && limits.get(since)
}

/**
 * The fork id at a block (EIP-2124, EIP-6122): CRC-32 over the genesis hash and every fork that has begun.
 * `next` is the block or time of the next fork, 0 when none is scheduled.
 */
export function forkId(
  spec: ChainSpec,
  genesisHash: Hash,
  at: ForkPoint,
): { readonly hash: Hex; readonly next: bigint } {
  const genesisTime = spec.genesis.timestamp
  const blocks = spec.forks.flatMap(({ fork, block }) => (fork === 'paris' || block === undefined ? [] : [block]))
  if (spec.mergeNetsplitBlock !== undefined) blocks.push(spec.mergeNetsplitBlock)
  // geth counts every configured block number, including that of an opposed DAO fork.
  if (spec.opposedDaoForkBlock !== undefined) blocks.push(spec.opposedDaoForkBlock)
  const times = spec.forks.flatMap(({ time }) => (time === undefined || time <= genesisTime ? [] : [time]))
  const ascending = (values: bigint[]) => [...new Set(values)].sort((a, b) => (a < b ? -1 : 1))

  let checksum = crc32(fromHex(genesisHash))
  const hash = (): Hex => `0x${checksum.toString(16).padStart(8, '0')}`
  const steps = [
    ...ascending(blocks.filter((block) => block > 0n)).map((value) => ({ value, passed: at.number >= value })),
    ...ascending(times).map((value) => ({ value, passed: at.timestamp >= value })),
  ]
  for (const { value, passed } of steps) {
    if (!passed) return { hash: hash(), next: value }
    checksum = crc32(bigToFixed(value, 8), checksum)
  }
  return { hash: hash(), next: 0n }
}
