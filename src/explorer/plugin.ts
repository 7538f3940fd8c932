// The explorer API as a Fastify plugin under /api/v2. Every answer is JSON, including errors.
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { RequestRefused, refusalHead } from '../http/request-refused.ts'
import { connectionSignal } from '../lib/connection-signal.ts'
import { completely, openContext, withSources } from './context.ts'
import { csvStream } from './csv.ts'
import type { ExplorerRoute, MediaFile } from './define.ts'
import { documentation } from './documentation.ts'
import { badRequest, errorAnswer, invalidInput } from './errors.ts'
import type { Explorer } from './explorer.ts'
import { routes } from './routes/index.ts'
import { acceptForms } from './uploads.ts'

const UNKNOWN_PATH = { message: 'Unknown API v2 action' }

/** Registers every route of the registry, and its documentation. Register it with the prefix /api/v2. */
export async function explorerPlugin(
  app: FastifyInstance,
  { explorer }: { readonly explorer: Explorer },
): Promise<void> {
  acceptForms(app)
  answerErrors(app, explorer)
  app.setNotFoundHandler((_request, reply) => sendJson(reply.code(400), UNKNOWN_PATH))
  for (const route of routes) mount(app, explorer, route)
  await app.register(documentation, { routes, version: explorer.options.version })
}

/** Answers errors of an instance's routes as JSON with the matching status. */
export const answerErrors = (app: FastifyInstance, explorer: Explorer): void => {
  app.setErrorHandler((error, request, reply) => sendError(explorer, error, request, reply))
}

/** Serves a route below the prefix of an instance. */
export function mount(app: FastifyInstance, explorer: Explorer, route: ExplorerRoute): void {
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
    handler: (request, reply) => answerRoute(explorer, route, request, reply),
  })
}

/** Answers a request by a route. `params` defaults to the path's parameters. */
export async function answerRoute(
  explorer: Explorer,
  route: ExplorerRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  params: unknown = request.params,
): Promise<FastifyReply> {
  const input = {
    params: parse(route.params, params),
    query: parse(route.query, present(request.query)),
    body: parse(route.body, request.body),
  }
  const requester = { headers: request.headers, client: request.ip }
  const { context, close } = await openContext(explorer, requester, connectionSignal(request.raw.socket))
  let isStreaming = false
  try {
    if (route.produces === 'application/json') {
      const run = route.method === 'GET' ? withSources : completely
      const answer = await run(context, (within) => route.handle(input, within))
      return sendWithTag(request, reply, JSON.stringify(answer))
    }
    if (route.produces === 'image/*')
      return sendMedia(reply, await completely(context, (within) => route.media(input, within)))
    const stream = csvStream(await completely(context, (within) => route.table(input, within)))
    stream.once('close', () => void close())
    isStreaming = true
    return sendFile(reply, route.path, stream)
  } finally {
    if (!isStreaming) await close()
  }
}

/** Drawings are SVG, which may contain scripts: opened as a page, one can neither run them nor load anything. */
const MEDIA_HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=60',
}

const sendMedia = (reply: FastifyReply, { type, bytes }: MediaFile): FastifyReply =>
  reply.headers(MEDIA_HEADERS).type(type).send(bytes)

/** `token-transfers.csv` for `/addresses/{address_hash_param}/token-transfers/csv`. */
function sendFile(reply: FastifyReply, path: string, stream: Readable): FastifyReply {
  const name = path.split('/').at(-2) ?? 'export'
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .header('cache-control', 'no-store')
    .send(stream)
}

const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

/** The query without empty values; for a repeated name the last value counts. */
function present(query: unknown): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(query ?? {})) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value
    if (typeof last === 'string' && last !== '' && name !== '__proto__') found[name] = last
  }
  return found
}

/** Whether the list of an `If-None-Match` header (RFC 9110) contains a tag. */
const hasTag = (tags: string | undefined, tag: string): boolean =>
  (tags ?? '').split(',').some((each) => each.trim() === tag || each.trim() === '*')

/** Sends an answer that may be cached for a second, or 304 to a client that already has it. */
function sendWithTag(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const tag = `W/"${createHash('sha1').update(text).digest('base64url')}"`
  reply.header('etag', tag).header('cache-control', 'public, max-age=1').header('vary', 'Origin, updated-gas-oracle')
  if (request.method === 'GET' && hasTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return sendText(reply, text)
}

function sendError(explorer: Explorer, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RequestRefused) return sendJson(refusalHead(reply, error), { message: error.message })
  // Fastify's own errors (an unparsable body, an undecodable path) have a status.
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined
  const isRefused = typeof status === 'number' && status >= 400 && status < 500
  const { status: code, body, isFault } = errorAnswer(isRefused ? badRequest('Bad request') : error)
  if (isFault) explorer.log.error({ err: error, url: request.url }, 'explorer request failed')
  return sendJson(reply.code(code), body)
}

/** Answers a URL that cannot be decoded and therefore has no route. */
export const refuseExplorerUrl = (reply: FastifyReply): FastifyReply =>
  sendJson(reply.code(400), { message: 'Bad request' })

const sendJson = (reply: FastifyReply, value: unknown) => sendText(reply, JSON.stringify(value))
const sendText = (reply: FastifyReply, text: string) => reply.type('application/json; charset=utf-8').send(text)
