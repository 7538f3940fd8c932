// Limits of the server's connections: their number, in total and per client, the idle time, and the buffered bytes (responses
// that clients do not read, and incomplete requests). The limits apply to sockets, so WebSocket connections are included. Those
// of number and bytes hold for all threads of the process that accept connections; each thread closes its own.
import type { IncomingMessage, Server } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { connectionSignal, setClient } from '../lib/connection-signal.ts'
import { type SharedCounter, SharedCounters } from '../lib/shared-counters.ts'
import { clientsBehind } from './clients.ts'

export type ConnectionLimits = {
  /** Maximum number of open connections. */
  readonly maxConnections: number
  /** Maximum of one client; left out: a quarter. */
  readonly maxConnectionsPerClient?: number | undefined
  /** Addresses and networks (CIDR) of proxies, which have no share and name their clients in X-Forwarded-For. */
  readonly trustedProxies: readonly string[]
  /** Most buffered bytes of all connections; above it the connections with the most are closed. */
  readonly maxBuffered: number
  /** Milliseconds within which the head and body of a request must arrive. */
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
  /** Requests that Node's HTTP server has not answered yet, including incomplete ones. */
  readonly requests: Set<IncomingMessage>
  /** Bytes of a response that are not written to the socket yet. */
  unwrittenBytes: number
  /** Bytes received of an incomplete request or message. */
  unreadBytes: number
  /** Whether the connection has had a request answered. */
  hasBeenAnswered: boolean
}

/** One in this many connections is reserved for programs of this machine and listed proxies. */
const RESERVED = 100
/** Connections that are searched for an idle one to close in favour of a new one. */
const LOOKED_AT = 100
const REFUSAL = 'HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'

/** Milliseconds between two checks of the buffered bytes. */
const CHECK_INTERVAL = 250
/** Milliseconds after `closeRemaining` until idle connections are closed, and until busy ones are. */
const IDLE_GRACE = 2000
const BUSY_GRACE = 5000

/** Whether a complete request has not been answered. */
const isBusy = ({ isAnswering, requests }: ConnectionState): boolean =>
  isAnswering || [...requests].some(({ complete }) => complete)

export class Connections {
  readonly #open = new Map<Socket, ConnectionState>()
  /** Connections without an answered request, and those with one, oldest first; without WebSockets. */
  readonly #silent = new Set<Socket>()
  readonly #known = new Set<Socket>()
  /** Gives the place of an admitted connection back. */
  readonly #places = new Map<Socket, () => void>()
  readonly #limits: ConnectionLimits
  readonly #maxOfClient: number
  readonly #counters: SharedCounters
  readonly #admitted: SharedCounter
  readonly #refused: SharedCounter
  readonly #displaced: SharedCounter
  readonly #buffered: SharedCounter
  /** The client of a network address (`clients.ts`). */
  readonly clientOf: ReturnType<typeof clientsBehind>

  constructor(limits: ConnectionLimits, counters: SharedCounters = SharedCounters.of(1)) {
    const { maxConnections, maxConnectionsPerClient = Math.ceil(maxConnections / 4), trustedProxies } = limits
    this.#limits = limits
    this.#maxOfClient = maxConnectionsPerClient
    this.#counters = counters
    this.#admitted = counters.counter('connections')
    this.#refused = counters.counter('refused')
    this.#displaced = counters.counter('displaced')
    this.#buffered = counters.counter('buffered')
    this.clientOf = clientsBehind(trustedProxies)
  }

