// What eth_subscribe can deliver. A feed attaches to the chain's signals, sends wire values, and returns what detaches it.
import type { Chain, ChainEvents } from '../chain/types.ts'
import type { Hash } from '../lib/hex.ts'
import { liveMatch, logsOfBlock } from './live-logs.ts'
import { wireHeader } from './shapes/block.ts'
import type { LogFilter } from './shapes/filter.ts'
import { placeReceipts, wireLog, wireReceipt, wireRemovedLog } from './shapes/receipt.ts'
import { wireTransaction } from './shapes/transaction.ts'

export type Feed = (send: (result: unknown) => void) => () => void

/** The header of every block; after a rollback the header that is the head again. */
export const newHeads =
  (chain: Pick<Chain, 'head' | 'events'>): Feed =>
  (send) =>
    both(
      chain.events.on('block', ({ block }) => send(wireHeader(block.header))),
      chain.events.on('removed', () => send(wireHeader(chain.head))),
    )

/** Matching logs of every block; those of blocks that were taken back once more, as removed. */
export const logs =
  (events: ChainEvents, filter: LogFilter): Feed =>
  (send) => {
    const wants = liveMatch(filter)
    return both(
      events.on('block', (executed) => {
        for (const log of logsOfBlock(executed)) if (wants(log)) send(wireLog(log))
      }),
      events.on('removed', (_blocks, removed) => {
        for (const log of removed) if (wants(log)) send(wireRemovedLog(log))
      }),
    )
  }

/** Transactions that became executable, as hashes or in full. */
export const newPendingTransactions =
  (events: ChainEvents, form: 'hashes' | 'full'): Feed =>
  (send) =>
    events.on('pending', (transaction) =>
      send(form === 'full' ? wireTransaction(transaction, undefined) : transaction.hash),
    )

/**
 * The receipts of every block in one list, or of it only those of the named transactions; blocks with none of them send
 * nothing. As go-ethereum 1.17's `transactionReceipts`.
 */
export const transactionReceipts =
  (events: ChainEvents, hashes: readonly Hash[]): Feed =>
  (send) => {
    const wanted = new Set(hashes)
    return events.on('block', ({ block, receipts }) => {
      const mined = placeReceipts(block, receipts)
      const found = wanted.size === 0 ? mined : mined.filter(({ transaction }) => wanted.has(transaction.hash))
      if (found.length > 0) send(found.map(wireReceipt))
    })
  }

/** Changes of the sync state: there are none, the node makes its blocks itself. */
export const syncing: Feed = () => () => {}

const both =
  (...detach: readonly (() => void)[]) =>
  () => {
    for (const each of detach) each()
  }
