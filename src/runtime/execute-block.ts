// A block as a function: (view of the parent's state, payload attributes, candidates) -> executed block.
import type { Pause } from '../lib/scheduler.ts'
import type { Transaction } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import { OpenBlock } from './open-block.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from './types.ts'

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
  pause?: Pause,
): Promise<ExecutedBlock> {
  const block = await OpenBlock.begin(runtime, view, attributes, blockHash, pause)
  await block.take(candidates)
  return block.seal()
}
