// Where things stand: an entry of a list names a place in the chain, and what stands there is read from its block. A block
// that was taken back while the answer was made is not found.

import { RECORD } from '../../indexer/records.ts'
import { LIST, type TransactionEntry, transactionEntry } from '../../indexer/tables.ts'
import type { Block, Log, Receipt, SealedHeader, Transaction } from '../../primitives/types.ts'
import { entryAt } from '../../tables/list.ts'
import type { ExplorerContext } from '../define.ts'
import { notFound } from '../errors.ts'
import { keptBy } from './kept.ts'

export type MinedBlock = { readonly block: Block; readonly receipts: readonly Receipt[] }

/** A mined transaction with everything that is known of it. */
export type Place = {
  readonly sequence: number
  readonly row: TransactionEntry
  readonly header: SealedHeader
  readonly transaction: Transaction
  readonly receipt: Receipt
  /** Index within the block of its first log. */
  readonly firstLogIndex: number
}

/** A block of the context's chain with its receipts; throws 404. */
export const blockAt = keptBy(async ({ chain, head }, number: number): Promise<MinedBlock> => {
  const block = number <= Number(head.number) ? await chain.block({ number: BigInt(number) }) : undefined
  const receipts = block && chain.receipts(block.header.hash)
  if (block === undefined || receipts === undefined) throw notFound()
  return { block, receipts }
})

/** Position in LIST.transactions of a block's transaction; throws 404. */
export function sequenceOf({ rows }: ExplorerContext, number: number, index: number): number {
  const fact = RECORD.block.get(rows, number)
  if (fact === undefined || index >= fact.transactions) throw notFound()
  return fact.firstTransaction + index
}

/** What stands behind an entry of LIST.transactions; throws 404. */
export const placeOf = keptBy(async (context, sequence: number): Promise<Place> => {
  const entry = entryAt(context.rows, LIST.transactions, sequence)
  if (entry === undefined) throw notFound()
  const row = transactionEntry.decode(entry)
  const { block, receipts } = await blockAt(context, row.number)
  const transaction = block.transactions[row.index]
  const receipt = receipts[row.index]
  if (transaction === undefined || receipt === undefined) throw notFound()
  return {
    sequence,
    row,
    header: block.header,
    transaction,
    receipt,
    firstLogIndex: firstLogsOf(receipts)[row.index] ?? 0,
  }
})

export type LogPlace = {
  readonly log: Log
  readonly header: SealedHeader
  readonly transaction: Transaction
  /** Within the block. */
  readonly index: number
}

/** The log at a place; throws 404. */
export async function logAt(
  context: ExplorerContext,
  { number, index }: { readonly number: number; readonly index: number },
): Promise<LogPlace> {
  const { block, receipts } = await blockAt(context, number)
  const firsts = firstLogsOf(receipts)
  const of = lastNotAbove(firsts, index)
  const log = receipts[of]?.logs[index - (firsts[of] ?? 0)]
  const transaction = block.transactions[of]
  if (log === undefined || transaction === undefined) throw notFound()
  return { log, header: block.header, transaction, index }
}

const FIRST_LOGS = new WeakMap<readonly Receipt[], readonly number[]>()

/** How many logs of the block come before each receipt's own. */
function firstLogsOf(receipts: readonly Receipt[]): readonly number[] {
  const known = FIRST_LOGS.get(receipts)
  if (known !== undefined) return known
  let logs = 0
  const firsts = receipts.map((receipt) => {
    const first = logs
    logs += receipt.logs.length
    return first
  })
  FIRST_LOGS.set(receipts, firsts)
  return firsts
}

/** Position of the last number that is not above the limit; -1 when all are. */
function lastNotAbove(rising: readonly number[], limit: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rising[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
