// The block that an estimate is for. An estimate has to hold when the transaction is mined, and contracts that accrue
// something do more work when time has passed since they were called last: the block must not be too early.

import type { BlockRef, Chain } from '../chain/types.ts'
import type { BlockProducer } from '../consensus/block-producer.ts'
import type { CallOptions } from '../runtime/types.ts'

type Estimating = { readonly chain: Pick<Chain, 'block' | 'head'>; readonly producer: BlockProducer }

/**
 * Options with which a message runs on `pending` as the transaction made of it will. What is waiting may be in a block of
 * its own by then, and the newest block may be of this second; so the time is at least one step (the seconds from block to
 * block, or 1) after the newest block, and when something waits, a step and a block number after what waits.
 * Uniswap's `_update`, for one, writes its price oracle only when `timeElapsed > 0`.
 * A time that was asked for (`evm_setNextBlockTimestamp`) and the caller's overrides are kept; other blocks stay as they are.
 */
export async function forEstimate(
  options: CallOptions,
  ref: BlockRef,
  { chain, producer }: Estimating,
): Promise<CallOptions> {
  if (ref !== 'pending' || producer.next.timestamp !== undefined) return options
  const pending = await chain.block('pending')
  if (pending === undefined) return options
  const { timestamp, number } = pending.header
  const step = producer.settings.timestampInterval ?? BigInt(Math.max(1, Math.ceil(producer.mode().interval)))
  const soonest = chain.head.timestamp + step
  const next = soonest > timestamp ? soonest : timestamp
  const block = pending.transactions.length > 0 ? { time: next + step, number: number + 1n } : { time: next, number }
  const given = options.blockOverrides ?? {}
  return {
    ...options,
    blockOverrides: { ...given, time: given.time ?? block.time, number: given.number ?? block.number },
  }
}
