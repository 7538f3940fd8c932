// Pages of transactions in an order chosen by the client. Chain order, ascending or descending, is read from the index. Sorting
// by value or fee reads the whole list, so it is limited to 10,000 transactions.

import type { z } from 'zod'
import { KIND_BIT, sequenceEntry, type TransactionEntry } from '../../indexer/tables.ts'
import type { Hash, Hex } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { entriesBetween, lengthOfAll } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { invalidParameter, notFound } from '../errors.ts'
import { feeOf, transactionRow } from '../shapes/indexed-transaction.ts'
import { showTransaction, type TransactionJson } from '../shapes/transaction.ts'
import { beforeTransaction, passedIn, type placeCursor } from './cursors.ts'
import { oldestFirstPage, sequenceListPage } from './lists.ts'
import { arrayPage, type Page, type PageQuery } from './page.ts'
import { startOfTransaction } from './places.ts'

export const SORTS = ['block_number', 'value', 'fee'] as const
export type Sort = (typeof SORTS)[number]

const MOST_SORTED = 10_000

type SortedQuery = PageQuery &
  z.output<typeof placeCursor> & {
    readonly sort?: Sort | undefined
    readonly order?: 'asc' | 'desc' | undefined
    /** The cursor of lists that are sorted by value or fee. */
    readonly hash?: Hash | undefined
  }

/** A page of transactions; throws 422 when there are more than can be sorted. */
export async function sortedTransactionsPage(
  context: ExplorerContext,
  lists: readonly Hex[],
  { sort = 'block_number', order = 'desc', ...query }: SortedQuery,
): Promise<Page<TransactionJson>> {
  const show = (sequence: number) => showTransaction(context, sequence)
  if (sort === 'block_number') {
    if (order === 'desc') return sequenceListPage(context, lists, query, show, beforeTransaction(context, query))
    return oldestFirstPage(context, lists, query, show, beforeTransaction(context, query, 1))
  }
  const sequences = await sortedSequences(context, lists, sort)
  if (order === 'desc') sequences.reverse()
  const mined = query.hash && context.chain.transaction(query.hash)
  const last = mined && startOfTransaction(context, { number: Number(mined.header.number), index: mined.index })
  const passed = passedIn(sequences, query.hash, (sequence) => sequence === last?.transaction, 'hash')
  return arrayPage(sequences, query, show, passed)
}

/** Ascending; transactions with equal values or fees are ordered oldest first. */
async function sortedSequences(context: ExplorerContext, lists: readonly Hex[], sort: 'value' | 'fee') {
  const { rows } = context
  if (lengthOfAll(rows, lists) > MOST_SORTED) {
    throw invalidParameter('sort', `Too many transactions. No more than ${MOST_SORTED} can be sorted by ${sort}`)
  }
  const pause = yieldToEventLoop('light')
  const found: { readonly sequence: number; readonly by: bigint }[] = []
  for (const entry of lists.flatMap((list) => entriesBetween(rows, list, 0, MOST_SORTED))) {
    await pause()
    const { sequence } = sequenceEntry.decode(entry)
    found.push({ sequence, by: AMOUNTS[sort](context, transactionRow(context, sequence)) })
  }
  found.sort((a, b) => (a.by === b.by ? a.sequence - b.sequence : a.by < b.by ? -1 : 1))
  return found.map(({ sequence }) => sequence)
}

/** What is sorted by. A value needs no receipt, and a row says which transactions have none. */
const AMOUNTS = {
  value({ chain }: ExplorerContext, { kinds, number, index }: TransactionEntry): bigint {
    if ((kinds & KIND_BIT.coin_transfer) === 0) return 0n
    return orNotFound(chain.transactionAt(BigInt(number), index)).transaction.value
  },
  fee: ({ chain }: ExplorerContext, { number, index }: TransactionEntry): bigint =>
    feeOf(orNotFound(chain.receiptAt(BigInt(number), index))),
}

/** A block that was removed in the meantime is not found. */
function orNotFound<T>(mined: T | undefined): T {
  if (mined === undefined) throw notFound()
  return mined
}
