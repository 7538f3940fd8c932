// Transactions in which addresses took part, as sender, recipient or created contract of the transaction or of a message within
// it. They are found by merging the addresses' lists, so the cost follows the number of results.
import type { Address, Hex } from '../lib/hex.ts'
import { entryAt, ListReader, listLength, type PointReader, sequenceOf } from '../tables/list.ts'
import { RECORD } from './records.ts'
import { callEntry, LIST, ROLES, type TransactionEntry, transactionEntry } from './tables.ts'

/** A position in one list, with the function that maps an entry to its transaction. */
type Cursor = { readonly list: ListReader; position: number; readonly transactionOf: (entry: Uint8Array) => number }

/** Transactions of the addresses in blocks below the number, newest first. */
export const transactionsBefore = (
  rows: PointReader,
  who: readonly Address[],
  number: number,
): Generator<TransactionEntry> => transactions(rows, merged(cursorsAt(rows, who, number), -1))

/** Transactions of the addresses in blocks from the number on, oldest first. */
export const transactionsFrom = (
  rows: PointReader,
  who: readonly Address[],
  number: number,
): Generator<TransactionEntry> => transactions(rows, merged(cursorsAt(rows, who, number), 1))

/** Stops at a missing row: its block has been undone since. */
function* transactions(rows: PointReader, sequences: Iterable<number>): Generator<TransactionEntry> {
  for (const sequence of sequences) {
    const entry = entryAt(rows, LIST.transactions, sequence)
    if (entry === undefined) return
    yield transactionEntry.decode(entry)
  }
}

/** Moves every cursor to the first entry of that block or of a later one. */
function cursorsAt(rows: PointReader, who: readonly Address[], number: number): Cursor[] {
  const block = RECORD.block.get(rows, number)
  const firstTransaction = block?.firstTransaction ?? listLength(rows, LIST.transactions)
  const calls = new ListReader(rows, LIST.calls)
  const firstCall = block?.firstCall ?? calls.length
  const cursor = (name: Hex, sequence: number, transactionOf: Cursor['transactionOf']): Cursor => {
    const list = new ListReader(rows, name)
    return { list, position: list.find(sequence), transactionOf }
  }
  const connectionSignal = (entry: Uint8Array): number => {
    const row = calls.at(sequenceOf(entry))
    if (row === undefined) throw new Error('a message is listed that has no row')
    return callEntry.decode(row).transaction
  }
  return who.flatMap((of) =>
    ROLES.flatMap((side) => [
      cursor(LIST.transactionsOf(of, side), firstTransaction, sequenceOf),
      cursor(LIST.callsOf(of, side), firstCall, connectionSignal),
    ]),
  )
}

function* merged(cursors: readonly Cursor[], step: 1 | -1): Generator<number> {
  const head = (cursor: Cursor): number | undefined => {
    const position = step === 1 ? cursor.position : cursor.position - 1
    const entry = position < 0 ? undefined : cursor.list.at(position)
    return entry && cursor.transactionOf(entry)
  }
  const heads = cursors.map(head)
  for (;;) {
    const waiting = heads.filter((transaction) => transaction !== undefined)
    if (waiting.length === 0) return
    const next = step === 1 ? Math.min(...waiting) : Math.max(...waiting)
    yield next
    // One transaction may be in several lists, and several times in one.
    for (const [i, cursor] of cursors.entries()) {
      while (heads[i] === next) {
        cursor.position += step
        heads[i] = head(cursor)
      }
    }
  }
}
