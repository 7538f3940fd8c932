// What gas will cost: the base fee of the next block, and what senders of late have put on top of it.
import { LRUCache } from 'lru-cache'
import type { Hash } from '../lib/hex.ts'
import { effectiveTip } from '../primitives/gas.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { ExplorerContext } from './define.ts'

/** Percentiles of what is paid to be mined. */
const PERCENTILE = { slow: 35, average: 60, fast: 90 } as const
const SAMPLED_BLOCKS = 200
/** Enough to tell percentiles by: on a busy chain few blocks are looked at. */
const SAMPLED_TIPS = 5000

export type Speed = keyof typeof PERCENTILE
/** Wei per gas. */
export type GasPrice = { readonly baseFee: bigint; readonly tip: bigint }

const tipsOfBlock = new LRUCache<Hash, readonly bigint[]>({ max: 2 * SAMPLED_BLOCKS })
const pricedHeads = new LRUCache<Hash, Readonly<Record<Speed, bigint>>>({ max: 8 })

/** Prices for three speeds. Where nobody has paid anything yet, all tips are what this node suggests to wallets. */
export async function gasPrices(context: ExplorerContext): Promise<Readonly<Record<Speed, GasPrice>>> {
  const baseFee = context.chain.fees.nextBaseFee() ?? 0n
  const tips = pricedHeads.get(context.head.hash) ?? (await tipsAt(context))
  pricedHeads.set(context.head.hash, tips)
  return {
    slow: { baseFee, tip: tips.slow },
    average: { baseFee, tip: tips.average },
    fast: { baseFee, tip: tips.fast },
  }
}

async function tipsAt({ chain, head }: ExplorerContext): Promise<Readonly<Record<Speed, bigint>>> {
  const tips: bigint[] = []
  const last = Math.max(0, Number(head.number) - SAMPLED_BLOCKS + 1)
  for (let number = Number(head.number); number >= last && tips.length < SAMPLED_TIPS; number--) {
    const header = await chain.header({ number: BigInt(number) })
    if (header !== undefined) tips.push(...(await tipsIn(chain, header)))
  }
  tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const suggested = tips.length === 0 ? chain.fees.maxPriorityFeePerGas() : 0n
  const at = (percentile: number) => tips[Math.ceil((percentile / 100) * tips.length) - 1] ?? suggested
  return { slow: at(PERCENTILE.slow), average: at(PERCENTILE.average), fast: at(PERCENTILE.fast) }
}

async function tipsIn(chain: ExplorerContext['chain'], header: SealedHeader): Promise<readonly bigint[]> {
  if (header.gasUsed === 0n) return []
  const known = tipsOfBlock.get(header.hash)
  if (known !== undefined) return known
  const block = await chain.block({ hash: header.hash })
  const baseFee = header.baseFeePerGas ?? 0n
  const tips = (block?.transactions ?? [])
    .slice(0, SAMPLED_TIPS)
    .map((transaction) => effectiveTip(transaction, baseFee))
  tipsOfBlock.set(header.hash, tips)
  return tips
}
