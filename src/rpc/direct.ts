// The short way: a plain POST is cut out of the bytes of its connection and answered, past the HTTP server, whose objects
// for one request cost more than most methods do. What is not plain goes there with its connection, for good.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionState, Connections } from '../http/connections.ts'
import { connectionSignal } from '../lib/connection-signal.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { probeHalfClosed } from './half-closed.ts'
import type { Piece } from './pieces.ts'
import { type PlainHead, type PlainRequests, plainReader, plainWriter } from './plain-http.ts'

export type DirectOptions = PlainRequests & {
  /** Lines that stand in the head of every answer. */
  readonly headers: readonly string[]
  readonly connections: Connections
}

/** Answers a body with JSON, in pieces; undefined when there is nothing to say. */
type Answer = (body: string, caller: AbortSignal) => Promise<readonly Piece[] | undefined>

/** Serves the connections of an HTTP server. To be called before that closes: the result ends those that are idle. */
export function serveDirectly(server: Server, options: DirectOptions, answer: Answer): () => void {
  const open = new Set<DirectConnection>()
  const httpListeners = server.listeners('connection')
  const wire: Wire = {
    answer,
    read: plainReader(options),
    writeHead: plainWriter([...options.headers, `keep-alive: timeout=${Math.floor(server.keepAliveTimeout / 1000)}`]),
    handOver(socket, rest) {
      for (const listener of httpListeners) listener.call(server, socket)
      socket.unshift(rest)
      socket.resume()
    },
    connections: options.connections,
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const connection = new DirectConnection(socket, wire, () => open.delete(connection))
    open.add(connection)
  })
  return () => {
    for (const connection of open) connection.finish()
  }
}

type Wire = {
  readonly answer: Answer
  readonly read: ReturnType<typeof plainReader>
  readonly writeHead: ReturnType<typeof plainWriter>
  /** Gives a connection, and what has been read of it, to the HTTP server. */
  readonly handOver: (socket: Socket, rest: Buffer) => void
  readonly connections: Connections
}

/** Bodies that come in pieces are waited for up to here; longer ones are for the HTTP server, which does not copy. */
const LONGEST_WAIT = 1 << 16

/** One connection: a request at a time, in the order in which they came. */
class DirectConnection {
  readonly #socket: Socket
  readonly #wire: Wire
  readonly #caller: AbortSignal
  readonly #ended: () => void
  readonly #state: ConnectionState
  /** What has come and is not yet read: part of a request, or the next while one runs. */
  #held: Buffer | undefined
  /** While a request runs, until its answer is written. */
  #isWaiting = false
  #isLast = false
  /** Runs while a request is not all here; what trickles in does not put it off. */
  #deadline: NodeJS.Timeout | undefined

  constructor(socket: Socket, wire: Wire, ended: () => void) {
    this.#socket = socket
    this.#wire = wire
    this.#caller = connectionSignal(socket)
    this.#ended = ended
    this.#state = wire.connections.stateOf(socket)
    socket.setTimeout(wire.connections.limits.idleTimeout)
    socket.on('data', this.#take).on('end', this.#halfClose).on('timeout', this.#giveUp).on('error', this.#fail)
    socket.on('close', this.#close)
  }

  /** Ends the connection, after the answer that is due. */
  readonly finish = (): void => {
    this.#isLast = true
    if (!this.#state.isAnswering) this.#socket.end()
  }

  readonly #halfClose = (): void => {
    this.finish()
    if (this.#isWaiting) probeHalfClosed(this.#socket, () => this.#isWaiting)
  }

  readonly #take = (bytes: Buffer): void => {
    if (!this.#socket.writable) return
    const all = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = undefined
    if (this.#state.isAnswering) {
      this.#held = all
      this.#socket.pause()
      return
    }
    const span = this.#wire.read(all)
    if (span !== undefined && all.length < span.end && span.end <= LONGEST_WAIT) {
      this.#held = all
      this.#deadline ??= setTimeout(this.#expire, this.#wire.connections.limits.requestTimeout)
      return
    }
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    if (span?.end === all.length) void this.#run(all.toString('utf8', span.start), span.origin)
    else this.#handOver(all)
  }

  async #run(body: string, origin: string | undefined): Promise<void> {
    this.#state.isAnswering = true
    let answer: readonly Piece[] | undefined
    this.#isWaiting = true
    try {
      answer = await this.#wire.answer(body, this.#caller)
    } catch {
      return this.#fail()
    } finally {
      this.#isWaiting = false
    }
    const socket = this.#socket
    if (!socket.writable) return
    if (answer === undefined) socket.write(this.#head(undefined, origin))
    else if (answer.length === 1 && typeof answer[0] === 'string') this.#write(answer[0], origin)
    else await this.#writeAll(answer, origin)
    // Nothing more is read of a client that does not take its answers: else they would pile up here.
    if (socket.writableNeedDrain) await drained(socket)
    this.#state.isAnswering = false
    if (this.#isLast) socket.end()
    if (this.#held === undefined) return
    const next = this.#held
    this.#held = undefined
    socket.resume()
    this.#take(next)
  }

  #head(bytes: number | undefined, origin: PlainHead['origin']): string {
    return this.#wire.writeHead({ bytes, origin, isLast: this.#isLast })
  }

  #write(text: string, origin: string | undefined): void {
    const length = Buffer.byteLength(text)
    this.#socket.write(this.#head(length, origin) + text, encodingOf(text, length))
  }

  /** As fast as the client reads. */
  async #writeAll(pieces: readonly Piece[], origin: string | undefined): Promise<void> {
    const pause = yieldToEventLoop('light', this.#caller)
    const lengths: number[] = []
    for (const piece of pieces) {
      await pause()
      lengths.push(Buffer.byteLength(piece))
    }
    const socket = this.#socket
    const total = lengths.reduce((sum, length) => sum + length, 0)
    socket.write(this.#head(total, origin))
    this.#state.unwrittenBytes = total
    for (const [index, piece] of pieces.entries()) {
      await pause()
      if (!socket.writable) return
      this.#state.unwrittenBytes -= lengths[index] ?? 0
      if (!socket.write(piece, encodingOf(piece, lengths[index] ?? 0))) await drained(socket)
    }
  }

  #handOver(rest: Buffer): void {
    const socket = this.#socket
    socket.pause()
    socket.setTimeout(0)
    socket.off('data', this.#take).off('end', this.#halfClose).off('timeout', this.#giveUp).off('error', this.#fail)
    socket.off('close', this.#close)
    this.#ended()
    this.#wire.handOver(socket, rest)
  }

  readonly #giveUp = (): void => {
    if (this.#wire.connections.isClientsTurn(this.#socket)) this.#socket.destroy()
  }

  readonly #expire = (): void => {
    const socket = this.#socket
    socket.off('data', this.#take).end('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    socket.destroySoon()
  }

  readonly #close = (): void => {
    clearTimeout(this.#deadline)
    this.#ended()
  }

  readonly #fail = (): undefined => {
    this.#socket.destroy()
    return undefined
  }
}

/** Text without special characters is written as it lies in memory. */
const encodingOf = (text: Piece, bytes: number): BufferEncoding => (bytes === text.length ? 'latin1' : 'utf8')

/** Settles when a connection takes more, or is no more. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })
