// The node's HTTP server: one port for all faces. Plain JSON-RPC is answered on its own connection (`rpc/http/fast-path.ts`). The
// first request of another kind loads Fastify with all faces (`faces.ts`), which takes a third of a node's start: many nodes get
// none.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Faces, HttpOptions } from './faces.ts'
import { accessOf, LOCAL } from './http/access.ts'
import { bodyBudget } from './http/bodies.ts'
import { answerClientErrors } from './http/client-errors.ts'
import { Connections, defaultConnectionLimits } from './http/connections.ts'
import { isHandshake, passUpgrades } from './http/upgrades.ts'
import { rpcContext } from './rpc/context.ts'
import type { RpcServices } from './rpc/define.ts'
import { answerInChunks } from './rpc/dispatch.ts'
import { serveFastPath } from './rpc/http/fast-path.ts'
import { RPC_HEADERS, RPC_PATHS } from './rpc/paths.ts'

export const defaultHttpOptions: HttpOptions = { origins: [LOCAL], hosts: [], ...defaultConnectionLimits }

export type NodeServer = {
  /** Fastify with all faces; the first call constructs it. */
  faces(): Promise<FastifyInstance>
  /** Listens and returns the URL; `localhost` is all of its addresses. Throws the listen error (`EADDRINUSE`). */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>
  /** Ends idle connections and WebSockets, and waits some seconds for running requests. */
  close(): Promise<void>
}

/**
 * The server, not yet listening. It serves JSON-RPC at `/rpc` and `/`, over HTTP and WebSocket; the explorer API under `/api/v2`,
 * with live updates at `/socket/v2/websocket`; the explorer's pages; `/health` and `/metrics` for operators.
 */
export function createServer(options: Faces): NodeServer {
  const { rpc, http } = options
  const server = createHttpServer({
    // Longer than clients keep idle connections, so that the server never closes one while a request is under way.
    keepAliveTimeout: http.idleTimeout,
    requestTimeout: http.requestTimeout,
    connectionsCheckingInterval: Math.ceil(http.requestTimeout / 4),
    // For Node.js 24.9 and later; earlier versions use `passUpgrades`.
    ...{ shouldUpgradeCallback: isHandshake },
  })
  const connections = new Connections(http)
  connections.watch(server)
  answerClientErrors(server, connections)
  const parts = { server, connections, access: accessOf(http), bodies: bodyBudget(), context: rpcContext(rpc) }
  const fastPath = { paths: RPC_PATHS, maxBody: rpc.options.maxRequestSize, headers: RPC_HEADERS, ...parts }
  const endFastPath = serveFastPath(server, fastPath, (body, signal) => answerInChunks(body, parts.context, signal))

  const closed = once(server, 'close')
  const stop = async (): Promise<void> => {
    server.close()
    await closed
  }
  let opening: ReturnType<typeof open> | undefined
  const open = async () => {
    const { openFaces } = await import('./faces.ts')
    return openFaces({ ...options, ...parts, stop })
  }
  const opened = () => (opening ??= open())
  server.on('request', (request, response) => {
    const fail = onFailure(rpc, () => response.writeHead(500).end())
    opened().then(({ answer }) => answer(request, response), fail)
  })
  passUpgrades(server, connections, (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    const destroy = () => void socket.destroy()
    socket.on('error', destroy)
    opened().then(({ upgrade }) => upgrade(request, socket, rest), onFailure(rpc, destroy))
  })
  return {
    faces: async () => (await opened()).app,
    listen: (at) => listen(server, at),
    async close() {
      endFastPath()
      connections.closeRemaining()
      parts.context.gcStatistics.close()
      const faces = await opening?.catch(() => undefined)
      await (faces === undefined ? stop() : faces.app.close())
    },
  }
}

/** Logs that the faces cannot be loaded: the files of the program have been replaced or removed since it started. */
const onFailure =
  ({ log }: RpcServices, end: () => void) =>
  (error: unknown) => {
    log.error({ err: error }, 'a part of the program cannot be loaded; restart the node')
    end()
  }

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  const [first = host, ...others] =
    host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]
  server.listen({ host: first, port })
  await once(server, 'listening')
  const { address, family, port: chosen } = server.address() as AddressInfo
  for (const other of others) {
    const further = createNetServer((socket) => server.emit('connection', socket)).on('error', () => undefined)
    further.listen({ host: other, port: chosen })
    server.once('close', () => further.close())
  }
  return `http://${address === '0.0.0.0' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address}:${chosen}`
}
