// Gas prices at three speeds: the base fee of the next block, and a percentile of recently paid tips.
import { LRUCache } from 'lru-cache'
import type { Chain, ChainReader } from '../../chain/types.ts'
import type { Hash } from '../../lib/hex.ts'
import { effectiveTip } from '../../primitives/gas.ts'
import type { SealedHeader } from '../../primitives/types.ts'

/** Percentile of the sampled tips for each speed. */
const PERCENTILE = { slow: 35, average: 60, fast: 90 } as const
const SAMPLED_BLOCKS = 200
/** Enough for percentiles; a few blocks of a busy chain have this many. */
const SAMPLED_TIPS = 5000

export type Speed = keyof typeof PERCENTILE
/** Wei per gas. */
export type GasPrice = { readonly baseFee: bigint; readonly tip: bigint }

type OracleChain = ChainReader & Pick<Chain, 'fees'>

export class GasOracle {
  readonly #chain: OracleChain
  readonly #tipsByBlock = new LRUCache<Hash, readonly bigint[]>({ max: 2 * SAMPLED_BLOCKS })
  readonly #tipsByHead = new LRUCache<Hash, Readonly<Record<Speed, bigint>>>({ max: 8 })

  constructor(chain: OracleChain) {
    this.#chain = chain
  }

  /** Prices after a head. If no tip was paid, all tips are the one that the node suggests to wallets. */
  async prices(head: SealedHeader): Promise<Readonly<Record<Speed, GasPrice>>> {
    const baseFee = this.#chain.fees.nextBaseFee() ?? 0n
    const tips = this.#tipsByHead.get(head.hash) ?? (await this.#percentiles(head))
    this.#tipsByHead.set(head.hash, tips)
    return {
      slow: { baseFee, tip: tips.slow },
      average: { baseFee, tip: tips.average },
      fast: { baseFee, tip: tips.fast },
    }
  }

  async #percentiles(head: SealedHeader): Promise<Readonly<Record<Speed, bigint>>> {
    const tips: bigint[] = []
    const last = Math.max(Number(this.#chain.base), Number(head.number) - SAMPLED_BLOCKS + 1)
    for (let number = Number(head.number); number >= last && tips.length < SAMPLED_TIPS; number--) {
      const header = await this.#chain.header({ number: BigInt(number) })
      if (header !== undefined) tips.push(...(await this.#tipsOf(header)))
    }
    tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    const suggested = tips.length === 0 ? this.#chain.fees.maxPriorityFeePerGas() : 0n
    const at = (percentile: number) => tips[Math.ceil((percentile / 100) * tips.length) - 1] ?? suggested
    return { slow: at(PERCENTILE.slow), average: at(PERCENTILE.average), fast: at(PERCENTILE.fast) }
  }

  async #tipsOf(header: SealedHeader): Promise<readonly bigint[]> {
    if (header.gasUsed === 0n) return []
    const known = this.#tipsByBlock.get(header.hash)
    if (known !== undefined) return known
    const block = await this.#chain.block({ hash: header.hash })
    const baseFee = header.baseFeePerGas ?? 0n
    const tips = (block?.transactions ?? [])
      .slice(0, SAMPLED_TIPS)
      .map((transaction) => effectiveTip(transaction, baseFee))
    this.#tipsByBlock.set(header.hash, tips)
    return tips
  }
}
