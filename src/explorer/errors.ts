// How the explorer API says no: one body for each status, in the words that its clients know.
import type { z } from 'zod'
import { ChainError } from '../lib/errors.ts'

export type ErrorBody = Readonly<Record<string, unknown>> & { readonly message: string }

/** An answer other than 200 that a handler has decided on. */
export class ExplorerError extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.name = 'ExplorerError'
    this.status = status
    this.body = body
  }
}

export const notFound = (): ExplorerError => new ExplorerError(404, { message: 'Not found' })
export const badRequest = (message: string): ExplorerError => new ExplorerError(400, { message })

/** 422 in both forms that clients know: the general message, and what is wrong with which parameter. */
export function invalidParameter(name: string, detail: string): ExplorerError {
  return invalid([{ name, detail }])
}

export function invalid(faults: readonly { readonly name: string; readonly detail: string }[]): ExplorerError {
  return new ExplorerError(422, {
    message: 'Invalid parameter(s)',
    errors: faults.map(({ name, detail }) => ({ title: 'Invalid value', source: { pointer: `/${name}` }, detail })),
  })
}

/** What zod found wrong, told of the parameter it concerns. */
export function invalidInput(error: z.ZodError): ExplorerError {
  return invalid(error.issues.map(({ path, message }) => ({ name: path.map(String).join('/'), detail: message })))
}

const INTERNAL: ErrorBody = { message: 'Internal server error' }

/** Status and body of any failure; `isFault` when it is ours and belongs in the log. */
export function answerOf(error: unknown): { status: number; body: ErrorBody; isFault: boolean } {
  if (error instanceof ExplorerError) return { status: error.status, body: error.body, isFault: false }
  if (error instanceof ChainError) {
    const { code, message } = error
    if (code === 'not-found' || code === 'header-not-found')
      return { ...notFound(), body: notFound().body, isFault: false }
    if (code === 'invalid-params' || code === 'limit-exceeded')
      return { status: 422, body: { message }, isFault: false }
    if (code === 'state-not-available') return { status: 404, body: { message }, isFault: false }
    if (code === 'disk-failure' || code === 'overloaded' || code === 'cancelled')
      return { status: 503, body: { message }, isFault: false }
  }
  return { status: 500, body: INTERNAL, isFault: true }
}
