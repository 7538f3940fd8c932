// The subscriptions of eth_subscribe. A feed listens to the chain's events, sends wire values, and returns a function that
// removes its listeners.
import type { Chain, ChainEvents } from '../../chain/types.ts'
import type { NetworkStatus, SyncProgress } from '../../consensus/network-status.ts'
import { type Hash, toQuantity } from '../../lib/hex.ts'
import { wireHeader } from '../shapes/block.ts'
import type { LogFilter } from '../shapes/log-filter.ts'
import { minedReceipts, wireLog, wireReceipt, wireRemovedLog } from '../shapes/receipt.ts'
import { wireTransaction } from '../shapes/transaction.ts'
import { logMatcher, logsOfBlock } from './live-logs.ts'

export type Feed = (send: (result: unknown) => void) => () => void

/** The header of every new block; after a rollback, the header of the new head. */
export const newHeads =
  (chain: Pick<Chain, 'head' | 'events'>): Feed =>
  (send) =>
    all(
      chain.events.on('block', ({ block }) => send(wireHeader(block.header))),
      chain.events.on('removed', () => send(wireHeader(chain.head))),
    )

/** Matching logs of every new block; logs of blocks that were removed from the chain again, marked as removed. */
export const logs =
  (events: ChainEvents, filter: LogFilter): Feed =>
  (send) => {
    const matches = logMatcher(filter)
    return all(
      events.on('block', (executed) => {
        for (const log of logsOfBlock(executed)) if (matches(log)) send(wireLog(log))
      }),
      events.on('removed', (_blocks, removed) => {
        for (const log of removed) if (matches(log)) send(wireRemovedLog(log))
      }),
    )
  }

/** Transactions that became executable in the pool, as hashes or in full. */
export const newPendingTransactions =
  (events: ChainEvents, form: 'hashes' | 'full'): Feed =>
  (send) =>
    events.on('pending', (transaction) =>
      send(form === 'full' ? wireTransaction(transaction, undefined) : transaction.hash),
    )

/**
 * The receipts of every new block in one list, or only those of the given transactions; nothing is sent for blocks without any.
 * Like `transactionReceipts` in go-ethereum 1.17.
 */
export const transactionReceipts =
  (events: ChainEvents, hashes: readonly Hash[]): Feed =>
  (send) => {
    const wanted = new Set(hashes)
    return events.on('block', ({ block, receipts }) => {
      const mined = minedReceipts(block, receipts)
      const found = wanted.size === 0 ? mined : mined.filter(({ transaction }) => wanted.has(transaction.hash))
      if (found.length > 0) send(found.map(wireReceipt))
    })
  }

/** Milliseconds between two checks of the sync status. */
const SYNC_INTERVAL = 1000

/**
 * Changes of the sync status in go-ethereum's form: `{ syncing: true, status }` when the node begins to catch up, false when it
 * has caught up. Sends nothing on a chain of one node (undefined).
 */
export const syncing =
  (network: Pick<NetworkStatus, 'syncing'> | undefined): Feed =>
  (send) => {
    if (network === undefined) return () => {}
    let wasSyncing = false
    const look = async () => {
      // If CometBFT cannot be reached, it is asked again later.
      const progress = await network.syncing().catch(() => undefined)
      if (progress === undefined || (progress !== false) === wasSyncing) return
      wasSyncing = progress !== false
      send(progress === false ? false : { syncing: true, status: wireProgress(progress) })
    }
    void look()
    const timer = setInterval(look, SYNC_INTERVAL).unref()
    return () => clearInterval(timer)
  }

const wireProgress = ({ startingBlock, currentBlock, highestBlock }: SyncProgress) => ({
  startingBlock: toQuantity(startingBlock),
  currentBlock: toQuantity(currentBlock),
  highestBlock: toQuantity(highestBlock),
})

const all =
  (...removers: readonly (() => void)[]) =>
  () => {
    for (const remove of removers) remove()
  }
