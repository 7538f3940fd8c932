// Methods of Erigon that explorers and indexers use. The shapes are Erigon's: logs have a `timestamp`.
import { z } from 'zod'
import type { ChainReader, MinedLog } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { toQuantity } from '../../lib/hex.ts'
import type { PreserializedJson } from '../../lib/preserialized-json.ts'
import type { Block, SealedHeader } from '../../primitives/types.ts'
import { blockAtTime } from '../block-bisection.ts'
import { blockNumber, bool, hash, looseQuantity, quantity } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { wireBlock, wireHeader } from '../shapes/block.ts'
import { logFilter } from '../shapes/log-filter.ts'
import { logsOf, minedReceipts, wireReceipt, wireTimedLog } from '../shapes/receipt.ts'

const headerOrNull = (header: SealedHeader | undefined) => (header ? wireHeader(header) : null)

export const erigon_blockNumber = rpcMethod({
  summary: 'Number of the newest block, or of the block that a tag names.',
  params: [blockNumber.default('latest')],
  names: ['block'],
  result: quantity,
  committed: true,
  async handler([ref], { chain }) {
    const header = await chain.header(ref)
    if (header === undefined) throw new ChainError('header-not-found', 'header not found')
    return header.number
  },
})

export const erigon_getHeaderByNumber = rpcMethod({
  summary: 'A header by its number or tag. Otterscan uses this name.',
  params: [blockNumber],
  names: ['block'],
  result: headerOrNull,
  committed: true,
  handler: ([ref], { chain }) => chain.header(ref),
})

export const erigon_getHeaderByHash = rpcMethod({
  summary: 'A header by its block hash.',
  params: [hash],
  names: ['blockHash'],
  result: headerOrNull,
  committed: true,
  handler: ([hash], { chain }) => chain.header({ hash }),
})

type BlockView = { readonly block: Block | undefined; readonly full: boolean } | { readonly foreign: unknown }

export const erigon_getBlockByTimestamp = rpcMethod({
  summary: 'The first block with this timestamp (seconds), or the last one before it; block 0 for an earlier time.',
  params: [looseQuantity, bool.default(false)],
  names: ['timestamp', 'fullTransactions'],
  result: (view: BlockView) => {
    if ('foreign' in view) return view.foreign
    return view.block ? wireBlock(view.block, view.full ? 'full' : 'hashes') : null
  },
  committed: true,
  async handler([time, full], { chain }) {
    const number = await blockAtTime(chain, time)
    const { forked } = chain
    return forked !== undefined && number <= forked.at.number
      ? { foreign: await forked.ask(z.unknown(), 'eth_getBlockByNumber', [toQuantity(number), full]) }
      : { block: await chain.block({ number }), full }
  },
})

export const erigon_getBlockReceiptsByBlockHash = rpcMethod({
  summary: 'All receipts of a block, by its hash.',
  params: [hash],
  names: ['blockHash'],
  result: (receipts: ReturnType<typeof minedReceipts> | null) => receipts?.map(wireReceipt) ?? null,
  heavy: true,
  committed: true,
  handler: async ([hash], { chain }) => receiptsOf(chain, await chain.block({ hash })),
})

const receiptsOf = (chain: ChainReader, block: Block | undefined) =>
  block ? minedReceipts(block, chain.receipts(block.header.hash) ?? []) : null

export const erigon_getLogsByHash = rpcMethod({
  summary: 'The logs of a block by its hash, one list for each of its transactions.',
  params: [hash],
  names: ['blockHash'],
  result: (lists: readonly (readonly MinedLog[])[] | null) => lists?.map((logs) => logs.map(wireTimedLog)) ?? null,
  heavy: true,
  committed: true,
  handler: async ([hash], { chain }) => receiptsOf(chain, await chain.block({ hash }))?.map(logsOf) ?? null,
})

export const erigon_getLogs = rpcMethod({
  summary: 'As eth_getLogs; each log has the timestamp of its block.',
  params: [logFilter],
  names: ['filter'],
  result: (logs: PreserializedJson) => logs,
  heavy: true,
  committed: true,
  handler: ([filter], { logSearch }, signal) => logSearch.json(filter, signal, true),
})

const latest = z.object(
  { logCount: looseQuantity.nullish(), blockCount: looseQuantity.nullish() },
  { error: 'expected an object with logCount or blockCount' },
)

export const erigon_getLatestLogs = rpcMethod({
  summary:
    'The newest logs that match a filter, newest first: a number of logs (logCount), or those of a number of blocks (blockCount).',
  params: [logFilter, latest],
  names: ['filter', 'limits'],
  result: (logs: readonly object[]) => logs,
  heavy: true,
  committed: true,
  async handler([filter, { logCount, blockCount }], { logSearch }, signal) {
    if (logCount && blockCount) {
      throw new ChainError('invalid-params', 'logs count & block count are ambigious')
    }
    // Without a range, search the whole chain.
    const range = filter.blockHash ? {} : { fromBlock: filter.fromBlock ?? 'earliest' }
    const maxLogs = blockCount ? Number.POSITIVE_INFINITY : Number(logCount || 1n)
    const maxBlocks = blockCount ? Number(blockCount) : Number.POSITIVE_INFINITY
    return logSearch.newest({ ...filter, ...range }, { maxLogs, maxBlocks }, signal)
  },
})
