// Indexes internal transactions: the messages within a transaction, with their outcomes.
import { EMPTY_BYTES } from '../lib/hex.ts'
import type { CallTree } from '../runtime/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import {
  hasNoInnerCalls,
  type IndexedCalls,
  type IndexingContext,
  isCreation,
  rolesOfCreation,
  selectorOf,
  visitCalls,
} from './indexing-context.ts'
import { type CallEntry, callEntry, LIST, rolesOf, sequenceEntry } from './tables.ts'

/**
 * Lists every message of a block's transactions except top-level calls; top-level creations are listed, and so are transfers of
 * coins by native contracts.
 */
export function indexCalls({ executed: { callTrees, block } }: IndexingContext, overlay: Overlay): IndexedCalls {
  const firstTransaction = overlay.length(LIST.transactions)
  return block.transactions.map((_, i) => {
    const first = overlay.length(LIST.calls)
    let hasError = false
    const root = callTrees[i]
    if (root === undefined || hasNoInnerCalls(root)) return { first, count: 0, hasError }
    // A transfer by a native contract is listed after its call, so later positions are higher than in traces.
    let moved = 0
    for (const { call, index, isUndone } of visitCalls(root)) {
      const place = { transaction: firstTransaction + i, index: index + moved, isUndone }
      if (index > 0 && call.error !== undefined) hasError = true
      if (index > 0 || isCreation(call)) append(overlay, call, place)
      for (const transfer of call.coinTransfers ?? []) {
        moved++
        append(overlay, { ...NO_GAS, ...transfer }, { ...place, index: index + moved })
      }
    }
    return { first, count: overlay.length(LIST.calls) - first, hasError }
  })
}

/** A transfer of coins by a native contract has no gas and cannot fail: otherwise the call would have failed. */
const NO_GAS = { type: 'TRANSFER', gas: 0n, gasUsed: 0n, input: EMPTY_BYTES, error: undefined } as const

type ListedCall = Pick<CallTree, 'from' | 'to' | 'value' | 'input' | 'gas' | 'gasUsed' | 'error'> &
  Pick<CallEntry, 'type'>

function append(
  overlay: Overlay,
  call: ListedCall,
  place: Pick<CallEntry, 'transaction' | 'index' | 'isUndone'>,
): void {
  const { type, from, value, input, error } = call
  const to = call.to ?? undefined
  const selector = isCreation(call) ? EMPTY_BYTES : selectorOf(input)
  const [gas, gasUsed] = [gasNumber(call.gas), gasNumber(call.gasUsed)]
  const row = { ...place, type, from, to, value, selector, gas, gasUsed, error }
  const entry = sequenceEntry.encode({ sequence: overlay.append(LIST.calls, callEntry.encode(row)) })
  const sides = isCreation(call) ? rolesOfCreation(from, to) : rolesOf(from, to)
  for (const [of, side] of sides) overlay.append(LIST.callsOf(of, side), entry)
}

/** Caps gas at the largest number that a row holds; only a chain with an extreme gas limit exceeds it. */
const gasNumber = (gas: bigint): number => Math.min(Number(gas), Number.MAX_SAFE_INTEGER)
