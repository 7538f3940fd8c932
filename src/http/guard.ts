// The one place where every request over HTTP and every WebSocket handshake is judged: a hook at the root of the server, so
// that no face can be added without it. What it lets pass gets the CORS headers of its origin.
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Access, Denial } from './access.ts'

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
export function guard(app: FastifyInstance, access: Access, log: Log): void {
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
