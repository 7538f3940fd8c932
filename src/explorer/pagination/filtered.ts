// Pages of a list by several filters at once. Each filter is a list of positions in it, in ascending order.
import { sequenceEntry } from '../../indexer/tables.ts'
import type { Hex } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { ListReader, listLength, sequenceOf } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { invalidParameter } from '../errors.ts'
import { sequenceListPage } from './lists.ts'
import { arrayPage, type Page, type PageQuery, type Render } from './page.ts'
import { rangePage, sequencePage } from './sequence.ts'

/** Maximum entries of the shortest of several filters: all of them are looked for in the others. */
const MOST_COMPARED = 1_000

/** Positions of a list: `from` up to, but excluding, `to`. */
export type Span = { readonly from: number; readonly to: number }

/** The positions in both spans. */
export const commonSpan = (a: Span, b: Span): Span => {
  const from = Math.max(a.from, b.from)
  return { from, to: Math.max(from, Math.min(a.to, b.to)) }
}

/**
 * A page of the entries of a list that are in all filters, newest first; with `within` those of a part of it, in its order. Throws 422 if
 * there are several filters and each has more than 1,000 entries.
 */
export async function filteredPage<T>(
  context: ExplorerContext,
  list: Hex,
  filters: readonly Hex[],
  within: Span | undefined,
  query: PageQuery,
  render: Render<number, T>,
): Promise<Page<T>> {
  const { rows } = context
  const [only, ...others] = filters
  if (only === undefined) {
    if (within === undefined) return sequencePage(listLength(rows, list), query, render)
    return rangePage({ first: within.from, count: within.to - within.from }, query, render)
  }
  if (others.length === 0 && within === undefined) return sequenceListPage(context, [only], query, render)
  const found = await inAll(
    filters.map((filter) => new ListReader(rows, filter)),
    within,
  )
  return arrayPage(within === undefined ? found.reverse() : found, query, render)
}

async function inAll(filters: readonly ListReader[], within: Span | undefined): Promise<number[]> {
  const spans = filters.map((of) => {
    const from = within === undefined ? 0 : of.find(within.from)
    return { of, from, count: (within === undefined ? of.length : of.find(within.to)) - from }
  })
  spans.sort((a, b) => a.count - b.count)
  const [shortest, ...others] = spans
  if (shortest === undefined) return []
  if (shortest.count > MOST_COMPARED) {
    throw invalidParameter('filter', `One of several filters must match no more than ${MOST_COMPARED} entries`)
  }
  const pause = yieldToEventLoop('light')
  const found: number[] = []
  for (let at = 0; at < shortest.count; at++) {
    await pause()
    const entry = shortest.of.at(shortest.from + at)
    if (entry === undefined) break
    const { sequence } = sequenceEntry.decode(entry)
    const isInAll = others.every(({ of }) => {
      const same = of.at(of.find(sequence))
      return same !== undefined && sequenceOf(same) === sequence
    })
    if (isInAll) found.push(sequence)
  }
  return found
}
