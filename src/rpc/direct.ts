// The short way: a plain POST is cut out of the bytes of its connection and answered, past the HTTP server, whose objects
// for one request cost more than most methods do. What is not plain goes there with its connection, for good.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { callerOf } from '../lib/caller.ts'
import { takingTurns } from '../lib/turns.ts'
import { probeHalfClosed } from './half-closed.ts'
import type { Piece } from './pieces.ts'
import { type PlainRequests, plainReader, plainWriter } from './plain-http.ts'

export type DirectOptions = PlainRequests & {
  /** Lines that stand in the head of every answer. */
  readonly headers: readonly string[]
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
    idle: server.keepAliveTimeout,
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
  /** Milliseconds after which a connection that says nothing is closed. */
  readonly idle: number
}

/** Bodies that come in pieces are waited for up to here; longer ones are for the HTTP server, which does not copy. */
const LONGEST_WAIT = 1 << 16

/** One connection: a request at a time, in the order in which they came. */
class DirectConnection {
  readonly #socket: Socket
  readonly #wire: Wire
  readonly #caller: AbortSignal
  readonly #ended: () => void
  /** What has come and is not yet read: part of a request, or the next while one runs. */
  #held: Buffer | undefined
  #isRunning = false
  /** While it runs, until its answer is written. */
  #isWaiting = false
  #isLast = false

  constructor(socket: Socket, wire: Wire, ended: () => void) {
    this.#socket = socket
    this.#wire = wire
    this.#caller = callerOf(socket)
    this.#ended = ended
    socket.setTimeout(wire.idle)
    socket.on('data', this.#take).on('end', this.#halfClose).on('timeout', this.#giveUp).on('error', this.#fail)
    socket.on('close', ended)
  }

  /** Ends the connection, after the answer that is due. */
  readonly finish = (): void => {
    this.#isLast = true
    if (!this.#isRunning) this.#socket.end()
  }

  readonly #halfClose = (): void => {
    this.finish()
    if (this.#isWaiting) probeHalfClosed(this.#socket, () => this.#isWaiting)
  }

  readonly #take = (bytes: Buffer): void => {
    const all = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = undefined
    if (this.#isRunning) {
      this.#held = all
      this.#socket.pause()
      return
    }
    const span = this.#wire.read(all)
    if (span?.end === all.length) void this.#run(all.toString('utf8', span.start))
    else if (span !== undefined && all.length < span.end && span.end <= LONGEST_WAIT) this.#held = all
    else this.#handOver(all)
  }

  async #run(body: string): Promise<void> {
    this.#isRunning = true
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
    if (answer === undefined) socket.write(this.#wire.writeHead(undefined, this.#isLast))
    else if (answer.length === 1 && typeof answer[0] === 'string') this.#write(answer[0])
    else await this.#writeAll(answer)
    this.#isRunning = false
    if (this.#isLast) socket.end()
    if (this.#held === undefined) return
    const next = this.#held
    this.#held = undefined
    socket.resume()
    this.#take(next)
  }

  #write(text: string): void {
    const length = Buffer.byteLength(text)
    this.#socket.write(this.#wire.writeHead(length, this.#isLast) + text, encodingOf(text, length))
  }

  /** As fast as the client reads. */
  async #writeAll(pieces: readonly Piece[]): Promise<void> {
    const pause = takingTurns('light', this.#caller)
    const lengths: number[] = []
    for (const piece of pieces) {
      await pause()
      lengths.push(Buffer.byteLength(piece))
    }
    const socket = this.#socket
    const total = lengths.reduce((sum, length) => sum + length, 0)
    socket.write(this.#wire.writeHead(total, this.#isLast))
    for (const [index, piece] of pieces.entries()) {
      await pause()
      if (!socket.writable) return
      if (!socket.write(piece, encodingOf(piece, lengths[index] ?? 0))) await drained(socket)
    }
  }

  #handOver(rest: Buffer): void {
    const socket = this.#socket
    socket.pause()
    socket.setTimeout(0)
    socket.off('data', this.#take).off('end', this.#halfClose).off('timeout', this.#giveUp).off('error', this.#fail)
    socket.off('close', this.#ended)
    this.#ended()
    this.#wire.handOver(socket, rest)
  }

  readonly #giveUp = (): void => {
    if (!this.#isRunning) this.#socket.destroy()
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
