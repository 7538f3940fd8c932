// REST routes with settings that the explorer's frontend reads when it starts.
import { z } from 'zod'
import { explorerRoute } from '../define.ts'

/** Maximum number of rows of an export that the frontend offers. */
const MOST_EXPORTED_ROWS = 10_000

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
