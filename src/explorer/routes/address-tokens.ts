// Token balances of an address, its single items, and its collections.
import { z } from 'zod'
import { RANKING, TOKEN_TYPES } from '../../indexer/tables.ts'
import { addressParam, labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
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
  query: pageQuery.extend({ type: labels(TOKEN_TYPES, ['ERC-404']) }),
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

export const addressNft = explorerRoute({
  path: '/addresses/{address_hash_param}/nft',
  summary: 'Single items that an address holds',
  params,
  query: pageQuery.extend({ type: labels(ITEM_TYPES, OTHER_TYPES) }),
  response: pageSchema(itemSchema),
  handler: ({ params: { address_hash_param: of }, query: { type: types = ITEM_TYPES, ...query } }, context) =>
    concatenatedPage(
      context,
      types.map((type) => ({ name: type, ranking: RANKING.items(of, type) })),
      query,
      ({ name, member }) => showItem(context, of, name, member, { withToken: true }),
    ),
})

export const addressNftCollections = explorerRoute({
  path: '/addresses/{address_hash_param}/nft/collections',
  summary: 'Tokens of which an address holds items, with the first of them',
  params,
  query: pageQuery.extend({ type: labels(ITEM_TYPES, OTHER_TYPES) }),
  response: pageSchema(collectionSchema),
  handler: async ({ params: { address_hash_param: of }, query: { type = ITEM_TYPES, ...query } }, context) =>
    arrayPage(await collectionsOf(context, of, type), query, (collection) => showCollection(context, of, collection)),
})
