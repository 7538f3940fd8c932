// Pages of the index's rankings: of one, of several concatenated ones, and of several merged into one order. Members are byte
// strings that sort by rank. A ranking may change between two pages.

import type { Hex } from '../../lib/hex.ts'
import type { KvReader } from '../../state/types.ts'
import { countUpTo, membersFrom } from '../../tables/ranking.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import type { ExplorerContext } from '../context.ts'
import { invalidParameter } from '../errors.ts'
import { behind, buildPage, type Page, type PageQuery, pageBounds, type Render } from './page.ts'

/** Maximum members of a merged order that can be reached: merging reads all members before a page. */
const DEEPEST_MERGED = 10_000

/** A page of one ranking; `last`: the order that a cursor names, which may be no member's. */
export const rankingPage = <T>(
  context: ExplorerContext,
  ranking: Hex,
  query: PageQuery,
  render: Render<Uint8Array, T>,
  last?: Uint8Array,
): Promise<Page<T>> => mergedPage(context, [ranking], query, render, last)

type NamedRanking<N> = { readonly name: N; readonly ranking: Hex }
export type NamedMember<N> = { readonly name: N; readonly member: Uint8Array }

/** A page of concatenated rankings; `render` gets a member with the name of its ranking. `last`: the member of a cursor. */
export async function concatenatedPage<N, T>(
  { rows }: ExplorerContext,
  rankings: readonly NamedRanking<N>[],
  query: PageQuery,
  render: Render<NamedMember<N>, T>,
  last?: NamedMember<N>,
): Promise<Page<T>> {
  const total = countAll(
    rows,
    rankings.map(({ ranking }) => ranking),
  )
  const of = behind(query, last && (await passedBy(rows, rankings, last)), total)
  const { from, to } = pageBounds(of, total)
  const entries = await concatenatedMembers(rows, rankings, from, to - from)
  return buildPage(of, { entries, total, hasNext: to < total, anchor: of.anchor }, render)
}

/** The number of members up to a given one. */
async function passedBy<N>(
  rows: KvReader,
  rankings: readonly NamedRanking<N>[],
  last: NamedMember<N>,
): Promise<number> {
  let passed = 0
  for (const { name, ranking } of rankings) {
    if (name === last.name) return passed + (await countUpTo(rows, ranking, last.member))
    passed += memberCount(rows, ranking)
  }
  return passed
}

/** At most `limit` members of concatenated rankings, from a rank on. */
export async function concatenatedMembers<N>(
  rows: KvReader,
  rankings: readonly NamedRanking<N>[],
  rank: number,
  limit: number,
): Promise<NamedMember<N>[]> {
  if (limit === 0) return []
  const members: NamedMember<N>[] = []
  let before = 0
  for (const { name, ranking } of rankings) {
    const from = Math.max(0, rank - before)
    const found = await membersFrom(rows, ranking, from, limit - members.length)
    members.push(...found.map((member) => ({ member, name })))
    if (members.length === limit) break
    before += memberCount(rows, ranking)
  }
  return members
}

/** A page of rankings merged into one order, or in reverse with `order` asc; `last` as above. Throws 422 beyond DEEPEST_MERGED. */
export async function mergedPage<T>(
  { rows }: ExplorerContext,
  rankings: readonly Hex[],
  query: PageQuery & { readonly order?: 'asc' | 'desc' | undefined },
  render: Render<Uint8Array, T>,
  last?: Uint8Array,
): Promise<Page<T>> {
  const total = countAll(rows, rankings)
  const isReversed = query.order === 'asc'
  const counts = last && (await Promise.all(rankings.map((ranking) => countUpTo(rows, ranking, last, !isReversed))))
  const before = counts?.reduce((sum, count) => sum + count, 0)
  const of = behind(query, before === undefined || !isReversed ? before : total - before, total)
  const { from, to } = pageBounds(of, total)
  const members = await mergedMembers(rows, rankings, isReversed ? total - to : from, to - from)
  const entries = isReversed ? members.toReversed() : members
  return buildPage(of, { entries, total, hasNext: to < total, anchor: of.anchor }, render)
}

async function mergedMembers(rows: KvReader, rankings: readonly Hex[], rank: number, limit: number) {
  const [only] = rankings
  if (only === undefined || limit === 0) return []
  if (rankings.length === 1) return membersFrom(rows, only, rank, limit)
  if (rank + limit > DEEPEST_MERGED) {
    throw invalidParameter(
      'page',
      `Only the first ${DEEPEST_MERGED} entries can be read when several types are requested`,
    )
  }
  const found = await Promise.all(rankings.map((ranking) => membersFrom(rows, ranking, 0, rank + limit)))
  return found
    .flat()
    .sort(Buffer.compare)
    .slice(rank, rank + limit)
}

/** All members of rankings merged into one order; throws 422 if there are more than 10,000. */
export async function allMembers({ rows }: ExplorerContext, rankings: readonly Hex[]): Promise<Uint8Array[]> {
  const total = countAll(rows, rankings)
  if (total > DEEPEST_MERGED) throw invalidParameter('sort', `No more than ${DEEPEST_MERGED} can be sorted so`)
  return mergedMembers(rows, rankings, 0, total)
}

const countAll = (rows: KvReader, rankings: readonly Hex[]): number =>
  rankings.reduce((sum, ranking) => sum + memberCount(rows, ranking), 0)
