// Figures of the chain's pace, from its newest blocks.
import type { ExplorerContext } from './define.ts'
import { percentage } from './shapes/block.ts'

/** Blocks that the average is taken over. */
const SPAN = 100n

/**
 * Milliseconds between blocks, over the last hundred; 0 while there are not two. The genesis does not count: its timestamp
 * was chosen, and says nothing of when it was made.
 */
export async function averageBlockTime({ chain, head }: Pick<ExplorerContext, 'chain' | 'head'>): Promise<number> {
  const oldest = head.number > SPAN ? head.number - SPAN : 1n
  const first = head.number > oldest ? await chain.header({ number: oldest }) : undefined
  if (first === undefined) return 0
  return (Number(head.timestamp - first.timestamp) * 1000) / Number(head.number - oldest)
}

/** Blocks that utilization is taken over. */
const UTILIZED = 50n

/** How much of the gas that the last fifty blocks could hold they used, in parts of a hundred. */
export async function utilization({ chain, head }: Pick<ExplorerContext, 'chain' | 'head'>): Promise<number> {
  let [used, limit] = [0n, 0n]
  for (let number = head.number; number >= 0n && number > head.number - UTILIZED; number--) {
    const header = await chain.header({ number })
    used += header?.gasUsed ?? 0n
    limit += header?.gasLimit ?? 0n
  }
  return percentage(used, limit) ?? 0
}