  /** Of all threads: open connections, the number refused, and of idle ones closed in favour of new ones. */
  get load(): { readonly open: number; readonly refused: number; readonly displaced: number } {
    return { open: this.#admitted.sum(), refused: this.#refused.sum(), displaced: this.#displaced.sum() }
  }

  /**
   * Admits a new connection and assigns its client. At the limit an idle connection is closed, preferably one that has never
   * sent a request. False: the connection is refused and closed.
   */
  admit(socket: Socket): boolean {
    if (this.#open.has(socket)) return true
    const client = this.clientOf(socket.remoteAddress)
    const { maxConnections } = this.#limits
    const places = client === undefined ? maxConnections : maxConnections - Math.floor(maxConnections / RESERVED)
    if (!this.#takePlace(socket, places, client)) {
      this.#refused.add(1)
      socket.on('error', () => undefined).end(REFUSAL)
      socket.destroySoon()
      return false
    }
    this.stateOf(socket)
    this.#silent.add(socket)
    socket.once('close', () => this.forget(socket))
    if (client !== undefined) setClient(connectionSignal(socket), client)
    return true
  }

  /** Counts first and looks afterwards, so that threads which admit connections at the same time do not exceed a limit. */
  #takePlace(socket: Socket, places: number, client: string | undefined): boolean {
    const admitted = this.#admitted
    const share = client === undefined ? undefined : this.#counters.clientCounter(client)
    const give = () => {
      share?.add(-1)
      admitted.add(-1)
    }
    share?.add(1)
    admitted.add(1)
    const hasShare = share === undefined || share.sum() <= this.#maxOfClient
    const hasPlace = hasShare && (admitted.sum() <= places || this.#displace())
    if (hasPlace) this.#places.set(socket, give)
    else give()
    return hasPlace
  }

  /** Call it when a request of a connection has been answered. */
  answered(socket: Socket, state: ConnectionState): void {
    if (state.hasBeenAnswered) return
    state.hasBeenAnswered = true
    if (this.#silent.delete(socket)) this.#known.add(socket)
  }

  /** Call it when a connection becomes a WebSocket: it is never closed in favour of others, and its messages are counted. */
  upgraded(socket: Socket, webSocket: WebSocket): void {
    const state = this.stateOf(socket)
    this.#silent.delete(socket)
    this.#known.delete(socket)
    // Before the WebSocket's listener, which emits a message on its last byte.
    socket.prependListener('data', (bytes: Buffer) => {
      state.unreadBytes += bytes.length
    })
    webSocket.on('message', () => {
      state.unreadBytes = 0
    })
    // Control frames are not part of a message: two bytes of header and four of mask (RFC 6455, 5.2).
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
          this.forget(socket)
          socket.destroy()
          this.#displaced.add(1)
          return true
        }
        // Moved to the end, so that the next search sees others.
        from.delete(socket)
        from.add(socket)
      }
    }
    return false
  }

  /** Call it when a connection no longer counts: it has ended, or another thread admits it. */
  forget(socket: Socket): void {
    this.#places.get(socket)?.()
    this.#places.delete(socket)
    this.#open.delete(socket)
    this.#silent.delete(socket)
    this.#known.delete(socket)
  }

  get limits(): ConnectionLimits {
    return this.#limits
  }

  /** The state of a connection, which the first call creates. */
  stateOf(socket: Socket): ConnectionState {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const requests = new Set<IncomingMessage>()
    const state = { isAnswering: false, requests, unwrittenBytes: 0, unreadBytes: 0, hasBeenAnswered: false }
    this.#open.set(socket, state)
    socket.once('close', () => this.#open.delete(socket))
    return state
  }

  /** Applies the limits to a server until it closes. Call it before the server listens. */
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
    this.boundBuffered(server)
  }

  /** Bounds the buffered bytes until the server closes. `watch` does so too. */
  boundBuffered(server: NetServer): void {
    const timer = setInterval(() => this.#boundBuffered(), CHECK_INTERVAL)
    timer.unref()
    server.on('close', () => clearInterval(timer))
  }

  /** Whether the node waits for the client: for a request, or for it to read a response. */
  isClientsTurn(socket: Socket): boolean {
    return socket.writableLength > 0 || !isBusy(this.stateOf(socket))
  }

  /** Closes the remaining connections some seconds after the server began to close, so that no client can delay its end. */
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
    this.#buffered.set(total)
    const excess = this.#buffered.sum() - this.#limits.maxBuffered
    // The thread with the most closes its largest; the others look again at their next check.
    if (excess <= 0 || total < this.#buffered.max()) return
    waiting.sort(([one], [other]) => other - one)
    let freed = 0
    for (const [bytes, socket] of waiting) {
      if (freed >= excess) return
      socket.destroy()
      freed += bytes
    }
  }
}
