// Addresses that the protocol defines: Ethereum's system contracts, the native contracts, the module accounts, and how a
// validator's addresses are derived and encoded. Native addresses are those of Evmos. Contracts rely on them, so they never
// change.
import { createHash } from 'node:crypto'
import { type Address, fromHex, type Hash, hexToAddress, toAddress } from '../lib/hex.ts'

/** Caller of the protocol's calls at the beginning and end of a block (EIP-4788, 2935, 7002, 7251, 8282). */
export const SYSTEM_ADDRESS = hexToAddress('0xfffffffffffffffffffffffffffffffffffffffe')

/** Contracts that the protocol calls in every block. */
export const SYSTEM_CONTRACT = {
  /** EIP-4788 */
  beaconRoots: hexToAddress('0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02'),
  /** EIP-2935 */
  history: hexToAddress('0x0000F90827F1C53a10cb7A02335B175320002935'),
  /** EIP-7002 */
  withdrawalRequests: hexToAddress('0x00000961Ef480Eb55e80D19ad83579A64c007002'),
  /** EIP-7251 */
  consolidationRequests: hexToAddress('0x0000BBdDc7CE488642fb579F8B00f3a590007251'),
  /** EIP-8282 */
  builderDeposits: hexToAddress('0x0000BFF46984E3725691FA540A8C7589300D8282'),
  builderExits: hexToAddress('0x000064D678505AD48F8CCB093BC65613800E8282'),
} as const

const low = (tail: number): Address => hexToAddress(`0x${tail.toString(16).padStart(40, '0')}`)

/** The native contracts (stateful precompiles). Their modules keep their state in the storage of these addresses. */
export const NATIVE_CONTRACT = {
  bech32: low(0x400),
  staking: low(0x800),
  distribution: low(0x801),
  ics20: low(0x802),
  vesting: low(0x803),
  bank: low(0x804),
  gov: low(0x805),
  slashing: low(0x806),
  ibc: low(0x807),
  authorization: low(0xa00),
} as const

/**
 * The ERC-20 contract of the base coin on chains with cosmos/evm's interfaces. Not among `NATIVE_CONTRACT`, because it may receive
 * coins: a plain transfer to it is a deposit.
 */
export const WERC20 = hexToAddress('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE')

/** Address of a module account: the first 20 bytes of SHA-256 of its name (Cosmos SDK). */
export const moduleAddress = (name: string): Address =>
  toAddress(createHash('sha256').update(name, 'utf8').digest().subarray(0, 20))

/** Names of the modules' accounts. */
export const MODULE_NAME = {
  feeCollector: 'fee_collector',
  distribution: 'distribution',
  bondedPool: 'bonded_tokens_pool',
  notBondedPool: 'not_bonded_tokens_pool',
  gov: 'gov',
  erc20: 'erc20',
  transfer: 'transfer',
  mint: 'mint',
  /** Holds the parameters of the EVM and its fee market in its storage (`modules/params.ts`). */
  evm: 'evm',
} as const

/** The modules' accounts. They hold coins or parameters, and no private key exists for them. */
export const MODULE_ACCOUNT = {
  feeCollector: moduleAddress(MODULE_NAME.feeCollector),
  distribution: moduleAddress(MODULE_NAME.distribution),
  bondedPool: moduleAddress(MODULE_NAME.bondedPool),
  notBondedPool: moduleAddress(MODULE_NAME.notBondedPool),
  gov: moduleAddress(MODULE_NAME.gov),
  erc20: moduleAddress(MODULE_NAME.erc20),
  transfer: moduleAddress(MODULE_NAME.transfer),
  mint: moduleAddress(MODULE_NAME.mint),
  evm: moduleAddress(MODULE_NAME.evm),
} as const

/** Where the modules keep their state and their coins. */
export const NATIVE_ADDRESSES: ReadonlySet<Address> = new Set([
  ...Object.values(MODULE_ACCOUNT),
  ...Object.values(NATIVE_CONTRACT),
])

/** CometBFT's address of a validator's consensus key: the first 20 bytes of SHA-256 of the ed25519 public key. */
export const consensusAddress = (key: Hash): Address =>
  toAddress(createHash('sha256').update(fromHex(key)).digest().subarray(0, 20))

/** Bech32 prefix of validators' operator addresses, from the chain's account prefix (Cosmos SDK). */
export const operatorPrefix = (prefix: string): string => `${prefix}valoper`
/** Bech32 prefix of consensus addresses, from the chain's account prefix (Cosmos SDK). */
export const consensusPrefix = (prefix: string): string => `${prefix}valcons`
