// One GET for a document of the web whose URL comes from a contract or from the operator. Only public addresses are called. They
// are checked when the connection is made and again for each redirect, so that no name can lead to a machine of the node's own
// network. No cookies, no credentials, no compression; time, size and content type are limited.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { checkedLookup, type Dialer, resolveHost } from '../../lib/checked-lookup.ts'
import { isPublicAddress } from './public-address.ts'

export type WebDocument = { readonly url: string; readonly type: string; readonly text: string }

/** Why a document is not available; the message is for the operator's log. */
export class NoDocument extends Error {
  override readonly name = 'NoDocument'
  /** The status of the answer; undefined: there was none. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

export type DocumentLimits = { readonly bytes: number; readonly time: number; readonly redirects: number }

/** 2 MB, 15 seconds in total, three redirects. */
export const defaultDocumentLimits: DocumentLimits = { bytes: 2 << 20, time: 15_000, redirects: 3 }

const internet: Dialer = { resolve: resolveHost, isAllowed: isPublicAddress }

/** Content types of metadata; plain file servers use others than JSON. */
const TEXT = /^(?:application\/(?:[\w.+-]*json|octet-stream)|text\/(?:plain|json)|binary\/octet-stream|)$/
const PICTURE = /^(?:image|video|audio)\/[\w.+-]+$/
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

/** URL prefix of the operator's own gateway, which may be a private address. Its redirects are not trusted. */
type Trusted = string | undefined

export class DocumentRequests {
  readonly #agent: string
  readonly #trusted: Trusted
  readonly #limits: DocumentLimits
  readonly #dialer: Dialer

  constructor(agent: string, trusted?: Trusted, limits = defaultDocumentLimits, dialer = internet) {
    this.#agent = agent
    this.#trusted = trusted
    this.#limits = limits
    this.#dialer = dialer
  }

  /** The document; for a picture only URL and type. Throws NoDocument. */
  async get(url: string, signal: AbortSignal): Promise<WebDocument> {
    const ends = AbortSignal.any([signal, AbortSignal.timeout(this.#limits.time)])
    let next = requireUrl(url)
    for (let hop = 0; hop <= this.#limits.redirects; hop++) {
      const response = await this.#send(next, ends, hop === 0 && this.#isTrusted(next))
      const { statusCode, headers } = response
      if (!REDIRECTS.includes(statusCode) || headers.location === undefined) return this.#read(response, next)
      response.destroy()
      next = requireUrl(new URL(headers.location, next).href)
    }
    throw new NoDocument(`more than ${this.#limits.redirects} redirects`)
  }

  #isTrusted({ href }: URL): boolean {
    return this.#trusted !== undefined && href.startsWith(this.#trusted)
  }

  #send(url: URL, signal: AbortSignal, isTrusted: boolean): Promise<IncomingMessage> {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const isAllowed = (address: string) => isTrusted || this.#dialer.isAllowed(address)
    // The resolver is not called for addresses, so they are checked here.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new NoDocument(isPrivate(host))
    const headers = { accept: 'application/json, */*;q=0.5', 'accept-encoding': 'identity', 'user-agent': this.#agent }
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(error instanceof NoDocument ? error : new NoDocument(error.message))
      const lookup = checkedLookup({ ...this.#dialer, isAllowed }, isPrivate)
      request(url, { agent: false, headers, lookup, signal }, resolve).on('error', fail).end()
    })
  }

  async #read(response: IncomingMessage, url: URL): Promise<WebDocument> {
    const { statusCode, headers } = response
    const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
    const refusal = refusalOf(statusCode, type, headers['content-encoding'])
    if (refusal !== undefined || PICTURE.test(type)) {
      response.destroy()
      if (refusal !== undefined) throw new NoDocument(refusal, statusCode)
      return { url: url.href, type, text: '' }
    }
    const chunks: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of response) {
        size += chunk.length
        if (size > this.#limits.bytes) throw new NoDocument(`more than ${this.#limits.bytes} bytes`, statusCode)
        chunks.push(chunk)
      }
    } catch (error) {
      throw error instanceof NoDocument ? error : new NoDocument(String(error))
    }
    return { url: url.href, type, text: Buffer.concat(chunks).toString('utf8') }
  }
}

const isPrivate = (host: string): string => `${host} is not a public address`

function refusalOf(status: number | undefined, type: string, encoding: string | undefined): string | undefined {
  if (status !== 200) return `status ${status}`
  if (encoding !== undefined && encoding !== 'identity') return `content encoding ${encoding}`
  return TEXT.test(type) || PICTURE.test(type) ? undefined : `content type ${type}`
}

/** A URL that may be requested: http(s) without credentials, on the default ports or above 1024. Throws NoDocument. */
function requireUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new NoDocument('not an http(s) URL')
  if (url.username !== '' || url.password !== '') throw new NoDocument('a URL with credentials')
  if (!['', '80', '443'].includes(url.port) && Number(url.port) < 1024) throw new NoDocument(`port ${url.port}`)
  return url
}
