// From places on the chain to positions in the lists of all transactions, transfers and messages. A place that does not exist is
// where its entries would stand: above the head behind all entries, before the first block in front of them.
import { RECORD } from '../../indexer/records.ts'
import { callEntry, LIST, transactionEntry, transferEntry } from '../../indexer/tables.ts'
import { ListReader } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'

/** A position in each of the three lists. */
export type Positions = { readonly transaction: number; readonly transfer: number; readonly call: number }

/** The positions of the first entries of a block. */
export function startOfBlock({ rows, head, chain }: ExplorerContext, number: number): Positions {
  if (number > Number(head.number)) {
    const [transaction, transfer, call] = [LIST.transactions, LIST.transfers, LIST.calls].map(
      (list) => new ListReader(rows, list).length,
    )
    return { transaction: transaction ?? 0, transfer: transfer ?? 0, call: call ?? 0 }
  }
  const block = number < Number(chain.base) ? undefined : RECORD.block.get(rows, number)
  return {
    transaction: block?.firstTransaction ?? 0,
    transfer: block?.firstTransfer ?? 0,
    call: block?.firstCall ?? 0,
  }
}

/** A transaction by its block and its index there. */
type TransactionPlace = { readonly number: number; readonly index: number }

/** The positions of a transaction and of the first of its transfers and messages. */
export function startOfTransaction(context: ExplorerContext, { number, index }: TransactionPlace): Positions {
  const start = startOfBlock(context, number)
  const next = startOfBlock(context, number + 1)
  const transaction = start.transaction + index
  if (transaction >= next.transaction) return next
  const entry = new ListReader(context.rows, LIST.transactions).at(transaction)
  if (entry === undefined) return next
  const { firstTransfer, firstCall } = transactionEntry.decode(entry)
  return { transaction, transfer: firstTransfer, call: firstCall }
}

/** The position of a block's first transfer with this log index or a later one. */
export function transferAtLog(context: ExplorerContext, number: number, log: number): number {
  const list = new ListReader(context.rows, LIST.transfers)
  return firstPosition(
    startOfBlock(context, number).transfer,
    startOfBlock(context, number + 1).transfer,
    (position) => {
      const entry = list.at(position)
      return entry === undefined || transferEntry.decode(entry).log >= log
    },
  )
}

/** The position of a transaction's first message with this index or a later one. */
export function callAtIndex(context: ExplorerContext, of: TransactionPlace, index: number): number {
  const list = new ListReader(context.rows, LIST.calls)
  const [from, to] = [of, { ...of, index: of.index + 1 }].map((place) => startOfTransaction(context, place).call)
  return firstPosition(from ?? 0, to ?? 0, (position) => {
    const entry = list.at(position)
    return entry === undefined || callEntry.decode(entry).index >= index
  })
}

/** The first position from `low` on at which a condition holds that holds for all later ones; `high` for none. */
function firstPosition(low: number, high: number, holds: (position: number) => boolean): number {
  let from = low
  let to = high
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}
