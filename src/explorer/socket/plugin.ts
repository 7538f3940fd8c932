// Live updates for explorer frontends at /socket/v2/websocket: the chain's signals, told to whoever has joined their topics.
import type { FastifyInstance } from 'fastify'
import { openMoment } from '../context.ts'
import type { ExplorerServices } from '../define.ts'
import { announceBlock } from './announce.ts'

const PATH = '/socket/v2/websocket'
/** Blocks that may wait to be told; a chain that makes them faster than they are rendered is not slowed down by it. */
const MOST_WAITING = 32
/** How often waiting transactions are counted for those who watch them, in milliseconds. */
const PENDING_BEAT = 250
/** How often silent connections are looked for, in milliseconds. */
const SILENCE_BEAT = 15_000

/** Registers the socket. The instance must already carry @fastify/websocket. */
export async function explorerSocket(app: FastifyInstance, services: ExplorerServices): Promise<void> {
  const { chain, hub, log } = services
  let told = Promise.resolve()
  let waiting = 0
  let pending = 0
  const stops = [
    chain.events.on('block', (executed) => {
      if (hub.isQuiet || waiting >= MOST_WAITING) return
      waiting += 1
      told = told
        .then(async () => {
          const moment = await openMoment(services)
          try {
            await announceBlock(moment.context, hub, executed)
          } finally {
            await moment.close()
          }
        })
        .catch((error: unknown) => log.warn({ err: error }, 'a block could not be told to the explorer’s listeners'))
        .finally(() => {
          waiting -= 1
        })
    }),
    chain.events.on('pending', () => {
      pending += 1
    }),
  ]
  const beat = setInterval(() => {
    if (pending > 0) {
      hub.push('transactions:new_pending_transaction', 'pending_transaction', { pending_transaction: pending })
    }
    pending = 0
  }, PENDING_BEAT)
  beat.unref()
  const silence = setInterval(() => hub.cutSilent(), SILENCE_BEAT)
  silence.unref()
  app.addHook('onClose', async () => {
    clearInterval(beat)
    clearInterval(silence)
    for (const stop of stops) stop()
    await told
  })
  app.route({
    method: 'GET',
    url: PATH,
    handler: (_request, reply) => reply.code(426).type('application/json').send({ message: 'Upgrade Required' }),
    wsHandler: (socket) => hub.serve(socket),
  })
}
