// REST routes with settings that the explorer's frontend reads when it starts.
import { z } from 'zod'
import { MOST_EXPORTED_ROWS } from '../csv.ts'
import { explorerRoute } from '../define.ts'

export const backendVersion = explorerRoute({
  path: '/config/backend-version',
  summary: 'Version of this program',
  response: z.strictObject({ backend_version: z.string().regex(/^v/) }),
  handler: (_, { options }) => ({ backend_version: `v${options.version}` }),
})

export const csvExport = explorerRoute({
  path: '/config/csv-export',
  summary: 'Limit of exported rows',
  response: z.strictObject({ limit: z.number().int() }),
  handler: () => ({ limit: MOST_EXPORTED_ROWS }),
})

const entryPointStatus = z.strictObject({
  enabled: z.boolean(),
  live: z.boolean(),
  past_db_logs_indexing_finished: z.boolean(),
  past_rpc_logs_indexing_finished: z.boolean(),
})
const NOT_INDEXED = {
  enabled: false,
  live: false,
  past_db_logs_indexing_finished: false,
  past_rpc_logs_indexing_finished: false,
}

export const accountAbstractionStatus = explorerRoute({
  path: '/proxy/account-abstraction/status',
  summary: 'Index of user operations (ERC-4337): there is none, for no version of the EntryPoint contract',
  response: z.strictObject({
    finished_past_indexing: z.boolean(),
    v06: entryPointStatus,
    v07: entryPointStatus,
    v08: entryPointStatus,
  }),
  handler: () => ({ finished_past_indexing: true, v06: NOT_INDEXED, v07: NOT_INDEXED, v08: NOT_INDEXED }),
})
