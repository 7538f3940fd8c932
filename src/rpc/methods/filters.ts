// Polling filters: opened once, asked again and again for what is new.
import { ChainError } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hex.ts'
import type { PreserializedJson } from '../../lib/preserialized-json.ts'
import { bool, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { findLogs } from '../log-query.ts'
import { logFilter } from '../shapes/filter.ts'

const filterId = string.describe('filter id')
const asId = (id: string) => id.toLowerCase() as Hex

export const eth_newFilter = rpcMethod({
  summary: 'Opens a filter for logs from now on, and answers its id. It is forgotten after five minutes without use.',
  params: [logFilter],
  names: ['filter'],
  result: filterId,
  handler([filter], { filters }) {
    const { fromBlock: from, toBlock: to } = filter
    if (typeof from === 'object' && typeof to === 'object' && from && to && from.number > to.number) {
      throw new ChainError('invalid-params', 'invalid block range params')
    }
    return filters.open({ kind: 'logs', filter })
  },
})

export const eth_newBlockFilter = rpcMethod({
  summary: 'Opens a filter for the hashes of new blocks, and answers its id.',
  params: [],
  result: filterId,
  handler: (_, { filters }) => filters.open({ kind: 'blocks' }),
})

export const eth_newPendingTransactionFilter = rpcMethod({
  summary: 'Opens a filter for transactions that become executable: their hashes, or on request in full.',
  params: [bool.default(false)],
  names: ['fullTransactions'],
  result: filterId,
  handler: ([full], { filters }) => filters.open({ kind: 'transactions', full }),
})

export const eth_getFilterChanges = rpcMethod({
  summary: 'What a filter has seen since it was last asked; logs of blocks that were taken back come as removed.',
  params: [filterId],
  names: ['filterId'],
  result: (changes: readonly unknown[]) => changes,
  handler: ([id], { filters }) => filters.changes(asId(id)),
})

export const eth_getFilterLogs = rpcMethod({
  summary: 'All logs of a log filter’s range, whenever they came.',
  params: [filterId],
  names: ['filterId'],
  result: (logs: PreserializedJson) => logs,
  heavy: true,
  handler([id], { chain, filters, index }, caller) {
    const source = filters.source(asId(id))
    if (source.kind !== 'logs') throw new ChainError('not-found', 'filter not found')
    return findLogs(source.filter, chain, index, caller)
  },
})

export const eth_uninstallFilter = rpcMethod({
  summary: 'Forgets a filter; false when there was none.',
  params: [filterId],
  names: ['filterId'],
  result: bool,
  handler: ([id], { filters }) => filters.close(asId(id)),
})
