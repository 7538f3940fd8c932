// Token transfers and internal transactions of the whole chain, newest first.

import { LIST, TOKEN_TYPES } from '../../indexer/tables.ts'
import { listLength } from '../../tables/list.ts'
import { hashParam, labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { beforeCall, beforeTransfer, callCursor, transferCursor } from '../pagination/cursors.ts'
import { sequenceListPage } from '../pagination/lists.ts'
import { emptyPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { startOfTransaction } from '../pagination/places.ts'
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
  summary: 'Messages within transactions, newest first: of all, or of one',
  query: pageQuery.extend(callCursor.shape).extend({ transaction_hash: hashParam.optional() }),
  response: pageSchema(internalTransactionSchema),
  handler({ query: { transaction_hash: hash, ...query } }, context) {
    const mined = hash && context.chain.transaction(hash)
    if (hash !== undefined && mined === undefined) return emptyPage()
    const place = mined && { number: Number(mined.header.number), index: mined.index }
    const first = place === undefined ? 0 : startOfTransaction(context, place).call
    const end =
      place === undefined
        ? listLength(context.rows, LIST.calls)
        : startOfTransaction(context, { ...place, index: place.index + 1 }).call
    const before = beforeCall(context, query)
    const show = (position: number) => showCall(context, first + position)
    return sequencePage(end - first, query, show, before === undefined ? undefined : Math.max(0, before - first))
  },
})
