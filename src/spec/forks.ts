// Which rules hold where: the fork of a block, the parameters of a fork, and the libraries' view of both.
// Everything here is a pure function of the spec; a Common is made once per spec and fork and never changes.
import { crc32 } from 'node:zlib'
import type { ChainConfig, Common, HardforksDict, ParamsDict } from '@ethereumjs/common'
import type { KZG } from '@ethereumjs/util'
import { bigToFixed, fromHex, type Hash, type Hex } from '../lib/hex.ts'
import { type BlobParams, type ChainSpec, FORKS, type Fork, type ForkActivation } from './chain-spec.ts'
import { customCrypto } from './custom-crypto.ts'
import { SharedCommon } from './shared-common.ts'

const RANK = new Map<Fork, number>(FORKS.map((fork, rank) => [fork, rank]))
const rankOf = (fork: Fork): number => RANK.get(fork) ?? -1

/** Whether `fork` is `other` or a later one. */
export const atLeast = (fork: Fork, other: Fork): boolean => rankOf(fork) >= rankOf(other)

const BLOB_GAS = 131_072n // per blob, EIP-4844

/** Ethereum mainnet's blob parameters (EIP-4844, EIP-7691, EIP-7892's first two steps). */
export const MAINNET_BLOBS: ReadonlyMap<Fork, BlobParams> = new Map<Fork, BlobParams>([
  ['cancun', { target: 3n, max: 6n, baseFeeUpdateFraction: 3_338_477n }],
  ['prague', { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n }],
  ['osaka', { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n }],
  ['bpo1', { target: 10n, max: 15n, baseFeeUpdateFraction: 8_346_193n }],
  ['bpo2', { target: 14n, max: 21n, baseFeeUpdateFraction: 11_684_671n }],
])

/** Where a block stands. `merged`: its parent's total difficulty has reached the terminal one. */
export type ForkPoint = { readonly number: bigint; readonly timestamp: bigint; readonly merged: boolean }

/**
 * The fork whose rules hold for a block. Forks by timestamp need the merge; `merged` counts for nothing on a chain
 * that begins with proof of stake.
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

/** The fork of block 0. */
export const genesisFork = (spec: ChainSpec): Fork =>
  forkAt(spec, {
    number: 0n,
    timestamp: spec.genesis.timestamp,
    merged: spec.terminalTotalDifficulty !== undefined && spec.genesis.difficulty >= spec.terminalTotalDifficulty,
  })

/** Blob limits of a fork: the spec's, else mainnet's, else those of the fork before. undefined before Cancun. */
export function blobParamsAt(spec: ChainSpec, fork: Fork): BlobParams | undefined {
  for (let rank = rankOf(fork); rank >= rankOf('cancun'); rank--) {
    const at = FORKS[rank]
    const params = at && (spec.blobSchedule.get(at) ?? MAINNET_BLOBS.get(at))
    if (params) return params
  }
  return undefined
}

/**
 * Identifies the rules at a block (EIP-2124, EIP-6122): CRC-32 over the genesis hash and every fork that has passed.
 * `next` is the block or time of the fork to come, 0 when none is known.
 */
export function forkId(
  spec: ChainSpec,
  genesisHash: Hash,
  at: ForkPoint,
): { readonly hash: Hex; readonly next: bigint } {
  const genesisTime = spec.genesis.timestamp
  const blocks = spec.forks.flatMap(({ fork, block }) => (fork === 'paris' || block === undefined ? [] : [block]))
  if (spec.mergeNetsplitBlock !== undefined) blocks.push(spec.mergeNetsplitBlock)
  // geth counts every configured block number, that of an opposed fork too.
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

const WITHOUT_KZG = {}
const commons = new WeakMap<object, WeakMap<ChainSpec, Map<Fork, Common>>>()

/**
 * The libraries' rules of a fork on this chain, scheduled there or not. The same arguments give the same object, which
 * everybody shares: it refuses to be changed (`copy()` gives one that can be).
 * `kzg` is needed where blobs are decoded or the point evaluation precompile runs.
 */
export function commonFor(spec: ChainSpec, fork: Fork, kzg?: KZG): Common {
  const bySpec = getOrAdd(commons, kzg ?? WITHOUT_KZG, () => new WeakMap<ChainSpec, Map<Fork, Common>>())
  const byFork = getOrAdd(bySpec, spec, () => new Map<Fork, Common>())
  return getOrAdd(byFork, fork, () => createCommon(spec, fork, kzg))
}

function createCommon(spec: ChainSpec, fork: Fork, kzg: KZG | undefined): Common {
  const activations = new Map<Fork, ForkActivation>(spec.forks.map((activation) => [activation.fork, activation]))
  const params: ParamsDict = {}
  const customHardforks: HardforksDict = {}
  for (const name of FORKS) {
    const blobs = blobParamsAt(spec, name)
    if (blobs === undefined) continue
    // The library knows two vocabularies for the same limits, one up to Osaka and one from the first BPO fork on.
    const limits = {
      target: Number(blobs.target),
      max: Number(blobs.max),
      targetBlobGasPerBlock: Number(blobs.target * BLOB_GAS),
      maxBlobGasPerBlock: Number(blobs.max * BLOB_GAS),
      blobGasPriceUpdateFraction: Number(blobs.baseFeeUpdateFraction),
    }
    // Its BPO forks are nothing but such limits, with mainnet's built in, and end at the second.
    if (atLeast(name, 'bpo1')) customHardforks[name] = { eips: [], params: limits }
    else params[name] = limits
  }
  const chain: ChainConfig = {
    name: spec.name,
    chainId: spec.chainId.toString(),
    defaultHardfork: fork,
    depositContractAddress: spec.depositContract,
    genesis: {
      gasLimit: `0x${spec.genesis.gasLimit.toString(16)}`,
      difficulty: `0x${spec.genesis.difficulty.toString(16)}`,
      nonce: spec.genesis.nonce,
      extraData: spec.genesis.extraData,
    },
    hardforks: FORKS.map((name) => {
      const { block, time } = activations.get(name) ?? {}
      return {
        name,
        block: block === undefined ? null : Number(block),
        ...(time !== undefined && { timestamp: Number(time) }),
      }
    }),
    customHardforks,
    bootstrapNodes: [],
    consensus: { type: 'pow', algorithm: 'ethash' },
  }
  return new SharedCommon({
    chain,
    hardfork: fork,
    params,
    customCrypto: kzg ? { ...customCrypto, kzg } : customCrypto,
  })
}

type Cache<K, V> = { get(key: K): V | undefined; set(key: K, value: V): unknown }

function getOrAdd<K, V>(cache: Cache<K, V>, key: K, make: () => V): V {
  const known = cache.get(key)
  if (known !== undefined) return known
  const value = make()
  cache.set(key, value)
  return value
}
