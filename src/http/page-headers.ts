// Security headers of HTML pages. The pages have the same origin as JSON-RPC, so a third-party script or frame in one of them
// could call the node.
import type { FastifyReply } from 'fastify'

/** `media`: CSP sources of images, video and audio besides the node itself and data URIs, for example `https:`. */
const headers = (media: readonly string[]) => ({
  // Live updates use a WebSocket of the same origin.
  'content-security-policy': [
    "default-src 'self'",
    ["img-src 'self' data:", ...media].join(' '),
    ["media-src 'self' data:", ...media].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
})

/** Sends HTML, which must not have inline scripts, nor load files of other sites except media of the given sources. */
export const sendPage = (reply: FastifyReply, html: string, media: readonly string[] = []): FastifyReply =>
  reply.headers(headers(media)).type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(html)
