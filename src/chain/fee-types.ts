// The interface of suggested fees and of the history of fees; `fees.ts` implements it.
import type { SealedHeader } from '../primitives/types.ts'

export type FeeHistory = {
  readonly oldestBlock: bigint
  /** One item more than blocks: the last one is for the next block. */
  readonly baseFeePerGas: readonly bigint[]
  readonly gasUsedRatio: readonly number[]
  readonly baseFeePerBlobGas: readonly bigint[]
  readonly blobGasUsedRatio: readonly number[]
  /** Per block, the effective tip at each requested percentile; undefined when none was requested. */
  readonly reward: readonly (readonly bigint[])[] | undefined
}

export interface Fees {
  /** Base fee of the block after the head (EIP-1559); undefined before London. */
  nextBaseFee(): bigint | undefined
  nextBlobBaseFee(): bigint | undefined
  /** Floor of the base fee of future blocks, in wei per gas; 0: none. */
  minBaseFee(): bigint
  /** A legacy gas price that stays valid while the base fee rises for some blocks. */
  gasPrice(): bigint
  maxPriorityFeePerGas(): bigint
  /** Throws ChainError `cancelled` when the connection of `signal` is closed. */
  history(
    count: number,
    newest: SealedHeader,
    percentiles?: readonly number[],
    signal?: AbortSignal,
  ): Promise<FeeHistory>
}
