// The distribution's section of the genesis file, `kestrel.modules.distribution`. Everything may be left out.
import { z } from 'zod'
import { parseDec } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import type { DistributionParams } from './layout.ts'

export type DistributionGenesis = { readonly params: DistributionParams }

/** The Cosmos SDK's: two hundredths. */
const DEFAULT_PARAMS: DistributionParams = { communityTax: 2n * 10n ** 16n, withdrawAddrEnabled: true }

const fraction = z
  .string()
  .regex(/^(0(\.\d{1,18})?|1)$/, { error: 'expected a decimal string from "0" to "1"' })
  .transform(parseDec)

const section = z
  .strictObject({
    params: z
      .strictObject({
        communityTax: fraction.default(DEFAULT_PARAMS.communityTax),
        withdrawAddrEnabled: z.boolean().default(DEFAULT_PARAMS.withdrawAddrEnabled),
      })
      .default(DEFAULT_PARAMS),
  })
  .prefault({})

/** Throws ChainError `invalid-genesis` that names the field. */
export function readDistributionGenesis(json: unknown): DistributionGenesis {
  const parsed = section.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const field = ['kestrel.modules.distribution', ...(issue?.path ?? []), ...unknown].join('.')
  throw new ChainError('invalid-genesis', `${field}: ${unknown.length > 0 ? 'unknown field' : issue?.message}`)
}
