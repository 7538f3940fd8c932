// Transactions: all of them, one, and figures of the last day. What belongs to one stands in `transaction-parts.ts`.
import { z } from 'zod'
import { KINDS, type Kind, LIST, MASKS, sequenceEntry } from '../../indexer/tables.ts'
import { type Hex, toHex } from '../../lib/hex.ts'
import { listLength } from '../../tables/list.ts'
import { hashParam, labels, wire } from '../codec.ts'
import { selectorsNamed } from '../contracts/abi.ts'
import { type ExplorerContext, explorerRoute } from '../define.ts'
import { newestPage } from '../dense.ts'
import { lastDay } from '../last-day.ts'
import { arrayPage, type Envelope, listOf, listPage, type PageQuery, pageQuery } from '../page.ts'
import {
  kindsOfWaiting,
  showPending,
  showTransaction,
  showTransactionInFull,
  type Transaction,
  transactionSchema,
} from '../shapes/transaction.ts'
import { waitingIn } from '../waiting.ts'

/** Each has one list for each kind of transaction; more names than these are not looked for. */
const MOST_METHODS = 20

/** Known to the frontend and never listed here. */
const OTHER_KINDS = ['blob_transaction', 'set_code_transaction']

type Wanted = { readonly kinds: readonly Kind[] | undefined; readonly selectors: readonly Hex[] | undefined }

export const transactions = explorerRoute({
  path: '/transactions',
  summary: 'Transactions, newest first: mined ones, or those that wait',
  query: pageQuery.extend({
    filter: labels(['validated', 'pending']),
    type: labels(KINDS, OTHER_KINDS),
    method: z.string().optional().describe('names or selectors (0x and 8 digits) of methods, with commas between'),
  }),
  response: listOf(transactionSchema),
  handler({ query: { filter, type, method, ...query } }, context) {
    const wanted = { kinds: type, selectors: method === undefined ? undefined : selectorsOf(context, method) }
    return filter?.includes('validated') === false ? waiting(context, wanted, query) : mined(context, wanted, query)
  },
})

function selectorsOf(context: ExplorerContext, methods: string): readonly Hex[] {
  const names = new Set(methods.split(',').map((name) => name.trim()))
  return [...new Set([...names].slice(0, MOST_METHODS).flatMap((name) => selectorsNamed(context, name)))]
}

function mined(context: ExplorerContext, wanted: Wanted, query: PageQuery): Promise<Envelope<Transaction>> {
  const { rows } = context
  const { kinds, selectors } = wanted
  if (kinds === undefined && selectors === undefined) {
    const length = listLength(rows, LIST.transactions)
    return newestPage(length, query, (sequence) => showTransaction(context, sequence))
  }
  const masks = Array.from({ length: MASKS }, (_, mask) => mask).filter((mask) => isAnyOf(mask, kinds))
  const lists =
    selectors === undefined
      ? masks.map((mask) => LIST.transactionsByKinds(mask))
      : selectors.flatMap((selector) => masks.map((mask) => LIST.transactionsByMethod(selector, mask)))
  return listPage(rows, lists, query, (entry) => showTransaction(context, sequenceEntry.decode(entry).sequence))
}

const isAnyOf = (mask: number, kinds: readonly Kind[] | undefined): boolean =>
  kinds === undefined || kinds.some((kind) => (mask & (1 << KINDS.indexOf(kind))) !== 0)

function waiting(context: ExplorerContext, { kinds, selectors }: Wanted, query: PageQuery) {
  const found = waitingIn(context.chain)
    .newest()
    .filter((transaction) => {
      if (selectors !== undefined && !selectors.includes(toHex(transaction.data.subarray(0, 4)))) return false
      const own = kinds === undefined && selectors === undefined ? [] : kindsOfWaiting(context, transaction)
      return (
        (kinds === undefined || kinds.some((kind) => own.includes(kind))) &&
        (selectors === undefined || own.includes('contract_call'))
      )
    })
  return arrayPage(found, query, (transaction) => showPending(context, transaction))
}

export const transactionStats = explorerRoute({
  path: '/transactions/stats',
  summary: 'Transactions of the last 24 hours, and how many wait',
  response: z.strictObject({
    transactions_count_24h: wire.decimal,
    pending_transactions_count: wire.decimal,
    transaction_fees_sum_24h: wire.decimal,
    transaction_fees_avg_24h: wire.decimal,
  }),
  async handler(_, context) {
    const { transactions: count, fees } = await lastDay(context)
    return {
      transactions_count_24h: count.toString(),
      pending_transactions_count: waitingIn(context.chain).newest().length.toString(),
      transaction_fees_sum_24h: fees.toString(),
      transaction_fees_avg_24h: (count === 0 ? 0n : fees / BigInt(count)).toString(),
    }
  },
})

export const transaction = explorerRoute({
  path: '/transactions/{transaction_hash_param}',
  summary: 'A transaction: mined, waiting, or lately dropped',
  params: z.object({ transaction_hash_param: hashParam }),
  response: transactionSchema,
  handler: ({ params }, context) => showTransactionInFull(context, params.transaction_hash_param),
})
