// Security headers of HTML pages. The pages have the same origin as JSON-RPC, so a foreign script or frame in one of them could
// call the node.
import type { FastifyReply } from 'fastify'

const HEADERS = {
  // Pages show token images, videos and sounds, whose URLs come from contracts. Live updates use a WebSocket of the same origin.
  'content-security-policy': [
    "default-src 'self'",
    "img-src 'self' https: data:",
    "media-src 'self' https: data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
}

/** Sends HTML, which must not have inline scripts or files of other sites. */
export const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply.headers(HEADERS).type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(html)
