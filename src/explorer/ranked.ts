// Pages of several rankings together: one after the other, or merged into one order.

import type { Hex } from '../lib/hex.ts'
import type { KvReader } from '../state/types.ts'
import { membersFrom } from '../tables/ranking.ts'
import { memberCount } from '../tables/ranking-tree.ts'
import { invalidParameter } from './errors.ts'
import { type Envelope, type PageQuery, pageRequest } from './page.ts'

/** Merging reads all that comes before a page, so it goes no deeper than this. */
const DEEPEST_MERGED = 10_000

type Named<N> = { readonly name: N; readonly ranking: Hex }

/** A page of rankings one behind the other; `render` is told of which one the member is. */
export async function chainedPage<N, T>(
  rows: KvReader,
  rankings: readonly Named<N>[],
  query: PageQuery,
  render: (order: Uint8Array, of: N) => T | Promise<T>,
): Promise<Envelope<T>> {
  const { page, size } = pageRequest(query)
  const members = await chainedMembers(rows, rankings, (page - 1) * size, size)
  const total = countAll(
    rows,
    rankings.map(({ ranking }) => ranking),
  )
  return {
    items: await Promise.all(members.map(({ order, name }) => render(order, name))),
    next_page_params: page * size < total ? { page: page + 1, items_count: size } : null,
    total_count: total,
  }
}

/** Members of rankings one behind the other, from a rank on. */
export async function chainedMembers<N>(
  rows: KvReader,
  rankings: readonly Named<N>[],
  rank: number,
  limit: number,
): Promise<{ readonly order: Uint8Array; readonly name: N }[]> {
  const members: { order: Uint8Array; name: N }[] = []
  let before = 0
  for (const { name, ranking } of rankings) {
    const from = Math.max(0, rank - before)
    const found = await membersFrom(rows, ranking, from, limit - members.length)
    members.push(...found.map((order) => ({ order, name })))
    if (members.length === limit) break
    before += memberCount(rows, ranking)
  }
  return members
}

/** A page of rankings merged into one, in their order or from its end. Throws 422 when several are read too deep. */
export async function mergedPage<T>(
  rows: KvReader,
  rankings: readonly Hex[],
  query: PageQuery & { readonly order?: 'asc' | 'desc' | undefined },
  render: (order: Uint8Array) => T | Promise<T>,
): Promise<Envelope<T>> {
  const { page, size } = pageRequest(query)
  const total = countAll(rows, rankings)
  const [from, to] = [Math.min((page - 1) * size, total), Math.min(page * size, total)]
  const isReversed = query.order === 'asc'
  const rank = isReversed ? total - to : from
  const members = await mergedMembers(rows, rankings, rank, to - from)
  return {
    items: await Promise.all((isReversed ? members.toReversed() : members).map(render)),
    next_page_params: to < total ? { page: page + 1, items_count: size } : null,
    total_count: total,
  }
}

async function mergedMembers(rows: KvReader, rankings: readonly Hex[], rank: number, limit: number) {
  const [only] = rankings
  if (only === undefined || limit === 0) return []
  if (rankings.length === 1) return membersFrom(rows, only, rank, limit)
  if (rank + limit > DEEPEST_MERGED) {
    throw invalidParameter('page', `No page behind the ${DEEPEST_MERGED} first when several types are asked for`)
  }
  const found = await Promise.all(rankings.map((ranking) => membersFrom(rows, ranking, 0, rank + limit)))
  return found
    .flat()
    .sort(Buffer.compare)
    .slice(rank, rank + limit)
}

/** Every member of rankings merged into one; throws 422 when there are too many. */
export async function allMembers(rows: KvReader, rankings: readonly Hex[]): Promise<Uint8Array[]> {
  const total = countAll(rows, rankings)
  if (total > DEEPEST_MERGED) throw invalidParameter('sort', `No more than ${DEEPEST_MERGED} can be sorted so`)
  return mergedMembers(rows, rankings, 0, total)
}

const countAll = (rows: KvReader, rankings: readonly Hex[]): number =>
  rankings.reduce((sum, ranking) => sum + memberCount(rows, ranking), 0)
