// The distribution's section of the genesis file, `kestrel.modules.distribution`. Everything may be left out.
import { z } from 'zod'
import { fraction, readSection } from '../genesis-section.ts'
import type { DistributionParams } from './layout.ts'

export type DistributionGenesis = { readonly params: DistributionParams }

/** The Cosmos SDK's: two hundredths. */
const DEFAULT_PARAMS: DistributionParams = { communityTax: 2n * 10n ** 16n, withdrawAddrEnabled: true }

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
export const readDistributionGenesis = (json: unknown): DistributionGenesis =>
  readSection('distribution', section, json)
