// The HTTP fast path: parses plain JSON-RPC POSTs from the bytes of their connection and answers them without node's HTTP
// server and Fastify, whose objects cost more than most methods (22 to 26 µs of CPU per request here, 71 to 83 there). A
// connection whose next bytes are not a plain request is passed to node's server with these bytes, and stays there. Read threads
// that accept connections have a fast path too, and pass such connections to the main thread.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionState, Connections } from '../../http/connections.ts'
import { connectionSignal } from '../../lib/connection-signal.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { JsonChunk } from '../chunked-json.ts'
import { type ParserOptions, type ResponseHead, requestParser, responseHeadWriter } from './http-parser.ts'
import { ResponseBatch } from './response-batch.ts'

export type FastPathOptions = ParserOptions & {
  /** Header lines of every response. */
  readonly headers: readonly string[]
  readonly connections: Connections
}

/** Answers a request's body with JSON, in chunks; undefined when no response body is due (204). */
export type Answer = (body: string, signal: AbortSignal) => Promise<readonly JsonChunk[] | undefined>

export type FastPath = {
  /** Serves a new connection. */
  readonly accept: (socket: Socket) => void
  /** Closes each connection after its next response, so that its client opens another, which a new thread may accept. */
  readonly retire: () => void
  /** Ends the connections: idle ones at once, others after their response. */
  readonly end: () => void
}

/** `handOver` takes a connection whose next bytes (`rest`) are no plain request. */
export function fastPath(
  options: FastPathOptions,
  answer: Answer,
  handOver: (socket: Socket, rest: Buffer) => void,
): FastPath {
  const open = new Set<FastPathConnection>()
  const { connections } = options
  const services: ConnectionServices = {
    answer,
    parse: requestParser(options),
    writeHead: responseHeadWriter([
      ...options.headers,
      `keep-alive: timeout=${Math.floor(connections.limits.idleTimeout / 1000)}`,
    ]),
    handOver,
    connections,
    batch: new ResponseBatch(),
  }
  return {
    accept(socket) {
      if (!connections.admit(socket)) return
      const connection = new FastPathConnection(socket, services, () => open.delete(connection))
      open.add(connection)
    },
    retire() {
      for (const connection of open) connection.retire()
    },
    end() {
      for (const connection of open) connection.finish()
    },
  }
}

/** Takes over new connections of an HTTP server, and gives it those that are not for the fast path. */
export function serveFastPath(server: Server, options: FastPathOptions, answer: Answer): FastPath {
  const httpListeners = server.listeners('connection')
  const path = fastPath(options, answer, (socket, rest) => {
    for (const listener of httpListeners) listener.call(server, socket)
    socket.unshift(rest)
    socket.resume()
  })
  server.removeAllListeners('connection')
  server.on('connection', path.accept)
  return path
}

type ConnectionServices = {
  readonly answer: Answer
  readonly parse: ReturnType<typeof requestParser>
  readonly writeHead: ReturnType<typeof responseHeadWriter>
  /** Takes a connection, and the bytes read from it. */
  readonly handOver: (socket: Socket, rest: Buffer) => void
  readonly connections: Connections
  readonly batch: ResponseBatch
}

/**
 * Requests of up to this many bytes, head included, are collected here; longer ones are passed to node's server, which does not
 * copy.
 */
const MAX_COLLECTED = 1 << 16

/** A longer body is written as fast as the client reads it. */
const LARGE = 1 << 18

/** One connection: one request at a time, in the order of arrival. */
class FastPathConnection {
  readonly #socket: Socket
  readonly #services: ConnectionServices
  readonly #signal: AbortSignal
  readonly #onEnd: () => void
  readonly #state: ConnectionState
  /** Bytes received and not parsed yet: an incomplete request, or the next one while a request runs. */
  #unread: Buffer | undefined
  /** Set from the start of a request until its result is available. */
  #isRunning = false
  #isLast = false
  #isRetiring = false
  /** Set while a request is incomplete; further bytes do not restart it. */
  #deadline: NodeJS.Timeout | undefined

