// Suggested fees for wallets, and the history of fees.
import type { ForkedChain } from '../fork/forked-chain.ts'
import type { Hash } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { blobBaseFee, nextExcessBlobGas } from '../primitives/fees.ts'
import { effectiveTip, GAS_PER_BLOB } from '../primitives/gas.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { blobRulesOf } from '../runtime/block-env.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { earliestTimestamp } from '../spec/block-rules.ts'
import type { StateView } from '../state/types.ts'
import type { BlockStore } from './blocks.ts'
import type { FeeHistory, Fees } from './fee-types.ts'
import type { PoolPolicy } from './pool-rules.ts'

const DEFAULT_TIP = 1_000_000_000n
const SAMPLED_BLOCKS = 20

/** The parts of the chain that fees depend on. */
export type FeeSource = {
  readonly blocks: BlockStore
  /** The first block. */
  readonly base: bigint
  /** The state after the head. */
  view(): StateView
}

export class ChainFees implements Fees {
  readonly #runtime: Runtime
  readonly #chain: FeeSource
  readonly #blocks: BlockStore
  readonly #head: () => SealedHeader
  /** The base fee that a development method has set for the next block; undefined: none. */
  readonly #override: () => bigint | undefined
  readonly #policy: Pick<PoolPolicy, 'minTip' | 'gasPrice'>
  readonly #forked: ForkedChain | undefined
  /** The median tip, cached per head. */
  #tip: { readonly head: Hash; readonly median: bigint } | undefined

  /** `policy`: that of this node's pool; `forked`: has the fees before the fork. */
  constructor(
    runtime: Runtime,
    chain: FeeSource,
    head: () => SealedHeader,
    override: () => bigint | undefined,
    policy: Pick<PoolPolicy, 'minTip' | 'gasPrice'>,
    forked?: ForkedChain,
  ) {
    this.#forked = forked
    this.#runtime = runtime
    this.#chain = chain
    this.#blocks = chain.blocks
    this.#head = head
    this.#override = override
    this.#policy = policy
  }

  nextBaseFee(): bigint | undefined {
    return this.#override() ?? this.#baseFeeAfter(this.#head())
  }

  minBaseFee(): bigint {
    return this.#runtime.minBaseFee(this.#chain.view())
  }

  nextBlobBaseFee(): bigint | undefined {
    return this.#blobBaseFeeAfter(this.#head())
  }

  /**
   * Two full blocks raise the base fee by 26.6 %. With a quarter of headroom a legacy price stays valid for about that long.
   */
  gasPrice(): bigint {
    const baseFee = this.nextBaseFee()
    const { gasPrice } = this.#policy
    if (baseFee === undefined && gasPrice !== undefined) return gasPrice
    return (baseFee ?? 0n) + (baseFee ?? 0n) / 4n + this.maxPriorityFeePerGas()
  }

  /**
   * Median tip of transactions in recent crowded blocks; 1 gwei if there are none. A tip buys a place only if block space is
   * scarce. Tips of other blocks say nothing: wallets that take every fee from `gasPrice` would outbid themselves. Never below
   * the pool's minimum tip.
   */
  maxPriorityFeePerGas(): bigint {
    const { hash, number } = this.#head()
    if (this.#tip?.head !== hash) this.#tip = { head: hash, median: this.#medianTip(number) }
    const { minTip } = this.#policy
    return this.#tip.median > minTip ? this.#tip.median : minTip
  }

  #medianTip(head: bigint): bigint {
    const tips: bigint[] = []
    for (let back = 0n; back < SAMPLED_BLOCKS && back <= head; back++) {
      const block = this.#blocks.block(head - back)
      if (block === undefined) break
      if (block.header.gasUsed * 2n <= block.header.gasLimit) continue
      for (const transaction of block.transactions)
        tips.push(effectiveTip(transaction, block.header.baseFeePerGas ?? 0n))
    }
    tips.sort((a, b) => (a < b ? -1 : 1))
    return tips[tips.length >> 1] ?? DEFAULT_TIP
  }

