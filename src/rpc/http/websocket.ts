// One WebSocket connection of JSON-RPC, or one at a Unix socket: requests, responses, subscriptions, pings. When it closes, the listeners of its
// subscriptions are removed. A client that does not read (`maxUnsent`), or does not answer a ping, is disconnected.
import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { WebSocket } from 'ws'
import type { Budget } from '../../lib/budget.ts'
import { clientOf } from '../../lib/connection-signal.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Hex, toHex } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { type JsonChunk, joinChunks } from '../chunked-json.ts'
import type { RpcContext, Subscriber } from '../define.ts'
import { answerInChunks } from '../dispatch.ts'

/** Maximum number of running and waiting requests of one connection; above it nothing is read until one is answered. */
const MAX_REQUESTS = 64

/** Milliseconds between pings while reading is paused: a client that is gone is detected only by sending. */
const PAUSED_PING_INTERVAL = 500

/** A WebSocket, or another connection that keeps messages apart. */
export type MessageSocket = Pick<EventEmitter, 'on'> &
  Pick<WebSocket, 'readyState' | 'OPEN' | 'bufferedAmount' | 'isPaused' | 'pause' | 'resume' | 'terminate'> & {
    send(message: JsonChunk, options: { readonly binary: false }): void
    ping(): void
  }

/** Serves a connection until it closes. `signal` is that of the TCP connection (`connectionSignal`). */
export function serveWebSocket(
  socket: MessageSocket,
  signal: AbortSignal,
  context: Omit<RpcContext, 'subscriber'>,
): void {
  const { options } = context
  const send = (message: JsonChunk): void => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > options.maxUnsent) socket.terminate()
    else socket.send(message, { binary: false })
  }
  const subscriptions = new Subscriptions(send, options.maxSubscriptions, context.subscriptions, clientOf(signal))

  const run = async (message: string): Promise<void> => {
    const opened: Hex[] = []
    const subscriber: Subscriber = {
      open(start, places) {
        const id = subscriptions.open(start, places)
        opened.push(id)
        return id
      },
      close: (id) => subscriptions.close(id),
    }
    const chunks = await answerInChunks(message, { ...context, subscriber }, signal)
    if (chunks !== undefined) send(joinChunks(chunks))
    for (const id of opened) subscriptions.announce(id)
  }
  const requests = new RequestQueue(socket, signal, run)
  socket.on('message', (message) => requests.add(String(message)))
  const stopPings = pingRegularly(socket, options.pingInterval * 1000)
  socket.on('close', () => {
    stopPings()
    subscriptions.end()
  })
}

/** Pings at an interval (milliseconds), and disconnects a client that has not answered the previous ping. */
function pingRegularly(socket: MessageSocket, interval: number): () => void {
  let isAlive = true
  const timer = setInterval(() => {
    // While reading is paused, pongs are not received.
    if (socket.isPaused) return
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, interval)
  timer.unref()
  socket.on('pong', () => {
    isAlive = true
  })
  return () => clearInterval(timer)
}

/**
 * The requests of one connection. Up to MAX_REQUESTS run at a time, and starting them yields to other work. `ws` delivers all
 * messages of a TCP chunk, so some arrive after reading was paused; they wait here.
 */
class RequestQueue {
  readonly #socket: MessageSocket
  readonly #signal: AbortSignal
  readonly #run: (message: string) => Promise<void>
  readonly #waiting: string[] = []
  #running = 0
  #isStarting = false
  /** Set while reading is paused. */
  #pausedPings: NodeJS.Timeout | undefined
  #onSlotFree: () => void = () => undefined

  constructor(socket: MessageSocket, signal: AbortSignal, run: (message: string) => Promise<void>) {
    this.#socket = socket
    this.#signal = signal
    this.#run = run
  }

  add(message: string): void {
    this.#waiting.push(message)
    if (this.#running + this.#waiting.length >= MAX_REQUESTS && this.#pausedPings === undefined) {
      this.#socket.pause()
      this.#pausedPings = setInterval(() => this.#socket.ping(), PAUSED_PING_INTERVAL).unref()
    }
    if (!this.#isStarting) void this.#startWaiting()
  }

  async #startWaiting(): Promise<void> {
    this.#isStarting = true
    const pause = yieldToEventLoop('light')
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      const turn = pause()
      if (turn !== undefined) await turn
      // The connection is closed: drop the waiting requests.
      if (this.#signal.aborted) return
      this.#running++
      void this.#run(message).finally(() => this.#onAnswered())
      if (this.#running >= MAX_REQUESTS) await new Promise<void>((resolve) => (this.#onSlotFree = resolve))
    }
    this.#isStarting = false
  }

  #onAnswered(): void {
    this.#running--
    this.#onSlotFree()
    const isFull = this.#running + this.#waiting.length >= MAX_REQUESTS && !this.#signal.aborted
    if (this.#pausedPings === undefined || isFull) return
    clearInterval(this.#pausedPings)
    this.#pausedPings = undefined
    this.#socket.resume()
  }
}

/** The subscriptions of one connection. Results from before `announce` are buffered: the client needs the id first. */
class Subscriptions {
  readonly #stops = new Map<Hex, () => void>()
  readonly #unannounced = new Map<Hex, unknown[]>()
  readonly #send: (text: string) => void
  readonly #max: number
  readonly #places: Budget
  readonly #client: string | undefined
  #hasEnded = false

  constructor(send: (text: string) => void, max: number, places: Budget, client: string | undefined) {
    this.#send = send
    this.#max = max
    this.#places = places
    this.#client = client
  }

  open(start: (send: (result: unknown) => void) => () => void, places = 1): Hex {
    if (this.#hasEnded) throw new ChainError('not-found', 'connection closed')
    if (this.#stops.size >= this.#max) {
      throw new ChainError('limit-exceeded', `too many subscriptions, want at most ${this.#max}`)
    }
    if (!this.#places.take(places, this.#client)) {
      throw new ChainError('limit-exceeded', 'too many subscriptions on this node')
    }
    const id = toHex(randomBytes(16))
    const buffered: unknown[] = []
    this.#unannounced.set(id, buffered)
    const stop = start((result) => {
      if (this.#unannounced.has(id)) buffered.push(result)
      else this.#notify(id, result)
    })
    this.#stops.set(id, () => {
      stop()
      this.#places.give(places, this.#client)
    })
    return id
  }

  /** Call it when the id has been sent to the client. */
  announce(id: Hex): void {
    const buffered = this.#unannounced.get(id) ?? []
    this.#unannounced.delete(id)
    for (const result of buffered) this.#notify(id, result)
  }

  close(id: Hex): boolean {
    this.#stops.get(id)?.()
    this.#unannounced.delete(id)
    return this.#stops.delete(id)
  }

  end(): void {
    this.#hasEnded = true
    for (const id of this.#stops.keys()) this.close(id)
  }

  #notify(subscription: Hex, result: unknown): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
  }
}
