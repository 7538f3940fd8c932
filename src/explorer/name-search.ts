// Tokens and verified contracts by name. A name matches when every word of the query is the beginning of one of its words;
// letters match in either case.

import { RECORD, type TokenRecord } from '../indexer/records.ts'
import { RANKING } from '../indexer/tables.ts'
import { searchTermsOf } from '../indexer/token-names.ts'
import { ADDRESS_BYTES, type Address, toAddress } from '../lib/hex.ts'
import { RANGE } from '../state/keyspace.ts'
import { memberCount } from '../tables/ranking-tree.ts'
import type { ExplorerContext } from './context.ts'
import { verifiedByName } from './contracts/abi.ts'

/** Rows of the word index that one search reads. When more indexed words begin with it, matches are missed. */
const MOST_ROWS = 5_000

/** Tokens by name or symbol: the highest price first, then the most holders, then by name. */
export async function tokensByName(context: ExplorerContext, text: string): Promise<Address[]> {
  const { rows } = context
  const words = searchTermsOf(text)
  // The index is read for the longest word alone, which has the fewest matches; the other words filter.
  const [longest] = words.toSorted((a, b) => b.length - a.length)
  if (longest === undefined) return []
  const found = new Map<Address, RankedToken>()
  for await (const [key] of rows.scan({ ...RANGE.nameWords(longest), limit: MOST_ROWS })) {
    const address = toAddress(key.subarray(-ADDRESS_BYTES))
    const fact = found.has(address) ? undefined : RECORD.token.get(rows, address)
    if (fact !== undefined && matches(words, fact)) found.set(address, rankedToken(context, address, fact))
  }
  return [...found.values()].sort(byRank).map(({ address }) => address)
}

/** Verified contracts by name, in alphabetical order. */
export function contractsByName(context: ExplorerContext, text: string) {
  const words = searchTermsOf(text)
  if (words.length === 0) return []
  return verifiedByName(context, words).toSorted((a, b) => compareText(a.name, b.name))
}

function matches(words: readonly string[], { name, symbol }: TokenRecord): boolean {
  const known = searchTermsOf(`${name ?? ''} ${symbol ?? ''}`)
  return words.every((word) => known.some((of) => of.startsWith(word)))
}

type RankedToken = {
  readonly address: Address
  readonly price: number
  readonly holders: number
  readonly name: string
}

/** Sorts after every name. */
const NAMELESS = '\u{10ffff}'

const rankedToken = (
  { rows, options }: ExplorerContext,
  address: Address,
  { name = NAMELESS }: TokenRecord,
): RankedToken => ({
  address,
  price: Number(options.prices?.tokens.get(address) ?? -1),
  holders: memberCount(rows, RANKING.holders(address)),
  name: name.toLowerCase(),
})

const byRank = (a: RankedToken, b: RankedToken): number =>
  b.price - a.price || b.holders - a.holders || compareText(a.name, b.name) || compareText(a.address, b.address)

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
