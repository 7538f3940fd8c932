// Logs of the past. Polling filters and subscriptions have files of their own.
import type { PreserializedJson } from '../../lib/preserialized-json.ts'
import { rpcMethod } from '../define.ts'
import { findLogs } from '../log-query.ts'
import { logFilter } from '../shapes/filter.ts'

export const eth_getLogs = rpcMethod({
  summary: 'Logs of a range of blocks, or of one block by its hash, by address and topics.',
  params: [logFilter],
  names: ['filter'],
  result: (logs: PreserializedJson) => logs,
  heavy: true,
  handler: ([filter], { chain, index }, caller) => findLogs(filter, chain, index, caller),
})
