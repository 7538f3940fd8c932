// Pages of the index's lists, and of unions of disjoint lists, in chain order.

import { sequenceEntry } from '../../indexer/tables.ts'
import type { Hex } from '../../lib/hex.ts'
import { lengthOfAll, newestPage } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { buildPage, type Page, type PageQuery, pageBounds, pageRequest, type Render } from './page.ts'

/** A page of a list or of a union of disjoint ones, newest first; `render` gets the encoded entry. */
export function listPage<T>(
  { rows }: ExplorerContext,
  lists: readonly Hex[],
  query: PageQuery,
  render: Render<Uint8Array, T>,
): Promise<Page<T>> {
  return buildPage(query, newestPage(rows, lists, pageRequest(query)), render)
}

/** As `listPage`, for lists whose entries are sequences: positions in the list of all transactions, messages or transfers. */
export const sequenceListPage = <T>(
  context: ExplorerContext,
  lists: readonly Hex[],
  query: PageQuery,
  render: Render<number, T>,
): Promise<Page<T>> => listPage(context, lists, query, (entry) => render(sequenceEntry.decode(entry).sequence))

/** A page of sequences, oldest first. */
export function oldestFirstPage<T>(
  { rows }: ExplorerContext,
  lists: readonly Hex[],
  query: PageQuery,
  render: Render<number, T>,
): Promise<Page<T>> {
  const total = lengthOfAll(rows, lists)
  const { from, to } = pageBounds(query, total)
  const { entries } = newestPage(rows, lists, { page: 1, size: to - from, anchor: to })
  const sequences = entries.toReversed().map((entry) => sequenceEntry.decode(entry).sequence)
  return buildPage(query, { entries: sequences, total, hasNext: to < total }, render)
}
