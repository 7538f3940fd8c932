// The configuration of a fork as `eth_config` reports it (EIP-7910): activation time, blob limits, fork id, precompiles and
// system contracts. Operators compare it with other nodes before a fork begins.
import { type Address, type Hash, type Hex, hexToAddress } from '../lib/hex.ts'
import { SYSTEM_CONTRACT } from './addresses.ts'
import type { BlobParams, ChainSpec, Fork } from './chain-spec.ts'
import { type ForkRules, forkRules } from './fork-rules.ts'
import { blobParamsAt, forkAt, forkId } from './forks.ts'

export type ForkConfig = {
  /** Unix seconds; 0 for a fork that is active from genesis. */
  readonly activationTime: bigint
  /** undefined before Cancun. */
  readonly blobSchedule: BlobParams | undefined
  readonly chainId: bigint
  readonly forkId: Hex
  /** By EIP-7910's names. */
  readonly precompiles: Readonly<Record<string, Address>>
  readonly systemContracts: Readonly<Record<string, Address>>
}

/** The precompiles that each fork added: EIP-7910's name and the address in hex without leading zeros. */
const PRECOMPILES: readonly (readonly [Fork, Readonly<Record<string, string>>])[] = [
  ['chainstart', { ECREC: '1', SHA256: '2', RIPEMD160: '3', ID: '4' }],
  ['byzantium', { MODEXP: '5', BN254_ADD: '6', BN254_MUL: '7', BN254_PAIRING: '8' }],
  ['istanbul', { BLAKE2F: '9' }],
  ['cancun', { KZG_POINT_EVALUATION: 'a' }],
  [
    'prague',
    {
      BLS12_G1ADD: 'b',
      BLS12_G1MSM: 'c',
      BLS12_G2ADD: 'd',
      BLS12_G2MSM: 'e',
      BLS12_PAIRING_CHECK: 'f',
      BLS12_MAP_FP_TO_G1: '10',
      BLS12_MAP_FP2_TO_G2: '11',
    },
  ],
  ['osaka', { P256VERIFY: '100' }],
]

const NAMES = new Map(
  PRECOMPILES.flatMap(([, named]) =>
    Object.entries(named).map(([name, digits]) => [BigInt(`0x${digits}`), name] as const),
  ),
)

/** EIP-7910's name of the precompile that an address has in some fork. */
export const precompileName = (address: Address): string | undefined => NAMES.get(BigInt(address))

/** The configurations of the fork at a time, of the next fork, and of the last scheduled one, if they exist. */
export function forkConfigs(
  spec: ChainSpec,
  genesisHash: Hash,
  timestamp: bigint,
): { readonly current: ForkConfig; readonly next: ForkConfig | undefined; readonly last: ForkConfig | undefined } {
  const times = spec.forks.flatMap(({ time }) => (time === undefined ? [] : [time])).sort((a, b) => (a < b ? -1 : 1))
  const next = times.find((time) => time > timestamp)
  const last = next === undefined ? undefined : times.at(-1)
  const configAt = (time: bigint) => forkConfig(spec, genesisHash, time)
  return {
    current: configAt(times.findLast((time) => time <= timestamp) ?? 0n),
    next: next === undefined ? undefined : configAt(next),
    last: last === undefined ? undefined : configAt(last),
  }
}

/** A block number at which all forks by block number are active. */
const LAST_BLOCK = 2n ** 64n - 1n

function forkConfig(spec: ChainSpec, genesisHash: Hash, activationTime: bigint): ForkConfig {
  const at = { number: LAST_BLOCK, timestamp: activationTime, merged: true }
  const fork = forkAt(spec, at)
  return {
    activationTime,
    blobSchedule: blobParamsAt(spec, fork),
    chainId: spec.chainId,
    forkId: forkId(spec, genesisHash, at).hash,
    precompiles: precompilesOf(forkRules(fork)),
    systemContracts: systemContractsOf(spec, forkRules(fork)),
  }
}

function precompilesOf(rules: ForkRules): Record<string, Address> {
  const named = PRECOMPILES.flatMap(([since, addresses]) => (rules[since] ? Object.entries(addresses) : []))
  return Object.fromEntries(named.map(([name, tail]) => [name, hexToAddress(`0x${tail.padStart(40, '0')}`)]))
}

function systemContractsOf(spec: ChainSpec, rules: ForkRules): Record<string, Address> {
  return {
    ...(rules.amsterdam && {
      BUILDER_DEPOSIT_CONTRACT_ADDRESS: SYSTEM_CONTRACT.builderDeposits,
      BUILDER_EXIT_CONTRACT_ADDRESS: SYSTEM_CONTRACT.builderExits,
    }),
    ...(rules.cancun && { BEACON_ROOTS_ADDRESS: SYSTEM_CONTRACT.beaconRoots }),
    ...(rules.prague && {
      CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: SYSTEM_CONTRACT.consolidationRequests,
      DEPOSIT_CONTRACT_ADDRESS: spec.depositContract,
      HISTORY_STORAGE_ADDRESS: SYSTEM_CONTRACT.history,
      WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: SYSTEM_CONTRACT.withdrawalRequests,
    }),
  }
}
