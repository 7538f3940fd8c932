// Bodies of requests, whatever route they are for: their bytes are counted while they arrive, against the limit of the route and
// against one budget of the whole node; JSON is bounded before it is parsed. The hook and the parser are at the root of the server,
// so that a new route has them too.
import { pipeline, Transform, type TransformCallback } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isBoundedJson, JSON_BOUNDS } from '../lib/bounded-json.ts'
import { Budget } from '../lib/budget.ts'
import type { ClientOf } from './clients.ts'
import { RequestRefused } from './request-refused.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * For a route with a `bodyLimit` above that of the server: a body may be so large only if its URL or its first 16 KB match
     * this. Left out: any may.
     */
    largeBody?: RegExp
  }
}

/** Bytes of bodies that the node holds at a time, and those of one client; texts and values made of them take some times as much. */
const MAX_BODIES = 128 * 1024 * 1024
const MAX_BODIES_OF_CLIENT = MAX_BODIES / 4

/** Bodies that announce at most this many bytes are not counted: with 10,000 connections they take at most 160 MB. */
const SMALL_BODY = 16 * 1024
/** Characters at the beginning of a body in which `largeBody` is looked for. */
const HEAD = 16 * 1024

/** The bytes of bodies that the node holds. */
export const bodyBudget = (): Budget => new Budget(MAX_BODIES, MAX_BODIES_OF_CLIENT)

/** Bounds the bodies of all routes. Call it before any route is added. */
export function boundBodies(app: FastifyInstance, budget: Budget, clientOf: ClientOf): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > request.routeOptions.bodyLimit) throw tooLarge(request.routeOptions.bodyLimit)
    const isChunked = request.headers['transfer-encoding'] !== undefined
    if (!isChunked && announced <= SMALL_BODY) return payload
    const body = new CountedBody(request, budget, clientOf(request.ip), app.initialConfig.bodyLimit ?? Infinity)
    // `finish` for a response that is complete, `close` alone for a client that has gone.
    reply.raw.once('finish', body.release).once('close', body.release)
    // Fastify handles the error, which the body has too.
    return pipeline(payload, body, () => undefined)
  })
  app.removeContentTypeParser('application/json')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Browsers' clients announce JSON and send nothing.
    if (body === '') done(null, undefined)
    else if (isBoundedJson(body.toString())) parse(request, body.toString(), done)
    else done(new RequestRefused(413, `the body is too large, want ${JSON_BOUNDS}`))
  })
}

const tooLarge = (limit: number): RequestRefused =>
  new RequestRefused(413, `the body is too large, want at most ${limit} bytes`)

/** Passes the bytes of a body on, and fails with a RequestRefused at the first one too many. */
class CountedBody extends Transform {
  readonly #budget: Budget
  readonly #client: string | undefined
  readonly #largeBody: RegExp | undefined
  #usualLimit: number
  #limit: number
  #head: string
  #bytes = 0

  /** `usualLimit`: bytes of a body that `largeBody` does not match. */
  constructor({ routeOptions, url }: FastifyRequest, budget: Budget, client: string | undefined, usualLimit: number) {
    super()
    this.#budget = budget
    this.#client = client
    this.#limit = routeOptions.bodyLimit
    this.#largeBody = routeOptions.config.largeBody
    this.#usualLimit = usualLimit
    this.#head = url
  }

  /** Returns the bytes to the budget; those that come afterwards are refused. */
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
