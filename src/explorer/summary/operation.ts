// The sentence that says what a user operation (ERC-4337) has done: the one of a transaction by which the account would have done it
// itself. Also of a transaction that has carried operations.
import { EMPTY_BYTES } from '../../lib/hex.ts'
import { executedCall } from '../../primitives/user-operation.ts'
import type { ExplorerContext } from '../context.ts'
import {
  type FullOperation,
  indexedOperation,
  operationByHash,
  operationsOf,
  revertReason,
  userLogs,
  userTransfers,
} from '../shapes/user-operation.ts'
import { account, listed, type Phrase, say } from './phrase.ts'
import { REVERTED, summaryOf } from './summary.ts'

const SELECTOR = 4

export function operationSummary(context: ExplorerContext, of: FullOperation): Promise<Phrase> {
  const { event, mined, struct } = of
  const { start, count } = userLogs(of)
  const moved = userTransfers(context, of)
  const itself = { target: event.sender, value: 0n, input: struct.callData }
  const { target, value, input } = executedCall(struct.callData) ?? itself
  return summaryOf(context, {
    ...mined,
    transaction: { ...mined.transaction, from: event.sender, to: target, data: input, value },
    receipt: {
      ...mined.receipt,
      status: event.isSuccess ? 1 : 0,
      logs: mined.receipt.logs.slice(start, start + count),
    },
    row: {
      ...mined.row,
      selector: context.view.code(target).length === 0 ? EMPTY_BYTES : input.subarray(0, SELECTOR),
      firstTransfer: moved.first,
      transfers: moved.count,
      // Messages are not listed by operations, so coins that the account got are not known.
      calls: 0,
      error: event.isSuccess ? undefined : REVERTED,
      revertData: revertReason(of) ?? EMPTY_BYTES,
    },
  })
}

/** Most operations whose accounts a sentence looks at. */
const MOST = 50

/** What a transaction has carried; undefined: no operations. */
export async function bundleSummary(context: ExplorerContext, transaction: number): Promise<Phrase | undefined> {
  const { from, to } = operationsOf(context, transaction, transaction + 1)
  const count = to - from
  if (count === 0) return undefined
  const positions = Array.from({ length: Math.min(count, MOST) }, (_, i) => from + i)
  const operations = await Promise.all(positions.map((position) => indexedOperation(context, position)))
  const [first] = operations
  if (first === undefined) return undefined
  const carrier = account(context, first.mined.transaction.from)
  if (count === 1) {
    const did = await operationSummary(context, await operationByHash(context, first.event.hash))
    return say`${did}, by a user operation that ${carrier} has sent`
  }
  const senders = [...new Set(operations.map(({ event }) => event.sender))].map((of) => account(context, of))
  return say`${carrier} sent ${String(count)} user operations of ${listed(senders, 'other accounts')}`
}
