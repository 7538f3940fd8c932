// Governance's section of the genesis file, `kestrel.modules.gov`: parameters, and the constitution, a text that binds
// nobody but the voters. Everything may be left out.
import { z } from 'zod'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import { readSection } from '../genesis-section.ts'
import type { GovParams } from './layout.ts'
import { someGovParams } from './params.ts'

export type GovGenesis = { readonly params: GovParams; readonly constitution: string }

/** Throws ChainError `invalid-genesis` that names the field. */
export function readGovGenesis(spec: NativeSpec): GovGenesis {
  const section = z
    .strictObject({
      params: someGovParams(spec).prefault({}),
      constitution: z.string().max(10_000).default(''),
    })
    .prefault({})
  return readSection('gov', section, spec.modules.gov)
}
