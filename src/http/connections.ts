// Limits of the server's connections: their number, how long one may be idle, and how many bytes of answers may wait in memory for
// clients that do not read. WebSocket connections are included, because the limits apply to sockets.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionLimits = {
  /** Maximum number of open connections; further ones are closed at once. */
  readonly maxConnections: number
  /** Unsent bytes of all connections; above it the connections with the most are closed. */
  readonly maxUnsentTotal: number
  /** Milliseconds within which a request must arrive, head and body. */
  readonly requestTimeout: number
  /** Milliseconds without traffic after which a connection is closed while the node waits for its client. */
  readonly idleTimeout: number
}

export const defaultConnectionLimits: ConnectionLimits = {
  maxConnections: 10_000,
  maxUnsentTotal: 256 * 1024 * 1024,
  requestTimeout: 60_000,
  idleTimeout: 120_000,
}

export type ConnectionState = {
  /** Whether a request is being answered on the fast path. */
  isAnswering: boolean
  /** Requests that Node's HTTP server has not answered yet; some may not have arrived completely. */
  readonly requests: Set<IncomingMessage>
  /** Bytes of an answer that are not written to the socket yet. */
  unwrittenBytes: number
}

/** Milliseconds between two checks of the unsent bytes. */
const CHECK_INTERVAL = 250
/** Milliseconds after `closeRemaining` until idle connections are closed, and until busy ones are. */
const IDLE_GRACE = 2000
const BUSY_GRACE = 5000

/** Whether a request has arrived completely and has not been answered. */
const isBusy = ({ isAnswering, requests }: ConnectionState): boolean =>
  isAnswering || [...requests].some(({ complete }) => complete)

export class Connections {
  readonly #open = new Map<Socket, ConnectionState>()
  readonly #limits: ConnectionLimits

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  get limits(): ConnectionLimits {
    return this.#limits
  }

  /** The state of a connection. The first call begins to track it. */
  stateOf(socket: Socket): ConnectionState {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const state = { isAnswering: false, requests: new Set<IncomingMessage>(), unwrittenBytes: 0 }
    this.#open.set(socket, state)
    socket.once('close', () => this.#open.delete(socket))
    return state
  }

  /** Applies the limits to a server, which must not listen yet, until it closes. */
  watch(server: Server): void {
    const { maxConnections, requestTimeout, idleTimeout } = this.#limits
    server.maxConnections = maxConnections
    server.requestTimeout = requestTimeout
    server.headersTimeout = requestTimeout
    server.keepAliveTimeout = idleTimeout
    server.on('request', (request, response) => {
      const { requests } = this.stateOf(request.socket)
      requests.add(request)
      response.once('close', () => requests.delete(request))
    })
    server.setTimeout(idleTimeout, (socket) => {
      if (this.isClientsTurn(socket)) socket.destroy()
    })
    const timer = setInterval(() => this.#boundUnsent(), CHECK_INTERVAL)
    timer.unref()
    server.on('close', () => clearInterval(timer))
  }

  /** Whether the node waits for the client of a connection: for a request, or to read an answer. */
  isClientsTurn(socket: Socket): boolean {
    return socket.writableLength > 0 || !isBusy(this.stateOf(socket))
  }

  /** Closes remaining connections some seconds after the server has begun to close, so that no client can delay its end. */
  closeRemaining(): void {
    const close = (sparesBusy: boolean) => {
      for (const [socket, state] of this.#open) if (!(sparesBusy && isBusy(state))) socket.destroy()
    }
    setTimeout(close, IDLE_GRACE, true).unref()
    setTimeout(close, BUSY_GRACE, false).unref()
  }

  #boundUnsent(): void {
    const unsent: [bytes: number, socket: Socket][] = []
    let total = 0
    for (const [socket, { unwrittenBytes }] of this.#open) {
      const bytes = socket.writableLength + unwrittenBytes
      if (bytes > 0) unsent.push([bytes, socket])
      total += bytes
    }
    if (total <= this.#limits.maxUnsentTotal) return
    unsent.sort(([one], [other]) => other - one)
    for (const [bytes, socket] of unsent) {
      if (total <= this.#limits.maxUnsentTotal) return
      socket.destroy()
      total -= bytes
    }
  }
}
