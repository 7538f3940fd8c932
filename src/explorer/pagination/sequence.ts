// Pages of records that are numbered without gaps: blocks, or the entries of a list by position. The positions of a page are
// calculated, so only its records are read.
import { pageSpan } from '../../tables/list.ts'
import { behind, buildPage, type Page, type PageQuery, pageBounds, pageRequest, type Render } from './page.ts'

/** A page of the positions below `length`, newest first; `before`: the position of a cursor, and only older ones are wanted. */
export function sequencePage<T>(
  length: number,
  query: PageQuery,
  render: Render<number, T>,
  before?: number,
): Promise<Page<T>> {
  const of = behind(query, before === undefined ? undefined : length - before, length)
  const { start, from, end } = pageSpan(length, pageRequest(of))
  const entries = positions(from, end).reverse()
  return buildPage(of, { entries, total: length, hasNext: from > 0, anchor: start }, render)
}

/**
 * A page of `count` positions from `first` on, ascending, of a list that does not grow; `from`: the first position behind a
 * cursor.
 */
export function rangePage<T>(
  { first, count }: { readonly first: number; readonly count: number },
  query: PageQuery,
  render: Render<number, T>,
  from?: number,
): Promise<Page<T>> {
  const of = behind(query, from === undefined ? undefined : from - first, count)
  const bounds = pageBounds(of, count)
  const entries = positions(first + bounds.from, first + bounds.to)
  return buildPage(of, { entries, total: count, hasNext: bounds.to < count, anchor: of.anchor }, render)
}

const positions = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
