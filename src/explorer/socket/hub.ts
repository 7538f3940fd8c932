// The server side of Phoenix channels (JSON serializer 2.0.0): which socket has joined which topic. Every frame is an array
// [join_ref, ref, topic, event, payload]. Every join is answered with `ok`, even for unknown topics, because clients show
// nothing before that. Sockets, topics and unsent bytes are limited. A socket that misses its heartbeats is terminated: the
// other end of its connection may be gone.
import type { WebSocket } from 'ws'
import { z } from 'zod'

const frameSchema = z.tuple([
  z.string().nullable(),
  z.string().nullable(),
  z.string().max(200),
  z.string().max(100),
  z.unknown(),
])
type Frame = z.output<typeof frameSchema>

/** Maximum connections. */
export const MOST_SOCKETS = 1000
/** Maximum topics of one connection; a frontend page joins about ten. */
export const MOST_TOPICS = 100
/** Phoenix clients send a heartbeat every 30 seconds; browsers run background pages only once a minute. */
export const LONGEST_SILENCE = 90_000
/** Unsent bytes at which a client that does not read is terminated. */
const MOST_UNSENT = 1 << 20

type Socket = Pick<WebSocket, 'on' | 'send' | 'close' | 'terminate' | 'readyState' | 'OPEN' | 'bufferedAmount'>

export class Hub {
  readonly #topics = new Map<string, Map<Socket, string | null>>()
  /** Time of the last frame or ping of each socket. */
  readonly #sockets = new Map<Socket, number>()

  /** Whether a socket has joined a topic; otherwise nothing need be rendered. */
  hasListeners(topic: string): boolean {
    return this.#topics.has(topic)
  }

  get hasNoListeners(): boolean {
    return this.#topics.size === 0
  }

  /** Sends an event to every socket that has joined the topic. */
  push(topic: string, event: string, payload: unknown): void {
    const listeners = this.#topics.get(topic)
    if (listeners === undefined) return
    // The frames of one push differ only in `join_ref`, so the payload is serialized once.
    const rest = JSON.stringify([null, topic, event, payload]).slice(1)
    for (const [socket, joinRef] of listeners) send(socket, `[${JSON.stringify(joinRef)},${rest}`)
  }

  /** Serves a connection until it closes. */
  serve(socket: Socket): void {
    socket.on('error', () => socket.terminate())
    if (this.#sockets.size >= MOST_SOCKETS) {
      socket.close(1013, 'too many connections')
      return
    }
    const joined = new Set<string>()
    this.#touch(socket)
    socket.on('ping', () => this.#touch(socket))
    socket.on('message', (message) => {
      this.#touch(socket)
      const frame = readFrame(String(message))
      if (frame !== undefined) this.#answer(socket, frame, this.#take(socket, joined, frame))
    })
    socket.on('close', () => {
      this.#sockets.delete(socket)
      for (const topic of joined) this.#leave(topic, socket)
    })
  }

  /** Terminates connections that have been silent for longer than LONGEST_SILENCE. Call it periodically. */
  dropSilent(): void {
    const now = performance.now()
    for (const [socket, lastSeen] of this.#sockets) if (now - lastSeen > LONGEST_SILENCE) socket.terminate()
  }

  #touch(socket: Socket): void {
    this.#sockets.set(socket, performance.now())
  }

  /** Handles a frame; returns the reason if it is refused. */
  #take(socket: Socket, joined: Set<string>, [joinRef, , topic, event]: Frame): string | undefined {
    if (event === 'phx_join') {
      if (joined.size >= MOST_TOPICS && !joined.has(topic)) return 'too many topics'
      joined.add(topic)
      this.#join(topic, socket, joinRef)
    } else if (event === 'phx_leave') {
      joined.delete(topic)
      this.#leave(topic, socket)
    } else if (topic !== 'phoenix' && !joined.has(topic)) return 'unmatched topic'
    return undefined
  }

  #answer(socket: Socket, [joinRef, ref, topic, event]: Frame, refusal: string | undefined): void {
    const answer =
      refusal === undefined ? { status: 'ok', response: {} } : { status: 'error', response: { reason: refusal } }
    send(socket, JSON.stringify([joinRef, ref, topic, 'phx_reply', answer]))
    if (event === 'phx_leave') send(socket, JSON.stringify([joinRef, ref, topic, 'phx_close', {}]))
  }

  #join(topic: string, socket: Socket, joinRef: string | null): void {
    const listeners = this.#topics.get(topic) ?? new Map<Socket, string | null>()
    listeners.set(socket, joinRef)
    this.#topics.set(topic, listeners)
  }

  #leave(topic: string, socket: Socket): void {
    const listeners = this.#topics.get(topic)
    listeners?.delete(socket)
    if (listeners?.size === 0) this.#topics.delete(topic)
  }
}

function readFrame(text: string): Frame | undefined {
  try {
    return frameSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function send(socket: Socket, frame: string): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MOST_UNSENT) socket.terminate()
  else socket.send(frame)
}
