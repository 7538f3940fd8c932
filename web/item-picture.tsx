// The picture of a token's item. Pictures come from whoever issued the token: they are shown in <img> only, where neither scripts
// nor links of a drawing work, and only from sources that the page's policy allows.
import { useState } from 'preact/hooks'
import type { TokenInstance } from './api.ts'

/** Sources beyond this node that the policy allows, as the server wrote them: `https:`. */
const REMOTE = (document.documentElement.dataset.media ?? '').split(' ').filter((source) => source !== '')

/** Path of the endpoint that serves pictures which are on the chain. */
const SERVED = /^\/api\/v2\/tokens\/0x[0-9a-f]{40}\/instances\/\d+\/media$/i

type Pictured = Pick<TokenInstance, 'image_url' | 'media_path' | 'media_type'>

/** URL of the picture for <img>; undefined when there is none that may be shown. */
export function pictureOf({ image_url: url, media_path, media_type }: Pictured): string | undefined {
  if (url === null) return media_type?.startsWith('image/') ? (media_path ?? undefined) : undefined
  if (url.startsWith('data:image/') || REMOTE.some((source) => url.startsWith(source))) return url
  const served = URL.parse(url, location.origin)
  // The node may be called under another name than the one that it knows, behind a proxy.
  return served !== null && SERVED.test(served.pathname) ? served.pathname + served.search : undefined
}

/** The name that the issuer gave, else the id. */
export function itemName({ id, metadata }: Pick<TokenInstance, 'id' | 'metadata'>): string {
  const name = metadata?.['name']
  return typeof name === 'string' && name.trim() !== '' ? name.slice(0, 200) : `#${id}`
}

/** `alt` is empty where the item's name is beside the picture. */
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
