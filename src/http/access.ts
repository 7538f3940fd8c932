// Which requests are answered at all, by what a browser says of itself: Origin (RFC 6454) names the page that asks, Host the
// name under which it reached this node. Both are checked before anything runs: CORS alone only hides the answer, and a page
// whose DNS name is pointed at this machine ("DNS rebinding") passes every check of the browser.
import { isIPv4, isIPv6 } from 'node:net'
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** Pages of this machine and browser extensions, as one word in a list of origins. */
export const LOCAL = 'local'
/** Any origin, or any host. */
export const ANY = '*'

export type AccessOptions = {
  /** Origins that may call, in lower case: `scheme://host[:port]`, `null`, `local`, `*`. */
  readonly origins: readonly string[]
  /** Names under which the node may be called besides IP addresses and `localhost`, in lower case; `*` is any. */
  readonly hosts: readonly string[]
}

/** What is not allowed of a request. */
export type Denial = 'host' | 'origin'

/** Judges the headers of a request; undefined: it may run. */
export type Access = (origin: string | undefined, host: string | undefined) => Denial | undefined

const LOCAL_PAGE = /^https?:\/\/(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/
/** A user has given an extension the right to call other sites; wallets call the node from such an origin. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\//
const LOCAL_NAME = /^(?:localhost|[a-z0-9.-]+\.localhost)$/

/**
 * The origins that count: those that were listed, else pages of this machine and extensions. With an unlocked keystore
 * account the default is none, because a page could have it sign.
 */
export const originsOf = (listed: readonly string[] | undefined, hasKeystoreKeys: boolean): readonly string[] =>
  listed ?? (hasKeystoreKeys ? [] : [LOCAL])

/**
 * The rules as one function. A request without Origin is not a page's; one without Host is HTTP/1.0, which no browser speaks.
 * The page's own origin is allowed when it is the host that was called, which was checked first.
 */
export function accessOf({ origins, hosts }: AccessOptions): Access {
  const listed = new Set(origins)
  const names = new Set(hosts)
  const isHost = (host: string) => {
    const name = nameOf(host)
    return isAddress(name) || LOCAL_NAME.test(name) || names.has(name)
  }
  const isOrigin = (origin: string, host: string) =>
    listed.has(origin) ||
    origin === `http://${host}` ||
    origin === `https://${host}` ||
    (listed.has(LOCAL) && (LOCAL_PAGE.test(origin) || EXTENSION.test(origin)))
  const judge: Access = (givenOrigin, givenHost) => {
    const host = givenHost?.toLowerCase()
    if (host !== undefined && !names.has(ANY) && !isHost(host)) return 'host'
    if (givenOrigin === undefined || listed.has(ANY)) return undefined
    return isOrigin(givenOrigin.toLowerCase(), host ?? '') ? undefined : 'origin'
  }
  // Most requests say the same as the one before.
  let last: { origin?: string | undefined; host?: string | undefined; denial?: Denial | undefined } = {}
  return (origin, host) => {
    if (origin !== last.origin || host !== last.host) last = { origin, host, denial: judge(origin, host) }
    return last.denial
  }
}

/** A host without its port, and without the dot that ends a full name. */
const nameOf = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '')

const isAddress = (name: string): boolean =>
  isIPv4(name) || (name.startsWith('[') && name.endsWith(']') && isIPv6(name.slice(1, -1)))

const REASONS: Readonly<Record<Denial, string>> = {
  host: 'the node may not be called under this host name (--hosts names those that it may)',
  origin: 'web pages of this origin may not call the node (--cors-origins lists those that may)',
}

/** A request that was refused before anything of it ran; each face answers it in its own shape, with the status. */
export class AccessDenied extends Error {
  readonly statusCode: 400 | 403

  constructor(statusCode: 400 | 403, message: string) {
    super(message)
    this.name = 'AccessDenied'
    this.statusCode = statusCode
  }
}

type Log = (facts: { readonly origin: string | undefined; readonly host: string | undefined }, message: string) => void

/**
 * Adds the guard. It has to come after @fastify/websocket, whose own hook marks handshakes, and before every face.
 * `log` is told what was refused.
 */
export function addAccessGuard(app: FastifyInstance, access: Access, log: Log): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin, host, 'access-control-request-private-network': isPrivate } = request.headers
    reply.header('x-content-type-options', 'nosniff')
    // A proxy and the node could each take another Host header for the right one (RFC 9112, 3.2).
    const hosts = request.raw.rawHeaders.filter((word, index) => index % 2 === 0 && word.toLowerCase() === 'host')
    if (hosts.length > 1) throw new AccessDenied(400, 'the request has more than one Host')
    const denial = access(origin, host)
    if (denial !== undefined) {
      log({ origin, host }, `request refused: ${REASONS[denial]}`)
      throw new AccessDenied(403, REASONS[denial])
    }
    // Chrome asks before a public page calls a private address (Private Network Access).
    if (isPrivate !== undefined) reply.header('access-control-allow-private-network', 'true')
  })
  // Only allowed origins come this far: each is answered with its own name.
  app.register(cors, { origin: true, methods: ['GET', 'HEAD', 'POST', 'PATCH', 'OPTIONS'], maxAge: 86_400 })
}
