// Single items of ERC-721 and ERC-1155 tokens with their metadata. A list has a large drawing as a URL of this node, because a
// page of 100 KB drawings in three fields each would have 15 MB.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { checksummed } from '../../lib/checksummed.ts'
import type { Address } from '../../lib/hex.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { linkIn, type Media, mediaContent, mediaOf } from '../metadata/media.ts'
import type { Metadata } from '../metadata/metadata-uri.ts'
import { addressSchema, showAddressOrNull } from './address.ts'
import { showToken, tokenSchema } from './token.ts'

export const instanceSchema = z.strictObject({
  id: wire.decimal,
  is_unique: z.boolean().nullable(),
  owner: addressSchema.nullable().describe('of an ERC-721'),
  token: tokenSchema.nullable(),
  metadata: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('as the issuer wrote it; in lists with the URLs of large drawings in their place'),
  image_url: z.string().nullable(),
  animation_url: z.string().nullable(),
  media_url: z.string().nullable(),
  media_type: z.string().nullable().describe('MIME type of media_url, if known'),
  media_path: z.string().nullable().describe('path of media_url on this node, if the medium is on the chain'),
  external_app_url: z.string().nullable(),
  thumbnails: z.null(),
  holder_address_hash: wire.address.nullable(),
})
z.globalRegistry.add(instanceSchema, { id: 'TokenInstance' })
export type TokenInstance = z.infer<typeof instanceSchema>

/** Milliseconds that a list, or a single item, waits for metadata that have not been read yet. */
const PATIENCE = { list: 1_000, single: 5_000 } as const

type Options = { readonly withToken?: boolean; readonly isSingle?: boolean }

/**
 * One item of an ERC-721 or ERC-1155. Its token is null without `withToken`; `isSingle` waits longer and returns everything.
 */
export async function showInstance(
  context: ExplorerContext,
  of: Address,
  id: bigint,
  { withToken = false, isSingle = false }: Options = {},
): Promise<TokenInstance> {
  const { rows, options, tokenMetadata } = context
  const fact = RECORD.instance.get(rows, of, id)
  const type = RECORD.token.get(rows, of)?.type
  const owner = showAddressOrNull(context, fact?.owner)
  const patience = patienceOf(context, isSingle ? 'single' : 'list')
  const metadata = fact === undefined ? null : await tokenMetadata.of(context, of, id, patience)
  const media = mediaOf(metadata, options.ipfsGateway)
  const path = isServed(media) ? mediaPath(of, id) : null
  return {
    id: id.toString(),
    is_unique: type === 'ERC-1155' ? fact?.supply === 1n : true,
    owner,
    token: withToken ? showToken(context, of) : null,
    ...(isSingle ? shownInFull(metadata, media) : abridged(context, metadata, media, of, id)),
    media_type: media.type,
    media_path: path,
    external_app_url: linkIn(metadata, 'external_url'),
    thumbnails: null,
    holder_address_hash: owner?.hash ?? null,
  }
}

/** Resolves when a request has waited long enough for metadata; all items of a request share it. */
function patienceOf(context: ExplorerContext, kind: keyof typeof PATIENCE): Promise<void> {
  const known = context.requestCache.of(PATIENCE)
  const begun = known.get(kind)
  if (begun instanceof Promise) return begun
  const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE[kind]).unref())
  known.set(kind, patience)
  return patience
}

/** The medium that represents an item: its animation, else its picture. */
const shownMedium = ({ image, animation }: Media): string | null => animation ?? image
const isServed = (media: Media): boolean => shownMedium(media)?.startsWith('data:') === true

const mediaPath = (of: Address, id: bigint): string => `/api/v2/tokens/${checksummed(of)}/instances/${id}/media`

type Shown = Pick<TokenInstance, 'metadata' | 'image_url' | 'animation_url' | 'media_url'>

const shownInFull = (metadata: Metadata | null, media: Media): Shown => ({
  metadata,
  image_url: media.image,
  animation_url: media.animation,
  media_url: shownMedium(media),
})

/** Maximum characters of a data URI in a list. */
const LONGEST_INLINE = 8_192

/** The media, with URLs of this node instead of large data URIs. */
function abridged(
  context: ExplorerContext,
  metadata: Metadata | null,
  { image, animation }: Media,
  of: Address,
  id: bigint,
): Shown {
  const url = `${originOf(context)}${mediaPath(of, id)}`
  const isLong = (text: string) => text.length > LONGEST_INLINE && text.startsWith('data:')
  const short = (medium: string | null, field: string) =>
    medium !== null && isLong(medium) ? `${url}?field=${field}` : medium
  const picture = short(image, 'image')
  const moving = short(animation, 'animation')
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => {
    if (typeof value !== 'string' || value.length <= LONGEST_INLINE) return [name, value]
    return [name, value === animation ? moving : value === image || name === 'image_data' ? picture : null]
  })
  return {
    metadata: metadata && Object.fromEntries(entries),
    image_url: picture,
    animation_url: moving,
    media_url: moving ?? picture,
  }
}

/** The origin of the client's request: the Host was checked, and a proxy's header says whether it was https. */
function originOf({ headers }: ExplorerContext): string {
  const first = (name: string) => [headers[name] ?? []].flat()[0]?.split(',', 1)[0]?.trim()
  const host = first('host')
  const scheme = first('x-forwarded-proto') === 'https' ? 'https' : 'http'
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `${scheme}://${host}` : ''
}

/** Content of a picture or animation on the chain; undefined if there is none. */
export async function mediumOf(context: ExplorerContext, of: Address, id: bigint, field?: 'image' | 'animation') {
  const patience = patienceOf(context, 'single')
  const media = mediaOf(await context.tokenMetadata.of(context, of, id, patience), context.options.ipfsGateway)
  const medium = field === undefined ? shownMedium(media) : media[field]
  return medium === null ? undefined : mediaContent(medium)
}
