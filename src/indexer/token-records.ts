// Records of tokens (name, symbol, decimals, supply) and their order in the ranking of tokens.
import { type Address, fromHex } from '../lib/hex.ts'
import { visibleText } from '../lib/visible-text.ts'
import { WERC20 } from '../spec/addresses.ts'
import type { Overlay } from '../tables/overlay.ts'
import { descending, moveMember } from '../tables/ranking.ts'
import { memberCountIn } from '../tables/ranking-tree.ts'
import { RECORD, type TokenRecord } from './records.ts'
import { RANKING, type TokenType } from './tables.ts'
import type { TouchedToken } from './token-changes.ts'
import { setSearchTerms } from './token-names.ts'
import type { TokenReads } from './token-reads.ts'

/**
 * Reads name, symbol and decimals: once, again for a new contract at the same address, and again when a token without a name
 * mints, because a proxy is often initialised after its creation.
 */
export async function describe(reads: TokenReads, token: TouchedToken): Promise<TokenRecord> {
  const { address, type, before, isNew, changes } = token
  const isNameless = before?.name === undefined && before?.symbol === undefined
  const hasDecimals = type === 'ERC-20'
  if (before !== undefined && !isNew && !(isNameless && changes.hasMint)) {
    return { ...before, type, decimals: hasDecimals ? before.decimals : undefined }
  }
  return {
    type,
    name: (await reads.name(address)) ?? before?.name,
    symbol: (await reads.symbol(address)) ?? before?.symbol,
    decimals: hasDecimals ? ((await reads.decimals(address)) ?? before?.decimals) : undefined,
    supply: before?.supply,
    items: before?.items ?? 0,
  }
}

/**
 * Order of a token in the ranking: most holders first, then by name; tokens without a name come last. The base coin's own contract is
 * first, because its holders are all accounts.
 */
export type RankedAt = { readonly type: TokenType; readonly order: Uint8Array }

const PLACE_OF_NAME = 16

/** A token's present order in the overlay. */
export function rankOrderOf(overlay: Overlay, token: Address, record: TokenRecord): RankedAt {
  return { type: record.type, order: orderOfToken(token, record, memberCountIn(overlay, RANKING.holders(token))) }
}

/** The order of a token with so many members in its ranking of holders. */
export function orderOfToken(token: Address, { name: given }: Pick<TokenRecord, 'name'>, holders: number): Uint8Array {
  const name = given === undefined ? undefined : visibleText(given)
  const order = new Uint8Array(PLACE_OF_NAME).fill(name === undefined ? 0xff : 0)
  order.set(Buffer.from((name ?? '').toLowerCase(), 'utf8').subarray(0, PLACE_OF_NAME))
  const count = token === WERC20 ? Number.MAX_SAFE_INTEGER : holders
  return Buffer.concat([descending(BigInt(count)), order, fromHex(token)])
}

/** Writes a token's record, search terms and order; `from` is its former order. */
export function setToken(
  overlay: Overlay,
  token: Address,
  before: TokenRecord | undefined,
  after: TokenRecord,
  from: RankedAt | undefined,
): void {
  RECORD.token.set(overlay, after, token)
  setSearchTerms(overlay, token, before, after)
  const to = rankOrderOf(overlay, token, after)
  moveMember(overlay, RANKING.tokens('all'), from?.order, to.order)
  const isSameType = from?.type === to.type
  if (from !== undefined && !isSameType) moveMember(overlay, RANKING.tokens(from.type), from.order, undefined)
  moveMember(overlay, RANKING.tokens(to.type), isSameType ? from?.order : undefined, to.order)
}
