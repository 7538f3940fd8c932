// Polling filters (eth_newFilter and the like): opened once, then polled for new events.
import { clientOf } from '../../lib/connection-signal.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hex.ts'
import type { PreserializedJson } from '../../lib/preserialized-json.ts'
import { bool, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { logFilter } from '../shapes/log-filter.ts'

const filterId = string.describe('filter id')
const asId = (id: string) => id.toLowerCase() as Hex

export const eth_newFilter = rpcMethod({
  summary: 'Opens a filter for logs from now on, and returns its id. It is closed after five minutes without use.',
  params: [logFilter],
  names: ['filter'],
  result: filterId,
  handler([filter], { filters }, signal) {
    const { fromBlock: from, toBlock: to } = filter
    if (typeof from === 'object' && typeof to === 'object' && from && to && from.number > to.number) {
      throw new ChainError('invalid-params', 'invalid block range params')
    }
    return filters.open({ kind: 'logs', filter }, clientOf(signal))
  },
})

export const eth_newBlockFilter = rpcMethod({
  summary: 'Opens a filter for the hashes of new blocks, and returns its id.',
  params: [],
  result: filterId,
  handler: (_, { filters }, signal) => filters.open({ kind: 'blocks' }, clientOf(signal)),
})

export const eth_newPendingTransactionFilter = rpcMethod({
  summary:
    'Opens a filter for transactions that become pending: their hashes, or if requested the transactions in full.',
  params: [bool.default(false)],
  names: ['fullTransactions'],
  result: filterId,
  handler: ([full], { filters }, signal) => filters.open({ kind: 'transactions', full }, clientOf(signal)),
})

export const eth_getFilterChanges = rpcMethod({
  summary:
    'The events of a filter since the last call; logs of blocks that were removed from the chain are marked as removed.',
  params: [filterId],
  names: ['filterId'],
  result: (changes: readonly unknown[]) => changes,
  handler: ([id], { filters }) => filters.changes(asId(id)),
})

export const eth_getFilterLogs = rpcMethod({
  summary: 'All logs in the range of a log filter, also those from before it was opened.',
  params: [filterId],
  names: ['filterId'],
  result: (logs: PreserializedJson) => logs,
  heavy: true,
  handler([id], { filters, logSearch }, signal) {
    const source = filters.source(asId(id))
    if (source.kind !== 'logs') throw new ChainError('not-found', 'filter not found')
    return logSearch.json(source.filter, signal)
  },
})

export const eth_uninstallFilter = rpcMethod({
  summary: 'Closes a filter; false when there is no such filter.',
  params: [filterId],
  names: ['filterId'],
  result: bool,
  handler: ([id], { filters }) => filters.close(asId(id)),
})
