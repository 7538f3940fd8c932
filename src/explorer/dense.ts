// Pages of what is numbered without gaps: a whole list by position, or the part of it that belongs to something. No entry
// has to be read to find a page.
import { pageSpan } from '../tables/list.ts'
import { type Envelope, type PageQuery, pageRequest } from './page.ts'

type Render<T> = (position: number) => T | Promise<T>

/** A page of everything below a length, newest first; `anchor` keeps it where it was while more is added. */
export async function newestPage<T>(length: number, query: PageQuery, render: Render<T>): Promise<Envelope<T>> {
  const request = pageRequest(query)
  const { page, size } = request
  const { start, from, end } = pageSpan(length, request)
  const items = await Promise.all(positions(from, end).reverse().map(render))
  const next = from > 0 ? { page: page + 1, items_count: size, anchor: start } : null
  return { items, next_page_params: next, total_count: length }
}

/** A page of a part that does not change any more, in its own order. */
export async function partPage<T>(
  { first, count }: { readonly first: number; readonly count: number },
  query: PageQuery,
  render: Render<T>,
): Promise<Envelope<T>> {
  const { page, size } = pageRequest(query)
  const [from, to] = [Math.min((page - 1) * size, count), Math.min(page * size, count)]
  const items = await Promise.all(positions(first + from, first + to).map(render))
  return { items, next_page_params: to < count ? { page: page + 1, items_count: size } : null, total_count: count }
}

const positions = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
