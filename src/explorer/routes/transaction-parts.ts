// What belongs to one transaction. A transaction that waits has none of it yet; one that is not known is not found.
import { z } from 'zod'
import { LIST, TOKEN_TYPES, transferEntry } from '../../indexer/tables.ts'
import type { Hash } from '../../lib/hex.ts'
import { entriesBetween } from '../../tables/list.ts'
import { hashParam, labels } from '../codec.ts'
import { type ExplorerContext, explorerRoute } from '../define.ts'
import { partPage } from '../dense.ts'
import { ExplorerError, notFound } from '../errors.ts'
import { arrayPage, listOf, pageQuery } from '../page.ts'
import { internalTransactionSchema, showCall } from '../shapes/call.ts'
import { logSchema, showLog } from '../shapes/log.ts'
import { type Place, placeOf, sequenceOf } from '../shapes/place.ts'
import { rawTraceSchema, showRawTrace } from '../shapes/raw-trace.ts'
import { showStateChange, stateChangeSchema } from '../shapes/state-change.ts'
import { showTransfer, transferSchema } from '../shapes/transfer.ts'
import { stateChanges } from '../state-changes.ts'
import { waitingIn } from '../waiting.ts'

const params = z.object({ transaction_hash_param: hashParam })
const NOTHING = { items: [], next_page_params: null, total_count: 0 }

/** Where a transaction stands; undefined while it waits (or was dropped). Throws 404. */
async function placeBy(context: ExplorerContext, hash: Hash): Promise<Place | undefined> {
  const { chain, head } = context
  const mined = chain.transaction(hash)
  if (mined !== undefined && mined.header.number <= head.number) {
    return placeOf(context, sequenceOf(context, Number(mined.header.number), mined.index))
  }
  const isKnown = mined !== undefined || chain.pool.get(hash) !== undefined
  if (!isKnown && waitingIn(chain).dropped(hash) === undefined) throw notFound()
  return undefined
}

export const transactionTokenTransfers = explorerRoute({
  path: '/transactions/{transaction_hash_param}/token-transfers',
  summary: 'Token transfers of a transaction, in order of their logs',
  params,
  query: pageQuery.extend({ type: labels(TOKEN_TYPES, ['ERC-404']) }),
  response: listOf(transferSchema),
  async handler({ params, query: { type, ...query } }, context) {
    const place = await placeBy(context, params.transaction_hash_param)
    if (place === undefined) return NOTHING
    const { firstTransfer: first, transfers: count } = place.row
    if (type === undefined) return partPage({ first, count }, query, (sequence) => showTransfer(context, sequence))
    const found = entriesBetween(context.rows, LIST.transfers, first, first + count).flatMap((entry, i) =>
      type.includes(transferEntry.decode(entry).type) ? [first + i] : [],
    )
    return arrayPage(found, query, (sequence) => showTransfer(context, sequence))
  },
})

export const transactionInternalTransactions = explorerRoute({
  path: '/transactions/{transaction_hash_param}/internal-transactions',
  summary: 'Messages within a transaction, in call order',
  params,
  query: pageQuery,
  response: listOf(internalTransactionSchema),
  async handler({ params, query }, context) {
    const place = await placeBy(context, params.transaction_hash_param)
    if (place === undefined) return NOTHING
    const { firstCall: first, calls: count } = place.row
    return partPage({ first, count }, query, (sequence) => showCall(context, sequence))
  },
})

export const transactionLogs = explorerRoute({
  path: '/transactions/{transaction_hash_param}/logs',
  summary: 'Logs of a transaction, in order',
  params,
  query: pageQuery,
  response: listOf(logSchema),
  async handler({ params, query }, context) {
    const place = await placeBy(context, params.transaction_hash_param)
    if (place === undefined) return NOTHING
    const { row, receipt, firstLogIndex } = place
    const part = { first: firstLogIndex, count: receipt.logs.length }
    return partPage(part, query, (index) => showLog(context, { number: row.number, index }))
  },
})

export const transactionStateChanges = explorerRoute({
  path: '/transactions/{transaction_hash_param}/state-changes',
  summary: 'What a transaction changed: coins, then tokens',
  params,
  query: pageQuery,
  response: listOf(stateChangeSchema),
  async handler({ params, query }, context) {
    const place = await placeBy(context, params.transaction_hash_param)
    if (place === undefined) return NOTHING
    return arrayPage(await stateChanges(context, place), query, (change) => showStateChange(context, place, change))
  },
})

export const transactionRawTrace = explorerRoute({
  path: '/transactions/{transaction_hash_param}/raw-trace',
  summary: 'The messages of a transaction, as Parity traces',
  params,
  response: z.array(rawTraceSchema),
  async handler({ params }, context) {
    const place = await placeBy(context, params.transaction_hash_param)
    if (place === undefined) return []
    const { hash } = place.transaction
    return showRawTrace(await context.heavy((caller) => context.chain.traces.replayTransaction(hash, { caller })))
  },
})

export const transactionSummary = explorerRoute({
  path: '/transactions/{transaction_hash_param}/summary',
  summary: 'Not offered: an interpretation of a transaction',
  params,
  response: z.never(),
  handler() {
    throw new ExplorerError(403, { message: 'Transaction Interpretation Service is disabled' })
  },
})
