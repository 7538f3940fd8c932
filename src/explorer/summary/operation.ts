// The sentence that says what a user operation (ERC-4337) has done: the one of a transaction by which the account would have done it
// itself.
import { LIST, transferEntry } from '../../indexer/tables.ts'
import { EMPTY_BYTES } from '../../lib/hex.ts'
import { executedCall } from '../../primitives/user-operation.ts'
import { entriesBetween } from '../../tables/list.ts'
import type { ExplorerContext } from '../context.ts'
import { type operationByHash, revertReason, userLogs } from '../shapes/user-operation.ts'
import type { Phrase } from './phrase.ts'
import { MOST, REVERTED, summaryOf } from './summary.ts'

const SELECTOR = 4

export function operationSummary(context: ExplorerContext, of: Awaited<ReturnType<typeof operationByHash>>): Phrase {
  const { event, mined, struct } = of
  const { start, count } = userLogs(of)
  const { target, value, input } = executedCall(struct.callData) ?? {
    target: event.sender,
    value: 0n,
    input: struct.callData,
  }
  const firstLog = mined.firstLogIndex + start
  const { firstTransfer, transfers } = mined.row
  const moved = entriesBetween(context.rows, LIST.transfers, firstTransfer, firstTransfer + Math.min(transfers, MOST))
    .map((entry) => transferEntry.decode(entry).log)
    .map((log) => log >= firstLog && log < firstLog + count)
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
      firstTransfer: firstTransfer + Math.max(0, moved.indexOf(true)),
      transfers: moved.filter((isOwn) => isOwn).length,
      // Messages are not listed by operations, so coins that the account got are not known.
      calls: 0,
      error: event.isSuccess ? undefined : REVERTED,
      revertData: revertReason(of) ?? EMPTY_BYTES,
    },
  })
}
