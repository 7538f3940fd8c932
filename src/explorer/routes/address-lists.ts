// What an address had to do with, newest first: transactions, messages within them, transfers, logs, blocks, withdrawals.
// An address that nothing is known of has empty lists.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST, positionEntry, sequenceEntry, TOKEN_TYPES } from '../../indexer/tables.ts'
import { addressParam, direction, hashParam, labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { listOf, listPage, pageQuery } from '../page.ts'
import { blockSchema, showBlock } from '../shapes/block.ts'
import { internalTransactionSchema, showCall } from '../shapes/call.ts'
import { logSchema, showLog } from '../shapes/log.ts'
import { transactionSchema } from '../shapes/transaction.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'
import { showWithdrawal, withdrawalSchema } from '../shapes/withdrawal.ts'
import { SORTS, transactionPage } from '../sorted.ts'
import { callsOf, sidesFor, transactionsOf, transfersOf, transfersOfWith } from '../unions.ts'

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
  response: listOf(transactionSchema),
  handler: ({ params: { address_hash_param: of }, query: { filter, ...query } }, context) =>
    transactionPage(context, transactionsOf(of, sidesFor(filter)), query),
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
  response: listOf(transferSchema),
  handler({ params: { address_hash_param: of }, query: { type, filter, token, ...query } }, context) {
    const sides = sidesFor(filter)
    const ofToken = token && RECORD.token.get(context.rows, token)?.type
    const hasType = type === undefined || (ofToken !== undefined && type.includes(ofToken))
    const withToken = token && (hasType ? transfersOfWith(of, token, sides) : [])
    const lists = withToken ?? transfersOf(of, type, sides)
    return listPage(context.rows, lists, query, (entry) => showTransfer(context, sequenceEntry.decode(entry).sequence))
  },
})

export const addressInternalTransactions = explorerRoute({
  path: '/addresses/{address_hash_param}/internal-transactions',
  summary: 'Messages within transactions from an address or to it',
  params,
  query: pageQuery.extend({ filter: direction }),
  response: listOf(internalTransactionSchema),
  handler: ({ params: { address_hash_param: of }, query: { filter, ...query } }, context) =>
    listPage(context.rows, callsOf(of, sidesFor(filter)), query, (entry) =>
      showCall(context, sequenceEntry.decode(entry).sequence),
    ),
})

export const addressLogs = explorerRoute({
  path: '/addresses/{address_hash_param}/logs',
  summary: 'Logs that an address has emitted',
  params,
  query: pageQuery.extend({ topic: hashParam.optional() }),
  response: listOf(logSchema),
  handler: ({ params: { address_hash_param: of }, query: { topic, ...query } }, context) =>
    listPage(context.rows, [topic === undefined ? LIST.logsOf(of) : LIST.logsOfWith(of, topic)], query, (entry) =>
      showLog(context, positionEntry.decode(entry)),
    ),
})

export const addressBlocksValidated = explorerRoute({
  path: '/addresses/{address_hash_param}/blocks-validated',
  summary: 'Blocks of which an address is the coinbase',
  params,
  query: pageQuery,
  response: listOf(blockSchema),
  handler: ({ params: { address_hash_param: of }, query }, context) =>
    listPage(context.rows, [LIST.blocksOf(of)], query, (entry) =>
      showBlock(context, positionEntry.decode(entry).number),
    ),
})

export const addressWithdrawals = explorerRoute({
  path: '/addresses/{address_hash_param}/withdrawals',
  summary: 'Withdrawals of the consensus layer to an address',
  params,
  query: pageQuery,
  response: listOf(withdrawalSchema),
  handler: ({ params: { address_hash_param: of }, query }, context) =>
    listPage(context.rows, [LIST.withdrawalsOf(of)], query, (entry) =>
      showWithdrawal(context, positionEntry.decode(entry)),
    ),
})
