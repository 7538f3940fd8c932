// Headers of answers that are pages. Pages share their origin with JSON-RPC: a script or a frame of others in them could call
// the node as they can.
import type { FastifyReply } from 'fastify'

const HEADERS = {
  // Pages show pictures of tokens, whose addresses come from contracts; live updates are a WebSocket of the same origin.
  'content-security-policy': [
    "default-src 'self'",
    "img-src 'self' https: data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
}

/** Sends HTML that has neither inline scripts nor files of other sites. */
export const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply.headers(HEADERS).type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(html)
