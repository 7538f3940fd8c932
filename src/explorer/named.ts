// Tokens and verified contracts by words of their names: each word that is asked for begins one of theirs.

import { RECORD, type TokenRecord } from '../indexer/records.ts'
import { RANKING } from '../indexer/tables.ts'
import { searchTermsOf } from '../indexer/token-names.ts'
import { ADDRESS_BYTES, type Address, toAddress } from '../lib/hex.ts'
import { RANGE } from '../state/keyspace.ts'
import { memberCount } from '../tables/ranking-tree.ts'
import { verifiedNamed } from './contracts/abi.ts'
import type { ExplorerContext } from './define.ts'

/** Rows of words that one search reads; a search that matches more misses some. */
const MOST_WORDS = 5_000

/** Tokens by name or symbol: the dearest first, then those with most holders, then by name. */
export async function tokensNamed(context: ExplorerContext, text: string): Promise<Address[]> {
  const { rows } = context
  const words = searchTermsOf(text)
  // The longest word has the fewest matches.
  const [longest] = words.toSorted((a, b) => b.length - a.length)
  if (longest === undefined) return []
  const found = new Map<Address, RankedToken>()
  for await (const [key] of rows.scan({ ...RANGE.nameWords(longest), limit: MOST_WORDS })) {
    const address = toAddress(key.subarray(-ADDRESS_BYTES))
    const fact = found.has(address) ? undefined : RECORD.token.get(rows, address)
    if (fact !== undefined && matches(words, fact)) found.set(address, rankedToken(context, address, fact))
  }
  return [...found.values()].sort(byRank).map(({ address }) => address)
}

/** Verified contracts by their names, in order of name. */
export function contractsNamed(context: ExplorerContext, text: string) {
  const words = searchTermsOf(text)
  if (words.length === 0) return []
  return verifiedNamed(context, words).toSorted((a, b) => compareText(a.name, b.name))
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

/** Behind every name. */
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
