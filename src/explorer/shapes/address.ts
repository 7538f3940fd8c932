// An address within other records. Labels, tags and scores would come from third parties and are always empty.
import { z } from 'zod'
import { contractName, isVerified, proxyOf } from '../../contracts/abi.ts'
import { RECORD } from '../../indexer/records.ts'
import { checksummed } from '../../lib/checksummed.ts'
import type { Address } from '../../lib/hex.ts'
import { accountName } from '../account-names.ts'
import { wire } from '../codec.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'

export const addressSchema = z.strictObject({
  hash: wire.address,
  is_contract: z.boolean().describe('it has code, delegations (EIP-7702) included, or had it and was destroyed'),
  is_verified: z.boolean().nullable().describe('null when it is no contract'),
  name: z.string().nullable(),
  is_scam: z.boolean(),
  reputation: z.enum(['ok', 'neutral', 'scam']),
  proxy_type: z.string().nullable(),
  implementations: z.array(
    z.strictObject({ address_hash: wire.address, address: wire.address, name: z.string().nullable() }),
  ),
  ens_domain_name: z.null(),
  metadata: z.null(),
  private_tags: z.array(z.never()),
  public_tags: z.array(z.never()),
  watchlist_names: z.array(z.never()),
})
z.globalRegistry.add(addressSchema, { id: 'AddressParam' })
export type AddressParam = z.infer<typeof addressSchema>

/** An address within a record; name and proxy as of the context's head. */
export const showAddress = oncePerRequest((context, of: Address): AddressParam => {
  const isContract = isContractAt(context, of)
  const proxy = isContract ? proxyOf(context, of) : undefined
  return {
    hash: checksummed(of),
    is_contract: isContract,
    is_verified: isContract ? isVerified(context, of) : null,
    name: accountName(context, of) ?? null,
    is_scam: false,
    reputation: 'ok',
    proxy_type: proxy?.type ?? null,
    implementations: (proxy?.implementations ?? []).map((implementation) => {
      const hash = checksummed(implementation)
      return { address_hash: hash, address: hash, name: contractName(context, implementation) ?? null }
    }),
    ens_domain_name: null,
    metadata: null,
    private_tags: [],
    public_tags: [],
    watchlist_names: [],
  }
})

export const showAddressOrNull = (context: ExplorerContext, of: Address | undefined | null): AddressParam | null =>
  of === undefined || of === null ? null : showAddress(context, of)

/** Whether an address is shown as a contract: it has code, or had it before it was destroyed. */
export const isContractAt = ({ view, rows }: ExplorerContext, of: Address): boolean =>
  view.code(of).length > 0 || RECORD.account.get(rows, of)?.isDestroyed === true
