// Limits of request bodies on all routes: bytes are counted as they arrive, against the limit of the route and one budget of
// the node; JSON is bounded before it is parsed. Hook and parser are at the root of the server, so new routes have them too.
import { pipeline, Transform, type TransformCallback } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isBoundedJson, JSON_BOUNDS } from '../lib/bounded-json.ts'
import { Budget } from '../lib/budget.ts'
import type { ClientOf } from './clients.ts'
import { RequestRefused } from './request-refused.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * For a route with a `bodyLimit` above the server's: a body may exceed the server's limit only if its URL or its first
     * 16 KB match this. Left out: any body may.
     */
    largeBody?: RegExp
  }
}

/** Most bytes of bodies in memory, of all clients and of one. Strings and values parsed from them take several times more. */
const MAX_BODIES = 128 * 1024 * 1024
const MAX_BODIES_OF_CLIENT = MAX_BODIES / 4

/** Bodies with at most this content length are not counted: with 10,000 connections they take at most 160 MB. */
const SMALL_BODY = 16 * 1024
/** Leading characters of a body that `largeBody` is matched against. */
const HEAD = 16 * 1024

/** The budget of bytes of bodies in memory. */
export const bodyBudget = (): Budget => new Budget(MAX_BODIES, MAX_BODIES_OF_CLIENT)

/** Bounds the bodies of all routes. Call it before adding routes. */
export function boundBodies(app: FastifyInstance, budget: Budget, clientOf: ClientOf): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > request.routeOptions.bodyLimit) throw tooLarge(request.routeOptions.bodyLimit)
    const isChunked = request.headers['transfer-encoding'] !== undefined
    if (!isChunked && announced <= SMALL_BODY) return payload
    const body = new CountedBody(request, budget, clientOf(request.ip), app.initialConfig.bodyLimit ?? Infinity)
    // `finish` comes with a complete response, `close` alone when the client disconnects.
    reply.raw.once('finish', body.release).once('close', body.release)
    // Fastify handles the error, which the body emits too.
    return pipeline(payload, body, () => undefined)
  })
  app.removeContentTypeParser('application/json')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Clients in browsers send an empty body with the content type JSON.
    if (body === '') done(null, undefined)
    else if (isBoundedJson(body.toString())) parse(request, body.toString(), done)
    else done(new RequestRefused(413, `the body is too large, want ${JSON_BOUNDS}`))
  })
}

const tooLarge = (limit: number): RequestRefused =>
  new RequestRefused(413, `the body is too large, want at most ${limit} bytes`)

/** Forwards the bytes of a body, and fails with a RequestRefused when they exceed a limit. */
class CountedBody extends Transform {
  readonly #budget: Budget
  readonly #client: string | undefined
  readonly #largeBody: RegExp | undefined
  #usualLimit: number
  #limit: number
  #head: string
  #bytes = 0

  /** `usualLimit`: most bytes of a body that `largeBody` does not match. */
  constructor({ routeOptions, url }: FastifyRequest, budget: Budget, client: string | undefined, usualLimit: number) {
    super()
    this.#budget = budget
    this.#client = client
    this.#limit = routeOptions.bodyLimit
    this.#largeBody = routeOptions.config.largeBody
    this.#usualLimit = usualLimit
    this.#head = url
  }

  /** Returns the bytes to the budget; later bytes are refused. */
  readonly release = (): void => {
    this.#budget.give(this.#bytes, this.#client)
    this.#bytes = 0
    this.#limit = 0
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const refusal = this.#take(chunk)
    if (refusal === undefined) done(null, chunk)
    else done(refusal)
  }

  #take(chunk: Buffer): RequestRefused | undefined {
    const bytes = this.#bytes + chunk.length
    if (this.#head.length < HEAD) this.#head += chunk.toString('latin1', 0, HEAD)
    if (bytes > this.#limit) return tooLarge(this.#limit)
    if (bytes > this.#usualLimit) {
      if (this.#largeBody?.test(this.#head) === false) return tooLarge(this.#usualLimit)
      this.#usualLimit = Number.POSITIVE_INFINITY
    }
    if (!this.#budget.take(chunk.length, this.#client)) {
      return new RequestRefused(503, 'too many bytes of requests are in memory; try again later')
    }
    this.#bytes = bytes
    return undefined
  }
}
