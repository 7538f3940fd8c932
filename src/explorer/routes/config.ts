// REST routes with settings that the explorer's frontend reads when it starts.
import { z } from 'zod'
import { CONTRACT_LANGUAGES } from '../../contracts/verified-contracts.ts'
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
  summary: 'Limit of exported rows; files are made while they are sent',
  response: z.strictObject({ limit: z.number().int(), async_enabled: z.literal(false) }),
  handler: () => ({ limit: MOST_EXPORTED_ROWS, async_enabled: false as const }),
})

export const backend = explorerRoute({
  path: '/config/backend',
  summary: 'The variant of Blockscout whose API this is: the plain one',
  response: z.strictObject({ chain_type: z.null(), openapi_spec_folder_name: z.literal('default') }),
  handler: () => ({ chain_type: null, openapi_spec_folder_name: 'default' as const }),
})

export const indexer = explorerRoute({
  path: '/config/indexer',
  summary: 'Parts of the index: all of them are written with each block',
  response: z.strictObject({
    indexer_enabled: z.boolean(),
    internal_transactions_fetcher_enabled: z.boolean(),
    pending_transactions_fetcher_enabled: z.boolean(),
    block_reward_fetcher_enabled: z.boolean(),
    token_instance_retry_fetcher_enabled: z.boolean(),
    token_instance_sanitize_fetcher_enabled: z.boolean(),
  }),
  handler: () => ({
    indexer_enabled: true,
    internal_transactions_fetcher_enabled: true,
    pending_transactions_fetcher_enabled: true,
    block_reward_fetcher_enabled: true,
    token_instance_retry_fetcher_enabled: true,
    token_instance_sanitize_fetcher_enabled: true,
  }),
})

export const publicMetrics = explorerRoute({
  path: '/config/public-metrics',
  summary: 'Hours between updates of the metrics: they are made when they are read',
  response: z.strictObject({ update_period_hours: z.literal(0) }),
  handler: () => ({ update_period_hours: 0 as const }),
})

export const contractLanguages = explorerRoute({
  path: '/config/smart-contracts/languages',
  summary: 'Languages of verified contracts',
  response: z.strictObject({ languages: z.array(z.enum(CONTRACT_LANGUAGES)) }),
  handler: () => ({ languages: [...CONTRACT_LANGUAGES] }),
})

export const backgroundMigrations = explorerRoute({
  path: '/config/db-background-migrations',
  summary: 'Changes of the database that are not complete: always none, because `kestrel reindex` makes them',
  response: z.strictObject({ migrations: z.array(z.never()) }),
  handler: () => ({ migrations: [] }),
})
