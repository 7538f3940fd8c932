// Fastify with all faces, each a plugin with its own scope and its own error body. It answers the requests that are no plain
// JSON-RPC, and is loaded with the first of them (`server.ts`).
import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { etherscanApi, refuseEtherscanUrl } from './explorer/etherscan/plugin.ts'
import type { Explorer } from './explorer/explorer.ts'
import { explorerPlugin, refuseExplorerUrl } from './explorer/plugin.ts'
import { explorerSocket } from './explorer/socket/plugin.ts'
import { sourcifyApi } from './explorer/sourcify/plugin.ts'
import { explorerV1 } from './explorer/v1/plugin.ts'
import { landing, website } from './explorer/website.ts'
import { type Access, type AccessOptions, addAccessGuard } from './http/access.ts'
import { boundBodies } from './http/bodies.ts'
import { compressAnswers } from './http/compression.ts'
import type { ConnectionLimits, Connections } from './http/connections.ts'
import type { Budget } from './lib/budget.ts'
import { type MonitoringFace, serveMonitoring } from './monitoring/plugin.ts'
import type { RpcContext, RpcServices } from './rpc/define.ts'
import { refuseRpcUrl, rpcPlugin } from './rpc/plugin.ts'

/** Maximum characters of a path parameter: as many as Node.js reads in all headers of a request. */
const LONGEST_PARAMETER = 16_384

export type HttpOptions = AccessOptions & ConnectionLimits

/** The faces' options, and the access rules. */
export type Faces = {
  readonly rpc: RpcServices
  readonly explorer: Explorer
  readonly http: HttpOptions
  /** Left out: neither `/health` nor `/metrics`. */
  readonly monitoring?: MonitoringFace
}

type Parts = Faces & {
  readonly server: Server
  readonly connections: Connections
  readonly access: Access
  readonly bodies: Budget
  readonly context: Omit<RpcContext, 'subscriber'>
  /** Closes the server; settles when its connections have ended. */
  readonly stop: () => Promise<void>
}

export type OpenFaces = {
  readonly app: FastifyInstance
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly upgrade: (request: IncomingMessage, socket: Socket, rest: Buffer) => void
}

/** Constructs Fastify around the server. */
export async function openFaces(parts: Parts): Promise<OpenFaces> {
  const { rpc, explorer, http, monitoring, server, connections, access, bodies, context, stop } = parts
  let answer: OpenFaces['answer'] | undefined
  const app = fastify({
    serverFactory(handler) {
      answer = handler
      return server
    },
    // `http/client-errors.ts` answers them.
    clientErrorHandler: () => undefined,
    bodyLimit: rpc.options.maxRequestSize,
    // Without a listed proxy any client could set X-Forwarded-For.
    trustProxy: http.trustedProxies.length > 0 ? [...http.trustedProxies] : false,
    // Let overlong parameters reach the route, which refuses them in its own format.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: (_error, request, reply) => refuseUrl(request, reply),
  })
  boundBodies(app, bodies, connections.clientOf)
  compressAnswers(app)
  const upgrades = new EventEmitter()
  app.register(websocket, {
    // Of the server it uses the event `upgrade` only.
    options: { maxPayload: rpc.options.maxRequestSize, server: upgrades as Server },
    preClose(done) {
      for (const client of this.websocketServer.clients) {
        client.close(1001, 'server is closing')
        setTimeout(() => client.terminate(), 1000).unref()
      }
      this.websocketServer.close()
      done()
    },
    errorHandler: (error, socket) => {
      rpc.log.debug({ err: error }, 'WebSocket failed')
      socket.terminate()
    },
  })
  const { development } = context.options
  const level = development ? 'info' : 'debug'
  app.after(() => {
    app.websocketServer.on('connection', (webSocket, { socket }) => connections.upgraded(socket, webSocket))
    addAccessGuard(app, access, (facts, message) => rpc.log[level](facts, message))
  })
  if (monitoring !== undefined) app.after(() => serveMonitoring(app, monitoring, { connections, bodies }))
  const site = { chain: explorer.chain, options: explorer.options, development }
  app.register(rpcPlugin, { context, landing: landing(site) })
  app.register(explorerPlugin, { explorer, prefix: '/api/v2' })
  app.register(explorerV1, { explorer, prefix: '/api/v1' })
  app.register(etherscanApi, { explorer, prefix: '/api' })
  app.register(etherscanApi, { explorer, prefix: '/v2/api' })
  app.register(sourcifyApi, { explorer, prefix: '/sourcify' })
  app.register(explorerSocket, { explorer })
  app.register(website, { site })
  // After the hook that closes the WebSockets, and before the faces close.
  app.after(() => app.addHook('preClose', stop))
  await app.ready()
  if (answer === undefined) throw new Error('Fastify took no server')
  return { app, answer, upgrade: (...handshake) => upgrades.emit('upgrade', ...handshake) }
}

/** A URL that cannot be decoded has no route; the face with the matching prefix answers in its own format. */
function refuseUrl({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isBelow = (prefix: string) =>
    url === prefix || (/^[/?]/.test(url.slice(prefix.length)) && url.startsWith(prefix))
  if (isBelow('/api/v2') || isBelow('/api/v1')) return refuseExplorerUrl(reply)
  if (isBelow('/api') || isBelow('/v2/api')) return refuseEtherscanUrl(reply)
  return refuseRpcUrl(reply)
}
