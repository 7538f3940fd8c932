// Limits of the server's connections: their number, in all and of one client, how long one may be idle, and how many bytes may wait
// in memory: answers for clients that do not read, and requests that have not arrived completely. WebSocket connections are
// included, because the limits apply to sockets.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { Budget } from '../lib/budget.ts'
import { connectionSignal, setClient } from '../lib/connection-signal.ts'
import { clientsBehind } from './clients.ts'

export type ConnectionLimits = {
  /** Maximum number of open connections. */
  readonly maxConnections: number
  /** Of them those of one client; left out: a quarter. */
  readonly maxConnectionsPerClient?: number | undefined
  /** Addresses and networks (CIDR) of proxies, which have no share of their own and name their clients in X-Forwarded-For. */
  readonly trustedProxies: readonly string[]
  /** Bytes that wait in memory for all connections; above it the connections with the most are closed. */
  readonly maxBuffered: number
  /** Milliseconds within which a request must arrive, head and body. */
  readonly requestTimeout: number
  /** Milliseconds without traffic after which a connection is closed while the node waits for its client. */
  readonly idleTimeout: number
}

export const defaultConnectionLimits: ConnectionLimits = {
  maxConnections: 10_000,
  trustedProxies: [],
  maxBuffered: 256 * 1024 * 1024,
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
  /** Bytes received of a request or message that is not complete. */
  unreadBytes: number
  /** Whether a request of it has been answered. */
  hasBeenAnswered: boolean
}

/** Of the places for connections, one in so many is kept for programs of this machine and for listed proxies. */
const RESERVED = 100
/** Connections that are looked at for one that may be closed in favour of a new one. */
const LOOKED_AT = 100
const REFUSAL = 'HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'

/** Milliseconds between two checks of the bytes that wait. */
const CHECK_INTERVAL = 250
/** Milliseconds after `closeRemaining` until idle connections are closed, and until busy ones are. */
const IDLE_GRACE = 2000
const BUSY_GRACE = 5000

/** Whether a request has arrived completely and has not been answered. */
const isBusy = ({ isAnswering, requests }: ConnectionState): boolean =>
  isAnswering || [...requests].some(({ complete }) => complete)

export class Connections {
  readonly #open = new Map<Socket, ConnectionState>()
  /** Connections on which no request has been answered, and those on which one has, oldest first; no WebSockets. */
  readonly #silent = new Set<Socket>()
  readonly #known = new Set<Socket>()
  readonly #limits: ConnectionLimits
  /** The connections of each client. */
  readonly #shares: Budget
  /** The client of a network address (`clients.ts`). */
  readonly clientOf: ReturnType<typeof clientsBehind>
  #refused = 0
  #displaced = 0

  constructor(limits: ConnectionLimits) {
    const { maxConnections, maxConnectionsPerClient = Math.ceil(maxConnections / 4), trustedProxies } = limits
    this.#limits = limits
    this.#shares = new Budget(Number.POSITIVE_INFINITY, maxConnectionsPerClient)
    this.clientOf = clientsBehind(trustedProxies)
  }

