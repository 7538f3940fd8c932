// The HTTP routes for operators: `/health` on every node, `/metrics` if it is enabled. They pass the same access check as all
// other requests; caches must not store the answers.
import type { FastifyInstance } from 'fastify'
import type { Health } from './health.ts'
import type { Door, Metrics } from './metrics.ts'

export type MonitoringFace = {
  readonly health: () => Promise<Health>
  /** undefined: `/metrics` is not served. */
  readonly metrics: Metrics | undefined
}

/** Registers the routes. Call it before the other faces are registered, so that their requests are measured, too. */
export function serveMonitoring(app: FastifyInstance, { health, metrics }: MonitoringFace, door: Door): void {
  app.get<{ Querystring: Readonly<Record<string, unknown>> }>('/health', async ({ query }, reply) => {
    const answer = await health()
    const isBehind = query.synced !== undefined && answer.syncing !== undefined && answer.syncing !== false
    return reply
      .code(answer.ready && !isBehind ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(answer)
  })
  if (metrics === undefined) return
  metrics.watchConnections(() => app.websocketServer.clients.size, door)
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
