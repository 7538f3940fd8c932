// eth_getLogs: logs of committed blocks (`log-search.ts`). Polling filters and subscriptions have files of their own.
import type { PreserializedJson } from '../../lib/preserialized-json.ts'
import { rpcMethod } from '../define.ts'
import { logFilter } from '../shapes/log-filter.ts'

export const eth_getLogs = rpcMethod({
  summary: 'Logs of a range of blocks, or of one block by its hash, that match addresses and topics.',
  params: [logFilter],
  names: ['filter'],
  result: (logs: PreserializedJson) => logs,
  heavy: true,
  committed: true,
  handler: ([filter], { logSearch }, signal) => logSearch.json(filter, signal),
})
