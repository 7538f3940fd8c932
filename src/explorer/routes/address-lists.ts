// Lists of one address, newest first: transactions, messages, token transfers, logs, blocks, withdrawals. The lists of an
// unknown address are empty.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST, positionEntry, TOKEN_TYPES } from '../../indexer/tables.ts'
import { addressParam, direction, hashParam, labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { callsOf, sidesFor, transactionsOf, transfersOf, transfersOfWith } from '../pagination/address-lists.ts'
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
  query: pageQuery.extend({
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
  query: pageQuery.extend({
    type: labels(TOKEN_TYPES, ['ERC-404']),
    filter: direction,
    token: addressParam.optional(),
  }),
  response: pageSchema(transferSchema),
  handler({ params: { address_hash_param: of }, query: { type, filter, token, ...query } }, context) {
    const sides = sidesFor(filter)
    const ofToken = token && RECORD.token.get(context.rows, token)?.type
    const hasType = type === undefined || (ofToken !== undefined && type.includes(ofToken))
    const withToken = token && (hasType ? transfersOfWith(of, token, sides) : [])
    const lists = withToken ?? transfersOf(of, type, sides)
    return sequenceListPage(context, lists, query, (sequence) => showTransfer(context, sequence))
  },
})

export const addressInternalTransactions = explorerRoute({
  path: '/addresses/{address_hash_param}/internal-transactions',
  summary: 'Messages within transactions from an address or to it',
  params,
  query: pageQuery.extend({ filter: direction }),
  response: pageSchema(internalTransactionSchema),
  handler: ({ params: { address_hash_param: of }, query: { filter, ...query } }, context) =>
    sequenceListPage(context, callsOf(of, sidesFor(filter)), query, (sequence) => showCall(context, sequence)),
})

export const addressLogs = explorerRoute({
  path: '/addresses/{address_hash_param}/logs',
  summary: 'Logs that an address has emitted',
  params,
  query: pageQuery.extend({ topic: hashParam.optional() }),
  response: pageSchema(logSchema),
  handler: ({ params: { address_hash_param: of }, query: { topic, ...query } }, context) =>
    listPage(context, [topic === undefined ? LIST.logsOf(of) : LIST.logsOfWith(of, topic)], query, (entry) =>
      showLog(context, positionEntry.decode(entry)),
    ),
})

export const addressBlocksValidated = explorerRoute({
  path: '/addresses/{address_hash_param}/blocks-validated',
  summary: 'Blocks of which an address is the coinbase',
  params,
  query: pageQuery,
  response: pageSchema(blockSchema),
  handler: ({ params: { address_hash_param: of }, query }, context) =>
    listPage(context, [LIST.blocksOf(of)], query, (entry) => showBlock(context, positionEntry.decode(entry).number)),
})

export const addressWithdrawals = explorerRoute({
  path: '/addresses/{address_hash_param}/withdrawals',
  summary: 'Withdrawals of the consensus layer to an address',
  params,
  query: pageQuery,
  response: pageSchema(withdrawalSchema),
  handler: ({ params: { address_hash_param: of }, query }, context) =>
    listPage(context, [LIST.withdrawalsOf(of)], query, (entry) => showWithdrawal(context, positionEntry.decode(entry))),
})
