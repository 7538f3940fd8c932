// Tokens and single items of them. The decimals of a token are text within other records, and a number in the record of the
// token itself: within a record the frontend takes the number 0 for "unknown", and then assumes 18.
import { z } from 'zod'
import { RECORD, type TokenRecord } from '../../indexer/records.ts'
import { RANKING, TOKEN_TYPES } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import { checksummed, wire } from '../codec.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { addressSchema, showAddressOrNull } from './address.ts'

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
z.globalRegistry.add(tokenSchema, { id: 'TokenInfo' })
export type TokenInfo = z.infer<typeof tokenSchema>

export const tokenResourceSchema = tokenSchema.extend({ decimals: z.number().int().nullable() })
z.globalRegistry.add(tokenResourceSchema, { id: 'Token' })
export type TokenResource = z.infer<typeof tokenResourceSchema>

const UNKNOWN: TokenRecord = {
  type: 'ERC-20',
  name: undefined,
  symbol: undefined,
  decimals: undefined,
  supply: undefined,
}

/** A token within another record. A contract that is not known as a token is shown as a nameless ERC-20. */
export const showToken = oncePerRequest((context, of: Address): TokenInfo => {
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

/** The record of a token itself. */
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
z.globalRegistry.add(instanceSchema, { id: 'TokenInstance' })
export type TokenInstance = z.infer<typeof instanceSchema>

/** One item of an ERC-721 or ERC-1155. Its token is null without `withToken`. */
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

// --- metadata of items, as their issuer wrote them. Anybody can issue tokens, so that only URLs with safe schemes are passed on,
// and nothing is fetched.

export type Metadata = Readonly<Record<string, unknown>>

const DATA_URI = /^data:application\/json(?:;[^,;]*)*?(;base64)?,(.*)$/s
/** Characters of a URI that is decoded; contracts may answer with anything. */
const MOST_METADATA = 1 << 16

/** The JSON object that a data URI (RFC 2397) contains; null for other URIs and other contents. */
export function inlineMetadata(uri: string): Metadata | null {
  const [, base64, data] = DATA_URI.exec(uri) ?? []
  if (data === undefined || uri.length > MOST_METADATA) return null
  try {
    const text = base64 === undefined ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString('utf8')
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Metadata) : null
  } catch {
    return null
  }
}

/** URLs that a person may follow: neither `data:` pages nor `javascript:`. */
const LINK = /^https?:\/\/[^\s\p{Cc}]+$/iu
/** URLs of media that a page may show. Items that are wholly on the chain have their picture in a data URI. */
const MEDIA = /^(?:(?:https?|ipfs|ar):\/\/[^\s\p{Cc}]+$|data:(?:image|video|audio)\/)/iu

/** The first of the fields that has a safe link. */
export const linkIn = (metadata: Metadata | null, ...names: readonly string[]): string | null =>
  firstIn(metadata, names, LINK)

/** The first of the fields that has a safe URL of an image, a video or a sound. */
export const mediaIn = (metadata: Metadata | null, ...names: readonly string[]): string | null =>
  firstIn(metadata, names, MEDIA)

function firstIn(metadata: Metadata | null, names: readonly string[], form: RegExp): string | null {
  for (const name of names) {
    const value = metadata?.[name]
    if (typeof value === 'string' && form.test(value)) return value
  }
  return null
}
