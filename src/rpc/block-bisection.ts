// Searches for the block at which something became true and stayed true: log2(blocks) reads instead of one for each block.
import { BeforeFork } from '../chain/fork.ts'
import type { ChainReader } from '../chain/types.ts'
import { block } from '../fork/wire.ts'
import { firstWhere } from '../lib/bisect.ts'
import { ChainError } from '../lib/errors.ts'
import { toQuantity } from '../lib/hex.ts'
import { firstBlock } from '../spec/forks.ts'
import type { StateView } from '../state/types.ts'

/**
 * Throws ChainError `header-not-found` for a block that the chain has and this node has not: BeforeFork if a forked chain has it. There is
 * no block before the genesis.
 */
export function requireBlocksSince({ base, forked, spec }: ChainReader, number: bigint): void {
  if (number >= base || base === firstBlock(spec)) return
  if (forked !== undefined) throw new BeforeFork(`block ${number}`)
  throw new ChainError('header-not-found', `this node has blocks since block ${base} only`)
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

/**
 * The first block with this timestamp (seconds), else the last block before it; of a fork, it may be before the fork. Timestamps never
 * decrease.
 */
export async function blockAtTime(chain: ChainReader, time: bigint): Promise<bigint> {
  const { forked, head, base } = chain
  if (head.timestamp < time) return head.number
  const timestampOf = async (number: bigint): Promise<bigint> => {
    if (forked === undefined || number > forked.at.number) return (await chain.header({ number }))?.timestamp ?? 0n
    return (await forked.ask(block, 'eth_getBlockByNumber', [toQuantity(number), false])).timestamp
  }
  const isBefore = forked !== undefined && (await timestampOf(forked.at.number)) >= time
  const oldest = isBefore ? 0n : (forked?.at.number ?? base)
  const newest = isBefore ? forked.at.number : head.number
  const first = await firstWhere(oldest, newest, async (number) => (await timestampOf(number)) >= time)
  return first > oldest && (await timestampOf(first)) > time ? first - 1n : first
}
