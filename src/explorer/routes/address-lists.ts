// Lists of one address, newest first: transactions, messages, token transfers, logs, blocks, withdrawals. The lists of an
// unknown address are empty.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST, positionEntry, TOKEN_TYPES } from '../../indexer/tables.ts'
import { addressParam, direction, hashParam, labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { callsOf, sidesFor, transactionsOf, transfersOf, transfersOfWith } from '../pagination/address-lists.ts'
import {
  beforeCall,
  beforeTransfer,
  blockCursor,
  callCursor,
  olderBlocks,
  olderLogs,
  olderWithdrawals,
  placeCursor,
  transferCursor,
  withdrawalCursor,
} from '../pagination/cursors.ts'
import { listPage, sequenceListPage } from '../pagination/lists.ts'
import { pageQuery, pageSchema } from '../pagination/page.ts'
import { SORTS, sortedTransactionsPage } from '../pagination/sorted-transactions.ts'
import { blockSchema, showBlock } from '../shapes/block.ts'
import { internalTransactionSchema, showCall } from '../shapes/call.ts'
import { logSchema, showLog } from '../shapes/log.ts'
import { transactionSchema } from '../shapes/transaction.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'
import { showWithdrawal, withdrawalSchema } from '../shapes/withdrawal.ts'

const params = z.object({ address_hash_param: addressParam })

export const addressTransactions = explorerRoute({
  path: '/addresses/{address_hash_param}/transactions',
  summary: 'Transactions from an address, to it, or that created it',
  params,
  query: pageQuery.extend(placeCursor.shape).extend({
    hash: hashParam.optional().describe('the cursor of lists that are sorted by value or fee'),
    filter: direction,
    sort: z.enum(SORTS).optional(),
    order: z.enum(['asc', 'desc']).optional(),
  }),
  response: pageSchema(transactionSchema),
  handler: ({ params: { address_hash_param: of }, query: { filter, ...query } }, context) =>
    sortedTransactionsPage(context, transactionsOf(of, sidesFor(filter)), query),
})

export const addressTokenTransfers = explorerRoute({
  path: '/addresses/{address_hash_param}/token-transfers',
  summary: 'Token transfers from an address or to it',
  params,
  query: pageQuery.extend(transferCursor.shape).extend({
    type: labels(TOKEN_TYPES, ['ERC-404']),
    filter: direction,
    token: addressParam.optional(),
  }),
  response: pageSchema(transferSchema),
  async handler({ params: { address_hash_param: of }, query: { type, filter, token, ...query } }, context) {
    const sides = sidesFor(filter)
    const ofToken = token && RECORD.token.get(context.rows, token)?.type
    const hasType = type === undefined || (ofToken !== undefined && type.includes(ofToken))
    const withToken = token && (hasType ? transfersOfWith(of, token, sides) : [])
    const lists = withToken ?? transfersOf(of, type, sides)
    const show = (sequence: number) => showTransfer(context, sequence)
    return sequenceListPage(context, lists, query, show, await beforeTransfer(context, query))
  },
})

export const addressInternalTransactions = explorerRoute({
  path: '/addresses/{address_hash_param}/internal-transactions',
  summary: 'Messages within transactions from an address or to it',
  params,
  query: pageQuery.extend(callCursor.shape).extend({ filter: direction }),
  response: pageSchema(internalTransactionSchema),
  handler({ params: { address_hash_param: of }, query: { filter, ...query } }, context) {
    const show = (sequence: number) => showCall(context, sequence)
    return sequenceListPage(context, callsOf(of, sidesFor(filter)), query, show, beforeCall(context, query))
  },
})

export const addressLogs = explorerRoute({
  path: '/addresses/{address_hash_param}/logs',
  summary: 'Logs that an address has emitted',
  params,
  query: pageQuery.extend(placeCursor.shape).extend({ topic: hashParam.optional() }),
  response: pageSchema(logSchema),
  handler({ params: { address_hash_param: of }, query: { topic, ...query } }, context) {
    const show = (entry: Uint8Array) => showLog(context, positionEntry.decode(entry))
    const list = topic === undefined ? LIST.logsOf(of) : LIST.logsOfWith(of, topic)
    return listPage(context, [list], query, show, olderLogs(query))
  },
})

export const addressBlocksValidated = explorerRoute({
  path: '/addresses/{address_hash_param}/blocks-validated',
  summary: 'Blocks of which an address is the coinbase',
  params,
  query: pageQuery.extend(blockCursor.shape),
  response: pageSchema(blockSchema),
  handler({ params: { address_hash_param: of }, query }, context) {
    const show = (entry: Uint8Array) => showBlock(context, positionEntry.decode(entry).number)
    return listPage(context, [LIST.blocksOf(of)], query, show, olderBlocks(query))
  },
})

export const addressWithdrawals = explorerRoute({
  path: '/addresses/{address_hash_param}/withdrawals',
  summary: 'Withdrawals of the consensus layer to an address',
  params,
  query: pageQuery.extend(withdrawalCursor.shape),
  response: pageSchema(withdrawalSchema),
  async handler({ params: { address_hash_param: of }, query }, context) {
    const show = (entry: Uint8Array) => showWithdrawal(context, positionEntry.decode(entry))
    return listPage(context, [LIST.withdrawalsOf(of)], query, show, await olderWithdrawals(context, query))
  },
})
