// Pages of the index's lists, and of unions of disjoint lists, in chain order.

import { sequenceEntry } from '../../indexer/tables.ts'
import type { Hex } from '../../lib/hex.ts'
import { ListReader, lengthOfAll, newestPage, type PointReader, sequenceOf } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import type { IsOlder } from './cursors.ts'
import { behind, buildPage, type Page, type PageQuery, pageBounds, pageRequest, type Render } from './page.ts'

/**
 * A page of a list or of a union of disjoint ones, newest first; `render` gets the encoded entry. `isOlder`: whether an entry comes
 * after a cursor.
 */
export function listPage<T>(
  { rows }: ExplorerContext,
  lists: readonly Hex[],
  query: PageQuery,
  render: Render<Uint8Array, T>,
  isOlder?: IsOlder,
): Promise<Page<T>> {
  const total = isOlder === undefined ? 0 : lengthOfAll(rows, lists)
  const of = behind(query, isOlder && total - countOlder(rows, lists, isOlder), total)
  return buildPage(of, newestPage(rows, lists, pageRequest(of)), render)
}

const countOlder = (rows: PointReader, lists: readonly Hex[], isOlder: IsOlder): number =>
  lists.reduce((sum, list) => sum + new ListReader(rows, list).count(isOlder), 0)

/** As `listPage`, for lists whose entries are sequences: positions in the list of all transactions, messages or transfers. */
export const sequenceListPage = <T>(
  context: ExplorerContext,
  lists: readonly Hex[],
  query: PageQuery,
  render: Render<number, T>,
  before?: number,
): Promise<Page<T>> =>
  listPage(
    context,
    lists,
    query,
    (entry) => render(sequenceOf(entry)),
    before === undefined ? undefined : isBelow(before),
  )

const isBelow =
  (sequence: number): IsOlder =>
  (entry) =>
    sequenceOf(entry) < sequence

/** A page of sequences, oldest first; `start`: the first one behind a cursor. */
export function oldestFirstPage<T>(
  { rows }: ExplorerContext,
  lists: readonly Hex[],
  query: PageQuery,
  render: Render<number, T>,
  start?: number,
): Promise<Page<T>> {
  const total = lengthOfAll(rows, lists)
  const of = behind(query, start === undefined ? undefined : countOlder(rows, lists, isBelow(start)), total)
  const { from, to } = pageBounds(of, total)
  const { entries } = newestPage(rows, lists, { page: 1, size: to - from, anchor: to })
  const sequences = entries.toReversed().map((entry) => sequenceEntry.decode(entry).sequence)
  return buildPage(of, { entries: sequences, total, hasNext: to < total, anchor: of.anchor }, render)
}
