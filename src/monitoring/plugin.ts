// What operators ask over HTTP: `/health` on every node, `/metrics` where it is switched on. The guard judges both like all
// other requests; neither answer may be kept by a cache.
import type { FastifyInstance } from 'fastify'
import type { Health } from './health.ts'
import type { Metrics } from './metrics.ts'

export type MonitoringFace = {
  readonly health: () => Health
  /** Left out: there is no `/metrics`. */
  readonly metrics: Metrics | undefined
}

/** Registers the routes. Has to come before the other faces, so that the times of their answers are taken too. */
export function serveMonitoring(app: FastifyInstance, { health, metrics }: MonitoringFace): void {
  app.get('/health', (_request, reply) => {
    const answer = health()
    return reply
      .code(answer.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(answer)
  })
  if (metrics === undefined) return
  metrics.watchConnections(app.server, () => app.websocketServer.clients.size)
  app.addHook('onResponse', async ({ routeOptions }, { statusCode, elapsedTime }) =>
    metrics.answered(routeOptions.url ?? 'unknown', statusCode, elapsedTime),
  )
  app.get('/metrics', async (_request, reply) =>
    reply
      .type(metrics.contentType)
      .header('cache-control', 'no-store')
      .send(await metrics.text()),
  )
}
