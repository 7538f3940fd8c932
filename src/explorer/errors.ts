// Errors of the explorer API: one body for each status, with the texts that Blockscout's clients expect.
import type { z } from 'zod'
import { ChainError, shownError } from '../lib/errors.ts'

export type ErrorBody = Readonly<Record<string, unknown>> & { readonly message: string }

/** Thrown by a handler to answer with a status other than 200. */
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

/** 422 with a general message and the error of each parameter: clients read one or the other. */
export function invalidParameter(name: string, detail: string): ExplorerError {
  return invalid([{ name, detail }])
}

export function invalid(faults: readonly { readonly name: string; readonly detail: string }[]): ExplorerError {
  return new ExplorerError(422, {
    message: 'Invalid parameter(s)',
    errors: faults.map(({ name, detail }) => ({ title: 'Invalid value', source: { pointer: `/${name}` }, detail })),
  })
}

/** 422 with an error for each issue that a schema found. */
export function invalidInput(error: z.ZodError): ExplorerError {
  return invalid(error.issues.map(({ path, message }) => ({ name: path.map(String).join('/'), detail: message })))
}

const INTERNAL: ErrorBody = { message: 'Internal server error' }

/** Status and body for any error. `isFault`: an internal error, which must be logged. */
export function errorAnswer(thrown: unknown): { status: number; body: ErrorBody; isFault: boolean } {
  const error = shownError(thrown)
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

/** The result; undefined if it needs a pruned state, so that the rest of the answer can be given without it. */
export async function undefinedIfPruned<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ChainError && error.code === 'state-not-available') return undefined
    throw error
  }
}
