// Searches for the block at which something became true and stayed true: log2(blocks) reads instead of one for each block.
import type { ChainReader } from '../chain/types.ts'
import { firstWhere } from '../lib/bisect.ts'
import type { StateView } from '../state/types.ts'

/**
 * The first block whose state fulfils the condition; the head when none does.
 * Throws ChainError `state-not-available` when that block is before the oldest state that is stored.
 */
export async function firstBlockWith(chain: ChainReader, holds: (view: StateView) => boolean): Promise<bigint> {
  const holdsAt = async (number: bigint) => holds((await chain.at({ number })).view)
  const oldest = chain.oldestState
  // When the oldest state fulfils it already, the block may be older: `chain.at` throws for a pruned state.
  if (oldest > 0n && (await holdsAt(oldest))) await chain.at({ number: oldest - 1n })
  return firstWhere(oldest, chain.head.number, holdsAt)
}

/** The first block with this timestamp (seconds), else the last block before it. Timestamps never decrease. */
export async function blockAtTime(chain: ChainReader, time: bigint): Promise<bigint> {
  if (chain.head.timestamp < time) return chain.head.number
  const timestampOf = async (number: bigint) => (await chain.header({ number }))?.timestamp ?? 0n
  const first = await firstWhere(0n, chain.head.number, async (number) => (await timestampOf(number)) >= time)
  return first > 0n && (await timestampOf(first)) > time ? first - 1n : first
}
