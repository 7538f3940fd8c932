// The port of a read thread: sockets of its own on the addresses of the main thread, between which the kernel divides new
// connections (SO_REUSEPORT). Its fast path answers plain JSON-RPC; any other connection is passed to the main thread.
import { once } from 'node:events'
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { accessOf } from '../http/access.ts'
import { Connections } from '../http/connections.ts'
import { passConnection } from '../http/passed-connections.ts'
import type { SharedCounters } from '../lib/shared-counters.ts'
import { type Answer, type FastPath, fastPath } from '../rpc/http/fast-path.ts'
import type { SharedPort } from '../rpc/http/shared-port.ts'
import { RPC_HEADERS, RPC_PATHS } from '../rpc/paths.ts'

export class Acceptor {
  readonly #port: SharedPort
  readonly #servers: readonly Server[]
  readonly #connections: Connections
  readonly #path: FastPath

  /** `maxBody`: bytes of a request. */
  constructor(port: SharedPort, maxBody: number, counters: SharedCounters, answer: Answer) {
    this.#port = port
    this.#connections = new Connections(port.http, counters)
    const passed = counters.counter('passed')
    const pass = (socket: Socket, rest: Buffer) => {
      // The main thread counts it from now on.
      this.#connections.forget(socket)
      passed.add(1)
      socket.once('close', () => passed.add(-1))
      passConnection(socket, rest, port.path)
    }
    const options = { paths: RPC_PATHS, headers: RPC_HEADERS, maxBody, access: accessOf(port.http) }
    this.#path = fastPath({ ...options, connections: this.#connections }, answer, pass)
    // With the options of an HTTP server's sockets.
    this.#servers = port.hosts.map(() => createServer({ allowHalfOpen: true, noDelay: true }, this.#path.accept))
  }

  async listen(): Promise<void> {
    const { hosts, port } = this.#port
    for (const [index, server] of this.#servers.entries()) {
      const at: ListenOptions & { reusePort: boolean } = { host: hosts[index], port, reusePort: true }
      server.listen(at)
      await once(server, 'listening')
      this.#connections.boundBuffered(server)
    }
  }

  /** Closes connections after their next response. */
  retire(): void {
    this.#path.retire()
  }

  /** Stops listening. Settles when the connections have ended. */
  async leave(isClosing: boolean): Promise<void> {
    const closed = this.#servers.map((server) => once(server, 'close'))
    for (const server of this.#servers) server.close()
    if (isClosing) {
      this.#path.end()
      this.#connections.closeRemaining()
    } else this.#path.retire()
    await Promise.all(closed)
  }
}
