// Access control for browsers by two headers: Origin (RFC 6454) is the page that sends the request, Host the name that it used
// for this node. One hook at the root of the server checks both before a request runs: CORS alone only hides the response from
// the page, and a page whose DNS name resolves to this machine (DNS rebinding) passes all checks of the browser.
import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { RequestRefused } from './request-refused.ts'

/** In a list of origins: pages of this machine, and browser extensions. */
export const LOCAL = 'local'
/** In a list of origins or hosts: any. */
export const ANY = '*'

export type AccessOptions = {
  /** Allowed origins in lower case: `scheme://host[:port]`, `null`, `local`, `*`. */
  readonly origins: readonly string[]
  /** Allowed host names in lower case, besides IP addresses and `localhost`, which always are; `*` allows any. */
  readonly hosts: readonly string[]
}

/** The header that a request is refused for. */
export type Denial = 'host' | 'origin'

/** Checks the headers of a request; undefined when it is allowed. */
export type Access = (origin: string | undefined, host: string | undefined) => Denial | undefined

const LOCAL_PAGE = /^https?:\/\/(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/
/** Extensions are allowed, because the user has permitted them to call other sites; wallets are extensions. */
const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\//
const LOCAL_NAME = /^(?:localhost|[a-z0-9.-]+\.localhost)$/

/**
 * The allowed origins: the listed ones, else pages of this machine and extensions. With an unlocked keystore account the
 * default is none, because any page could sign with it.
 */
export const originsOf = (listed: readonly string[] | undefined, hasKeystoreKeys: boolean): readonly string[] =>
  listed ?? (hasKeystoreKeys ? [] : [LOCAL])

/**
 * Returns the check. A request without Origin does not come from a page, and one without Host is HTTP/1.0, which no browser
 * uses; both are allowed. An origin that equals the host is allowed, because the host was checked first.
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
  // Cache the last result: consecutive requests mostly have the same headers.
  let last: { origin?: string | undefined; host?: string | undefined; denial?: Denial | undefined } = {}
  return (origin, host) => {
    if (origin !== last.origin || host !== last.host) last = { origin, host, denial: judge(origin, host) }
    return last.denial
  }
}

/** A host without its port and without the trailing dot of a fully qualified name. */
const nameOf = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '')

const isAddress = (name: string): boolean =>
  isIPv4(name) || (name.startsWith('[') && name.endsWith(']') && isIPv6(name.slice(1, -1)))

const REASONS: Readonly<Record<Denial, string>> = {
  host: 'the node may not be called under this host name (--hosts names those that it may)',
  origin: 'web pages of this origin may not call the node (--cors-origins lists those that may)',
}

type Log = (facts: { readonly origin: string | undefined; readonly host: string | undefined }, message: string) => void

/**
 * Adds the hook that checks every HTTP request and WebSocket handshake, and the CORS headers of allowed ones. Call it after
 * registering @fastify/websocket, whose hook marks handshakes, and before all routes. `log` receives refusals.
 */
export function addAccessGuard(app: FastifyInstance, access: Access, log: Log): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin, host, 'access-control-request-private-network': isPrivate } = request.headers
    reply.header('x-content-type-options', 'nosniff')
    // With several Host headers a proxy might use another one than the node (RFC 9112, 3.2).
    const hosts = request.raw.rawHeaders.filter((word, index) => index % 2 === 0 && word.toLowerCase() === 'host')
    if (hosts.length > 1) throw new RequestRefused(400, 'the request has more than one Host')
    const denial = access(origin, host)
    if (denial !== undefined) {
      log({ origin, host }, `request refused: ${REASONS[denial]}`)
      throw new RequestRefused(403, REASONS[denial])
    }
    // Chrome's preflight for a public page that calls a private address (Private Network Access).
    if (isPrivate !== undefined) reply.header('access-control-allow-private-network', 'true')
  })
  // Refused origins do not get here, so every origin is reflected.
  app.register(import('@fastify/cors'), {
    origin: true,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'OPTIONS'],
    maxAge: 86_400,
  })
}
