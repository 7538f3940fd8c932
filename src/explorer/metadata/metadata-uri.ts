// Decodes the URI of a token item (ERC-721's tokenURI, ERC-1155's uri): metadata that it contains, or a document of the web.
// Pure functions. Anyone can issue tokens, so every input may be hostile.

/** Metadata of an item, as its issuer wrote it. */
export type Metadata = Readonly<Record<string, unknown>>

export type UriContent =
  | { readonly kind: 'metadata'; readonly metadata: Metadata }
  | { readonly kind: 'document'; readonly url: string }

/** Maximum characters of a URI. */
const LONGEST_URI = 2 << 20
const DATA_URI = /^data:([^,;]*)((?:;[^,;]*)*),/i
const BARE_CID = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,})(?:\/[^\s\p{Cc}]*)?$/u
const HTTP = /^https?:\/\/[^\s\p{Cc}]+$/iu

/** Reads the URI of an item; undefined if it is not usable. */
export function readUri(uri: string, gateway: string | undefined): UriContent | undefined {
  const given = uri.trim()
  if (given.length > LONGEST_URI) return undefined
  const metadata = given.startsWith('{') ? jsonObject(given) : embeddedMetadata(given)
  if (metadata !== undefined) return { kind: 'metadata', metadata }
  const url = webUrl(given, gateway)
  return url !== undefined && HTTP.test(url) ? { kind: 'document', url } : undefined
}

/** ERC-1155: replaces `{id}` by the id in 64 hexadecimal digits, in the URI and in the metadata. */
export const withId = (text: string, id: bigint): string => text.replaceAll('{id}', id.toString(16).padStart(64, '0'))

/** The URL for browsers: IPFS through the gateway, if there is one, Arweave through its own. */
export function webUrl(uri: string, gateway: string | undefined): string | undefined {
  const [, ipfs] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/is.exec(uri) ?? (BARE_CID.test(uri) ? ['', uri] : [])
  if (ipfs !== undefined) return gateway === undefined ? undefined : throughGateway(ipfs, gateway)
  const [, arweave] = /^ar:\/\/(.+)$/is.exec(uri) ?? []
  return arweave === undefined ? uri : `https://arweave.net/${arweave}`
}

/** URL prefix of a gateway's files; the gateway may be given with or without `/ipfs/`. */
export const ipfsRoot = (gateway: string): string => `${gateway.replace(/\/+$/, '').replace(/\/ipfs$/, '')}/ipfs/`

/** The URL of an IPFS path at a gateway (`https://ipfs.io`); undefined if it would leave `/ipfs/`. */
function throughGateway(path: string, gateway: string): string | undefined {
  const base = ipfsRoot(gateway)
  const url = urlOf(`${base}${path}`)
  return url?.href.startsWith(`${base}${path.split(/[/?#]/, 1)[0]}`) ? url.href : undefined
}

/** The parsed URL; undefined if it is invalid. */
export const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** The JSON object in a text; undefined for other texts. */
export function jsonObject(text: string): Metadata | undefined {
  try {
    const found: unknown = JSON.parse(text)
    return isObject(found) ? found : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The metadata in a data URI: JSON, or the picture itself. */
function embeddedMetadata(uri: string): Metadata | undefined {
  const data = decodeDataUri(uri)
  if (data === undefined) return undefined
  if (data.type.startsWith('image/')) return { image: uri }
  return jsonObject(Buffer.from(data.bytes).toString('utf8'))
}

export type DataUri = { readonly type: string; readonly bytes: Uint8Array }

/** Media type and content of a data URI (RFC 2397); undefined for other URIs. */
export function decodeDataUri(uri: string): DataUri | undefined {
  const [head, type = '', parameters = ''] = DATA_URI.exec(uri) ?? []
  if (head === undefined) return undefined
  const data = uri.slice(head.length)
  const isBase64 = /;\s*base64$/i.test(parameters)
  const bytes = isBase64 ? Buffer.from(percentDecoded(data), 'base64') : Buffer.from(percentDecoded(data))
  return { type: type.trim().toLowerCase(), bytes }
}

/** Many contracts do not percent-encode their text: text that is no valid percent-encoding is returned as it is. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
