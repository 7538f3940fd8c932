// What the home page of an explorer shows. Its two lists are bare arrays, as the frontend wants them, unless a page is
// asked for: then they are lists like all others.
import { z } from 'zod'
import { LIST } from '../../indexer/tables.ts'
import { listLength } from '../../tables/list.ts'
import { explorerRoute } from '../define.ts'
import { newestPage } from '../dense.ts'
import { ExplorerError } from '../errors.ts'
import { type Envelope, listOf, type PageQuery, pageQuery } from '../page.ts'
import { blockSchema, showBlock } from '../shapes/block.ts'
import { showTransaction, transactionSchema } from '../shapes/transaction.ts'

const SHOWN_BLOCKS = 4
const SHOWN_TRANSACTIONS = 6

const listOrArray = <T extends z.ZodType>(item: T) => z.union([z.array(item), listOf(item)])

/** The newest few, or the page that was asked for. */
async function newestFew<T>(
  length: number,
  query: PageQuery,
  few: number,
  render: (position: number) => Promise<T>,
): Promise<T[] | Envelope<T>> {
  if (query.page !== undefined || query.items_count !== undefined) return newestPage(length, query, render)
  return (await newestPage(length, { items_count: few }, render)).items
}

export const mainPageBlocks = explorerRoute({
  path: '/main-page/blocks',
  summary: `The ${SHOWN_BLOCKS} newest blocks`,
  query: pageQuery,
  response: listOrArray(blockSchema),
  handler: ({ query }, context) =>
    newestFew(Number(context.head.number) + 1, query, SHOWN_BLOCKS, (number) => showBlock(context, number)),
})

export const mainPageTransactions = explorerRoute({
  path: '/main-page/transactions',
  summary: `The ${SHOWN_TRANSACTIONS} newest transactions`,
  query: pageQuery,
  response: listOrArray(transactionSchema),
  handler: ({ query }, context) =>
    newestFew(listLength(context.rows, LIST.transactions), query, SHOWN_TRANSACTIONS, (sequence) =>
      showTransaction(context, sequence),
    ),
})

export const mainPageWatchlist = explorerRoute({
  path: '/main-page/transactions/watchlist',
  summary: 'Not offered: transactions of addresses that somebody watches',
  response: z.never(),
  handler() {
    throw new ExplorerError(401, { message: 'Unauthorized' })
  },
})

export const indexingStatus = explorerRoute({
  path: '/main-page/indexing-status',
  summary: 'How far the index has come: it is written with the blocks, so always to the end',
  response: z.strictObject({
    finished_indexing: z.boolean(),
    finished_indexing_blocks: z.boolean(),
    indexed_blocks_ratio: z.string(),
    indexed_internal_transactions_ratio: z.string(),
  }),
  handler: () => ({
    finished_indexing: true,
    finished_indexing_blocks: true,
    indexed_blocks_ratio: '1.00',
    indexed_internal_transactions_ratio: '1.00',
  }),
})
