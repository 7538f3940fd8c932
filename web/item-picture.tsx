// The picture of a token's item. Pictures are untrusted: they are shown only in <img>, where scripts and links in a drawing do
// not work, and only from sources that the page's policy allows.
import { useState } from 'preact/hooks'
import type { TokenInstance } from './api.ts'

/** URL prefixes that the Content-Security-Policy allows besides this node, such as `https:`; the server writes them into the document. */
const REMOTE = (document.documentElement.dataset.media ?? '').split(' ').filter((source) => source !== '')

/** Path of the endpoint that serves pictures stored on the chain. */
const SERVED = /^\/api\/v2\/tokens\/0x[0-9a-f]{40}\/instances\/\d+\/media$/i

type Pictured = Pick<TokenInstance, 'image_url' | 'media_path' | 'media_type'>

/** URL of the picture for <img>; undefined if there is none, or it may not be shown. */
export function pictureOf({ image_url: url, media_path, media_type }: Pictured): string | undefined {
  if (url === null) return media_type?.startsWith('image/') ? (media_path ?? undefined) : undefined
  if (url.startsWith('data:image/') || REMOTE.some((source) => url.startsWith(source))) return url
  const served = URL.parse(url, location.origin)
  // Behind a proxy the node's host name may differ from the one in its URLs.
  return served !== null && SERVED.test(served.pathname) ? served.pathname + served.search : undefined
}

/** The issuer's name for the item, else its id. */
export function itemName({ id, metadata }: Pick<TokenInstance, 'id' | 'metadata'>): string {
  const name = metadata?.['name']
  return typeof name === 'string' && name.trim() !== '' ? name.slice(0, 200) : `#${id}`
}

/** `alt` is empty if the item's name is next to the picture. */
export function ItemPicture({ of, alt }: { of: TokenInstance; alt: string }) {
  const url = pictureOf(of)
  const [broken, setBroken] = useState<string>()
  if (url === undefined || url === broken) {
    return (
      <div class="picture faint">{url === undefined && of.image_url === null ? 'no picture' : 'picture not shown'}</div>
    )
  }
  return (
    <img
      class="picture"
      src={url}
      alt={alt}
      loading="lazy"
      decoding="async"
      referrerpolicy="no-referrer"
      onError={() => setBroken(url)}
    />
  )
}
