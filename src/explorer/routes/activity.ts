// The chain's token transfers and internal transactions, newest first.

import { LIST, sequenceEntry, TOKEN_TYPES } from '../../indexer/tables.ts'
import { listLength } from '../../tables/list.ts'
import { labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { newestPage } from '../dense.ts'
import { listOf, listPage, pageQuery } from '../page.ts'
import { internalTransactionSchema, showCall } from '../shapes/call.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'

export const tokenTransfers = explorerRoute({
  path: '/token-transfers',
  summary: 'Token transfers, newest first',
  query: pageQuery.extend({ type: labels(TOKEN_TYPES, ['ERC-404']) }),
  response: listOf(transferSchema),
  handler({ query: { type, ...query } }, context) {
    const { rows } = context
    const show = (sequence: number) => showTransfer(context, sequence)
    if (type === undefined) return newestPage(listLength(rows, LIST.transfers), query, show)
    return listPage(rows, type.map(LIST.transfersByType), query, (entry) => show(sequenceEntry.decode(entry).sequence))
  },
})

export const internalTransactions = explorerRoute({
  path: '/internal-transactions',
  summary: 'Messages within transactions, newest first',
  query: pageQuery,
  response: listOf(internalTransactionSchema),
  handler: ({ query }, context) =>
    newestPage(listLength(context.rows, LIST.calls), query, (sequence) => showCall(context, sequence)),
})
