// Transactions of an address by pages of whole blocks, as Otterscan asks for them. An address takes part in what it sends,
// receives, is created by, and in every message within.
import type { Chain, MinedReceipt } from '../chain/types.ts'
import { transactionsBefore, transactionsFrom } from '../indexer/participation.ts'
import type { Address } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { placeReceipts } from './shapes/receipt.ts'

/** Transactions of one page. */
export const MAX_PAGE = 1000

export type SearchResult = {
  /** Newest first. Blocks are never split, so that there may be more than were asked for. */
  readonly found: readonly MinedReceipt[]
  /** Nothing is newer, nothing is older. */
  readonly isNewest: boolean
  readonly isOldest: boolean
}

/** Transactions before or after a block, from there on until the page is full; 0 begins at the chain's end on that side. */
export async function searchTransactions(
  chain: Chain,
  who: Address,
  side: 'before' | 'after',
  number: bigint,
  size: number,
  caller: AbortSignal,
): Promise<SearchResult> {
  const pause = yieldToEventLoop('heavy', caller)
  const isBefore = side === 'before'
  const wanted = Math.max(1, Math.min(size, MAX_PAGE))
  const end = chain.head.number + 1n
  const places = isBefore
    ? transactionsBefore(chain.store, [who], Number(number === 0n || number > end ? end : number))
    : transactionsFrom(chain.store, [who], Number(number + 1n))
  const found: MinedReceipt[] = []
  let inBlock: { readonly number: number; readonly mined: readonly MinedReceipt[] } | undefined
  let isExhausted = true
  for (const { number: of, index } of places) {
    await pause()
    if (inBlock?.number !== of) {
      isExhausted = found.length < wanted
      if (!isExhausted) break
      inBlock = { number: of, mined: await minedIn(chain, BigInt(of)) }
    }
    const mined = inBlock.mined[index]
    // A block that is being committed has its rows already.
    if (mined !== undefined) found.push(mined)
  }
  if (isBefore) return { found, isNewest: number === 0n, isOldest: isExhausted }
  return { found: found.reverse(), isNewest: isExhausted, isOldest: number === 0n }
}

async function minedIn(chain: Chain, number: bigint): Promise<readonly MinedReceipt[]> {
  const block = await chain.block({ number })
  const receipts = block && chain.receipts(block.header.hash)
  return receipts ? placeReceipts(block, receipts) : []
}