  /** Connections that were refused, and idle ones that were closed in favour of new ones. */
  get load(): { readonly refused: number; readonly displaced: number } {
    return { refused: this.#refused, displaced: this.#displaced }
  }

  /**
   * Gives a new connection a place, and the signal of the connection its client. When no place is free, an idle connection is
   * closed, one that has never asked anything before others. False: the connection is refused and closed.
   */
  admit(socket: Socket): boolean {
    if (this.#open.has(socket)) return true
    const client = this.clientOf(socket.remoteAddress)
    const { maxConnections } = this.#limits
    const places = client === undefined ? maxConnections : maxConnections - Math.floor(maxConnections / RESERVED)
    const hasShare = this.#shares.take(1, client)
    if (!hasShare || (this.#open.size >= places && !this.#displace())) {
      if (hasShare) this.#shares.give(1, client)
      this.#refused++
      socket.on('error', () => undefined).end(REFUSAL)
      socket.destroySoon()
      return false
    }
    this.stateOf(socket)
    this.#silent.add(socket)
    socket.once('close', () => {
      this.#forget(socket)
      this.#shares.give(1, client)
    })
    if (client !== undefined) setClient(connectionSignal(socket), client)
    return true
  }

  /** To be called when a request of a connection has been answered. */
  answered(socket: Socket, state: ConnectionState): void {
    if (state.hasBeenAnswered) return
    state.hasBeenAnswered = true
    if (this.#silent.delete(socket)) this.#known.add(socket)
  }

  /** To be called for a connection that becomes a WebSocket: it is never closed in favour of others, and its messages count. */
  upgraded(socket: Socket, webSocket: WebSocket): void {
    const state = this.stateOf(socket)
    this.#silent.delete(socket)
    this.#known.delete(socket)
    // Before the listener of the WebSocket, which tells of a message as soon as it has its last byte.
    socket.prependListener('data', (bytes: Buffer) => {
      state.unreadBytes += bytes.length
    })
    webSocket.on('message', () => {
      state.unreadBytes = 0
    })
    // Frames that are no part of a message: two bytes of head and four of mask (RFC 6455, 5.2).
    const countControl = (data: Buffer) => {
      state.unreadBytes -= data.length + 6
    }
    webSocket.on('ping', countControl).on('pong', countControl)
  }

  /** Closes an idle connection; false if none is found. */
  #displace(): boolean {
    for (const from of [this.#silent, this.#known]) {
      let looks = Math.min(from.size, LOOKED_AT)
      for (const socket of from) {
        if (looks-- === 0) break
        if (!isBusy(this.stateOf(socket)) && socket.writableLength === 0) {
          this.#forget(socket)
          socket.destroy()
          this.#displaced++
          return true
        }
        // The next look is at others.
        from.delete(socket)
        from.add(socket)
      }
    }
    return false
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket)
    this.#silent.delete(socket)
    this.#known.delete(socket)
  }

  get limits(): ConnectionLimits {
    return this.#limits
  }

  /** The state of a connection. The first call begins to track it. */
  stateOf(socket: Socket): ConnectionState {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const requests = new Set<IncomingMessage>()
    const state = { isAnswering: false, requests, unwrittenBytes: 0, unreadBytes: 0, hasBeenAnswered: false }
    this.#open.set(socket, state)
    socket.once('close', () => this.#open.delete(socket))
    return state
  }

  /** Applies the limits to a server, which must not listen yet, until it closes. */
  watch(server: Server): void {
    const { requestTimeout, idleTimeout } = this.#limits
    server.requestTimeout = requestTimeout
    server.headersTimeout = requestTimeout
    server.keepAliveTimeout = idleTimeout
    server.on('request', (request, response) => {
      const state = this.stateOf(request.socket)
      state.requests.add(request)
      response.once('close', () => {
        state.requests.delete(request)
        this.answered(request.socket, state)
      })
    })
    server.setTimeout(idleTimeout, (socket) => {
      if (this.isClientsTurn(socket)) socket.destroy()
    })
    const timer = setInterval(() => this.#boundBuffered(), CHECK_INTERVAL)
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

  #boundBuffered(): void {
    const waiting: [bytes: number, socket: Socket][] = []
    let total = 0
    for (const [socket, { unwrittenBytes, unreadBytes }] of this.#open) {
      const bytes = socket.writableLength + unwrittenBytes + unreadBytes
      if (bytes > 0) waiting.push([bytes, socket])
      total += bytes
    }
    if (total <= this.#limits.maxBuffered) return
    waiting.sort(([one], [other]) => other - one)
    for (const [bytes, socket] of waiting) {
      if (total <= this.#limits.maxBuffered) return
      socket.destroy()
      total -= bytes
    }
  }
}
