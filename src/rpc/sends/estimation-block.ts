// The block in which a gas estimate runs. The estimate must suffice when the transaction is mined, and contracts that accrue
// values over time do more work the longer ago their last call was: the block must not be too early.

import type { BlockRef, ChainReader } from '../../chain/types.ts'
import type { BlockProducer } from '../../consensus/block-producer.ts'
import type { CallOptions } from '../../runtime/types.ts'

type Services = { readonly chain: ChainReader; readonly producer: BlockProducer }

/**
 * Options that give a message on `pending` the time and number of the block that will include it. The pending transactions may
 * be mined in an earlier block, and the newest block may be of the current second. So the time is at least one step (the
 * seconds between blocks, or 1) after the newest block, and if there are pending transactions, one step and one block number
 * after the pending block. Example: Uniswap's `_update` writes its price oracle only when `timeElapsed > 0`.
 * A time set by `evm_setNextBlockTimestamp` and the request's own overrides are kept; other blocks are not changed.
 */
export async function estimateOptions(
  options: CallOptions,
  ref: BlockRef,
  { chain, producer }: Services,
): Promise<CallOptions> {
  if (ref !== 'pending' || producer.next.timestamp !== undefined) return options
  const pending = await chain.block('pending')
  if (pending === undefined) return options
  const { timestamp, number } = pending.header
  const step = producer.settings.timestampInterval ?? BigInt(Math.max(1, Math.ceil(producer.mode().interval)))
  const earliest = chain.head.timestamp + step
  const next = earliest > timestamp ? earliest : timestamp
  const block = pending.transactions.length > 0 ? { time: next + step, number: number + 1n } : { time: next, number }
  const given = options.blockOverrides ?? {}
  return {
    ...options,
    blockOverrides: { ...given, time: given.time ?? block.time, number: given.number ?? block.number },
  }
}
