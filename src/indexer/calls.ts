// Messages within transactions, as rows of their own: what one contract asked of another, and what came of it.
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

/** Lists every message of a block's transactions. The one that a transaction itself is counts only if it creates. */
export function indexCalls({ executed: { callTrees, block } }: IndexingContext, draft: Overlay): IndexedCalls {
  const firstTransaction = draft.length(LIST.transactions)
  return block.transactions.map((_, i) => {
    const first = draft.length(LIST.calls)
    let hasError = false
    const root = callTrees[i]
    if (root === undefined || hasNoInnerCalls(root)) return { first, count: 0, hasError }
    for (const { call, index, isUndone } of visitCalls(root)) {
      if (index === 0 && !isCreation(call)) continue
      if (index > 0 && call.error !== undefined) hasError = true
      append(draft, call, { transaction: firstTransaction + i, index, isUndone })
    }
    return { first, count: draft.length(LIST.calls) - first, hasError }
  })
}

function append(draft: Overlay, call: CallTree, place: Pick<CallEntry, 'transaction' | 'index' | 'isUndone'>): void {
  const { type, from, value, error } = call
  const to = call.to ?? undefined
  const row = { ...place, type, from, to, value, gas: gasNumber(call.gas), gasUsed: gasNumber(call.gasUsed), error }
  const entry = sequenceEntry.encode({ sequence: draft.append(LIST.calls, callEntry.encode(row)) })
  const sides = isCreation(call) ? rolesOfCreation(from, to) : rolesOf(from, to)
  for (const [of, side] of sides) draft.append(LIST.callsOf(of, side), entry)
}

/** Only a chain without a sensible gas limit hands on more gas than a row can say. */
const gasNumber = (gas: bigint): number => Math.min(Number(gas), Number.MAX_SAFE_INTEGER)
