// Blocks by their times, which never fall: found by bisection. Of blocks with one time the numbers decide the order.
import type { Chain } from '../chain/types.ts'
import type { SealedHeader } from '../primitives/types.ts'

/** The first block with a later timestamp, in Unix seconds; one more than the head's when there is none. */
export async function firstBlockAfter(
  chain: Pick<Chain, 'header'>,
  head: SealedHeader,
  timestamp: bigint,
): Promise<bigint> {
  let [low, high] = [0n, head.number + 1n]
  while (low < high) {
    const middle = (low + high) / 2n
    const header = await chain.header({ number: middle })
    if (header !== undefined && header.timestamp <= timestamp) low = middle + 1n
    else high = middle
  }
  return low
}
