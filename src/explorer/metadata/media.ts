// Pictures, videos and sounds named by an item's metadata. Only URLs that a page may load are passed on: http(s), IPFS through
// the gateway, and data URIs with media. A data URI with HTML is not a medium.
import { decodeDataUri, type Metadata, urlOf, webUrl } from './metadata-uri.ts'

/** URLs that a user may follow: no `data:` pages, no `javascript:`. */
const LINK = /^https?:\/\/[^\s\p{Cc}]+$/iu
const MEDIA_URL = /^(?:https?|ipfs):\/\/[^\s\p{Cc}]+$/iu
const MEDIA_DATA = /^data:(?:image\/(?:svg\+xml|png|gif|webp|jpe?g|avif|apng)|(?:video|audio)\/[\w.+-]+)[;,]/i

export type Media = {
  readonly image: string | null
  readonly animation: string | null
  /** MIME type of the animation, else of the picture, as far as it is known from the URL. */
  readonly type: string | null
}

/** The media of an item; IPFS as URLs of the gateway. */
export function mediaOf(metadata: Metadata | null, gateway: string | undefined): Media {
  const image = mediaIn(metadata, ['image', 'image_url', 'imageUrl'], gateway) ?? drawingIn(metadata)
  const animation = mediaIn(metadata, ['animation_url', 'animation'], gateway)
  const shown = animation ?? image
  return { image, animation, type: shown === null ? null : typeOf(shown) }
}

/** The first of the fields with a safe link. */
export function linkIn(metadata: Metadata | null, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = metadata?.[name]
    if (typeof value === 'string' && LINK.test(value)) return value
  }
  return null
}

/** The first of the fields with a safe URL of an image, a video or a sound. */
export function mediaIn(
  metadata: Metadata | null,
  names: readonly string[],
  gateway: string | undefined,
): string | null {
  for (const name of names) {
    const value = metadata?.[name]
    if (typeof value !== 'string') continue
    if (MEDIA_DATA.test(value)) return value
    const url = webUrl(value, gateway) ?? value
    if (MEDIA_URL.test(url)) return url
  }
  return null
}

/** A drawing as SVG text in the metadata (OpenSea's `image_data`). */
function drawingIn(metadata: Metadata | null): string | null {
  const drawing = metadata?.['image_data']
  if (typeof drawing !== 'string') return null
  if (MEDIA_DATA.test(drawing)) return drawing
  if (!/^\s*<(?:\?xml|svg)/i.test(drawing)) return null
  return `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`
}

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  avif: 'image/avif',
  apng: 'image/apng',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  ogv: 'video/ogg',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
}

function typeOf(url: string): string | null {
  const [, data] = /^data:([^;,]+)/i.exec(url) ?? []
  if (data !== undefined) return plainType(data)
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(urlOf(url)?.pathname ?? '') ?? []
  return TYPES[extension.toLowerCase()] ?? null
}

const plainType = (type: string): string => type.toLowerCase().replace('image/jpg', 'image/jpeg')

/** The content of a data URI with media, for serving it separately. */
export function mediaContent(url: string): { readonly type: string; readonly bytes: Uint8Array } | undefined {
  const data = MEDIA_DATA.test(url) ? decodeDataUri(url) : undefined
  return data && { type: plainType(data.type), bytes: data.bytes }
}
