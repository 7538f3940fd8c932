// One WebSocket connection: requests in, answers and notifications out. It ends everything it began: when it closes,
// its subscriptions' listeners are gone. A client that does not read, or does not answer pings, is cut off.
import { randomBytes } from 'node:crypto'
import type { WebSocket } from 'ws'
import { connectionSignal } from '../lib/connection-signal.ts'
import { ChainError } from '../lib/errors.ts'
import { type Hex, toHex } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import type { RpcContext, Subscriber } from './define.ts'
import { answer } from './dispatch.ts'

/** Requests of one connection that run at a time; reading stops until one has been answered. */
const MAX_RUNNING = 64

/** Milliseconds between pings while reading rests: only what is sent to a client that is gone shows that it is. */
const PROBE = 500

/** Serves a connection until it closes. */
export function serveSocket(socket: WebSocket, context: Omit<RpcContext, 'subscriber'>): void {
  const { options } = context
  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > options.maxUnsent) socket.terminate()
    else socket.send(text)
  }
  const subscriptions = new Subscriptions(send, options.maxSubscriptions)
  const caller = connectionSignal(socket)

  const run = async (message: string): Promise<void> => {
    const opened: Hex[] = []
    const subscriber: Subscriber = {
      open(start) {
        const id = subscriptions.open(start)
        opened.push(id)
        return id
      },
      close: (id) => subscriptions.close(id),
    }
    const text = await answer(message, { ...context, subscriber }, caller)
    if (text !== undefined) send(text)
    for (const id of opened) subscriptions.announce(id)
  }
  const requests = new Requests(socket, caller, run)
  socket.on('message', (message) => requests.take(String(message)))

  let alive = true
  const heartbeat = setInterval(() => {
    // While reading rests, pongs are not seen.
    if (socket.isPaused) return
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
  }, options.pingInterval * 1000)
  heartbeat.unref()
  socket.on('pong', () => {
    alive = true
  })
  socket.on('close', () => {
    clearInterval(heartbeat)
    subscriptions.end()
  })
}

/**
 * A connection's requests: a bounded number runs at a time, begun in turns with other work. `ws` delivers all messages of a
 * chunk, also after reading has stopped, so that some wait here.
 */
class Requests {
  readonly #socket: WebSocket
  readonly #caller: AbortSignal
  readonly #run: (message: string) => Promise<void>
  readonly #waiting: string[] = []
  #running = 0
  #isServing = false
  #probing: NodeJS.Timeout | undefined
  #freed: () => void = () => undefined

  constructor(socket: WebSocket, caller: AbortSignal, run: (message: string) => Promise<void>) {
    this.#socket = socket
    this.#caller = caller
    this.#run = run
  }

  take(message: string): void {
    this.#waiting.push(message)
    if (this.#running + this.#waiting.length >= MAX_RUNNING && this.#probing === undefined) {
      this.#socket.pause()
      this.#probing = setInterval(() => this.#socket.ping(), PROBE).unref()
    }
    if (!this.#isServing) void this.#serve()
  }

  async #serve(): Promise<void> {
    this.#isServing = true
    const pause = yieldToEventLoop('light')
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const rest = pause()
      if (rest !== undefined) await rest
      // The connection is closed: drop the requests that wait.
      if (this.#caller.aborted) return
      this.#running++
      void this.#run(message).finally(() => this.#ended())
      if (this.#running >= MAX_RUNNING) await new Promise<void>((freed) => (this.#freed = freed))
    }
    this.#isServing = false
  }

  #ended(): void {
    this.#running--
    this.#freed()
    const isFull = this.#running + this.#waiting.length >= MAX_RUNNING && !this.#caller.aborted
    if (this.#probing === undefined || isFull) return
    clearInterval(this.#probing)
    this.#probing = undefined
    this.#socket.resume()
  }
}

/** A connection's subscriptions. What comes before `announce` is held, so that the client knows the id first. */
class Subscriptions {
  readonly #stops = new Map<Hex, () => void>()
  readonly #held = new Map<Hex, unknown[]>()
  readonly #send: (text: string) => void
  readonly #most: number
  #ended = false

  constructor(send: (text: string) => void, most: number) {
    this.#send = send
    this.#most = most
  }

  open(start: (send: (result: unknown) => void) => () => void): Hex {
    if (this.#ended) throw new ChainError('not-found', 'connection closed')
    if (this.#stops.size >= this.#most) {
      throw new ChainError('limit-exceeded', `too many subscriptions, want at most ${this.#most}`)
    }
    const id = toHex(randomBytes(16))
    const held: unknown[] = []
    this.#held.set(id, held)
    const stop = start((result) => {
      if (this.#held.has(id)) held.push(result)
      else this.#notify(id, result)
    })
    this.#stops.set(id, stop)
    return id
  }

  announce(id: Hex): void {
    const held = this.#held.get(id) ?? []
    this.#held.delete(id)
    for (const result of held) this.#notify(id, result)
  }

  close(id: Hex): boolean {
    this.#stops.get(id)?.()
    this.#held.delete(id)
    return this.#stops.delete(id)
  }

  end(): void {
    this.#ended = true
    for (const id of this.#stops.keys()) this.close(id)
  }

  #notify(subscription: Hex, result: unknown): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
  }
}
