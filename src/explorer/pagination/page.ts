// Common parts of paginated answers: the query, the schema of the answer, and the function that builds it. `anchor` is the
// length of a list when its first page was read: pages are counted from it, so that they keep their entries while blocks
// arrive. Blockscout's cursors (`cursors.ts`) become an anchor, too: the number of entries that a list has from there on.
import { z } from 'zod'
import type { PageRequest } from '../../tables/list.ts'
import { integer } from '../codec.ts'

const DEFAULT_SIZE = 50
const LARGEST_SIZE = 100
const LARGEST_NUMBER = 2 ** 48

/** `page`, `items_count` (at most 100) and `anchor`. A route's query extends it. */
export const pageQuery = z.object({
  page: integer(1, LARGEST_NUMBER, { default: 1, description: 'number of the page' }).optional(),
  items_count: integer(1, LARGEST_NUMBER, {
    default: DEFAULT_SIZE,
    maximum: LARGEST_SIZE,
    description: 'items of a page; more than the maximum counts as the maximum',
  }).optional(),
  anchor: integer(0, LARGEST_NUMBER, {
    description: 'length of the list when its first page was read, of `next_page_params`',
  }).optional(),
})
export type PageQuery = z.output<typeof pageQuery>

const nextPageSchema = z.object({
  page: z.number().int(),
  items_count: z.number().int(),
  anchor: z.number().int().optional(),
})
z.globalRegistry.add(nextPageSchema, { id: 'NextPageParams', description: 'the query of the next page' })

/** Schema of a page of items. `next_page_params` is the query of the following page, null on the last one. */
export function pageSchema<T extends z.ZodType>(item: T) {
  const schema = z.object({
    items: z.array(item),
    next_page_params: nextPageSchema.nullable(),
    total_count: z.number().int().describe('length of the complete list').optional(),
  })
  const id = z.globalRegistry.get(item)?.id
  if (id !== undefined) z.globalRegistry.add(schema, { id: `${id}Page` })
  return schema
}

export type Page<T> = {
  items: T[]
  next_page_params: z.output<typeof nextPageSchema> | null
  total_count?: number
}

/** Converts an entry of a list, ranking or array to an item of a page. */
export type Render<E, T> = (entry: E) => T | Promise<T>

export function pageRequest({ page = 1, items_count = DEFAULT_SIZE, anchor }: PageQuery): PageRequest {
  return { page, size: Math.min(items_count, LARGEST_SIZE), anchor }
}

/** The positions of a page: from `from` up to, but excluding, `to`, in a list of this length. With an anchor it begins there. */
export function pageBounds(query: PageQuery, length: number): { from: number; to: number } {
  const { page, size, anchor = length } = pageRequest(query)
  const start = Math.max(0, length - anchor)
  return { from: Math.min(start + (page - 1) * size, length), to: Math.min(start + page * size, length) }
}

/** The query of the first page behind a cursor: of the entries `passed` have been read, of a list of this length. */
export const behind = <Q extends PageQuery>(query: Q, passed: number | undefined, length: number): Q =>
  passed === undefined ? query : { ...query, page: 1, anchor: Math.max(0, length - Math.max(0, passed)) }

type Entries<E> = {
  readonly entries: readonly E[]
  /** Current length of the list. */
  readonly total: number
  readonly hasNext: boolean
  /** The length that pages are counted from; only for growing lists, and behind a cursor. */
  readonly anchor?: number | undefined
}

/** Builds the answer: renders the entries of the page, and gives the query of the next one. */
export async function buildPage<E, T>(
  query: PageQuery,
  { entries, total, hasNext, anchor }: Entries<E>,
  render: Render<E, T>,
): Promise<Page<T>> {
  const { page, size } = pageRequest(query)
  const next = { page: page + 1, items_count: size, ...(anchor !== undefined && { anchor }) }
  return {
    items: await Promise.all(entries.map((entry) => render(entry))),
    next_page_params: hasNext ? next : null,
    total_count: total,
  }
}

/** A page of an array, in its order; `passed`: the number of entries that a cursor passes. */
export function arrayPage<E, T>(
  all: readonly E[],
  query: PageQuery,
  render: Render<E, T>,
  passed?: number,
): Promise<Page<T>> {
  const of = behind(query, passed, all.length)
  const { from, to } = pageBounds(of, all.length)
  const page = { entries: all.slice(from, to), total: all.length, hasNext: to < all.length, anchor: of.anchor }
  return buildPage(of, page, render)
}

/** An empty answer, for example for the logs of a pending transaction. */
export const emptyPage = () => ({ items: [], next_page_params: null, total_count: 0 })
