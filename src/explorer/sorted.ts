// Lists in another order than the chain's. The oldest first costs nothing; by value or fee a list has to be read whole,
// so that only short ones are sorted.

import { sequenceEntry } from '../indexer/tables.ts'
import type { Hex } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { entriesBetween, lengthOfAll, newestPage } from '../tables/list.ts'
import type { ExplorerContext } from './define.ts'
import { invalidParameter } from './errors.ts'
import { arrayPage, type Envelope, listPage, type PageQuery, pageRequest } from './page.ts'
import { type Place, placeOf } from './shapes/place.ts'
import { showTransaction, type Transaction } from './shapes/transaction.ts'

export const SORTS = ['block_number', 'value', 'fee'] as const
export type Sort = (typeof SORTS)[number]

/** More than this is not sorted. */
export const MOST_SORTED = 10_000

type SortedQuery = PageQuery & { readonly sort?: Sort | undefined; readonly order?: 'asc' | 'desc' | undefined }

/** A page of transactions; throws 422 for more of them than can be sorted. */
export async function transactionPage(
  context: ExplorerContext,
  lists: readonly Hex[],
  { sort = 'block_number', order = 'desc', ...query }: SortedQuery,
): Promise<Envelope<Transaction>> {
  const show = (entry: Uint8Array) => showTransaction(context, sequenceEntry.decode(entry).sequence)
  if (sort === 'block_number') {
    return order === 'desc' ? listPage(context.rows, lists, query, show) : oldestPage(context, lists, query, show)
  }
  const sequences = await sortedSequences(context, lists, sort)
  if (order === 'desc') sequences.reverse()
  return arrayPage(sequences, query, (sequence) => showTransaction(context, sequence))
}

/** A page that is counted from a list's beginning. */
async function oldestPage<T>(
  { rows }: ExplorerContext,
  lists: readonly Hex[],
  query: PageQuery,
  render: (entry: Uint8Array) => T | Promise<T>,
): Promise<Envelope<T>> {
  const { page, size } = pageRequest(query)
  const total = lengthOfAll(rows, lists)
  const end = Math.min(page * size, total)
  const { entries } = newestPage(rows, lists, { page: 1, size: Math.max(0, end - (page - 1) * size), anchor: end })
  const next = end < total ? { page: page + 1, items_count: size } : null
  return { items: await Promise.all(entries.toReversed().map(render)), next_page_params: next, total_count: total }
}

/** Smallest first, of equals the oldest. */
async function sortedSequences(context: ExplorerContext, lists: readonly Hex[], sort: 'value' | 'fee') {
  const { rows } = context
  if (lengthOfAll(rows, lists) > MOST_SORTED) {
    throw invalidParameter('sort', `Too many transactions. No more than ${MOST_SORTED} can be sorted by ${sort}`)
  }
  const pause = yieldToEventLoop('light')
  const ranked: { readonly sequence: number; readonly by: bigint }[] = []
  for (const entry of lists.flatMap((list) => entriesBetween(rows, list, 0, MOST_SORTED))) {
    await pause()
    const place = await placeOf(context, sequenceEntry.decode(entry).sequence)
    ranked.push({ sequence: place.sequence, by: sort === 'value' ? place.transaction.value : feeOf(place) })
  }
  ranked.sort((a, b) => (a.by === b.by ? a.sequence - b.sequence : a.by < b.by ? -1 : 1))
  return ranked.map(({ sequence }) => sequence)
}

/** What its sender paid, blobs included. */
const feeOf = ({ receipt }: Place): bigint =>
  receipt.gasUsed * receipt.effectiveGasPrice + (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n)
