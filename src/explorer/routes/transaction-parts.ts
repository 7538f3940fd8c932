// Lists of one transaction: token transfers, messages, logs, state changes, its trace. They are empty while it is pending; 404
// for an unknown transaction.

import { z } from 'zod'
import { LIST, packetEntry, TOKEN_TYPES, transferEntry } from '../../indexer/tables.ts'
import type { Hash } from '../../lib/hex.ts'
import { entriesBetween, ListReader } from '../../tables/list.ts'
import { hashParam, labels, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { nativeOf } from '../native/modules.ts'
import { packetOfLog, packetSchema, showPacket } from '../native/packet.ts'
import { beforeCall, beforeTransfer, callCursor, placeCursor, transferCursor } from '../pagination/cursors.ts'
import { arrayPage, emptyPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { rangePage } from '../pagination/sequence.ts'
import type { AddressParam } from '../shapes/address.ts'
import { showLogBefore, transactionBefore } from '../shapes/before-fork.ts'
import { internalTransactionSchema, showCall } from '../shapes/call.ts'
import { type IndexedTransaction, indexedTransaction, transactionSequence } from '../shapes/indexed-transaction.ts'
import { logSchema, showLog } from '../shapes/log.ts'
import { rawTraceSchema, showRawTrace } from '../shapes/raw-trace.ts'
import { showStateChange, stateChangeSchema } from '../shapes/state-change.ts'
import { showTransactionInFull } from '../shapes/transaction.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'
import { bundleSummary } from '../summary/operation.ts'
import { summariesSchema, wireSummary } from '../summary/phrase.ts'
import { summaryOf } from '../summary/summary.ts'

const params = z.object({ transaction_hash_param: hashParam })

/** A mined transaction; undefined while it is pending or after it was dropped. Throws 404. */
async function minedByHash(context: ExplorerContext, hash: Hash): Promise<IndexedTransaction | undefined> {
  const { chain, head, pendingTransactions } = context
  const found = chain.transaction(hash)
  if (found !== undefined && found.header.number <= head.number) {
    return indexedTransaction(context, transactionSequence(context, Number(found.header.number), found.index))
  }
  const isKnown = found !== undefined || chain.pool.get(hash) !== undefined
  if (isKnown || pendingTransactions.dropped(hash) !== undefined) return undefined
  // Of a transaction before the fork only the logs are shown.
  if ((await transactionBefore(context, hash)) === undefined) throw notFound()
  return undefined
}

/** Positions in LIST.packets of a transaction's packets: those that began with a log of it, and those that ended with one. */
function packetsIn(context: ExplorerContext, { row, receipt, firstLogIndex }: IndexedTransaction): readonly number[] {
  const packets = new ListReader(context.rows, LIST.packets)
  const found = new Map<number, number>()
  for (let position = packets.find(row.number); position < packets.length; position++) {
    const entry = packets.at(position)
    const { number, index } = entry === undefined ? { number: -1, index: 0 } : packetEntry.decode(entry)
    if (number !== row.number) break
    if (index >= firstLogIndex && index < firstLogIndex + receipt.logs.length) found.set(position, index)
  }
  for (const [place, log] of receipt.logs.entries()) {
    const position = packetOfLog(context, log)?.position
    if (position !== undefined && !found.has(position)) found.set(position, firstLogIndex + place)
  }
  return [...found].sort(([, a], [, b]) => a - b).map(([position]) => position)
}

export const transactionTokenTransfers = explorerRoute({
  path: '/transactions/{transaction_hash_param}/token-transfers',
  summary: 'Token transfers of a transaction, in order of their logs',
  params,
  query: pageQuery.extend(transferCursor.shape).extend({ type: labels(TOKEN_TYPES, ['ERC-404']) }),
  response: pageSchema(transferSchema),
  async handler({ params, query: { type, ...query } }, context) {
    const mined = await minedByHash(context, params.transaction_hash_param)
    if (mined === undefined) return emptyPage()
    const { firstTransfer: first, transfers: count } = mined.row
    const show = (sequence: number) => showTransfer(context, sequence)
    const from = await beforeTransfer(context, query, 1)
    if (type === undefined) return rangePage({ first, count }, query, show, from)
    const found = entriesBetween(context.rows, LIST.transfers, first, first + count).flatMap((entry, i) =>
      type.includes(transferEntry.decode(entry).type) ? [first + i] : [],
    )
    return arrayPage(found, query, show, from && found.filter((sequence) => sequence < from).length)
  },
})

export const transactionInternalTransactions = explorerRoute({
  path: '/transactions/{transaction_hash_param}/internal-transactions',
  summary: 'Messages within a transaction, in call order',
  params,
  query: pageQuery.extend(callCursor.shape),
  response: pageSchema(internalTransactionSchema),
  async handler({ params, query }, context) {
    const mined = await minedByHash(context, params.transaction_hash_param)
    if (mined === undefined) return emptyPage()
    const { firstCall: first, calls: count } = mined.row
    const show = (sequence: number) => showCall(context, sequence)
    return rangePage({ first, count }, query, show, beforeCall(context, query, 1))
  },
})

export const transactionLogs = explorerRoute({
  path: '/transactions/{transaction_hash_param}/logs',
  summary: 'Logs of a transaction, in order',
  params,
  query: pageQuery.extend(placeCursor.shape),
  response: pageSchema(logSchema),
  async handler({ params, query }, context) {
    const { transaction_hash_param: hash } = params
    const mined = await minedByHash(context, hash)
    if (mined === undefined) {
      const before = await transactionBefore(context, hash)
      return before ? arrayPage(before.logs, query, (log) => showLogBefore(context, before, log)) : emptyPage()
    }
    const { row, receipt, firstLogIndex } = mined
    const part = { first: firstLogIndex, count: receipt.logs.length }
    const from = query.index === undefined ? undefined : query.index + 1
    return rangePage(part, query, (index) => showLog(context, { number: row.number, index }), from)
  },
})

export const transactionPackets = explorerRoute({
  path: '/native/transactions/{transaction_hash_param}/packets',
  summary: 'Packets that a transaction has sent, received or ended, in order of their logs',
  params,
  query: pageQuery,
  response: pageSchema(packetSchema),
  async handler({ params, query }, context) {
    nativeOf(context, 'head')
    const mined = await minedByHash(context, params.transaction_hash_param)
    if (mined === undefined) return emptyPage()
    return arrayPage(packetsIn(context, mined), query, (position) => showPacket(context, position))
  },
})

export const transactionStateChanges = explorerRoute({
  path: '/transactions/{transaction_hash_param}/state-changes',
  summary: 'What a transaction changed: coins, then tokens',
  params,
  query: pageQuery,
  response: pageSchema(stateChangeSchema),
  async handler({ params, query }, context) {
    const mined = await minedByHash(context, params.transaction_hash_param)
    if (mined === undefined) return emptyPage()
    return arrayPage(await context.stateChanges.of(context, mined), query, (change) =>
      showStateChange(context, mined, change),
    )
  },
})

export const transactionRawTrace = explorerRoute({
  path: '/transactions/{transaction_hash_param}/raw-trace',
  summary: 'The messages of a transaction, as Parity traces',
  params,
  response: z.array(rawTraceSchema),
  async handler({ params }, context) {
    const mined = await minedByHash(context, params.transaction_hash_param)
    if (mined === undefined) return []
    const { hash } = mined.transaction
    return showRawTrace(await context.heavy((signal) => context.chain.traces.replayTransaction(hash, { signal })))
  },
})

const previewAddress = z
  .strictObject({ hash: wire.address, name: z.string().nullable(), ens_domain_name: z.null(), metadata: z.null() })
  .nullable()
const preview = ({ hash, name, ens_domain_name, metadata }: AddressParam) => ({ hash, name, ens_domain_name, metadata })

export const transactionPreview = explorerRoute({
  path: '/transactions/{transaction_hash_param}/preview',
  summary: 'What the preview of a link to a transaction shows',
  params,
  response: z.strictObject({
    status: z.enum(['ok', 'error']).nullable(),
    timestamp: wire.time.nullable(),
    method: z.string().nullable(),
    from: previewAddress,
    to: previewAddress,
  }),
  async handler({ params: { transaction_hash_param: hash } }, context) {
    const { status, timestamp, method, from, to } = await showTransactionInFull(context, hash)
    return { status, timestamp, method, from: preview(from), to: to && preview(to) }
  },
})

export const transactionExternal = explorerRoute({
  path: '/transactions/{transaction_hash_param}/external-transactions',
  summary: 'Transactions of another chain that caused this one: always none',
  params,
  response: z.array(z.never()),
  async handler({ params }, context) {
    await minedByHash(context, params.transaction_hash_param)
    return []
  },
})

export const transactionFheOperations = explorerRoute({
  path: '/transactions/{transaction_hash_param}/fhe-operations',
  summary: 'Operations on encrypted values: always none',
  params,
  response: z.strictObject({
    items: z.array(z.never()),
    total_hcu: z.literal(0),
    max_depth_hcu: z.literal(0),
    operation_count: z.literal(0),
  }),
  async handler({ params }, context) {
    await minedByHash(context, params.transaction_hash_param)
    return { items: [], total_hcu: 0 as const, max_depth_hcu: 0 as const, operation_count: 0 as const }
  },
})

export const transactionSummary = explorerRoute({
  path: '/transactions/{transaction_hash_param}/summary',
  summary: 'What a transaction has done, in one sentence; none while it is pending',
  params,
  response: summariesSchema,
  async handler({ params }, context) {
    const mined = await minedByHash(context, params.transaction_hash_param)
    if (mined === undefined) return { success: true as const, data: { summaries: [] } }
    const phrase = (await bundleSummary(context, mined.sequence)) ?? (await summaryOf(context, mined))
    return { success: true as const, data: { summaries: [wireSummary(phrase)] } }
  },
})
