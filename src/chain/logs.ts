// Logs with the place where they stand in the chain.
import type { Block, Receipt } from '../primitives/types.ts'
import type { MinedLog } from './types.ts'

/** All logs of a block, in order. */
export function minedLogs(block: Block, receipts: readonly Receipt[]): MinedLog[] {
  const logs: MinedLog[] = []
  for (const [transactionIndex, transaction] of block.transactions.entries()) {
    for (const log of receipts[transactionIndex]?.logs ?? []) {
      logs.push({
        log,
        header: block.header,
        transactionHash: transaction.hash,
        transactionIndex,
        logIndex: logs.length,
      })
    }
  }
  return logs
}
