// Pages of lists: how they are asked for, and how an answer says what comes next. `anchor` is the length that a list had when
// its first page was read; pages counted from it stay what they are while blocks arrive.
import { z } from 'zod'
import type { Hex } from '../lib/hex.ts'
import type { KvReader } from '../state/types.ts'
import { type ListPage, newestPage, type PageRequest } from '../tables/list.ts'
import { membersFrom } from '../tables/ranking.ts'
import { memberCount } from '../tables/ranking-tree.ts'
import { integer } from './codec.ts'

const DEFAULT_SIZE = 50
const LARGEST_SIZE = 100
const LARGEST = 2 ** 48

/** `page`, `items_count` (more than 100 counts as 100) and `anchor`, as a query has them. */
export const pageQuery = z.object({
  page: integer(1, LARGEST).optional(),
  items_count: integer(1, LARGEST).optional(),
  anchor: integer(0, LARGEST).optional(),
})
export type PageQuery = z.output<typeof pageQuery>

/** What the page after this one is asked with. */
export const nextPage = z.record(z.string(), z.union([z.string(), z.number()])).nullable()

/** The envelope of a list. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next_page_params: nextPage,
    total_count: z.number().int().describe('length of the whole list').optional(),
  })

export function pageRequest({ page = 1, items_count = DEFAULT_SIZE, anchor }: PageQuery): PageRequest {
  return { page, size: Math.min(items_count, LARGEST_SIZE), anchor }
}

export type Envelope<T> = {
  items: T[]
  next_page_params: Record<string, string | number> | null
  total_count?: number
}

/** A page of a list (or a union of disjoint ones), newest first; `render` makes an item of an entry. */
export async function listPage<T>(
  rows: KvReader,
  lists: readonly Hex[],
  query: PageQuery,
  render: (entry: Uint8Array) => T | Promise<T>,
): Promise<Envelope<T>> {
  const request = pageRequest(query)
  return envelope(newestPage(rows, lists, request), request, render)
}

async function envelope<T>(
  { entries, total, anchor, hasNext }: ListPage,
  { page, size }: PageRequest,
  render: (entry: Uint8Array) => T | Promise<T>,
): Promise<Envelope<T>> {
  const items = await Promise.all(entries.map(render))
  return { items, next_page_params: hasNext ? { page: page + 1, items_count: size, anchor } : null, total_count: total }
}

/** A page of a ranking; its order may change between two pages. */
export async function rankedPage<T>(
  rows: KvReader,
  ranking: Hex,
  query: PageQuery,
  render: (order: Uint8Array) => T | Promise<T>,
): Promise<Envelope<T>> {
  const { page, size } = pageRequest(query)
  const total = memberCount(rows, ranking)
  const members = await membersFrom(rows, ranking, (page - 1) * size, size)
  const items = await Promise.all(members.map(render))
  const next = page * size < total ? { page: page + 1, items_count: size } : null
  return { items, next_page_params: next, total_count: total }
}

/** A page of something that is short enough to be held whole, in the order given. */
export async function arrayPage<S, T>(
  all: readonly S[],
  query: PageQuery,
  render: (item: S) => T | Promise<T>,
): Promise<Envelope<T>> {
  const { page, size } = pageRequest(query)
  const items = await Promise.all(all.slice((page - 1) * size, page * size).map(render))
  const next = page * size < all.length ? { page: page + 1, items_count: size } : null
  return { items, next_page_params: next, total_count: all.length }
}