  async history(
    count: number,
    newest: SealedHeader,
    percentiles?: readonly number[],
    signal?: AbortSignal,
  ): Promise<FeeHistory> {
    const forked = this.#forked
    const ours = forked === undefined ? count : Math.min(count, Number(newest.number - forked.at.number))
    // Wallets ask before they send. Without a server a fork answers for its own blocks: fewer than asked for, as pruned nodes do.
    const isOurs = forked?.remote === undefined || ours === count
    if (isOurs) return this.#history(ours, newest, percentiles, signal)
    const [earlier, later] = await Promise.all([
      forked.feeHistory(count - ours, percentiles),
      this.#history(ours, newest, percentiles, signal),
    ])
    return {
      oldestBlock: earlier.oldestBlock,
      baseFeePerGas: [...earlier.baseFeePerGas, ...later.baseFeePerGas],
      gasUsedRatio: [...earlier.gasUsedRatio, ...later.gasUsedRatio],
      baseFeePerBlobGas: [...earlier.baseFeePerBlobGas, ...later.baseFeePerBlobGas],
      blobGasUsedRatio: [...earlier.blobGasUsedRatio, ...later.blobGasUsedRatio],
      reward: percentiles?.length ? [...earlier.reward, ...(later.reward ?? [])] : undefined,
    }
  }

  async #history(
    count: number,
    newest: SealedHeader,
    percentiles: readonly number[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<FeeHistory> {
    const pause = yieldToEventLoop('heavy', signal)
    const available = newest.number - this.#chain.base + 1n
    const blocks = available < BigInt(count) ? Number(available) : count
    const oldest = newest.number - BigInt(blocks) + 1n
    const headers: SealedHeader[] = []
    for (let number = oldest; number <= newest.number; number++) {
      await pause()
      // The newest may be a pending block, which is not stored.
      const header = number === newest.number ? newest : this.#blocks.header(number)
      if (header !== undefined) headers.push(header)
    }
    const reward: bigint[][] = []
    for (const header of percentiles?.length ? headers : []) {
      await pause()
      reward.push(this.#rewards(header, percentiles ?? []))
    }
    return {
      oldestBlock: blocks === 0 ? 0n : oldest,
      baseFeePerGas: [...headers.map(({ baseFeePerGas }) => baseFeePerGas ?? 0n), this.#baseFeeAfter(newest) ?? 0n],
      gasUsedRatio: headers.map(({ gasUsed, gasLimit }) => ratio(gasUsed, gasLimit)),
      baseFeePerBlobGas: [
        ...headers.map((header) => this.#blobBaseFeeOf(header)),
        this.#blobBaseFeeAfter(newest) ?? 0n,
      ],
      blobGasUsedRatio: headers.map((header) => {
        const max = blobRulesOf(this.#runtime.spec, this.#runtime.forkOf(header))?.max ?? 0n
        return ratio(header.blobGasUsed ?? 0n, max * GAS_PER_BLOB)
      }),
      // geth leaves the field out if no percentiles are requested.
      reward: percentiles?.length ? reward : undefined,
    }
  }

  /** Effective tips of a block's transactions at percentiles of the gas they used. */
  #rewards(header: SealedHeader, percentiles: readonly number[]): bigint[] {
    const block = this.#blocks.block(header.number)
    const receipts = this.#blocks.receipts(header.number)
    if (block?.header.hash !== header.hash || receipts === undefined || block.transactions.length === 0) {
      return percentiles.map(() => 0n)
    }
    const paid = block.transactions.map((transaction, i) => ({
      tip: effectiveTip(transaction, header.baseFeePerGas ?? 0n),
      gas: receipts[i]?.gasUsed ?? 0n,
    }))
    paid.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
    let at = 0
    let sum = paid[0]?.gas ?? 0n
    return percentiles.map((percentile) => {
      const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100))
      while (sum < threshold && at < paid.length - 1) sum += paid[++at]?.gas ?? 0n
      return paid[at]?.tip ?? 0n
    })
  }

  /** The base fee after a header. An uncommitted child's floor is read from the state after the head. */
  #baseFeeAfter(header: SealedHeader): bigint | undefined {
    const next = header.number < this.#head().number ? this.#blocks.header(header.number + 1n) : undefined
    if (next !== undefined) return next.baseFeePerGas
    const { london } = this.#runtime.env(this.#after(header)).rules
    return london ? this.#runtime.nextBaseFee(header, this.#chain.view()) : undefined
  }

  /** The header with the number of the next block, for rules that depend on it. */
  #after(header: SealedHeader): SealedHeader {
    const timestamp = earliestTimestamp(this.#runtime.spec, header.timestamp)
    return { ...header, number: header.number + 1n, timestamp }
  }

  #blobBaseFeeOf(header: SealedHeader): bigint {
    return this.#runtime.env(header).blobBaseFee ?? 0n
  }

  #blobBaseFeeAfter(header: SealedHeader): bigint | undefined {
    const fork = this.#runtime.forkOf(this.#after(header))
    const rules = blobRulesOf(this.#runtime.spec, fork)
    return rules && blobBaseFee(nextExcessBlobGas(header, rules), rules)
  }
}

const ratio = (part: bigint, whole: bigint): number => (whole === 0n ? 0 : Number(part) / Number(whole))
