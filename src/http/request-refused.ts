// The error of a request that is refused before it runs. Each face answers it in its own format.
import type { FastifyReply } from 'fastify'

/**
 * 400: malformed. 403: origin or host not allowed. 413: the body has too many bytes, fields or values. 503: too many bytes of
 * other requests are in memory; the client may retry.
 */
export type RefusalStatus = 400 | 403 | 413 | 503

export class RequestRefused extends Error {
  readonly statusCode: RefusalStatus

  constructor(statusCode: RefusalStatus, message: string) {
    super(message)
    this.name = 'RequestRefused'
    this.statusCode = statusCode
  }
}

/** Seconds after which a request refused with 503 may be sent again. */
const RETRY_AFTER = 5

/** Sets the response status of a refused request, and Retry-After. */
export function refusalHead(reply: FastifyReply, { statusCode }: RequestRefused): FastifyReply {
  if (statusCode === 503) reply.header('retry-after', RETRY_AFTER)
  return reply.code(statusCode)
}
