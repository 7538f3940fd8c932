// Searches for the block at which something became true and stayed true: log2(blocks) reads instead of one for each block.
import type { ChainReader } from '../chain/types.ts'
import { firstWhere } from '../lib/bisect.ts'
import { ChainError } from '../lib/errors.ts'
import type { StateView } from '../state/types.ts'

/** Throws ChainError `header-not-found`, with the number of the chain's first block, for a block before it. */
export function requireBlocksSince({ base }: ChainReader, number: bigint): void {
  if (number < base) throw new ChainError('header-not-found', `this node has blocks since block ${base} only`)
}

/**
 * The first block whose state fulfils the condition; the head when none does.
 * Throws ChainError `state-not-available` when that block is before the oldest stored state, `header-not-found` when it is
 * before the first block.
 */
export async function firstBlockWith(chain: ChainReader, holds: (view: StateView) => boolean): Promise<bigint> {
  const holdsAt = async (number: bigint) => holds((await chain.at({ number })).view)
  const oldest = chain.oldestState
  // If the oldest state fulfils it, the block may be older: `chain.at` throws for a pruned state.
  if (oldest > 0n && (await holdsAt(oldest))) {
    requireBlocksSince(chain, oldest - 1n)
    await chain.at({ number: oldest - 1n })
  }
  return firstWhere(oldest, chain.head.number, holdsAt)
}

/** The first block with this timestamp (seconds), else the last block before it. Timestamps never decrease. */
export async function blockAtTime(chain: ChainReader, time: bigint): Promise<bigint> {
  if (chain.head.timestamp < time) return chain.head.number
  const timestampOf = async (number: bigint) => (await chain.header({ number }))?.timestamp ?? 0n
  const first = await firstWhere(chain.base, chain.head.number, async (number) => (await timestampOf(number)) >= time)
  return first > chain.base && (await timestampOf(first)) > time ? first - 1n : first
}
