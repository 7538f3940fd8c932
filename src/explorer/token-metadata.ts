// Metadata of a token's item, as its issuer wrote them. Anybody can issue tokens, so only URLs whose schemes are safe to show
// or to follow are passed on, and nothing is fetched.

export type Metadata = Readonly<Record<string, unknown>>

const DATA_URI = /^data:application\/json(?:;[^,;]*)*?(;base64)?,(.*)$/s
/** Contracts may answer with anything; more than this is no description of an item. */
const MOST_METADATA = 1 << 16

/** What a URI holds in itself (RFC 2397). Null for other URIs, and for what is no JSON object. */
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

/** To be followed by a person: not into a page that the URL itself holds, nor into a program. */
const LINK = /^https?:\/\/[^\s\p{Cc}]+$/iu
/** To be shown in a page: items that live on the chain alone hold their picture themselves. */
const MEDIA = /^(?:(?:https?|ipfs|ar):\/\/[^\s\p{Cc}]+$|data:(?:image|video|audio)\/)/iu

/** The first of the fields that holds a link. */
export const linkIn = (metadata: Metadata | null, ...names: readonly string[]): string | null =>
  firstIn(metadata, names, LINK)

/** The first of the fields that holds a picture, a film or a sound. */
export const mediaIn = (metadata: Metadata | null, ...names: readonly string[]): string | null =>
  firstIn(metadata, names, MEDIA)

function firstIn(metadata: Metadata | null, names: readonly string[], form: RegExp): string | null {
  for (const name of names) {
    const value = metadata?.[name]
    if (typeof value === 'string' && form.test(value)) return value
  }
  return null
}
