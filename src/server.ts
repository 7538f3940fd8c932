// The node's HTTP server: one port for all faces. Plain JSON-RPC is answered on its own connection (`rpc/http/fast-path.ts`). The
// first request of another kind loads Fastify with all faces (`faces.ts`), which takes a third of a node's start: many nodes get
// none.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Faces, HttpOptions, OpenFaces } from './faces.ts'
import { accessOf, LOCAL } from './http/access.ts'
import { bodyBudget } from './http/bodies.ts'
import { answerClientErrors } from './http/client-errors.ts'
import { Connections, defaultConnectionLimits } from './http/connections.ts'
import { acceptPassed, type PassedConnections } from './http/passed-connections.ts'
import { isHandshake, passUpgrades } from './http/upgrades.ts'
import { rpcContext } from './rpc/context.ts'
import type { RpcContext, RpcServices } from './rpc/define.ts'
import { answerInChunks } from './rpc/dispatch.ts'
import { serveFastPath } from './rpc/http/fast-path.ts'
import { serveIpc } from './rpc/http/ipc.ts'
import type { AcceptingThreads } from './rpc/http/shared-port.ts'
import { RPC_HEADERS, RPC_PATHS } from './rpc/paths.ts'

export const defaultHttpOptions: HttpOptions = { origins: [LOCAL], hosts: [], ...defaultConnectionLimits }

type ServerOptions = Faces & {
  /** undefined: the server accepts all connections itself. */
  readonly threads?: AcceptingThreads | undefined
}

export type NodeServer = {
  /** Fastify with all faces; the first call constructs it. */
  faces(): Promise<FastifyInstance>
  /**
   * Listens and returns the URL; `localhost` is all of its addresses. `ipc`: also at this Unix socket. Throws the listen error
   * (`EADDRINUSE`).
   */
  listen(at: { readonly host: string; readonly port: number; readonly ipc?: string | undefined }): Promise<string>
  /** Ends idle connections and WebSockets, and waits some seconds for running requests. */
  close(): Promise<void>
}

/**
 * The server, not yet listening. It serves JSON-RPC at `/rpc` and `/`, over HTTP and WebSocket; the explorer API under `/api/v2`,
 * with live updates at `/socket/v2/websocket`; the explorer's pages; `/health` and `/metrics` for operators.
 */
export function createServer(options: ServerOptions): NodeServer {
  const { rpc, http, threads } = options
  const server = createHttpServer({
    // Longer than clients keep idle connections, so that the server never closes one while a request is under way.
    keepAliveTimeout: http.idleTimeout,
    requestTimeout: http.requestTimeout,
    connectionsCheckingInterval: Math.ceil(http.requestTimeout / 4),
    // For Node.js 24.9 and later; earlier versions use `passUpgrades`.
    ...{ shouldUpgradeCallback: isHandshake },
  })
  const connections = new Connections(http, rpc.counters)
  connections.watch(server)
  answerClientErrors(server, connections)
  const parts = { server, connections, access: accessOf(http), bodies: bodyBudget(), context: rpcContext(rpc) }
  const fastPath = { paths: RPC_PATHS, maxBody: rpc.options.maxRequestSize, headers: RPC_HEADERS, ...parts }
  const answer = (body: string, signal: AbortSignal) => answerInChunks(body, parts.context, signal)
  const path = serveFastPath(server, fastPath, answer)

  /** The server, with `localhost` one for each further address, and that of a Unix socket. */
  const listeners: NetServer[] = [server]
  const stop = async (): Promise<void> => {
    const closed = listeners.map((listener) => once(listener, 'close'))
    for (const listener of listeners) listener.close()
    await Promise.all(closed)
  }
  const faces = new FacesOnDemand(async () => {
    const { openFaces } = await import('./faces.ts')
    return openFaces({ ...options, ...parts, stop })
  }, rpc.log)
  server.on('request', (request, response) => {
    faces.opened().then(
      ({ answer }) => answer(request, response),
      () => response.writeHead(503).end(),
    )
  })
  passUpgrades(server, connections, (request: IncomingMessage, socket: Socket, rest: Buffer) => {
    const destroy = () => void socket.destroy()
    socket.on('error', destroy)
    faces.opened().then(({ upgrade }) => upgrade(request, socket, rest), destroy)
  })
  let passed: Promise<PassedConnections> | undefined
  return {
    faces: async () => (await faces.opened()).app,
    async listen(at) {
      const { url, hosts, port } = await listen(server, listeners, at, threads !== undefined, parts.context)
      if (threads === undefined) return url
      const sharedPort = async () => {
        passed ??= acceptPassed((socket) => void server.emit('connection', socket))
        return { hosts, port, path: (await passed).path, http }
      }
      threads.accept(sharedPort, { answer, retire: path.retire })
      return url
    },
    async close() {
      const ended = threads?.endConnections()
      path.end()
      connections.closeRemaining()
      parts.context.gcStatistics.close()
      const open = await faces.close()
      await (open === undefined ? stop() : open.app.close())
      await ended
      await (await passed?.catch(() => undefined))?.close()
    },
  }
}

