// Which transactions an address took part in, whatever its part was: who sent, was called or was created, by the transaction
// or by any message within it. Found by merging its lists, so that the cost is that of what is found.
import type { Address } from '../lib/hex.ts'
import { listLength } from './draft.ts'
import { FACT } from './facts.ts'
import { entryAt, positionOf, type Rows, sequenceOf } from './lists.ts'
import { callRow } from './rows.ts'
import { LIST, SIDES } from './tables.ts'

/** A place in one of the lists, and which transaction an entry of the list belongs to. */
type Cursor = { readonly list: Uint8Array; position: number; readonly transactionOf: (entry: Uint8Array) => number }

/** Transactions in blocks before (without) the number, as positions in LIST.transactions, newest first. */
export const involvedBefore = (rows: Rows, who: Address, number: number): Generator<number> =>
  merged(rows, cursorsAt(rows, who, number), -1)

/** Transactions in blocks from the number on, as positions in LIST.transactions, oldest first. */
export const involvedFrom = (rows: Rows, who: Address, number: number): Generator<number> =>
  merged(rows, cursorsAt(rows, who, number), 1)

/** Every cursor stands on the first entry of that block or of a later one. */
function cursorsAt(rows: Rows, who: Address, number: number): Cursor[] {
  const block = FACT.block.get(rows, number)
  const firstTransaction = block?.firstTransaction ?? listLength(rows, LIST.transactions)
  const firstCall = block?.firstCall ?? listLength(rows, LIST.calls)
  const at = (list: Uint8Array, sequence: number) => positionOf(rows, list, listLength(rows, list), sequence)
  const callerOf = (entry: Uint8Array): number => {
    const row = entryAt(rows, LIST.calls, sequenceOf(entry))
    if (row === undefined) throw new Error('a message is listed that has no row')
    return callRow.decode(row).transaction
  }
  return SIDES.flatMap((side) => {
    const [sent, called] = [LIST.transactionsOf(who, side), LIST.callsOf(who, side)]
    return [
      { list: sent, position: at(sent, firstTransaction), transactionOf: sequenceOf },
      { list: called, position: at(called, firstCall), transactionOf: callerOf },
    ]
  })
}

function* merged(rows: Rows, cursors: readonly Cursor[], step: 1 | -1): Generator<number> {
  const head = (cursor: Cursor): number | undefined => {
    const position = step === 1 ? cursor.position : cursor.position - 1
    const entry = position < 0 ? undefined : entryAt(rows, cursor.list, position)
    return entry && cursor.transactionOf(entry)
  }
  const heads = cursors.map(head)
  for (;;) {
    const waiting = heads.filter((transaction) => transaction !== undefined)
    if (waiting.length === 0) return
    const next = step === 1 ? Math.min(...waiting) : Math.max(...waiting)
    yield next
    // One transaction may stand in several lists, and many times in one.
    for (const [i, cursor] of cursors.entries()) {
      while (heads[i] === next) {
        cursor.position += step
        heads[i] = head(cursor)
      }
    }
  }
}
