// Searches tokens, contracts, module accounts, validators and proposals by name. A name matches if every word of the query is a
// prefix of one of its words, ignoring case.

import { verifiedByName } from '../contracts/abi.ts'
import { RECORD, type TokenRecord } from '../indexer/records.ts'
import { HOLDERS } from '../indexer/tables.ts'
import { searchTermsOf } from '../indexer/token-names.ts'
import { ADDRESS_BYTES, type Address, toAddress } from '../lib/hex.ts'
import { govLayout } from '../modules/gov/layout.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { RANGE } from '../state/keyspace.ts'
import { memberCount } from '../tables/ranking-tree.ts'
import { type NamedAccount, namedAccounts } from './account-names.ts'
import type { ExplorerContext } from './context.ts'

/** Maximum rows of the word index that a search reads. If more words match, some results are missing. */
const MOST_ROWS = 5_000

/** Tokens by name or symbol: the highest price first, then the most holders, then by name. */
export async function tokensByName(context: ExplorerContext, text: string): Promise<Address[]> {
  const { rows } = context
  const words = searchTermsOf(text)
  // Reads the index only for the longest word, which has the fewest matches; the other words filter.
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

/** Module accounts and validators by name. */
export function accountsByName(context: ExplorerContext, text: string): NamedAccount[] {
  const words = searchTermsOf(text)
  return words.length === 0 ? [] : [...namedAccounts(context)].filter(({ name }) => fits(words, name))
}

export type NamedProposal = { readonly id: number; readonly title: string }

/** Number of newest proposals whose titles are searched. */
const MOST_PROPOSALS = 500

/** The proposal with a number (`proposal 3`), or those whose titles match, newest first. */
export function proposalsByText({ spec, view }: ExplorerContext, text: string): NamedProposal[] {
  if (spec.native === undefined) return []
  const { proposals, lastId } = govLayout.open(view.slots(NATIVE_CONTRACT.gov, 'read'))
  const last = lastId.get()
  const [, digits] = /^proposal\s*#?(\d{1,15})$/i.exec(text) ?? []
  const words = searchTermsOf(text)
  const titleOf = (id: bigint) => proposals.at(id).texts.get().title
  if (digits !== undefined) {
    const id = BigInt(digits)
    return id >= 1n && id <= last ? [{ id: Number(id), title: titleOf(id) }] : []
  }
  const newest = Array.from({ length: Math.min(Number(last), MOST_PROPOSALS) }, (_, back) => last - BigInt(back))
  return newest.map((id) => ({ id: Number(id), title: titleOf(id) })).filter(({ title }) => fits(words, title))
}

const matches = (words: readonly string[], { name, symbol }: TokenRecord): boolean =>
  fits(words, `${name ?? ''} ${symbol ?? ''}`)

/** Whether each word is a prefix of a word of the name. */
function fits(words: readonly string[], name: string): boolean {
  const known = searchTermsOf(name)
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
  holders: memberCount(rows, HOLDERS.ranking(address)),
  name: name.toLowerCase(),
})

const byRank = (a: RankedToken, b: RankedToken): number =>
  b.price - a.price || b.holders - a.holders || compareText(a.name, b.name) || compareText(a.address, b.address)

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