/** The faces, opened when a request needs them. */
class FacesOnDemand {
  readonly #open: () => Promise<OpenFaces>
  readonly #log: RpcServices['log']
  #opening: Promise<OpenFaces> | undefined
  #hasFailed = false
  #isClosing = false

  constructor(open: () => Promise<OpenFaces>, log: RpcServices['log']) {
    this.#open = open
    this.#log = log
  }

  /** Rejects when they cannot be opened; the next call tries again. */
  async opened(): Promise<OpenFaces> {
    if (this.#isClosing && this.#opening === undefined) throw new Error('the server is closing')
    this.#opening ??= this.#open()
    try {
      return await this.#opening
    } catch (error) {
      this.#opening = undefined
      // Once, because clients could fill the log. The usual cause: the program's files were replaced while it ran.
      if (!this.#hasFailed) this.#log.error({ err: error }, 'a part of the program cannot be loaded; restart the node')
      this.#hasFailed = true
      throw error
    }
  }

  /** From now on they are not opened. Returns those that are open or being opened. */
  async close(): Promise<OpenFaces | undefined> {
    this.#isClosing = true
    return this.#opening?.catch(() => undefined)
  }
}

type Listening = { readonly url: string; readonly hosts: readonly string[]; readonly port: number }

/** `isShared`: sockets of threads may listen on the same port. */
async function listen(
  server: Server,
  listeners: NetServer[],
  { host, port, ipc }: Parameters<NodeServer['listen']>[0],
  isShared: boolean,
  context: RpcContext,
): Promise<Listening> {
  const [first = host, ...others] =
    host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]
  const free = isShared ? await requireFree(first, port) : port
  const shared = isShared ? { reusePort: true } : {}
  server.listen({ host: first, port: free, ...shared })
  await once(server, 'listening')
  const { address, family, port: chosen } = server.address() as AddressInfo
  const hosts = [first]
  for (const other of others) {
    if (isShared && !(await isFree(other, chosen))) continue
    // With the options of an HTTP server's sockets.
    const further = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    )
    // A machine without IPv6 may still name `::1`.
    further.on('error', () => undefined).listen({ host: other, port: chosen, ...shared })
    further.once('listening', () => {
      listeners.push(further)
      hosts.push(other)
    })
  }
  if (ipc !== undefined) listeners.push(await serveIpc(ipc, context))
  const shown = address === '0.0.0.0' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address
  return { url: `http://${shown}:${chosen}`, hosts, port: chosen }
}

const isFree = (host: string, port: number): Promise<boolean> =>
  requireFree(host, port).then(
    () => true,
    () => false,
  )

/**
 * Throws `EADDRINUSE` for a port on which another process listens, which a shared socket would not notice: it would get a part of
 * that process's connections. Returns the port, chosen if it is 0.
 */
async function requireFree(host: string, port: number): Promise<number> {
  const probe = createNetServer().listen({ host, port })
  await once(probe, 'listening')
  const { port: free } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return free
}
