// Indexes internal transactions: the messages within a transaction, with their outcomes.
import type { CallTree } from '../runtime/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import {
  hasNoInnerCalls,
  type IndexedCalls,
  type IndexingContext,
  isCreation,
  rolesOfCreation,
  visitCalls,
} from './indexing-context.ts'
import { type CallEntry, callEntry, LIST, rolesOf, sequenceEntry } from './tables.ts'

/** Lists every message of a block's transactions, without the top-level calls; top-level creations are listed. */
export function indexCalls({ executed: { callTrees, block } }: IndexingContext, overlay: Overlay): IndexedCalls {
  const firstTransaction = overlay.length(LIST.transactions)
  return block.transactions.map((_, i) => {
    const first = overlay.length(LIST.calls)
    let hasError = false
    const root = callTrees[i]
    if (root === undefined || hasNoInnerCalls(root)) return { first, count: 0, hasError }
    for (const { call, index, isUndone } of visitCalls(root)) {
      if (index === 0 && !isCreation(call)) continue
      if (index > 0 && call.error !== undefined) hasError = true
      append(overlay, call, { transaction: firstTransaction + i, index, isUndone })
    }
    return { first, count: overlay.length(LIST.calls) - first, hasError }
  })
}

function append(overlay: Overlay, call: CallTree, place: Pick<CallEntry, 'transaction' | 'index' | 'isUndone'>): void {
  const { type, from, value, error } = call
  const to = call.to ?? undefined
  const row = { ...place, type, from, to, value, gas: gasNumber(call.gas), gasUsed: gasNumber(call.gasUsed), error }
  const entry = sequenceEntry.encode({ sequence: overlay.append(LIST.calls, callEntry.encode(row)) })
  const sides = isCreation(call) ? rolesOfCreation(from, to) : rolesOf(from, to)
  for (const [of, side] of sides) overlay.append(LIST.callsOf(of, side), entry)
}

/** Caps gas at the largest number that a row holds; only a chain with an extreme gas limit exceeds it. */
const gasNumber = (gas: bigint): number => Math.min(Number(gas), Number.MAX_SAFE_INTEGER)
