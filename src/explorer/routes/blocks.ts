// Blocks: all, one, and its lists. A block is final at once, so the filters for uncles and reorganized blocks find none.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { KINDS, kindMask, LIST, transactionEntry } from '../../indexer/tables.ts'
import { entriesBetween } from '../../tables/list.ts'
import { blockParam, labels, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { ExplorerError, notFound } from '../errors.ts'
import {
  beforeBlock,
  beforeCall,
  beforeTransaction,
  blockCursor,
  callCursor,
  placeCursor,
  withdrawalCursor,
} from '../pagination/cursors.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { rangePage, sequencePage } from '../pagination/sequence.ts'
import { numberBefore, showBlockBefore, showForeign, transactionsBefore } from '../shapes/before-fork.ts'
import { blockCount, blockSchema, showBlock, showBlockAt } from '../shapes/block.ts'
import { internalTransactionSchema, showCall } from '../shapes/call.ts'
import { minedBlock } from '../shapes/indexed-transaction.ts'
import { showTransaction, transactionSchema } from '../shapes/transaction.ts'
import { showWithdrawal, withdrawalSchema } from '../shapes/withdrawal.ts'
import { averageBlockTime } from '../statistics/block-times.ts'

const params = z.object({ block_hash_or_number_param: blockParam })

/** The number of an existing block; throws 404. */
async function numberOf(context: ExplorerContext, of: z.output<typeof blockParam>): Promise<number> {
  const header = await context.chain.header(of)
  if (header === undefined || header.number > context.head.number) throw notFound()
  return Number(header.number)
}

export const blocks = explorerRoute({
  path: '/blocks',
  summary: 'Blocks, newest first',
  query: pageQuery.extend(blockCursor.shape).extend({ type: labels(['block'], ['uncle', 'reorg']) }),
  response: pageSchema(blockSchema),
  handler({ query: { type, ...query } }, context) {
    const length = type?.length === 0 ? 0 : blockCount(context)
    const show = (position: number) => showBlockAt(context, position)
    return sequencePage(length, query, show, beforeBlock(context, query))
  },
})

export const block = explorerRoute({
  path: '/blocks/{block_hash_or_number_param}',
  summary: 'A block by number or hash',
  params,
  response: blockSchema,
  async handler({ params: { block_hash_or_number_param: of } }, context) {
    return (await showBlockBefore(context, of)) ?? showBlock(context, await numberOf(context, of))
  },
})

export const blockTransactions = explorerRoute({
  path: '/blocks/{block_hash_or_number_param}/transactions',
  summary: 'Transactions of a block, in order',
  params,
  query: pageQuery
    .extend(placeCursor.shape)
    .extend({ type: labels(KINDS, ['blob_transaction', 'set_code_transaction']) }),
  response: pageSchema(transactionSchema),
  async handler({ params: { block_hash_or_number_param: of }, query: { type, ...query } }, context) {
    const kinds = type && kindMask(type)
    const before = await transactionsBefore(context, of, kinds)
    if (before !== undefined) return arrayPage(before, query, (found) => showForeign(context, found))
    const fact = RECORD.block.get(context.rows, await numberOf(context, of))
    const { firstTransaction: first, transactions: count } = fact ?? { firstTransaction: 0, transactions: 0 }
    const show = (sequence: number) => showTransaction(context, sequence)
    const from = beforeTransaction(context, query, 1)
    if (kinds === undefined) return rangePage({ first, count }, query, show, from)
    const found = entriesBetween(context.rows, LIST.transactions, first, first + count).flatMap((entry, i) =>
      (transactionEntry.decode(entry).kinds & kinds) === 0 ? [] : [first + i],
    )
    return arrayPage(found, query, show, from && found.filter((sequence) => sequence < from).length)
  },
})

export const blockWithdrawals = explorerRoute({
  path: '/blocks/{block_hash_or_number_param}/withdrawals',
  summary: 'Withdrawals of a block, in order',
  params,
  query: pageQuery.extend(withdrawalCursor.shape),
  response: pageSchema(withdrawalSchema),
  async handler({ params, query }, context) {
    const number = await numberOf(context, params.block_hash_or_number_param)
    const block = await minedBlock(context, number)
    const part = { first: 0, count: block.withdrawals?.length ?? 0 }
    const behind = query.index === undefined ? undefined : query.index + 1 - Number(block.withdrawals?.[0]?.index ?? 0)
    return rangePage(part, query, (index) => showWithdrawal(context, { number, index }), behind)
  },
})

export const blockInternalTransactions = explorerRoute({
  path: '/blocks/{block_hash_or_number_param}/internal-transactions',
  summary: 'Messages within the transactions of a block, in order',
  params,
  query: pageQuery.extend(callCursor.omit({ block_number: true }).shape),
  response: pageSchema(internalTransactionSchema),
  async handler({ params, query }, context) {
    const of = params.block_hash_or_number_param
    // The index has no calls of blocks before the fork.
    const before = await numberBefore(context, of)
    const number = before === undefined ? await numberOf(context, of) : undefined
    const fact = number === undefined ? undefined : RECORD.block.get(context.rows, number)
    const part = { first: fact?.firstCall ?? 0, count: fact?.calls ?? 0 }
    const isCursor = query.index !== undefined || query.transaction_index !== undefined
    const from = isCursor ? beforeCall(context, { ...query, block_number: number ?? 0 }, 1) : undefined
    return rangePage(part, query, (sequence) => showCall(context, sequence), from)
  },
})

export const blockCountdown = explorerRoute({
  path: '/blocks/{block_hash_or_number_param}/countdown',
  summary: 'The time until a block is made',
  params: z.object({
    block_hash_or_number_param: z
      .string()
      .regex(/^\d{1,18}$/, 'Invalid format. Expected a block number')
      .transform(BigInt),
  }),
  response: z.strictObject({
    current_block_number: wire.decimal,
    countdown_block_number: wire.decimal,
    remaining_blocks_count: wire.decimal,
    estimated_time_in_seconds: wire.number,
  }),
  async handler({ params: { block_hash_or_number_param: number } }, context) {
    const { head } = context
    if (number <= head.number) throw new ExplorerError(404, { message: 'Error! Block number already pass' })
    const average = await averageBlockTime(context)
    if (average === 0) {
      const message = 'Average block time calculation is disabled, so block countdown is not available'
      throw new ExplorerError(501, { message })
    }
    const remaining = number - head.number
    return {
      current_block_number: head.number.toString(),
      countdown_block_number: number.toString(),
      remaining_blocks_count: remaining.toString(),
      estimated_time_in_seconds: ((Number(remaining) * average) / 1000).toFixed(1),
    }
  },
})
