// Runs a committed block again, with another engine, on the view of its parent, and compares the results with its header. A
// mismatch carries receipts and diffs, so that the first differing transaction can be found (`shadow/`).
import { ChainError } from '../lib/errors.ts'
import { toHex } from '../lib/hex.ts'
import type { Block, Receipt } from '../primitives/types.ts'
import type { StateView, TransactionDiff } from '../state/types.ts'
import { BlockExecution, type ExecutedRoots } from './block-execution.ts'
import { wrongField } from './import-block.ts'
import type { BlockHashes, Runtime } from './runtime.ts'

/** The results of a block that differ from its header. */
export type BlockMismatch = {
  readonly receipts: readonly Receipt[]
  readonly diffs: readonly TransactionDiff[]
  readonly requests: readonly Uint8Array[]
  /** Why the transaction after the last receipt could not run; undefined when all have run. */
  readonly refused: string | undefined
  /** The first wrong field of the header and its value here; undefined when a transaction was refused. */
  readonly field: { readonly name: string; readonly value: string } | undefined
}

/** Undefined when the results match the header. Throws only for a bug of this program. */
export async function rerunBlock(
  runtime: Runtime,
  view: StateView,
  block: Block,
  blockHash: BlockHashes,
): Promise<BlockMismatch | undefined> {
  const { header, transactions, uncles, withdrawals } = block
  const execution = new BlockExecution(runtime, view, block, blockHash)
  const { receipts, diffs } = execution
  await execution.begin()
  for (const transaction of transactions) {
    try {
      const applied = execution.apply(transaction)
      if (applied instanceof Promise) await applied
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return { receipts, diffs, requests: [], refused: error.message, field: undefined }
    }
  }
  const { roots, requests } = await execution.finish(withdrawals ?? [], uncles)
  const name = wrongField(header, roots)
  if (name === undefined) return undefined
  return { receipts, diffs, requests, refused: undefined, field: { name, value: textOf(roots, name) } }
}

const textOf = (roots: ExecutedRoots, name: keyof ExecutedRoots): string => {
  const value = roots[name]
  return value instanceof Uint8Array ? toHex(value) : String(value)
}
