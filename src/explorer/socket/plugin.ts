// Live updates for explorer frontends at /socket/v2/websocket: pushes the chain's events to sockets that have joined their
// topics.
import type { FastifyInstance } from 'fastify'
import type { Explorer } from '../explorer.ts'
import { Announcer } from './announcer.ts'

const PATH = '/socket/v2/websocket'
/** Milliseconds between two pushes of the number of new pending transactions. */
const PENDING_INTERVAL = 250
/** Milliseconds between two checks for silent connections. */
const SILENCE_INTERVAL = 15_000

/** Registers the socket on a server that has @fastify/websocket. */
export async function explorerSocket(
  app: FastifyInstance,
  { explorer }: { readonly explorer: Explorer },
): Promise<void> {
  const { chain, hub } = explorer
  const announcer = new Announcer(explorer)
  let pending = 0
  const stops = [
    chain.events.on('block', (executed) => announcer.block(executed)),
    chain.events.on('removed', () => announcer.removal()),
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
    await announcer.settled
  })
  app.route({
    method: 'GET',
    url: PATH,
    handler: (_request, reply) => reply.code(426).type('application/json').send({ message: 'Upgrade Required' }),
    wsHandler: (socket) => hub.serve(socket),
  })
}
