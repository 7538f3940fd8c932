// A block as a function: (view of the parent's state, payload attributes, candidates) -> executed block.
import type { Pause } from '../lib/scheduler.ts'
import type { Transaction } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import { OpenBlock, type TimeBound } from './open-block.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from './types.ts'

/** What makes no difference to the block, except which candidates it has. */
export type BuildOptions = {
  /** Yields to the event loop; left out: in the turns of a block. */
  readonly pause?: Pause | undefined
  /** Left out: transactions run to their end. */
  readonly bound?: TimeBound | undefined
}

/**
 * Builds a whole block on the view of its parent. Candidates that do not fit are left out; those that can never run are in `refused`.
 * Throws CandidateFault when one makes this program fail.
 */
export async function executeBlock(
  runtime: Runtime,
  view: StateView,
  attributes: PayloadAttributes,
  candidates: Iterable<Transaction>,
  blockHash: BlockHashes,
  { pause, bound }: BuildOptions = {},
): Promise<ExecutedBlock> {
  const block = await OpenBlock.begin(runtime, view, attributes, blockHash, pause)
  await block.take(candidates, bound)
  return block.seal()
}
