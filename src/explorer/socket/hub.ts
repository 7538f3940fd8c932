// Who listens to which topic, in the Phoenix channels protocol (JSON serializer 2.0.0): every frame is an array
// [join_ref, ref, topic, event, payload]. Each join is answered, also of topics that nothing is ever said about: a client
// that waits for an answer shows nothing meanwhile. Sockets, their topics and what they have not read are bounded, and a
// client that is silent for longer than its heartbeat allows is cut: the other end of its connection may have gone.
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

/** Connections in all. */
export const MOST_SOCKETS = 1000
/** Topics of one connection; a page of a frontend joins some ten. */
export const MOST_TOPICS = 100
/** Phoenix' clients send a heartbeat every 30 seconds; browsers let pages in the background run once a minute. */
export const LONGEST_SILENCE = 90_000
/** Unsent bytes at which a client that does not read is dropped. */
const MOST_UNSENT = 1 << 20

type Socket = Pick<WebSocket, 'on' | 'send' | 'close' | 'terminate' | 'readyState' | 'OPEN' | 'bufferedAmount'>

export class Hub {
  readonly #topics = new Map<string, Map<Socket, string | null>>()
  /** When each socket was last heard of. */
  readonly #sockets = new Map<Socket, number>()

  /** Whether anyone listens; what nobody hears need not be rendered. */
  hasListeners(topic: string): boolean {
    return this.#topics.has(topic)
  }

  get hasNoListeners(): boolean {
    return this.#topics.size === 0
  }

  /** Tells everyone who listens to the topic. */
  push(topic: string, event: string, payload: unknown): void {
    const listeners = this.#topics.get(topic)
    if (listeners === undefined) return
    // Frames of one push differ in their first place only: the payload is written once for all.
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
    this.#hear(socket)
    socket.on('ping', () => this.#hear(socket))
    socket.on('message', (message) => {
      this.#hear(socket)
      const frame = readFrame(String(message))
      if (frame !== undefined) this.#answer(socket, frame, this.#take(socket, joined, frame))
    })
    socket.on('close', () => {
      this.#sockets.delete(socket)
      for (const topic of joined) this.#leave(topic, socket)
    })
  }

  /** Cuts the connections that have said nothing for too long; to be called now and then. */
  dropSilent(): void {
    const now = performance.now()
    for (const [socket, heardAt] of this.#sockets) if (now - heardAt > LONGEST_SILENCE) socket.terminate()
  }

  #hear(socket: Socket): void {
    this.#sockets.set(socket, performance.now())
  }

  /** Does what a frame asks for; returns why it is refused. */
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
