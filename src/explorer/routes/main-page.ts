// The frontend's home page. Its two lists are plain arrays, as the frontend expects, unless the query asks for a page; then
// they are paginated like all others.
import { z } from 'zod'
import { LIST } from '../../indexer/tables.ts'
import { listLength } from '../../tables/list.ts'
import { explorerRoute } from '../define.ts'
import { ExplorerError } from '../errors.ts'
import { type Page, type PageQuery, pageQuery, pageSchema } from '../pagination/page.ts'
import { sequencePage } from '../pagination/sequence.ts'
import { blockCount, blockSchema, showBlockAt } from '../shapes/block.ts'
import { showTransaction, transactionSchema } from '../shapes/transaction.ts'

const SHOWN_BLOCKS = 4
const SHOWN_TRANSACTIONS = 6

const listOrArray = <T extends z.ZodType>(item: T) => z.union([z.array(item), pageSchema(item)])

/** The newest `count` records, or the page that the query asks for. */
async function newestOrPage<T>(
  length: number,
  query: PageQuery,
  count: number,
  render: (position: number) => Promise<T>,
): Promise<T[] | Page<T>> {
  if (query.page !== undefined || query.items_count !== undefined) return sequencePage(length, query, render)
  return (await sequencePage(length, { items_count: count }, render)).items
}

export const mainPageBlocks = explorerRoute({
  path: '/main-page/blocks',
  summary: `The ${SHOWN_BLOCKS} newest blocks`,
  query: pageQuery,
  response: listOrArray(blockSchema),
  handler: ({ query }, context) =>
    newestOrPage(blockCount(context), query, SHOWN_BLOCKS, (position) => showBlockAt(context, position)),
})

export const mainPageTransactions = explorerRoute({
  path: '/main-page/transactions',
  summary: `The ${SHOWN_TRANSACTIONS} newest transactions`,
  query: pageQuery,
  response: listOrArray(transactionSchema),
  handler: ({ query }, context) =>
    newestOrPage(listLength(context.rows, LIST.transactions), query, SHOWN_TRANSACTIONS, (sequence) =>
      showTransaction(context, sequence),
    ),
})

export const mainPageWatchlist = explorerRoute({
  path: '/main-page/transactions/watchlist',
  summary: 'Not offered: transactions of watched addresses',
  response: z.never(),
  handler() {
    throw new ExplorerError(401, { message: 'Unauthorized' })
  },
})

export const indexingStatus = explorerRoute({
  path: '/main-page/indexing-status',
  summary: 'Progress of the index: always complete, because it is written with the blocks',
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
