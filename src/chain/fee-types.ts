// The chain's answers about fees: those of the next block, and the history of those that were paid (eth_feeHistory).
import type { SealedHeader } from '../primitives/types.ts'

export type FeeHistory = {
  readonly oldestBlock: bigint
  /** One more than blocks: the last is the next block's. */
  readonly baseFeePerGas: readonly bigint[]
  readonly gasUsedRatio: readonly number[]
  readonly baseFeePerBlobGas: readonly bigint[]
  readonly blobGasUsedRatio: readonly number[]
  /** Per block, the effective tip at each asked percentile; absent when none was asked. */
  readonly reward: readonly (readonly bigint[])[] | undefined
}

export interface Fees {
  /** EIP-1559 base fee of the block after the head; undefined before London. */
  nextBaseFee(): bigint | undefined
  nextBlobBaseFee(): bigint | undefined
  /** A legacy gas price that stays valid while the base fee rises for some blocks. */
  gasPrice(): bigint
  maxPriorityFeePerGas(): bigint
  /** Throws ChainError `cancelled` when the connection of `caller` is closed. */
  history(
    count: number,
    newest: SealedHeader,
    percentiles?: readonly number[],
    caller?: AbortSignal,
  ): Promise<FeeHistory>
}
