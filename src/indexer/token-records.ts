// What a token says of itself, and its place among the others.
import { type Address, fromHex } from '../lib/hex.ts'
import type { Overlay } from '../tables/overlay.ts'
import { descending, moveMember } from '../tables/ranking.ts'
import { memberCountIn } from '../tables/ranking-tree.ts'
import { RECORD, type TokenRecord } from './records.ts'
import { RANKING, type TokenType } from './tables.ts'
import type { TouchedToken } from './token-changes.ts'
import { setSearchTerms } from './token-names.ts'
import type { TokenReads } from './token-reads.ts'

/**
 * Name, symbol and decimals. They are asked for once, and again of a contract that is new at its address, and of one that
 * mints and has no name yet: what stands behind a proxy is often initialised later.
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
  }
}

/** Where a token stands: most holders first, then by name; those without a name come last. */
export type RankedAt = { readonly type: TokenType; readonly order: Uint8Array }

const PLACE_OF_NAME = 16

/** A token's place as the draft has it now. */
export function rankOrderOf(draft: Overlay, token: Address, { type, name }: TokenRecord): RankedAt {
  const order = new Uint8Array(PLACE_OF_NAME).fill(name === undefined ? 0xff : 0)
  order.set(Buffer.from((name ?? '').toLowerCase(), 'utf8').subarray(0, PLACE_OF_NAME))
  const holders = memberCountIn(draft, RANKING.holders(token))
  return { type, order: Buffer.concat([descending(BigInt(holders)), order, fromHex(token)]) }
}

/** Writes what is known of a token now, with its words and its place, which `from` says as it was before. */
export function setToken(
  draft: Overlay,
  token: Address,
  before: TokenRecord | undefined,
  after: TokenRecord,
  from: RankedAt | undefined,
): void {
  RECORD.token.set(draft, after, token)
  setSearchTerms(draft, token, before, after)
  const to = rankOrderOf(draft, token, after)
  moveMember(draft, RANKING.tokens('all'), from?.order, to.order)
  const isSameType = from?.type === to.type
  if (from !== undefined && !isSameType) moveMember(draft, RANKING.tokens(from.type), from.order, undefined)
  moveMember(draft, RANKING.tokens(to.type), isSameType ? from?.order : undefined, to.order)
}
