// Contracts: code and sources of one, and the list of verified ones.
import { z } from 'zod'
import { verifiedByName } from '../../contracts/abi.ts'
import { CONTRACT_LANGUAGES, type VerifiedContract } from '../../contracts/verified-contracts.ts'
import { LIST } from '../../indexer/tables.ts'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { ListReader, lengthOfAll } from '../../tables/list.ts'
import { addressParam, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { ExplorerError, notFound } from '../errors.ts'
import { transactionsOf } from '../pagination/address-lists.ts'
import { foreignCursor, passedIn } from '../pagination/cursors.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import {
  showSmartContract,
  showVerifiedContract,
  smartContractSchema,
  verifiedContractSchema,
} from '../shapes/smart-contract.ts'
import { firstBlockFrom } from '../statistics/block-times.ts'

const params = z.object({ address_hash_param: addressParam })

export const smartContract = explorerRoute({
  path: '/smart-contracts/{address_hash_param}',
  summary: 'Code of a contract, and its sources when they are verified',
  params,
  response: smartContractSchema,
  async handler({ params: { address_hash_param: of } }, context) {
    const shown = await showSmartContract(context, of)
    if (shown === undefined) throw notFound()
    return shown
  },
})

type Row = VerifiedContract & { readonly address: Address }

export const smartContracts = explorerRoute({
  path: '/smart-contracts',
  summary: 'Verified contracts, the newest first',
  query: pageQuery.extend({
    q: z.string().optional().describe('words of the name, or an address'),
    filter: z.enum(CONTRACT_LANGUAGES).optional(),
    sort: z.enum(['balance', 'transactions_count', 'txs_count']).optional(),
    order: z.enum(['asc', 'desc']).optional(),
    smart_contract_id: foreignCursor,
    hash: addressParam.optional().describe('a cursor of Blockscout: the last contract of the former page'),
  }),
  response: pageSchema(verifiedContractSchema),
  handler({ query: { q, filter, sort, order, hash, ...page } }, context) {
    const rows = found(context, q).filter(({ language }) => filter === undefined || language === filter)
    if (sort !== undefined) {
      const size = ({ address }: Row) =>
        sort === 'balance' ? context.view.balance(address) : BigInt(lengthOfAll(context.rows, transactionsOf(address)))
      const sizes = new Map(rows.map((row) => [row, size(row)]))
      const [less, more] = order === 'asc' ? [-1, 1] : [1, -1]
      rows.sort((a, b) => ((sizes.get(a) ?? 0n) < (sizes.get(b) ?? 0n) ? less : more))
    }
    const passed = passedIn(rows, hash, ({ address }, last) => address === last, 'hash')
    return arrayPage(rows, page, (row) => showVerifiedContract(context, row), passed)
  },
})

function found(context: ExplorerContext, q = ''): Row[] {
  const words = q.trim().split(/\s+/)
  const address = /^0x[0-9a-fA-F]{40}$/.test(q.trim()) ? hexToAddress(q.trim()) : undefined
  const all = verifiedByName(context, address === undefined && q.trim() !== '' ? words : [])
  return all.filter((row) => address === undefined || row.address === address)
}

export const smartContractsCounters = explorerRoute({
  path: '/smart-contracts/counters',
  summary: 'The number of contracts and of verified contracts',
  response: z.strictObject({
    smart_contracts: wire.decimal,
    new_smart_contracts_24h: wire.decimal,
    verified_smart_contracts: wire.decimal,
    new_verified_smart_contracts_24h: wire.decimal,
  }),
  async handler(_, context) {
    const { chain, head, rows } = context
    const contracts = new ListReader(rows, LIST.contracts)
    const since = await firstBlockFrom({ chain, head }, head.timestamp - SECONDS_A_DAY + 1n)
    const verified = verifiedByName(context, [])
    const yesterday = Date.now() / 1000 - Number(SECONDS_A_DAY)
    return {
      smart_contracts: contracts.length.toString(),
      new_smart_contracts_24h: (contracts.length - contracts.find(since)).toString(),
      verified_smart_contracts: verified.length.toString(),
      new_verified_smart_contracts_24h: verified.filter(({ verifiedAt }) => verifiedAt >= yesterday).length.toString(),
    }
  },
})

export const smartContractAuditReports = explorerRoute({
  path: '/smart-contracts/{address_hash_param}/audit-reports',
  summary: 'Audits of a contract: always empty, because this node has no source of audits',
  params,
  response: z.strictObject({ items: z.array(z.never()), next_page_params: z.null() }),
  handler: () => ({ items: [], next_page_params: null }),
})

export const smartContractAuditSubmission = explorerRoute({
  method: 'POST',
  path: '/smart-contracts/{address_hash_param}/audit-reports',
  summary: 'Not offered: this node keeps no audits',
  params,
  response: z.never(),
  handler() {
    throw new ExplorerError(403, { message: 'Audit reports are not accepted by this node' })
  },
})
