// Sourcify's API (docs.sourcify.dev) for this chain, under /sourcify: version 2, version 1 for older clients, and the
// repository of verified files. Foundry and Hardhat verify with Sourcify by default. The contracts are those verified by the
// explorer; no other server is called.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { RequestRefused, refusalHead } from '../../http/request-refused.ts'
import { connectionSignal } from '../../lib/connection-signal.ts'
import { withContext } from '../context.ts'
import type { Explorer } from '../explorer.ts'
import { acceptForms } from '../uploads.ts'
import { type SourcifyAnswer, type SourcifyRequest, unknownChain } from './define.ts'
import { errorBody, legacyErrorBody, parsed, SourcifyError, sourcifyError } from './errors.ts'
import { legacyRoutes } from './legacy.ts'
import { lookupRoutes } from './lookup.ts'
import { repositoryRoutes } from './repository.ts'
import { verificationRoutes } from './verify.ts'

const ROUTES = [...verificationRoutes, ...lookupRoutes, ...legacyRoutes, ...repositoryRoutes]

/** Registers every route. Register it with the prefix /sourcify. */
export async function sourcifyApi(app: FastifyInstance, { explorer }: { readonly explorer: Explorer }): Promise<void> {
  acceptForms(app)
  app.setErrorHandler((error, request, reply) => {
    const refused = sourcifyError(error)
    if (refused === undefined) explorer.log.error({ err: error, url: request.url }, 'Sourcify request failed')
    if (error instanceof RequestRefused) refusalHead(reply, error)
    const { status, code, message } = refused ?? new SourcifyError(500, 'internal_error', 'internal error')
    return reply.code(status).send(isVersion2(request) ? errorBody({ code, message }) : legacyErrorBody(message))
  })
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(errorBody({ code: 'route_not_found', message: 'Unknown path of the Sourcify API' })),
  )
  for (const { method, path, handle, bodyLimit } of ROUTES) {
    const handler = async (request: FastifyRequest, reply: FastifyReply) =>
      send(reply, await handle(requestOf(explorer, request)))
    const options = { method, handler, ...(bodyLimit !== undefined && { bodyLimit }) }
    app.route({ ...options, url: path })
    // Foundry appends paths to the given address, which users write without a trailing slash.
    if (path.startsWith('/v2/')) app.route({ ...options, url: path.slice(1) })
  }
}

const isVersion2 = ({ url }: FastifyRequest): boolean => /^\/sourcify\/?v2\//.test(url)

const texts = z.record(z.string(), z.string())

function requestOf(explorer: Explorer, request: FastifyRequest): SourcifyRequest {
  const { verification, chain } = explorer
  if (verification === undefined) throw new SourcifyError(403, 'forbidden', 'Contracts are not verified on this node')
  const client = request.ip
  const signal = connectionSignal(request.raw.socket)
  const params = parsed(texts, request.params)
  const chainId = chain.spec.chainId.toString()
  if (params.chain !== undefined && params.chain !== chainId) throw unknownChain(params.chain)
  return {
    params,
    query: parsed(texts, request.query),
    body: request.body,
    client,
    signal,
    verification,
    chainId,
    withContext: (use) => withContext(explorer, async (context) => use(context), { headers: {}, client }, signal),
  }
}

function send(reply: FastifyReply, { status = 200, body, type, location }: SourcifyAnswer): FastifyReply {
  if (location !== undefined) return reply.redirect(location)
  reply.code(status)
  return type === undefined ? reply.send(body) : reply.type(type).send(body)
}