  constructor(socket: Socket, services: ConnectionServices, onEnd: () => void) {
    this.#socket = socket
    this.#services = services
    this.#signal = connectionSignal(socket)
    this.#onEnd = onEnd
    this.#state = services.connections.stateOf(socket)
    socket.setTimeout(services.connections.limits.idleTimeout)
    socket.on('data', this.#receive).on('end', this.#halfClose).on('timeout', this.#onIdle).on('error', this.#fail)
    socket.on('close', this.#close)
  }

  /** Ends the connection, after the pending response. */
  readonly finish = (): void => {
    this.#isLast = true
    if (!this.#state.isAnswering) this.#end()
  }

  readonly retire = (): void => {
    this.#isRetiring = true
  }

  #end(): void {
    this.#services.batch.flush()
    this.#socket.end()
  }

  readonly #halfClose = (): void => {
    this.finish()
    if (this.#isRunning) probeHalfClosed(this.#socket, () => this.#isRunning)
  }

  readonly #receive = (bytes: Buffer): void => {
    if (!this.#socket.writable) return
    const all = this.#unread === undefined ? bytes : Buffer.concat([this.#unread, bytes])
    this.#unread = undefined
    if (this.#state.isAnswering) {
      this.#unread = all
      this.#state.unreadBytes = all.length
      this.#socket.pause()
      return
    }
    const span = this.#services.parse(all)
    if (span !== undefined && all.length < span.end && span.end <= MAX_COLLECTED) {
      this.#unread = all
      this.#state.unreadBytes = all.length
      this.#deadline ??= setTimeout(this.#expire, this.#services.connections.limits.requestTimeout)
      return
    }
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    this.#state.unreadBytes = 0
    if (span?.end === all.length) void this.#run(all.toString('utf8', span.start), span.origin)
    else this.#handOver(all)
  }

  async #run(body: string, origin: string | undefined): Promise<void> {
    this.#state.isAnswering = true
    // A request of a client that does not read its responses is not started: the responses would fill the memory.
    if (this.#socket.writableNeedDrain) await drained(this.#socket)
    let answer: readonly JsonChunk[] | undefined
    this.#isRunning = true
    try {
      answer = await this.#services.answer(body, this.#signal)
    } catch {
      return this.#fail()
    } finally {
      this.#isRunning = false
    }
    const socket = this.#socket
    if (!socket.writable) return
    // A client that has sent its next request already would have to send it again.
    if (this.#isRetiring && this.#unread === undefined) this.#isLast = true
    if (answer === undefined) this.#services.batch.write(socket, this.#head(undefined, origin), 'latin1')
    else if (answer.length === 1 && answer[0] !== undefined && answer[0].length <= LARGE) this.#write(answer[0], origin)
    else await this.#writeChunks(answer, origin)
    this.#state.isAnswering = false
    this.#services.connections.answered(socket, this.#state)
    if (this.#isLast) this.#end()
    if (this.#unread === undefined) return
    const next = this.#unread
    this.#unread = undefined
    socket.resume()
    this.#receive(next)
  }

  #head(bytes: number | undefined, origin: ResponseHead['origin']): string {
    return this.#services.writeHead({ bytes, origin, isLast: this.#isLast })
  }

  #write(body: JsonChunk, origin: string | undefined): void {
    const length = Buffer.byteLength(body)
    const head = this.#head(length, origin)
    const { batch } = this.#services
    if (typeof body === 'string') batch.write(this.#socket, head + body, encodingOf(body, length))
    else batch.write(this.#socket, head, 'latin1', body)
  }

  /** Writes a long body as fast as the client reads it. */
  async #writeChunks(chunks: readonly JsonChunk[], origin: string | undefined): Promise<void> {
    const pause = yieldToEventLoop('light', this.#signal)
    const lengths: number[] = []
    for (const chunk of chunks) {
      await pause()
      lengths.push(Buffer.byteLength(chunk))
    }
    const socket = this.#socket
    const total = lengths.reduce((sum, length) => sum + length, 0)
    this.#services.batch.flush()
    socket.write(this.#head(total, origin))
    this.#state.unwrittenBytes = total
    for (const [index, chunk] of chunks.entries()) {
      await pause()
      if (!socket.writable) return
      this.#state.unwrittenBytes -= lengths[index] ?? 0
      if (!socket.write(chunk, encodingOf(chunk, lengths[index] ?? 0))) await drained(socket)
    }
  }

  #handOver(rest: Buffer): void {
    const socket = this.#socket
    this.#services.batch.flush()
    socket.pause()
    socket.setTimeout(0)
    socket.off('data', this.#receive).off('end', this.#halfClose).off('timeout', this.#onIdle).off('error', this.#fail)
    socket.off('close', this.#close)
    this.#onEnd()
    this.#services.handOver(socket, rest)
  }

  /** Closes an idle connection, unless this node still has to answer. */
  readonly #onIdle = (): void => {
    if (this.#services.connections.isClientsTurn(this.#socket)) this.#socket.destroy()
  }

  /** A request was not complete in time. */
  readonly #expire = (): void => {
    const socket = this.#socket
    this.#services.batch.flush()
    socket
      .off('data', this.#receive)
      .end('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    socket.destroySoon()
  }

  readonly #close = (): void => {
    clearTimeout(this.#deadline)
    this.#onEnd()
  }

  readonly #fail = (): undefined => {
    this.#socket.destroy()
    return undefined
  }
}

/** ASCII text is written as latin1, which needs no conversion; `bytes` is the length of the text in UTF-8. */
const encodingOf = (text: JsonChunk, bytes: number): BufferEncoding => (bytes === text.length ? 'latin1' : 'utf8')

/** Settles when the socket takes more data, or is closed. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })

// --- half-closed connections

/** Milliseconds between two interim responses. */
const PROBE_INTERVAL = 500
/** RFC 9110, section 15.2: a client ignores an interim response. */
const INTERIM_RESPONSE = 'HTTP/1.1 102 Processing\r\n\r\n'

/**
 * Distinguishes clients that have half-closed the connection (and still read) from clients that are gone: both look alike until
 * the server sends. Sends interim responses while the request runs; the host of a client that is gone resets the connection,
 * which closes the socket.
 */
function probeHalfClosed(socket: Socket, isRunning: () => boolean): void {
  const timer = setInterval(() => {
    if (isRunning() && socket.writable) socket.write(INTERIM_RESPONSE)
    else clearInterval(timer)
  }, PROBE_INTERVAL)
  timer.unref()
}
