// A block as a function: (view of the parent's state, payload attributes, candidates) -> executed block.
import type { Pause } from '../lib/scheduler.ts'
import type { Transaction } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import { OpenBlock, type TimeBound } from './open-block.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from './types.ts'

/** Options that do not change the block, except which candidates it contains. */
export type BuildOptions = {
  /** Yields to the event loop; left out: in a block's turns. */
  readonly pause?: Pause | undefined
  /** Left out: transactions run to their end. */
  readonly bound?: TimeBound | undefined
}

/**
 * Builds a whole block on the view of its parent. Candidates that do not fit are left out; those that can never run are in
 * `refused`. Throws CandidateFault if one causes an internal error.
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
