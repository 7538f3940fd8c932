// Figures of the chain's pace, from its newest blocks.
import type { ExplorerContext } from './define.ts'

/** Blocks that the average is taken over. */
const SPAN = 100n

/** Milliseconds between blocks, over the last hundred; 0 on a chain that has only its genesis. */
export async function averageBlockTime({ chain, head }: Pick<ExplorerContext, 'chain' | 'head'>): Promise<number> {
  const span = head.number < SPAN ? head.number : SPAN
  const first = span === 0n ? undefined : await chain.header({ number: head.number - span })
  return first === undefined ? 0 : (Number(head.timestamp - first.timestamp) * 1000) / Number(span)
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
  return limit === 0n ? 0 : (Number(used) / Number(limit)) * 100
}
