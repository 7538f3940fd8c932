// One Fastify for all faces: one port, each face a plugin with its own scope and its own error body.
import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance } from 'fastify'
import type { RpcServices } from './rpc/define.ts'
import { rpcPlugin } from './rpc/plugin.ts'

/** What the faces need, each its own part. */
export type Faces = { readonly rpc: RpcServices }

/**
 * The server, not yet listening. `close()` ends idle connections and WebSockets and waits for running requests.
 * Shapes: JSON-RPC at `/rpc` and `/`, over HTTP and WebSocket.
 */
export function createServer({ rpc }: Faces): FastifyInstance {
  // Connections are kept longer than clients keep them, so that none is closed under a request that is on its way.
  const app = fastify({ forceCloseConnections: 'idle', keepAliveTimeout: 120_000 })
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
  app.register(rpcPlugin, rpc)
  return app
}
