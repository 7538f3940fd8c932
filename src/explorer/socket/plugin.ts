// Live updates for explorer frontends at /socket/v2/websocket: the chain's events, pushed to the sockets that have joined
// their topics.
import type { FastifyInstance } from 'fastify'
import { type ExplorerContext, openContext } from '../context.ts'
import type { Explorer } from '../explorer.ts'
import { announceBlock, announceCollated, announceRemoval } from './announce.ts'

const PATH = '/socket/v2/websocket'
/**
 * Blocks that may wait to be announced. Further ones take the place of the last, so that rendering never slows the chain down,
 * and the newest block is always told.
 */
const MOST_WAITING = 32
/** How often the number of new pending transactions is pushed, in milliseconds. */
const PENDING_INTERVAL = 250
/** How often silent connections are dropped, in milliseconds. */
const SILENCE_INTERVAL = 15_000

/** Registers the socket on a server that has @fastify/websocket. */
export async function explorerSocket(
  app: FastifyInstance,
  { explorer }: { readonly explorer: Explorer },
): Promise<void> {
  const { chain, hub } = explorer
  let pending = 0
  const announcements = new Announcements(explorer)
  const stops = [
    chain.events.on('block', (executed) => {
      if (hub.hasNoListeners) return
      announceCollated(hub, executed.block)
      announcements.add((context) => announceBlock(context, hub, executed))
    }),
    chain.events.on('removed', (blocks) => {
      if (!hub.hasNoListeners) announcements.replace((context) => announceRemoval(context, hub, blocks))
    }),
    chain.events.on('pending', () => {
      pending += 1
    }),
  ]
  const pendingTimer = setInterval(() => {
    if (pending > 0) {
      hub.push('transactions:new_pending_transaction', 'pending_transaction', { pending_transaction: pending })
    }
    pending = 0
  }, PENDING_INTERVAL)
  pendingTimer.unref()
  const silenceTimer = setInterval(() => hub.dropSilent(), SILENCE_INTERVAL)
  silenceTimer.unref()
  app.addHook('onClose', async () => {
    clearInterval(pendingTimer)
    clearInterval(silenceTimer)
    for (const stop of stops) stop()
    await announcements.ended
  })
  app.route({
    method: 'GET',
    url: PATH,
    handler: (_request, reply) => reply.code(426).type('application/json').send({ message: 'Upgrade Required' }),
    wsHandler: (socket) => hub.serve(socket),
  })
}

type Announcement = (context: ExplorerContext) => Promise<void>

/** Announcements one after another, each with a context of its own. */
class Announcements {
  readonly #explorer: Explorer
  readonly #waiting: Announcement[] = []
  #running: Promise<void> | undefined

  constructor(explorer: Explorer) {
    this.#explorer = explorer
  }

  /** Resolves when nothing waits. */
  get ended(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  add(announcement: Announcement): void {
    if (this.#waiting.length >= MOST_WAITING) this.#waiting.pop()
    this.#waiting.push(announcement)
    this.#running ??= this.#run()
  }

  /** Adds an announcement and drops those that wait: their blocks may be gone. */
  replace(announcement: Announcement): void {
    this.#waiting.length = 0
    this.add(announcement)
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        const { context, close } = await openContext(this.#explorer)
        await next(context).finally(close)
      } catch (error) {
        this.#explorer.log.warn({ err: error }, 'a block could not be announced on the explorer’s socket')
      }
    }
    this.#running = undefined
  }
}
