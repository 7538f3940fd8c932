// One Fastify for all faces: one port, each face a plugin with its own scope and its own error body.
import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance } from 'fastify'
import type { ExplorerServices } from './explorer/define.ts'
import { etherscanApi } from './explorer/etherscan/plugin.ts'
import { explorerHome, landing } from './explorer/home/plugin.ts'
import { explorerPlugin } from './explorer/plugin.ts'
import { explorerSocket } from './explorer/socket/plugin.ts'
import type { RpcServices } from './rpc/define.ts'
import { rpcPlugin } from './rpc/plugin.ts'

/** What the faces need, each its own part. */
export type Faces = { readonly rpc: RpcServices; readonly explorer: ExplorerServices }

/**
 * The server, not yet listening. `close()` ends idle connections and WebSockets and waits for running requests.
 * Shapes: JSON-RPC at `/rpc` and `/`, over HTTP and WebSocket; the explorer API below `/api/v2`, with its
 * live updates at `/socket/v2/websocket`; the pages of our own explorer.
 */
export function createServer({ rpc, explorer }: Faces): FastifyInstance {
  // Connections are kept longer than clients keep them, so that none is closed under a request that is on its way.
  const app = fastify({
    forceCloseConnections: 'idle',
    keepAliveTimeout: 120_000,
    routerOptions: { ignoreTrailingSlash: true },
  })
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
  app.register(rpcPlugin, { ...rpc, landing: landing(explorer) })
  app.register(explorerPlugin, { ...explorer, prefix: '/api/v2' })
  app.register(etherscanApi, { ...explorer, prefix: '/api' })
  app.register(explorerSocket, explorer)
  app.register(explorerHome, explorer)
  return app
}
