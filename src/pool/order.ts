// The order in which pending transactions enter a block: highest effective tip first, then earliest arrival, or only by arrival, and
// each sender's in nonce order.
import type { Address } from '../lib/hex.ts'
import { effectiveTip } from '../primitives/gas.ts'
import type { Transaction } from '../primitives/types.ts'
import { Heap } from './heap.ts'
import type { NonceQueue, PoolEntry } from './nonce-queue.ts'

/** By fees, or as they came. */
export type Order = 'fees' | 'fifo'

/** The prices of gas and blob gas in the next block. */
export type Prices = { readonly baseFeePerGas: bigint; readonly blobBaseFee: bigint }

/** Whether the fee caps cover the prices. */
export const isPayable = (transaction: Transaction, prices: Prices): boolean =>
  transaction.maxFeePerGas >= prices.baseFeePerGas &&
  (transaction.type !== 3 || transaction.maxFeePerBlobGas >= prices.blobBaseFee)

/** Whether the first of two waiting transactions is included first (and evicted last). */
export const isBetter = (a: RankedEntry, b: RankedEntry): boolean =>
  a.tip === b.tip ? a.entry.arrival < b.entry.arrival : a.tip > b.tip

/** An entry with its effective tip, which is computed once because every comparison needs it. */
export type RankedEntry = { readonly queue: NonceQueue; readonly entry: PoolEntry; readonly tip: bigint }

export const rank = (queue: NonceQueue, entry: PoolEntry, prices: Prices): RankedEntry => ({
  queue,
  entry,
  tip: effectiveTip(entry.transaction, prices.baseFeePerGas),
})

/**
 * Executable transactions in order, those of each sender from a nonce on. A sender's sequence ends at the first transaction
 * that may not run. Only the senders' first transactions are read in advance. The queues may change between two
 * steps of the iteration: removed transactions are not yielded, added ones may be.
 */
export function* inOrder(
  order: Order,
  queues: Iterable<NonceQueue>,
  prices: Prices,
  mayRun: (transaction: Transaction) => boolean,
  nonce?: (of: Address) => bigint,
): Generator<Transaction> {
  const ranked = (queue: NonceQueue, entry: PoolEntry | undefined): RankedEntry | undefined =>
    entry && mayRun(entry.transaction)
      ? order === 'fees'
        ? rank(queue, entry, prices)
        : { queue, entry, tip: 0n }
      : undefined

  const firsts: RankedEntry[] = []
  for (const queue of queues) {
    const first = ranked(queue, nonce === undefined ? queue.pending[0] : queue.pendingAt(nonce(queue.sender)))
    if (first) firsts.push(first)
  }
  const heap = new Heap(firsts, isBetter)
  for (let best = heap.first(); best; best = heap.first()) {
    const { queue, entry } = best
    const { nonce } = entry.transaction
    const present = queue.pendingAt(nonce)
    if (present === entry) yield entry.transaction
    // If a replacement has taken the place of the transaction, rank it by its own tip.
    heap.replaceFirst(ranked(queue, present === entry ? queue.pendingAt(nonce + 1n) : present))
  }
}
