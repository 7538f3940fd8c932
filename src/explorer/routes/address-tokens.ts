// Token balances of an address, its single items, and its collections.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { RANKING, TOKEN_TYPES } from '../../indexer/tables.ts'
import { addressParam, labels } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { invalidParameter } from '../errors.ts'
import { foreignCursor, itemCursor, itemOrder, passedIn } from '../pagination/cursors.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { concatenatedMembers, concatenatedPage } from '../pagination/rankings.ts'
import {
  balanceSchema,
  collectionSchema,
  collectionsOf,
  ITEM_TYPES,
  itemSchema,
  showBalance,
  showCollection,
  showItem,
} from '../shapes/token-balances.ts'

const params = z.object({ address_hash_param: addressParam })
const OTHER_TYPES = ['ERC-20', 'ERC-404']
/** Maximum balances of the answer without pages. */
const MOST_BALANCES = 200

export const addressTokens = explorerRoute({
  path: '/addresses/{address_hash_param}/tokens',
  summary: 'Token balances of an address, the largest of each type first',
  params,
  query: pageQuery.extend({ type: labels(TOKEN_TYPES, ['ERC-404']), id: foreignCursor }),
  response: pageSchema(balanceSchema),
  handler: ({ params: { address_hash_param: of }, query: { type: types = TOKEN_TYPES, ...query } }, context) =>
    concatenatedPage(
      context,
      types.map((type) => ({ name: type, ranking: RANKING.owned(of, type) })),
      query,
      ({ name, member }) => showBalance(context, of, name, member),
    ),
})

export const addressTokenBalances = explorerRoute({
  path: '/addresses/{address_hash_param}/token-balances',
  summary: `Token balances of an address at once, ${MOST_BALANCES} at most`,
  params,
  response: z.array(balanceSchema),
  async handler({ params: { address_hash_param: of } }, context) {
    const rankings = TOKEN_TYPES.map((type) => ({ name: type, ranking: RANKING.owned(of, type) }))
    const members = await concatenatedMembers(context.rows, rankings, 0, MOST_BALANCES)
    return Promise.all(members.map(({ member, name }) => showBalance(context, of, name, member)))
  },
})

/** The item of a cursor; throws 422 for a token without items. */
function lastItem(
  { rows }: ExplorerContext,
  { token_contract_address_hash: token, token_id: id }: z.output<typeof itemCursor>,
) {
  if (token === undefined && id === undefined) return undefined
  const type = token && RECORD.token.get(rows, token)?.type
  if (token === undefined || id === undefined || type === undefined || type === 'ERC-20')
    throw invalidParameter('token_contract_address_hash', 'Invalid value. A cursor here has a token and one of its ids')
  return { name: type, member: itemOrder(token, id) }
}

export const addressNft = explorerRoute({
  path: '/addresses/{address_hash_param}/nft',
  summary: 'Single items that an address holds',
  params,
  query: pageQuery.extend(itemCursor.shape).extend({ type: labels(ITEM_TYPES, OTHER_TYPES) }),
  response: pageSchema(itemSchema),
  handler: ({ params: { address_hash_param: of }, query: { type: types = ITEM_TYPES, ...query } }, context) =>
    concatenatedPage(
      context,
      types.map((type) => ({ name: type, ranking: RANKING.items(of, type) })),
      query,
      ({ name, member }) => showItem(context, of, name, member, { withToken: true }),
      lastItem(context, query),
    ),
})

export const addressNftCollections = explorerRoute({
  path: '/addresses/{address_hash_param}/nft/collections',
  summary: 'Tokens of which an address holds items, with the first of them',
  params,
  query: pageQuery.extend(itemCursor.omit({ token_id: true }).shape).extend({ type: labels(ITEM_TYPES, OTHER_TYPES) }),
  response: pageSchema(collectionSchema),
  async handler({ params: { address_hash_param: of }, query: { type = ITEM_TYPES, ...query } }, context) {
    const all = await collectionsOf(context, of, type)
    const last = query.token_contract_address_hash
    const passed = passedIn(all, last, ({ token }, cursor) => token === cursor, 'token_contract_address_hash')
    return arrayPage(all, query, (collection) => showCollection(context, of, collection), passed)
  },
})
