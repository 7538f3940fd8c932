// Tokens and single items of them. The same token has decimals as text inside other records and as a number where it is
// the record itself: the frontend takes a number 0 within a record for "not known", which is 18 to it.
import { z } from 'zod'
import { RECORD, type TokenRecord } from '../../indexer/records.ts'
import { RANKING, TOKEN_TYPES } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import { checksummed, wire } from '../codec.ts'
import type { ExplorerContext } from '../define.ts'
import { inlineMetadata, linkIn, mediaIn } from '../token-metadata.ts'
import { addressSchema, showAddressOrNull } from './address.ts'
import { keptBy } from './kept.ts'

export const tokenSchema = z.strictObject({
  address_hash: wire.address,
  address: wire.address,
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: wire.decimal.nullable(),
  type: z.enum(TOKEN_TYPES),
  total_supply: wire.decimal.nullable(),
  holders_count: wire.decimal,
  holders: z.number().int(),
  exchange_rate: wire.number.nullable(),
  volume_24h: z.null(),
  circulating_market_cap: z.null(),
  circulating_supply: z.null(),
  icon_url: z.null(),
  reputation: z.enum(['ok', 'neutral', 'scam']),
})
export type TokenInfo = z.infer<typeof tokenSchema>

export const tokenResourceSchema = tokenSchema.extend({ decimals: z.number().int().nullable() })
export type TokenResource = z.infer<typeof tokenResourceSchema>

const UNKNOWN: TokenRecord = {
  type: 'ERC-20',
  name: undefined,
  symbol: undefined,
  decimals: undefined,
  supply: undefined,
}

/** A token inside another record; also of a contract that is not known to be one. */
export const showToken = keptBy((context, of: Address): TokenInfo => {
  const { rows, options } = context
  const { type, name, symbol, decimals, supply } = RECORD.token.get(rows, of) ?? UNKNOWN
  const hash = checksummed(of)
  const holders = memberCount(rows, RANKING.holders(of))
  return {
    address_hash: hash,
    address: hash,
    name: name ?? null,
    symbol: symbol ?? null,
    decimals: decimals?.toString() ?? null,
    type,
    total_supply: supply?.toString() ?? null,
    holders_count: holders.toString(),
    holders,
    exchange_rate: options.prices?.tokens.get(of) ?? null,
    volume_24h: null,
    circulating_market_cap: null,
    circulating_supply: null,
    icon_url: null,
    reputation: 'ok',
  }
})

/** A token as the record itself. */
export function showTokenResource(context: ExplorerContext, of: Address): TokenResource {
  const { decimals, ...token } = showToken(context, of)
  return { ...token, decimals: decimals === null ? null : Number(decimals) }
}

export const instanceSchema = z.strictObject({
  id: wire.decimal,
  is_unique: z.boolean().nullable(),
  owner: addressSchema.nullable().describe('of an ERC-721'),
  token: tokenSchema.nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  image_url: z.string().nullable(),
  animation_url: z.string().nullable(),
  media_url: z.string().nullable(),
  media_type: z.null(),
  external_app_url: z.string().nullable(),
  thumbnails: z.null(),
  holder_address_hash: wire.address.nullable(),
})
export type TokenInstance = z.infer<typeof instanceSchema>

/** One item of an ERC-721 or ERC-1155; its token is null unless it is asked for. */
export function showInstance(
  context: ExplorerContext,
  of: Address,
  id: bigint,
  { withToken = false }: { readonly withToken?: boolean } = {},
): TokenInstance {
  const fact = RECORD.instance.get(context.rows, of, id)
  const type = RECORD.token.get(context.rows, of)?.type
  const owner = showAddressOrNull(context, fact?.owner)
  const metadata = fact?.uri === undefined ? null : inlineMetadata(fact.uri)
  const image = mediaIn(metadata, 'image', 'image_url')
  const animation = mediaIn(metadata, 'animation_url')
  return {
    id: id.toString(),
    is_unique: type === 'ERC-1155' ? fact?.supply === 1n : true,
    owner,
    token: withToken ? showToken(context, of) : null,
    metadata,
    image_url: image,
    animation_url: animation,
    media_url: animation ?? image,
    media_type: null,
    external_app_url: linkIn(metadata, 'external_url'),
    thumbnails: null,
    holder_address_hash: owner?.hash ?? null,
  }
}
