// The logs of a block with their position in the chain.
import type { Block, Receipt } from '../primitives/types.ts'
import type { MinedLog } from './types.ts'

/**
 * One list per block, shared by all log subscriptions and filters. The list depends on the block object alone, and the weak key
 * frees it with the block, so no chain has to own or close it.
 */
const placed = new WeakMap<Block, readonly MinedLog[]>()

/** All logs of a block, in order. */
export function minedLogs(block: Block, receipts: readonly Receipt[]): readonly MinedLog[] {
  const known = placed.get(block)
  if (known !== undefined) return known
  const logs: MinedLog[] = []
  for (const [transactionIndex, { hash }] of block.transactions.entries()) {
    for (const log of receipts[transactionIndex]?.logs ?? []) {
      logs.push({ log, header: block.header, transactionHash: hash, transactionIndex, logIndex: logs.length })
    }
  }
  placed.set(block, logs)
  return logs
}

/** A log by its index within the block. */
export function minedLogAt(block: Block, receipts: readonly Receipt[], logIndex: number): MinedLog | undefined {
  let first = 0
  for (const [transactionIndex, { logs }] of receipts.entries()) {
    const log = logs[logIndex - first]
    const transactionHash = block.transactions[transactionIndex]?.hash
    if (log !== undefined && transactionHash !== undefined)
      return { log, header: block.header, transactionHash, transactionIndex, logIndex }
    first += logs.length
  }
  return undefined
}
