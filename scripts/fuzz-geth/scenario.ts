// A scenario: a few contracts, and transactions that differ in data, gas and value on the same state. The accounts' addresses
// are fixed, so that code can refer to later contracts.
import { type Address, hexToAddress } from '../../src/lib/hex.ts'
import { privateKeyToAddress } from '../../src/primitives/signature.ts'
import type { AccessList, Authorization, TransactionType } from '../../src/primitives/types.ts'
import type { Random } from './code.ts'
import { hasOpcode, isSince } from './code.ts'

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

export const SENDER_KEY = key(0x45)
export const SENDER: Address = privateKeyToAddress(SENDER_KEY)
/** Accounts with known keys, so that they can delegate (EIP-7702). */
export const AUTHORITY_KEYS = [0x51, 0x52, 0x53].map(key)
export const AUTHORITIES: readonly Address[] = AUTHORITY_KEYS.map(privateKeyToAddress)
export const COINBASE = hexToAddress(`0x${'cb'.repeat(20)}`)
/** The addresses of a scenario's contracts, in order; transactions call the first. */
export const CONTRACTS: readonly Address[] = [1, 2, 3, 4, 5, 6].map((index) =>
  hexToAddress(`0xc0de${index.toString(16).padStart(36, '0')}`),
)
/** An address without an account. */
export const MISSING_ACCOUNT = hexToAddress(`0x${'e0'.repeat(20)}`)
/** The precompiled contracts of Osaka: 1 to 0x11 and P256VERIFY. */
export const PRECOMPILES: readonly bigint[] = [...Array.from({ length: 17 }, (_, i) => BigInt(i + 1)), 0x100n]

/** Addresses to call: contracts, authorities, precompiled contracts, the coinbase, the sender and an empty one. */
export const TARGETS: readonly bigint[] = [
  ...CONTRACTS.map(BigInt),
  ...CONTRACTS.map(BigInt),
  ...AUTHORITIES.map(BigInt),
  ...PRECOMPILES,
  ...[COINBASE, SENDER, MISSING_ACCOUNT].map(BigInt),
]

/** Settings of a scenario. */
export type Setting = {
  readonly random: Random
  /** The oldest fork that it runs on. */
  readonly fork: string
  readonly has: (opcode: number) => boolean
  readonly since: (fork: string) => boolean
}

export const settingOf = (random: Random, fork: string): Setting => ({
  random,
  fork,
  has: (opcode) => hasOpcode(fork, opcode),
  since: (other) => isSince(fork, other),
})

/** An account in addition to the contracts. */
export type ExtraAccount = { readonly code?: Uint8Array; readonly nonce?: bigint; readonly balance?: bigint }

export type Scenario = {
  /** Code of `CONTRACTS`, in order. */
  readonly codes: readonly Uint8Array[]
  /** Inputs of the transactions; each is run with each gas limit and value. */
  readonly data: readonly Uint8Array[]
  readonly gasLimits: readonly bigint[]
  /** The gas limits are in addition to the intrinsic gas of the newest fork, for the first data. */
  readonly isAboveIntrinsic?: boolean
  readonly values?: readonly bigint[]
  /** Default: the first contract. null creates a contract. */
  readonly to?: Address | null
  /** Default: a random one of the fork's plain types. */
  readonly type?: TransactionType
  readonly accessList?: AccessList
  readonly authorizations?: readonly Authorization[]
  readonly extra?: ReadonlyMap<Address, ExtraAccount>
  /** Of the contracts; 1 by default. */
  readonly nonce?: bigint
}

/** Creates a scenario for a setting. */
export type Kind = (setting: Setting) => Scenario

/**
 * Gas limit that leaves `gas` for execution: adds 21,000, or 53,000 for a creation, and for data at most 68 a byte before
 * Istanbul, 40 by the floor of EIP-7623, with 2 a word for init code.
 */
export const gasWith = (data: Uint8Array, gas: number, isCreation = false): bigint =>
  BigInt((isCreation ? 53_000 : 21_000) + data.length * 69 + gas)

/** `count` gas limits: `most`, and smaller ones spread over the orders of magnitude below it. */
export function gasCuts(random: Random, data: readonly Uint8Array[], most: number, count: number): bigint[] {
  const longest = data.reduce((long, next) => (next.length > long.length ? next : long), new Uint8Array(0))
  const cut = () => Math.floor(2 ** (random.next() * Math.log2(most)))
  return Array.from({ length: count }, (_, index) => gasWith(longest, index === 0 ? most : cut()))
}

/** Random bytes, a third of them zero. */
export const randomBytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => (random.oneIn(3) ? 0 : random.below(256)))
