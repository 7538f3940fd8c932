// The section of the genesis file `kestrel.modules.erc20`. Every field is optional. A pair's address need not have code:
// the contract may be deployed later.
import { z } from 'zod'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import { readSection } from '../genesis-section.ts'

export type GenesisPair = {
  readonly address: Address
  readonly enabled: boolean
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

export type Erc20Genesis = { readonly enabled: boolean; readonly pairs: readonly GenesisPair[] }

const pair = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, { error: 'expected an address of 20 bytes of hex' })
    .transform(hexToAddress),
  enabled: z.boolean().default(true),
  /** What the token says of itself, for the faces of its vouchers. */
  name: z.string().max(128).default(''),
  symbol: z.string().max(128).default(''),
  decimals: z.int().min(0).max(255).default(18),
})

const section = z
  .strictObject({
    enabled: z.boolean().default(true),
    pairs: z
      .array(pair)
      .refine((pairs) => new Set(pairs.map(({ address }) => address)).size === pairs.length, {
        error: 'expected each contract once',
      })
      .default([]),
  })
  .prefault({})

/** Throws ChainError `invalid-genesis` that names the field. */
export const readErc20Genesis = (json: unknown): Erc20Genesis => readSection('erc20', section, json)
