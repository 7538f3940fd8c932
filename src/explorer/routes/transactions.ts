// Transactions: the list of all, one by its hash, and statistics of the last day. Lists of one transaction are in
// `transaction-parts.ts`.
import { z } from 'zod'
import { selectorsByName } from '../../contracts/abi.ts'
import { KINDS, type Kind, kindMask, LIST, MASKS } from '../../indexer/tables.ts'
import { type Hash, type Hex, toHex } from '../../lib/hex.ts'
import { listLength } from '../../tables/list.ts'
import { hashParam, label, labels, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { ExplorerError } from '../errors.ts'
import { beforeTransaction, placeCursor } from '../pagination/cursors.ts'
import { sequenceListPage } from '../pagination/lists.ts'
import { arrayPage, type Page, type PageQuery, pageQuery, pageSchema } from '../pagination/page.ts'
import { sequencePage } from '../pagination/sequence.ts'
import { showTransactionBefore } from '../shapes/before-fork.ts'
import { indexedTransaction } from '../shapes/indexed-transaction.ts'
import {
  kindsOfMessage,
  showMined,
  showPending,
  showTransaction,
  showTransactionInFull,
  type TransactionJson,
  transactionSchema,
} from '../shapes/transaction.ts'
import { wireSummary } from '../summary/phrase.ts'
import { summaryOf } from '../summary/summary.ts'

/** Maximum methods of a filter; further ones are ignored. Each selector has a list for every combination of kinds. */
const MOST_METHODS = 20

/** Kinds that the frontend offers and that match no transaction here. */
const OTHER_KINDS = ['blob_transaction', 'set_code_transaction']

type Filter = { readonly kinds: readonly Kind[] | undefined; readonly selectors: readonly Hex[] | undefined }

export const transactions = explorerRoute({
  path: '/transactions',
  summary: 'Transactions, newest first: mined ones, those of them that failed, or pending ones',
  query: pageQuery.extend(placeCursor.shape).extend({
    filter: label('validated', 'pending', 'failed'),
    summaries: z.enum(['true', 'false']).optional().describe('whether each has what it has done, in one sentence'),
    type: labels(KINDS, OTHER_KINDS),
    method: z.string().optional().describe('names or selectors (0x and 8 digits) of methods, with commas between'),
    inserted_at: z.string().optional().describe('ignored; pending ones are found by their hash'),
    hash: hashParam.optional().describe('the cursor of pending ones'),
  }),
  response: pageSchema(transactionSchema),
  handler({ query: { filter, summaries, type, method, ...query } }, context) {
    const wanted = { kinds: type, selectors: method === undefined ? undefined : selectorsOf(context, method) }
    const show = (sequence: number) => (summaries === 'true' ? withSummary : showTransaction)(context, sequence)
    if (filter === undefined || filter.includes('validated')) return minedPage(context, wanted, query, show)
    return filter.includes('pending')
      ? pendingPage(context, wanted, query)
      : sequenceListPage(context, [LIST.failedTransactions], query, show, beforeTransaction(context, query))
  },
})

async function withSummary(context: ExplorerContext, sequence: number): Promise<TransactionJson> {
  const mined = await indexedTransaction(context, sequence)
  return { ...showMined(context, mined), summary: wireSummary(await summaryOf(context, mined)) }
}

function selectorsOf(context: ExplorerContext, methods: string): readonly Hex[] {
  const names = new Set(methods.split(',').map((name) => name.trim()))
  return [...new Set([...names].slice(0, MOST_METHODS).flatMap((name) => selectorsByName(context, name)))]
}

function minedPage(
  context: ExplorerContext,
  { kinds, selectors }: Filter,
  query: PageQuery & z.output<typeof placeCursor>,
  show: (sequence: number) => Promise<TransactionJson>,
): Promise<Page<TransactionJson>> {
  const before = beforeTransaction(context, query)
  if (kinds === undefined && selectors === undefined) {
    return sequencePage(listLength(context.rows, LIST.transactions), query, show, before)
  }
  const masks = Array.from({ length: MASKS }, (_, mask) => mask).filter((mask) => isAnyOf(mask, kinds))
  const lists =
    selectors === undefined
      ? masks.map((mask) => LIST.transactionsByKinds(mask))
      : selectors.flatMap((selector) => masks.map((mask) => LIST.transactionsByMethod(selector, mask)))
  return sequenceListPage(context, lists, query, show, before)
}

const isAnyOf = (mask: number, kinds: readonly Kind[] | undefined): boolean =>
  kinds === undefined || (mask & kindMask(kinds)) !== 0

function pendingPage(
  context: ExplorerContext,
  { kinds, selectors }: Filter,
  query: PageQuery & { readonly hash?: Hash | undefined },
) {
  const found = context.pendingTransactions.newest().filter((transaction) => {
    if (selectors !== undefined && !selectors.includes(toHex(transaction.data.subarray(0, 4)))) return false
    const own = kinds === undefined && selectors === undefined ? [] : kindsOfMessage(context, transaction)
    return (
      (kinds === undefined || kinds.some((kind) => own.includes(kind))) &&
      (selectors === undefined || own.includes('contract_call'))
    )
  })
  // A transaction that was mined in the meantime is not found; then the page is the first one.
  const passed = found.findIndex(({ hash }) => hash === query.hash) + 1
  return arrayPage(found, query, (transaction) => showPending(context, transaction), passed || undefined)
}

export const transactionStats = explorerRoute({
  path: '/transactions/stats',
  summary: 'Transactions of the last 24 hours, and the number of pending ones',
  response: z.strictObject({
    transactions_count_24h: wire.decimal,
    pending_transactions_count: wire.decimal,
    transaction_fees_sum_24h: wire.decimal,
    transaction_fees_avg_24h: wire.decimal,
  }),
  async handler(_, context) {
    const { transactions: count, fees } = await context.lastDay.figures(context)
    return {
      transactions_count_24h: count.toString(),
      pending_transactions_count: context.pendingTransactions.newest().length.toString(),
      transaction_fees_sum_24h: fees.toString(),
      transaction_fees_avg_24h: (count === 0 ? 0n : fees / BigInt(count)).toString(),
    }
  },
})

export const transactionsWatchlist = explorerRoute({
  path: '/transactions/watchlist',
  summary: 'Not offered: transactions of watched addresses',
  operationId: 'getWatchlistTransactions',
  response: z.never(),
  handler() {
    throw new ExplorerError(401, { message: 'Unauthorized' })
  },
})

export const transaction = explorerRoute({
  path: '/transactions/{transaction_hash_param}',
  summary: 'A transaction: mined, pending, or recently dropped',
  params: z.object({ transaction_hash_param: hashParam }),
  response: transactionSchema,
  handler: ({ params: { transaction_hash_param: hash } }, context) =>
    showTransactionInFull(context, hash).catch(async (error: unknown) => {
      const before = error instanceof ExplorerError && (await showTransactionBefore(context, hash))
      if (before) return before
      throw error
    }),
})
