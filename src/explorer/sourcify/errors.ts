// Errors of the Sourcify API: version 2 has a code for programs and an id, version 1 a text under two names.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type RefusalStatus, RequestRefused } from '../../http/request-refused.ts'
import { ChainError } from '../../lib/errors.ts'

export type ErrorCode =
  | 'already_verified'
  | 'forbidden'
  | 'internal_error'
  | 'invalid_json'
  | 'invalid_parameter'
  | 'job_not_found'
  | 'not_found'
  | 'route_not_found'
  | 'too_many_requests'
  | 'unsupported_chain'

/** Thrown to answer with a status other than 200. */
export class SourcifyError extends Error {
  readonly status: number
  readonly code: ErrorCode

  constructor(status: number, code: ErrorCode, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export const invalidParameter = (message: string): SourcifyError => new SourcifyError(400, 'invalid_parameter', message)

/** The parsed value. Throws SourcifyError if it does not match the schema. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw invalidParameter(`${issue?.path.join('.')}: ${issue?.message}`)
}

const REFUSALS: Readonly<Record<RefusalStatus, ErrorCode>> = {
  400: 'invalid_parameter',
  403: 'forbidden',
  413: 'invalid_parameter',
  503: 'too_many_requests',
}

const fastifyError = z.object({ statusCode: z.number(), code: z.string().optional() })

/** Converts an error to one of this API; undefined for an internal error. */
export function sourcifyError(error: unknown): SourcifyError | undefined {
  if (error instanceof SourcifyError) return error
  if (error instanceof RequestRefused)
    return new SourcifyError(error.statusCode, REFUSALS[error.statusCode], error.message)
  if (error instanceof ChainError) {
    if (error.code === 'limit-exceeded') return new SourcifyError(429, 'too_many_requests', error.message)
    if (error.code === 'overloaded' || error.code === 'cancelled' || error.code === 'disk-failure')
      return new SourcifyError(503, 'internal_error', error.message)
    return invalidParameter(error.message)
  }
  // Fastify's own errors have a status and a code.
  const { statusCode: status, code } = fastifyError.safeParse(error).data ?? {}
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return new SourcifyError(400, 'invalid_json', 'the body is no JSON')
  if (status !== undefined && status >= 400 && status < 500)
    return new SourcifyError(status, 'invalid_parameter', 'the request cannot be read')
  return undefined
}

/** The body of an error in version 2. */
export const errorBody = ({ code, message }: { readonly code: string; readonly message: string }) => ({
  customCode: code,
  message,
  errorId: randomUUID(),
})

/** The body of an error in version 1. */
export const legacyErrorBody = (message: string) => ({ error: message, message })
