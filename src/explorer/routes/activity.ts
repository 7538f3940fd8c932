// Token transfers and internal transactions of the whole chain, newest first.

import { LIST, TOKEN_TYPES } from '../../indexer/tables.ts'
import { listLength } from '../../tables/list.ts'
import { labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { beforeCall, beforeTransfer, callCursor, transferCursor } from '../pagination/cursors.ts'
import { sequenceListPage } from '../pagination/lists.ts'
import { pageQuery, pageSchema } from '../pagination/page.ts'
import { sequencePage } from '../pagination/sequence.ts'
import { internalTransactionSchema, showCall } from '../shapes/call.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'

export const tokenTransfers = explorerRoute({
  path: '/token-transfers',
  summary: 'Token transfers, newest first',
  operationId: 'getTokenTransfersOfChain',
  query: pageQuery.extend(transferCursor.shape).extend({ type: labels(TOKEN_TYPES, ['ERC-404']) }),
  response: pageSchema(transferSchema),
  async handler({ query: { type, ...query } }, context) {
    const show = (sequence: number) => showTransfer(context, sequence)
    const before = await beforeTransfer(context, query)
    if (type === undefined) return sequencePage(listLength(context.rows, LIST.transfers), query, show, before)
    return sequenceListPage(context, type.map(LIST.transfersByType), query, show, before)
  },
})

export const internalTransactions = explorerRoute({
  path: '/internal-transactions',
  summary: 'Messages within transactions, newest first',
  query: pageQuery.extend(callCursor.shape),
  response: pageSchema(internalTransactionSchema),
  handler({ query }, context) {
    const show = (sequence: number) => showCall(context, sequence)
    return sequencePage(listLength(context.rows, LIST.calls), query, show, beforeCall(context, query))
  },
})
