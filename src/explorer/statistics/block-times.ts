// Blocks by timestamp, the average block time, and the utilization of blocks. Timestamps never decrease, so a block is found by
// bisection; several blocks may have the same timestamp.
import type { ChainReader } from '../../chain/types.ts'
import { firstWhere } from '../../lib/bisect.ts'
import type { SealedHeader } from '../../primitives/types.ts'

type Headers = { readonly chain: ChainReader; readonly head: SealedHeader }

/** Number of the first block with this timestamp (Unix seconds) or a later one; the head's number plus one if there is none. */
export async function firstBlockFrom({ chain, head }: Headers, timestamp: bigint): Promise<number> {
  const first = await firstWhere(chain.base, head.number + 1n, async (number) => {
    const header = await chain.header({ number })
    return header === undefined || header.timestamp >= timestamp
  })
  return Number(first)
}

/** Number of blocks for the average time. */
const AVERAGED_BLOCKS = 100n

/**
 * Average milliseconds between the last hundred blocks; 0 with fewer than two. Excludes the genesis block, whose timestamp was
 * chosen.
 */
export async function averageBlockTime({ chain, head }: Headers): Promise<number> {
  const first100 = head.number > AVERAGED_BLOCKS ? head.number - AVERAGED_BLOCKS : 1n
  const oldest = first100 > chain.base ? first100 : chain.base
  const first = head.number > oldest ? await chain.header({ number: oldest }) : undefined
  if (first === undefined) return 0
  return (Number(head.timestamp - first.timestamp) * 1000) / Number(head.number - oldest)
}

/** Number of blocks for the utilization. */
const UTILIZATION_BLOCKS = 50n

/** Gas used by the last fifty blocks, as a percentage of their gas limits. */
export async function utilization({ chain, head }: Headers): Promise<number> {
  let used = 0n
  let limit = 0n
  for (let number = head.number; number >= chain.base && number > head.number - UTILIZATION_BLOCKS; number--) {
    const header = await chain.header({ number })
    used += header?.gasUsed ?? 0n
    limit += header?.gasLimit ?? 0n
  }
  return percentage(used, limit) ?? 0
}

/** `part` as a percentage of `total`; null if `total` is zero. */
export const percentage = (part: bigint, total: bigint): number | null =>
  total === 0n ? null : (Number(part) / Number(total)) * 100
