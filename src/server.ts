// One Fastify for all faces: one port, each face a plugin with its own scope and its own error body.
import type { ServerOptions } from 'node:http'
import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { etherscanApi, refuseEtherscanUrl } from './explorer/etherscan/plugin.ts'
import type { Explorer } from './explorer/explorer.ts'
import { explorerPlugin, refuseExplorerUrl } from './explorer/plugin.ts'
import { explorerSocket } from './explorer/socket/plugin.ts'
import { sourcifyApi } from './explorer/sourcify/plugin.ts'
import { explorerV1 } from './explorer/v1/plugin.ts'
import { landing, website } from './explorer/website.ts'
import { type AccessOptions, accessOf, addAccessGuard, LOCAL } from './http/access.ts'
import { bodyBudget, boundBodies } from './http/bodies.ts'
import { type ConnectionLimits, Connections, defaultConnectionLimits } from './http/connections.ts'
import { answerLastRequest } from './http/last-request.ts'
import { ignoreOtherUpgrades, isHandshake } from './http/upgrades.ts'
import { type MonitoringFace, serveMonitoring } from './monitoring/plugin.ts'
import { effectiveOptions, type RpcServices } from './rpc/define.ts'
import { refuseRpcUrl, rpcPlugin } from './rpc/plugin.ts'

export type HttpOptions = AccessOptions & ConnectionLimits

export const defaultHttpOptions: HttpOptions = { origins: [LOCAL], hosts: [], ...defaultConnectionLimits }

/** Maximum characters of a path parameter: as many as Node.js reads in all headers of a request. */
const LONGEST_PARAMETER = 16_384

/** The faces' options, and the access rules. */
export type Faces = {
  readonly rpc: RpcServices
  readonly explorer: Explorer
  readonly http: HttpOptions
  /** Left out: neither `/health` nor `/metrics`. */
  readonly monitoring?: MonitoringFace
}

/**
 * The server, not yet listening. `close()` ends idle connections and WebSockets and waits some seconds for running requests. It
 * serves JSON-RPC at `/rpc` and `/`, over HTTP and WebSocket; the explorer API under `/api/v2`, with live updates at
 * `/socket/v2/websocket`; the explorer's pages; `/health` and `/metrics` for operators.
 */
export function createServer({ rpc, explorer, http, monitoring }: Faces): FastifyInstance {
  // Longer than clients keep idle connections, so that the server never closes one while a request is under way.
  const app = fastify({
    forceCloseConnections: 'idle',
    keepAliveTimeout: http.idleTimeout,
    requestTimeout: http.requestTimeout,
    bodyLimit: rpc.options.maxRequestSize,
    // Without a listed proxy any client could set X-Forwarded-For.
    trustProxy: http.trustedProxies.length > 0 ? [...http.trustedProxies] : false,
    http: {
      connectionsCheckingInterval: Math.ceil(http.requestTimeout / 4),
      // For Node.js 24.9 and later; earlier versions use `ignoreOtherUpgrades`.
      shouldUpgradeCallback: isHandshake,
    } as ServerOptions,
    // Let overlong parameters reach the route, which refuses them in its own format.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: (_error, request, reply) => refuseUrl(request, reply),
  })
  const access = accessOf(http)
  const connections = new Connections(http)
  const bodies = bodyBudget()
  boundBodies(app, bodies, connections.clientOf)
  connections.watch(app.server)
  answerLastRequest(app.server, connections)
  app.addHook('preClose', async () => connections.closeRemaining())
  app.register(websocket, {
    options: { maxPayload: rpc.options.maxRequestSize },
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
  const { development } = effectiveOptions(rpc)
  const level = development ? 'info' : 'debug'
  app.after(() => {
    app.websocketServer.on('connection', (webSocket, { socket }) => connections.upgraded(socket, webSocket))
    ignoreOtherUpgrades(app.server, connections)
    addAccessGuard(app, access, (facts, message) => rpc.log[level](facts, message))
  })
  if (monitoring !== undefined) app.after(() => serveMonitoring(app, monitoring, { connections, bodies }))
  const site = { chain: explorer.chain, options: explorer.options, development }
  app.register(rpcPlugin, { ...rpc, landing: landing(site), access, connections })
  app.register(explorerPlugin, { explorer, prefix: '/api/v2' })
  app.register(explorerV1, { explorer, prefix: '/api/v1' })
  app.register(etherscanApi, { explorer, prefix: '/api' })
  app.register(sourcifyApi, { explorer, prefix: '/sourcify' })
  app.register(explorerSocket, { explorer })
  app.register(website, { site })
  return app
}

/** A URL that cannot be decoded has no route; the face with the matching prefix answers in its own format. */
function refuseUrl({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isBelow = (prefix: string) =>
    url === prefix || (/^[/?]/.test(url.slice(prefix.length)) && url.startsWith(prefix))
  if (isBelow('/api/v2') || isBelow('/api/v1')) return refuseExplorerUrl(reply)
  if (isBelow('/api')) return refuseEtherscanUrl(reply)
  return refuseRpcUrl(reply)
}
