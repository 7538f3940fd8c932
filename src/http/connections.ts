// The connections of the server, and what they may cost: how many there are, how long one may do nothing, and how many bytes
// wait in memory for clients that do not read. WebSockets count like all others: it is their sockets that are watched.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionLimits = {
  /** Connections at a time; what comes beyond is closed at once. */
  readonly maxConnections: number
  /** Bytes that wait for all clients together; beyond it those with the most are cut. */
  readonly maxUnsentTotal: number
  /** Milliseconds in which a request has to have come, head and body. */
  readonly requestTimeout: number
  /** Milliseconds after which a connection is closed on which nothing moves although it is the client's turn. */
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
  /** Requests that node's server has not answered yet; some may still be on their way. */
  readonly requests: Set<IncomingMessage>
  /** Bytes of an answer that are written to the socket later. */
  held: number
}

/** How often unsent bytes are added up, in milliseconds. */
const BEAT = 250
/** How long after `finish` connections are kept on which nothing runs, and all others. */
const IDLE_GRACE = 2000
const BUSY_GRACE = 5000

/** Whether it is the node's turn: a request has come whole and is not answered. */
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

  /** What is known of a connection; from the first time on it is watched. */
  stateOf(socket: Socket): ConnectionState {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const state = { isAnswering: false, requests: new Set<IncomingMessage>(), held: 0 }
    this.#open.set(socket, state)
    socket.once('close', () => this.#open.delete(socket))
    return state
  }

  /** Watches a server that does not listen yet, until it closes. */
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
    const beat = setInterval(() => this.#boundUnsent(), BEAT)
    beat.unref()
    server.on('close', () => clearInterval(beat))
  }

  /** Whether a connection waits for its client: for a request, or to take an answer. */
  isClientsTurn(socket: Socket): boolean {
    return socket.writableLength > 0 || !isBusy(this.stateOf(socket))
  }

  /** Ends what is left a while after the server has begun to close, so that no client can hold it. */
  finish(): void {
    const cut = (sparesBusy: boolean) => {
      for (const [socket, state] of this.#open) if (!(sparesBusy && isBusy(state))) socket.destroy()
    }
    setTimeout(cut, IDLE_GRACE, true).unref()
    setTimeout(cut, BUSY_GRACE, false).unref()
  }

  #boundUnsent(): void {
    const unsent: [bytes: number, socket: Socket][] = []
    let total = 0
    for (const [socket, { held }] of this.#open) {
      const bytes = socket.writableLength + held
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
