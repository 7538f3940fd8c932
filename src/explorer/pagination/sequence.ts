// Pages of records that are numbered without gaps: blocks, or the entries of a list by position. The positions of a page are
// calculated, so only its records are read.
import { pageSpan } from '../../tables/list.ts'
import { buildPage, type Page, type PageQuery, pageBounds, pageRequest, type Render } from './page.ts'

/** A page of the positions below `length`, newest first. */
export function sequencePage<T>(length: number, query: PageQuery, render: Render<number, T>): Promise<Page<T>> {
  const { start, from, end } = pageSpan(length, pageRequest(query))
  const entries = positions(from, end).reverse()
  return buildPage(query, { entries, total: length, hasNext: from > 0, anchor: start }, render)
}

/** A page of `count` positions from `first` on, ascending, of a list that does not grow. */
export function rangePage<T>(
  { first, count }: { readonly first: number; readonly count: number },
  query: PageQuery,
  render: Render<number, T>,
): Promise<Page<T>> {
  const { from, to } = pageBounds(query, count)
  return buildPage(query, { entries: positions(first + from, first + to), total: count, hasNext: to < count }, render)
}

const positions = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
