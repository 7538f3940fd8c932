// Who listens to which topic, in the Phoenix channels protocol (JSON serializer 2.0.0): every frame is an array
// [join_ref, ref, topic, event, payload]. Each join is answered, also of topics that nothing is ever said about: a client
// that waits for an answer shows nothing meanwhile.
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

/** Topics of one connection. */
const MOST_TOPICS = 500
/** Unsent bytes at which a client that does not read is dropped. */
const MOST_UNSENT = 1 << 20

export class Hub {
  readonly #topics = new Map<string, Map<WebSocket, string | null>>()

  /** Whether anyone listens; what nobody hears need not be rendered. */
  hears(topic: string): boolean {
    return this.#topics.has(topic)
  }

  /** Topics that begin with the prefix and that somebody listens to, without it. */
  heard(prefix: string): string[] {
    return [...this.#topics.keys()].flatMap((topic) => (topic.startsWith(prefix) ? [topic.slice(prefix.length)] : []))
  }

  get isQuiet(): boolean {
    return this.#topics.size === 0
  }

  /** Tells everyone who listens to the topic. */
  push(topic: string, event: string, payload: unknown): void {
    for (const [socket, joinRef] of this.#topics.get(topic) ?? []) send(socket, [joinRef, null, topic, event, payload])
  }

  /** Serves a connection until it closes. */
  serve(socket: WebSocket): void {
    const joined = new Set<string>()
    socket.on('message', (message) => {
      const frame = readFrame(String(message))
      if (frame === undefined) return
      const [joinRef, ref, topic, event] = frame
      if (event === 'phx_join') {
        if (joined.size >= MOST_TOPICS) return reply(socket, frame, 'error', { reason: 'too many topics' })
        joined.add(topic)
        this.#join(topic, socket, joinRef)
      } else if (event === 'phx_leave') {
        joined.delete(topic)
        this.#leave(topic, socket)
      } else if (topic !== 'phoenix' && !joined.has(topic)) {
        return reply(socket, frame, 'error', { reason: 'unmatched topic' })
      }
      reply(socket, frame, 'ok', {})
      if (event === 'phx_leave') send(socket, [joinRef, ref, topic, 'phx_close', {}])
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      for (const topic of joined) this.#leave(topic, socket)
    })
  }

  #join(topic: string, socket: WebSocket, joinRef: string | null): void {
    const listeners = this.#topics.get(topic) ?? new Map<WebSocket, string | null>()
    listeners.set(socket, joinRef)
    this.#topics.set(topic, listeners)
  }

  #leave(topic: string, socket: WebSocket): void {
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

function reply(socket: WebSocket, [joinRef, ref, topic]: Frame, status: 'ok' | 'error', response: unknown): void {
  send(socket, [joinRef, ref, topic, 'phx_reply', { status, response }])
}

function send(socket: WebSocket, frame: readonly unknown[]): void {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MOST_UNSENT) socket.terminate()
  else socket.send(JSON.stringify(frame))
}
