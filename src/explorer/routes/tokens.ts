// Tokens: the list of all, and the record, counters, transfers and holders of one. 404 for other contracts.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { HOLDERS, LIST, MEMBER, RANKING, TOKEN_TYPES, type TokenType } from '../../indexer/tables.ts'
import { orderOfToken } from '../../indexer/token-records.ts'
import type { Address, Hex } from '../../lib/hex.ts'
import { listLength } from '../../tables/list.ts'
import { readDescending } from '../../tables/ranking.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import { addressParam, labels, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { invalidParameter, notFound } from '../errors.ts'
import { tokensByName } from '../name-search.ts'
import { beforeTransfer, holderCursor, holderOrder, passedIn, transferCursor } from '../pagination/cursors.ts'
import { sequenceListPage } from '../pagination/lists.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { allMembers, mergedPage, rankingPage } from '../pagination/rankings.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { showToken, showTokenResource, tokenResourceSchema, tokenSchema } from '../shapes/token.ts'
import { amountHeld } from '../shapes/token-balances.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'

/** All of them sort by holders, except `fiat_value` if prices are known: circulating supplies are unknown. */
const SORTS = ['holders_count', 'holder_count', 'fiat_value', 'circulating_market_cap'] as const

const params = z.object({ address_hash_param: addressParam })

/** The place of a token in the rankings; throws 422 for other addresses. */
function tokenOrder({ rows }: ExplorerContext, of: Address): Uint8Array {
  const fact = RECORD.token.get(rows, of)
  if (fact === undefined) throw invalidParameter('contract_address_hash', 'Invalid value. There is no such token')
  return orderOfToken(of, fact, memberCount(rows, RANKING.holders(of)))
}

/** The type of a token; throws 404 for other addresses. */
function requireToken({ rows }: ExplorerContext, of: Address): TokenType {
  const type = RECORD.token.get(rows, of)?.type
  if (type === undefined) throw notFound()
  return type
}

export const tokens = explorerRoute({
  path: '/tokens',
  summary: 'Tokens of the network, those with the most holders first',
  query: pageQuery.extend({
    contract_address_hash: addressParam
      .optional()
      .describe('a cursor of Blockscout: the last token of the former page'),
    type: labels(TOKEN_TYPES, ['ERC-404']),
    q: z.string().optional().describe('words of name or symbol'),
    sort: z.enum(SORTS).optional(),
    order: z.enum(['asc', 'desc']).optional(),
  }),
  response: pageSchema(tokenResourceSchema),
  async handler({ query: { type, q, sort, contract_address_hash: last, ...query } }, context) {
    const passed = (all: readonly Address[]) =>
      passedIn(all, last, (of, token) => of === token, 'contract_address_hash')
    const { options } = context
    const show = (of: Address) => showTokenResource(context, of)
    const inOrder = (found: readonly Address[]) => (query.order === 'asc' ? found.toReversed() : found)
    if (q !== undefined) {
      const found = await tokensByName(context, q)
      const all = inOrder(found.filter((of) => isOfType(context, of, type)))
      return arrayPage(all, query, show, passed(all))
    }
    const rankings = rankingsOf(type)
    if (sort === 'fiat_value' && options.prices !== undefined) {
      const priceOf = (of: Address) => Number(options.prices?.tokens.get(of) ?? -1)
      const all = (await allMembers(context, rankings)).map(MEMBER.address)
      const sorted = inOrder(all.sort((a, b) => priceOf(b) - priceOf(a)))
      return arrayPage(sorted, query, show, passed(sorted))
    }
    const render = (order: Uint8Array) => show(MEMBER.address(order))
    return mergedPage(context, rankings, query, render, last && tokenOrder(context, last))
  },
})

const rankingsOf = (types: readonly TokenType[] | undefined): Hex[] =>
  types === undefined || types.length === TOKEN_TYPES.length ? [RANKING.tokens('all')] : types.map(RANKING.tokens)

function isOfType({ rows }: ExplorerContext, of: Address, types: readonly TokenType[] | undefined): boolean {
  const type = RECORD.token.get(rows, of)?.type
  return type !== undefined && (types === undefined || types.includes(type))
}

export const token = explorerRoute({
  path: '/tokens/{address_hash_param}',
  summary: 'The record of a token',
  params,
  response: tokenResourceSchema,
  handler({ params: { address_hash_param: of } }, context) {
    requireToken(context, of)
    return showTokenResource(context, of)
  },
})

export const tokenCounters = explorerRoute({
  path: '/tokens/{address_hash_param}/counters',
  summary: 'The number of holders and of transfers of a token',
  params,
  response: z.strictObject({ token_holders_count: wire.decimal, transfers_count: wire.decimal }),
  handler({ params: { address_hash_param: of } }, context) {
    requireToken(context, of)
    return {
      token_holders_count: memberCount(context.rows, HOLDERS.ranking(of)).toString(),
      transfers_count: listLength(context.rows, LIST.transfersOfToken(of)).toString(),
    }
  },
})

export const tokenTransfers = explorerRoute({
  path: '/tokens/{address_hash_param}/transfers',
  summary: 'Transfers of a token, newest first',
  params,
  query: pageQuery.extend(transferCursor.shape),
  response: pageSchema(transferSchema),
  async handler({ params: { address_hash_param: of }, query }, context) {
    requireToken(context, of)
    const show = (sequence: number) => showTransfer(context, sequence)
    const before = await beforeTransfer(context, query)
    return sequenceListPage(context, [LIST.transfersOfToken(of)], query, show, before)
  },
})

export const tokenHolders = explorerRoute({
  path: '/tokens/{address_hash_param}/holders',
  summary: 'Holders of a token, the largest balance first',
  params,
  query: pageQuery.extend(holderCursor.shape),
  response: pageSchema(
    z.strictObject({
      address: addressSchema,
      value: wire.decimal.describe('an amount; of an ERC-721 how many items'),
      token_id: wire.decimal.nullable().describe('of an ERC-1155, which has a row for each id and holder'),
      token: tokenSchema,
    }),
  ),
  handler({ params: { address_hash_param: of }, query }, context) {
    const type = requireToken(context, of)
    const show = (holder: Address, value: bigint, id: bigint | undefined) => ({
      address: showAddress(context, holder),
      value: value.toString(),
      token_id: id?.toString() ?? null,
      token: showToken(context, of),
    })
    if (type === 'ERC-1155') {
      const showHolding = (order: Uint8Array) => {
        const { value, rest } = readDescending(order)
        const { id, holder } = MEMBER.holding(rest)
        return show(holder, value, id)
      }
      return rankingPage(context, RANKING.holdings(of), query, showHolding, holderOrder(query, of, true))
    }
    const showHolder = async (order: Uint8Array) => {
      const { value, rest } = readDescending(order)
      const holder = HOLDERS.decode(of, rest)
      return show(holder, await amountHeld(context, { token: of, type }, holder, value), undefined)
    }
    return rankingPage(context, HOLDERS.ranking(of), query, showHolder, holderOrder(query, of))
  },
})
