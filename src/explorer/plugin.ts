// The explorer API as one Fastify plugin below /api/v2. Every answer is JSON, also those that say no.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AccessDenied } from '../http/access.ts'
import { connectionSignal } from '../lib/connection-signal.ts'
import { openMoment } from './context.ts'
import type { ExplorerRoute, ExplorerServices } from './define.ts'
import { documentation } from './documentation.ts'
import { answerOf, badRequest, invalidInput } from './errors.ts'
import { acceptForms } from './forms.ts'
import { routes } from './routes/index.ts'
import { waitingIn } from './waiting.ts'

const UNKNOWN_PATH = { message: 'Unknown API v2 action' }

/** Registers the face; the instance is to be mounted with the prefix /api/v2. */
export async function explorerPlugin(app: FastifyInstance, services: ExplorerServices): Promise<void> {
  await acceptForms(app)
  app.setErrorHandler((error, request, reply) => refuse(services, error, request, reply))
  app.setNotFoundHandler((_request, reply) => sendJson(reply.code(400), UNKNOWN_PATH))
  // What is dropped from now on is remembered for a while.
  waitingIn(services.chain)
  for (const route of routes) mount(app, services, route)
  await app.register(documentation, { routes, version: services.options.version })
}

function mount(app: FastifyInstance, services: ExplorerServices, route: ExplorerRoute): void {
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    async handler(request, reply) {
      const input = {
        params: parse(route.params, request.params),
        query: parse(route.query, present(request.query)),
        body: parse(route.body, request.body),
      }
      const asker = { headers: request.headers, client: request.ip }
      const moment = await openMoment(services, asker, connectionSignal(request.raw.socket))
      try {
        const answer = await route.handle(input, moment.context)
        return sendFresh(request, reply, JSON.stringify(answer))
      } finally {
        await moment.close()
      }
    },
  })
}

const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

/** The query without what is empty; of a name that is given twice the last counts. */
function present(query: unknown): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(query ?? {})) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value
    if (typeof last === 'string' && last !== '' && name !== '__proto__') found[name] = last
  }
  return found
}

/** Whether a list of tags (RFC 9110) has this one in it. */
const names = (tags: string | undefined, tag: string): boolean =>
  (tags ?? '').split(',').some((each) => each.trim() === tag || each.trim() === '*')

/** An answer may be kept for a second, and is not sent again to who has it. */
function sendFresh(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const tag = `W/"${createHash('sha1').update(text).digest('base64url')}"`
  reply.header('etag', tag).header('cache-control', 'public, max-age=1').header('vary', 'Origin, updated-gas-oracle')
  if (request.method !== 'POST' && names(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return sendText(reply, text)
}

function refuse(
  services: ExplorerServices,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof AccessDenied) return sendJson(reply.code(error.statusCode), { message: error.message })
  // Fastify's own refusals (a body that cannot be read, a path that cannot be decoded) carry a status.
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined
  const isRefused = typeof status === 'number' && status >= 400 && status < 500
  const { status: code, body, isFault } = answerOf(isRefused ? badRequest('Bad request') : error)
  if (isFault) services.log.error({ err: error, url: request.url }, 'explorer request failed')
  return sendJson(reply.code(code), body)
}

const sendJson = (reply: FastifyReply, value: unknown) => sendText(reply, JSON.stringify(value))
const sendText = (reply: FastifyReply, text: string) => reply.type('application/json; charset=utf-8').send(text)
