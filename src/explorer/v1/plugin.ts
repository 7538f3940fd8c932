// Blockscout frontends' requests under /api/v1: its statistics service, the search, and CSV files at their paths before /api/v2.
import type { FastifyInstance } from 'fastify'
import type { ExplorerRoute } from '../define.ts'
import type { Explorer } from '../explorer.ts'
import { answerErrors, answerRoute, mount } from '../plugin.ts'
import {
  addressInternalTransactionsCsv,
  addressLogsCsv,
  addressTokenTransfersCsv,
  addressTransactionsCsv,
} from '../routes/exports.ts'
import { search } from '../routes/search.ts'
import * as statistics from './routes.ts'

/** Files by their former path; the query's `address_id` is the address. */
const FILES: Readonly<Record<string, ExplorerRoute>> = {
  '/transactions-csv': addressTransactionsCsv,
  '/token-transfers-csv': addressTokenTransfersCsv,
  '/internal-transactions-csv': addressInternalTransactionsCsv,
  '/logs-csv': addressLogsCsv,
}

/** Registers both. Register it with the prefix /api/v1. */
export async function explorerV1(app: FastifyInstance, { explorer }: { readonly explorer: Explorer }): Promise<void> {
  answerErrors(app, explorer)
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'Not found' }))
  const routes: readonly ExplorerRoute[] = [...Object.values(statistics), search]
  for (const route of routes) mount(app, explorer, route)
  for (const [url, route] of Object.entries(FILES)) {
    app.get<{ Querystring: { readonly address_id?: string } }>(url, (request, reply) =>
      answerRoute(explorer, route, request, reply, { address_hash_param: request.query.address_id }),
    )
  }
}
