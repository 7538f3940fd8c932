// Erigon's own methods, as far as explorers and indexers ask for them. Shapes are Erigon's: logs carry `timestamp`.
import { z } from 'zod'
import type { Chain, MinedLog } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { toQuantity } from '../../lib/hex.ts'
import type { PreserializedJson } from '../../lib/preserialized-json.ts'
import type { Block, SealedHeader } from '../../primitives/types.ts'
import { blockNumber, bool, hash, looseQuantity, quantity } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { findLogs, logQuery } from '../log-query.ts'
import { wireBlock, wireHeader } from '../shapes/block.ts'
import { logFilter } from '../shapes/filter.ts'
import { logsOf, placeReceipts, wireLog, wireReceipt } from '../shapes/receipt.ts'

const headerOrNull = (header: SealedHeader | undefined) => (header ? wireHeader(header) : null)
const wireTimedLog = (mined: MinedLog) => ({ ...wireLog(mined), timestamp: toQuantity(mined.header.timestamp) })
const wireTimedLogs = (logs: readonly MinedLog[]) => logs.map(wireTimedLog)

export const erigon_blockNumber = rpcMethod({
  summary: 'Number of the newest block, or of the one that a tag names.',
  params: [blockNumber.default('latest')],
  names: ['block'],
  result: quantity,
  async handler([ref], { chain }) {
    const header = await chain.header(ref)
    if (header === undefined) throw new ChainError('header-not-found', 'header not found')
    return header.number
  },
})

export const erigon_getHeaderByNumber = rpcMethod({
  summary: 'A header by its number or tag; Otterscan asks for it under this name.',
  params: [blockNumber],
  names: ['block'],
  result: headerOrNull,
  handler: ([ref], { chain }) => chain.header(ref),
})

export const erigon_getHeaderByHash = rpcMethod({
  summary: 'A header by its block hash.',
  params: [hash],
  names: ['blockHash'],
  result: headerOrNull,
  handler: ([hash], { chain }) => chain.header({ hash }),
})

type BlockView = { readonly block: Block | undefined; readonly full: boolean }

export const erigon_getBlockByTimestamp = rpcMethod({
  summary: 'The first block of that time (seconds), else the last one before it; block 0 for an earlier time.',
  params: [looseQuantity, bool.default(false)],
  names: ['timestamp', 'fullTransactions'],
  result: ({ block, full }: BlockView) => (block ? wireBlock(block, full ? 'full' : 'hashes') : null),
  handler: async ([time, full], { chain }) => ({
    block: await chain.block({ number: await blockAt(chain, time) }),
    full,
  }),
})

/** The number of the first block of a time, or of the last one before it. Times never decrease. */
async function blockAt(chain: Chain, time: bigint): Promise<bigint> {
  const timeOf = async (number: bigint) => (await chain.header({ number }))?.timestamp ?? 0n
  if (chain.head.timestamp < time) return chain.head.number
  let [low, high] = [0n, chain.head.number]
  while (low < high) {
    const middle = (low + high) / 2n
    if ((await timeOf(middle)) >= time) high = middle
    else low = middle + 1n
  }
  return low > 0n && (await timeOf(low)) > time ? low - 1n : low
}

export const erigon_getBlockReceiptsByBlockHash = rpcMethod({
  summary: 'All receipts of a block, by its hash.',
  params: [hash],
  names: ['blockHash'],
  result: (receipts: ReturnType<typeof placeReceipts> | null) => receipts?.map(wireReceipt) ?? null,
  heavy: true,
  handler: async ([hash], { chain }) => receiptsOf(chain, await chain.block({ hash })),
})

const receiptsOf = (chain: Chain, block: Block | undefined) =>
  block ? placeReceipts(block, chain.receipts(block.header.hash) ?? []) : null

export const erigon_getLogsByHash = rpcMethod({
  summary: 'The logs of a block by its hash, a list for each of its transactions.',
  params: [hash],
  names: ['blockHash'],
  result: (lists: readonly (readonly MinedLog[])[] | null) => lists?.map(wireTimedLogs) ?? null,
  heavy: true,
  handler: async ([hash], { chain }) => receiptsOf(chain, await chain.block({ hash }))?.map(logsOf) ?? null,
})

export const erigon_getLogs = rpcMethod({
  summary: 'As eth_getLogs; each log carries the time of its block.',
  params: [logFilter],
  names: ['filter'],
  result: (logs: PreserializedJson) => logs,
  heavy: true,
  handler: ([filter], { chain, index }, caller) =>
    findLogs(filter, chain, index, caller, (log) => JSON.stringify(wireTimedLog(log))),
})

const latest = z.object(
  { logCount: looseQuantity.nullish(), blockCount: looseQuantity.nullish() },
  { error: 'expected an object with logCount or blockCount' },
)

export const erigon_getLatestLogs = rpcMethod({
  summary: 'The newest logs that match a filter, newest first: so many logs (logCount), or those of so many blocks.',
  params: [logFilter, latest],
  names: ['filter', 'limits'],
  result: wireTimedLogs,
  heavy: true,
  async handler([filter, { logCount, blockCount }], { chain, index }, caller) {
    if (logCount && blockCount) {
      throw new ChainError('invalid-params', 'logs count & block count are ambigious')
    }
    // Without a range: of the whole chain.
    const range = filter.blockHash ? {} : { fromBlock: filter.fromBlock ?? 'earliest' }
    const query = await logQuery({ ...filter, ...range }, chain)
    const [most, blocks] = blockCount ? [Number.POSITIVE_INFINITY, blockCount] : [Number(logCount || 1n), undefined]
    // Only what may be answered is held.
    const kept: (readonly MinedLog[])[] = []
    let held = 0
    for await (const logs of index.byBlock(query, caller)) {
      kept.push(logs)
      held += logs.length
      while (kept.length > (blocks ?? Number.POSITIVE_INFINITY) || held - (kept[0]?.length ?? 0) >= most) {
        held -= kept.shift()?.length ?? 0
      }
    }
    return kept.flat().reverse().slice(0, most)
  },
})
