// The error of a request that is refused before it runs. Each face answers it in its own format.
import type { FastifyReply } from 'fastify'

/**
 * 400: it cannot be read. 403: its origin or host may not call. 413: its body has too many bytes, fields or values. 503: too many
 * bytes of other requests are in memory; it may be sent again.
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

/** Seconds after which a request that had no room may be sent again. */
const RETRY_AFTER = 5

/** Sets the status of the answer to a refused request, and when it may be sent again. */
export function refusalHead(reply: FastifyReply, { statusCode }: RequestRefused): FastifyReply {
  if (statusCode === 503) reply.header('retry-after', RETRY_AFTER)
  return reply.code(statusCode)
}
