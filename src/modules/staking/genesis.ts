// Staking's section of the genesis file, `kestrel.modules.staking`: parameters, and delegations in addition to the
// self-delegations. Every field is optional.

import { createPrivateKey, createPublicKey } from 'node:crypto'
import { z } from 'zod'
import { type Address, fromHex, type Hash, hexToAddress, toHash } from '../../lib/hex.ts'
import { keccak256 } from '../../lib/keccak.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import type { GenesisValidator } from '../../spec/chain-spec.ts'
import { fraction, readSection, rulesVersion, seconds } from '../genesis-section.ts'
import type { StakingParams } from './layout.ts'

export type GenesisDelegation = { readonly delegator: Address; readonly validator: Address; readonly amount: bigint }

export type StakingGenesis = {
  readonly validators: readonly GenesisValidator[]
  readonly params: StakingParams
  readonly delegations: readonly GenesisDelegation[]
}

/** Defaults of the Cosmos SDK, with Evmos' power reduction for coins of 18 decimals. */
export const DEFAULT_PARAMS: StakingParams = {
  unbondingTime: 21n * SECONDS_A_DAY,
  maxValidators: 100n,
  maxEntries: 7n,
  minCommissionRate: 0n,
  powerReduction: 10n ** 18n,
}

function whole(least: bigint, most: bigint) {
  const error = `expected a whole number from ${least} to ${most}`
  return z
    .union([z.int(), z.string()], { error })
    .refine((wire) => /^\d{1,78}$/.test(String(wire)), { error })
    .transform((wire) => BigInt(wire))
    .refine((number) => number >= least && number <= most, { error })
}

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'expected an address of 20 bytes of hex' })
  .transform(hexToAddress)

const maxValidators = whole(1n, 1_000n)
const maxEntries = whole(1n, 100n)

const section = z.strictObject({
  version: rulesVersion,
  params: z
    .strictObject({
      unbondingTime: whole(1n, 10_000n * SECONDS_A_DAY).default(DEFAULT_PARAMS.unbondingTime),
      maxValidators: maxValidators.default(DEFAULT_PARAMS.maxValidators),
      maxEntries: maxEntries.default(DEFAULT_PARAMS.maxEntries),
      minCommissionRate: fraction.default(DEFAULT_PARAMS.minCommissionRate),
      powerReduction: whole(1n, 10n ** 30n).default(DEFAULT_PARAMS.powerReduction),
    })
    .default(DEFAULT_PARAMS),
  delegations: z
    .array(z.strictObject({ delegator: address, validator: address, amount: whole(1n, 2n ** 192n) }))
    .default([]),
})

/**
 * All parameters, as a proposal replaces them. The bond denomination cannot change, `historicalEntries` has no effect, and
 * `powerReduction`, which is not a parameter of the SDK, keeps its value.
 */
export const newStakingParams = (denom: string) =>
  z
    .strictObject({
      unbondingTime: seconds,
      maxValidators,
      maxEntries,
      minCommissionRate: fraction,
      historicalEntries: z.int().nonnegative().optional(),
      bondDenom: z.literal(denom).optional(),
    })
    .transform(({ historicalEntries, bondDenom, ...params }) => params)

/** Staking's genesis from the specification's two places. Throws ChainError `invalid-genesis` that names the field. */
export function readStakingGenesis(validators: readonly GenesisValidator[], json: unknown): StakingGenesis {
  return { validators, ...readSection('staking', section, json ?? {}) }
}

/** The PKCS #8 prefix of an ed25519 secret of 32 bytes (RFC 8410). */
const PKCS8_HEAD = fromHex('0x302e020100300506032b657004220420')

/** The consensus key of a validator without one: from the secret keccak256(operator), which anyone can compute. */
export function derivedConsensusKey(operator: Address): Hash {
  const key = Buffer.concat([PKCS8_HEAD, keccak256(fromHex(operator))])
  const spki = createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' })).export({
    format: 'der',
    type: 'spki',
  })
  return toHash(spki.subarray(-32))
}
