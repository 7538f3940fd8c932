// Instances: single items of ERC-721 and ERC-1155 tokens, by id. An ERC-20 has none.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST, MEMBER, RANKING } from '../../indexer/tables.ts'
import { type Address, bytesToBig, fromHex, type Hex, toAddress } from '../../lib/hex.ts'
import { listLength } from '../../tables/list.ts'
import { complement, membersUnder, readDescending } from '../../tables/ranking.ts'
import { addressParam, tokenIdParam, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute, mediaRoute } from '../define.ts'
import { ExplorerError, notFound } from '../errors.ts'
import {
  beforeTransfer,
  holderCursor,
  holderOrder,
  instanceOrder,
  passedIn,
  placeCursor,
} from '../pagination/cursors.ts'
import { sequenceListPage } from '../pagination/lists.ts'
import { arrayPage, type Page, type PageQuery, pageQuery, pageSchema } from '../pagination/page.ts'
import { rankingPage } from '../pagination/rankings.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { showToken, tokenSchema } from '../shapes/token.ts'
import { instanceSchema, mediumOf, showInstance, type TokenInstance } from '../shapes/token-instance.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'

/** Maximum items listed for one holder. */
const MOST_ITEMS = 10_000

const ofToken = z.object({ address_hash_param: addressParam })
const ofInstance = ofToken.extend({ token_id_param: tokenIdParam })

/** Type and record of an item, burnt ones included; throws 404. */
function requireInstance({ rows }: ExplorerContext, token: Address, id: bigint) {
  const type = RECORD.token.get(rows, token)?.type
  const fact = RECORD.instance.get(rows, token, id)
  if (type === undefined || type === 'ERC-20' || fact === undefined) throw notFound()
  return { type, fact }
}

export const tokenInstances = explorerRoute({
  path: '/tokens/{address_hash_param}/instances',
  summary: 'Items of a token, the highest id first',
  params: ofToken,
  query: pageQuery.extend({
    holder_address_hash: addressParam.optional(),
    unique_token: tokenIdParam.optional().describe('a cursor of Blockscout: the last id of the former page'),
  }),
  response: pageSchema(instanceSchema),
  handler({ params: { address_hash_param: of }, query: { holder_address_hash: holder, ...query } }, context) {
    const type = RECORD.token.get(context.rows, of)?.type
    if (type === undefined) throw notFound()
    if (holder !== undefined && type !== 'ERC-20') return instancesHeld(context, of, RANKING.items(holder, type), query)
    const show = (member: Uint8Array) => showInstance(context, of, bytesToBig(complement(member)), { withToken: true })
    const { unique_token: last } = query
    return rankingPage(
      context,
      RANKING.instances(of),
      query,
      show,
      last === undefined ? undefined : instanceOrder(last),
    )
  },
})

/** A page of one address's items of a token. */
async function instancesHeld(
  context: ExplorerContext,
  of: Address,
  items: Hex,
  query: PageQuery & { readonly unique_token?: bigint | undefined },
): Promise<Page<TokenInstance>> {
  const members = await membersUnder(context.rows, items, fromHex(of), MOST_ITEMS)
  const ids = members.map((member) => MEMBER.item(member).id ?? 0n).reverse()
  const passed = passedIn(ids, query.unique_token, (id, last) => id === last, 'unique_token')
  return arrayPage(ids, query, (id) => showInstance(context, of, id, { withToken: true }), passed)
}

export const tokenInstance = explorerRoute({
  path: '/tokens/{address_hash_param}/instances/{token_id_param}',
  summary: 'The record of an item',
  params: ofInstance,
  response: instanceSchema,
  handler({ params: { address_hash_param: of, token_id_param: id } }, context) {
    requireInstance(context, of, id)
    return showInstance(context, of, id, { withToken: true, isSingle: true })
  },
})

export const tokenInstanceRefetch = explorerRoute({
  method: 'PATCH',
  path: '/tokens/{address_hash_param}/instances/{token_id_param}/refetch-metadata',
  summary: 'Reads the metadata of an item again; live updates tell when it is done',
  params: ofInstance,
  response: z.strictObject({ message: z.string() }),
  handler({ params: { address_hash_param: of, token_id_param: id } }, context) {
    requireInstance(context, of, id)
    context.tokenMetadata.refetch(of, id)
    return { message: 'OK' }
  },
})

export const tokenInstancesRefetch = explorerRoute({
  method: 'PATCH',
  path: '/tokens/{address_hash_param}/instances/refetch-metadata',
  summary: 'Not offered: reads the metadata of all items of a token again',
  params: ofToken,
  response: z.never(),
  handler() {
    // A collection has any number of items, and whoever asks is not known. One item is read again by its own path.
    throw new ExplorerError(403, { message: 'API key not configured on the server' })
  },
})

export const tokenInstanceMedia = mediaRoute({
  path: '/tokens/{address_hash_param}/instances/{token_id_param}/media',
  summary: 'The picture, video or sound of an item whose metadata are on the chain',
  params: ofInstance,
  query: z.object({ field: z.enum(['image', 'animation']).optional() }),
  async file({ params: { address_hash_param: of, token_id_param: id }, query: { field } }, context) {
    requireInstance(context, of, id)
    const medium = await mediumOf(context, of, id, field)
    if (medium === undefined) throw notFound()
    return medium
  },
})

export const tokenInstanceTransfers = explorerRoute({
  path: '/tokens/{address_hash_param}/instances/{token_id_param}/transfers',
  summary: 'Transfers of an item, newest first',
  params: ofInstance,
  query: pageQuery.extend(placeCursor.shape),
  response: pageSchema(transferSchema),
  async handler({ params: { address_hash_param: of, token_id_param: id }, query }, context) {
    requireInstance(context, of, id)
    const show = (sequence: number) => showTransfer(context, sequence)
    const before = await beforeTransfer(context, query)
    return sequenceListPage(context, [LIST.transfersOfInstance(of, id)], query, show, before)
  },
})

export const tokenInstanceTransfersCount = explorerRoute({
  path: '/tokens/{address_hash_param}/instances/{token_id_param}/transfers-count',
  summary: 'The number of transfers of an item',
  params: ofInstance,
  response: z.strictObject({ transfers_count: z.number().int() }),
  handler({ params: { address_hash_param: of, token_id_param: id } }, context) {
    requireInstance(context, of, id)
    return { transfers_count: listLength(context.rows, LIST.transfersOfInstance(of, id)) }
  },
})

export const tokenInstanceHolders = explorerRoute({
  path: '/tokens/{address_hash_param}/instances/{token_id_param}/holders',
  summary: 'Holders of an item, the largest amount first',
  params: ofInstance,
  query: pageQuery.extend(holderCursor.shape),
  response: pageSchema(
    z.strictObject({ address: addressSchema, value: wire.decimal, token_id: wire.decimal, token: tokenSchema }),
  ),
  handler({ params: { address_hash_param: of, token_id_param: id }, query }, context) {
    const { type, fact } = requireInstance(context, of, id)
    const show = (holder: Address, value: bigint) => ({
      address: showAddress(context, holder),
      value: value.toString(),
      token_id: id.toString(),
      token: showToken(context, of),
    })
    if (type === 'ERC-721') {
      return arrayPage(fact.owner === undefined ? [] : [fact.owner], query, (owner) => show(owner, 1n))
    }
    const showHolder = (order: Uint8Array) => {
      const { value, rest } = readDescending(order)
      return show(toAddress(complement(rest)), value)
    }
    return rankingPage(context, RANKING.holdersOfInstance(of, id), query, showHolder, holderOrder(query, of))
  },
})
