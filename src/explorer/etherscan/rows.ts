// Parts of lists as this API asks for them: a range of blocks and a page of it, in either direction.

import { type BlockRecord, RECORD } from '../../indexer/records.ts'
import { sequenceEntry } from '../../indexer/tables.ts'
import type { Hex } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { ListReader, newestPage } from '../../tables/list.ts'
import type { ExplorerContext } from '../define.ts'
import { type Place, placeOf } from '../shapes/place.ts'
import type { Part } from './define.ts'

/** Which list's sequences count: those of transactions, calls or transfers. */
type Counted = 'transactions' | 'calls' | 'transfers'
const FIRST = { transactions: 'firstTransaction', calls: 'firstCall', transfers: 'firstTransfer' } as const

/** Sequences of a part's page out of a union of disjoint lists. */
export function sequencesOf({ rows, head }: ExplorerContext, lists: readonly Hex[], of: Counted, part: Part): number[] {
  const newestBlock = Number(head.number)
  if (part.startblock > Math.min(part.endblock, newestBlock)) return []
  const start = RECORD.block.get(rows, part.startblock)
  const end = RECORD.block.get(rows, Math.min(part.endblock, newestBlock))
  const open = lists.map((list) => new ListReader(rows, list))
  const below = (sequence: number) => open.reduce((sum, list) => sum + list.find(sequence), 0)
  const [low, high] = [below(firstOf(start, of)), below(firstOf(end, of) + (end?.[of] ?? 0))]
  const { from, to } = pageOf(low, high, part)
  const { entries } = newestPage(rows, lists, { page: 1, size: to - from, anchor: to })
  const sequences = entries.map((entry) => sequenceEntry.decode(entry).sequence)
  return part.sort === 'asc' ? sequences.reverse() : sequences
}

/** The same of the list that all sequences of a kind are positions of. */
export function allSequences({ rows, head }: ExplorerContext, of: Counted, part: Part): number[] {
  const newestBlock = Number(head.number)
  if (part.startblock > Math.min(part.endblock, newestBlock)) return []
  const start = RECORD.block.get(rows, part.startblock)
  const end = RECORD.block.get(rows, Math.min(part.endblock, newestBlock))
  const { from, to } = pageOf(firstOf(start, of), firstOf(end, of) + (end?.[of] ?? 0), part)
  const sequences = Array.from({ length: to - from }, (_, i) => from + i)
  return part.sort === 'asc' ? sequences : sequences.reverse()
}

const firstOf = (fact: BlockRecord | undefined, of: Counted): number => fact?.[FIRST[of]] ?? 0

function pageOf(low: number, high: number, { page, offset, sort }: Part): { from: number; to: number } {
  const [from, to] =
    sort === 'asc'
      ? [low + (page - 1) * offset, low + page * offset]
      : [high - page * offset, high - (page - 1) * offset]
  const start = Math.min(Math.max(from, low), high)
  return { from: start, to: Math.max(start, Math.min(to, high)) }
}

/** A row for each sequence; there may be many of them, so that others get a turn between. */
export async function rowsOf<T>(sequences: readonly number[], render: (sequence: number) => Promise<T>): Promise<T[]> {
  const pause = yieldToEventLoop('light')
  const rows: T[] = []
  for (const sequence of sequences) {
    await pause()
    rows.push(await render(sequence))
  }
  return rows
}

/** What every row says of its transaction. */
export async function transactionFields(context: ExplorerContext, sequence: number) {
  const place = await placeOf(context, sequence)
  const { header, transaction, receipt, row } = place
  return {
    place,
    fields: {
      blockNumber: header.number.toString(),
      timeStamp: header.timestamp.toString(),
      hash: transaction.hash,
      nonce: transaction.nonce.toString(),
      blockHash: header.hash,
      transactionIndex: row.index.toString(),
      gas: transaction.gasLimit.toString(),
      gasPrice: receipt.effectiveGasPrice.toString(),
      gasUsed: receipt.gasUsed.toString(),
      cumulativeGasUsed: receipt.cumulativeGasUsed.toString(),
      confirmations: (context.head.number - header.number + 1n).toString(),
    },
  }
}

export const isFailed = ({ receipt, row }: Place): boolean =>
  receipt.status === undefined ? row.error !== undefined : receipt.status === 0
