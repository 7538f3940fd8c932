// Finding the block at which something became true of the state, for what stays true from then on.
import type { Chain } from '../chain/types.ts'
import type { StateView } from '../state/types.ts'

/**
 * The first block after which it is true; the head when it never is.
 * Throws ChainError `state-not-available` when it became true before the oldest state that is kept.
 */
export async function firstBlockWith(chain: Chain, isTrue: (view: StateView) => boolean): Promise<bigint> {
  let low = chain.oldestState
  if (low > 0n && isTrue((await chain.at({ number: low })).view)) await chain.at({ number: low - 1n })
  let high = chain.head.number
  while (low < high) {
    const middle = (low + high) / 2n
    const { view } = await chain.at({ number: middle })
    if (isTrue(view)) high = middle
    else low = middle + 1n
  }
  return low
}
