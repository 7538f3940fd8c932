// Executes a stored block again on the view of its parent. The caller compares the results with the stored ones.
import { ChainError } from '../lib/errors.ts'
import type { Block, Receipt } from '../primitives/types.ts'
import type { StateView, TransactionDiff } from '../state/types.ts'
import { BlockExecution, type ExecutedRoots } from './block-execution.ts'
import type { BlockHashes, Runtime } from './runtime.ts'

/** The results of a second execution; `view` is then the state after the block, or before the refused transaction. */
export type Rerun = {
  /** Receipts of the executed transactions, in order. */
  readonly receipts: readonly Receipt[]
  /** State changes by transaction. */
  readonly diffs: readonly TransactionDiff[]
  /** Header fields; undefined when a transaction was refused. */
  readonly roots: ExecutedRoots | undefined
  /** Why the transaction after the last receipt could not be executed; undefined if all were. */
  readonly refused: string | undefined
}

/** Throws only for internal errors and errors of users' proposals. */
export async function rerunBlock(
  runtime: Runtime,
  view: StateView,
  block: Block,
  blockHash: BlockHashes,
): Promise<Rerun> {
  const execution = new BlockExecution(runtime, view, block, blockHash)
  const { receipts, diffs } = execution
  await execution.begin()
  for (const transaction of block.transactions) {
    try {
      const applied = execution.apply(transaction)
      if (applied instanceof Promise) await applied
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return { receipts, diffs, roots: undefined, refused: error.message }
    }
  }
  const { roots } = await execution.finish(block.withdrawals ?? [], block.uncles)
  return { receipts, diffs, roots, refused: undefined }
}
