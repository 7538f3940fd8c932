// The interface of a contract with the members of its enums: pages show values by name with it. Sources and code, which may be
// megabytes, are left out.
import { z } from 'zod'
import { wholeAbi } from '../../contracts/abi.ts'
import { contractEnums } from '../../contracts/contract-layout.ts'
import { addressParam } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { isContractAt } from '../shapes/address.ts'

export const contractInterface = explorerRoute({
  path: '/smart-contracts/{address_hash_param}/interface',
  summary: 'The interface of a contract, and of what it is a proxy of, with the members of the enums in it',
  params: z.object({ address_hash_param: addressParam }),
  response: z.strictObject({
    abi: z.array(z.unknown()).readonly().describe('empty: not known'),
    enums: z
      .record(z.string(), z.array(z.string()).readonly())
      .describe('by their names in internal types: `Vault.State`'),
  }),
  async handler({ params: { address_hash_param: of } }, context) {
    if (!isContractAt(context, of)) throw notFound()
    const known = [...(await contractEnums(context, of))]
    const enums = known.flatMap(([name, members]) => (members === null ? [] : [[name, members] as const]))
    return { abi: wholeAbi(context, of), enums: Object.fromEntries(enums) }
  },
})
