// Transactions of an address, block by block: there is no index of them yet, so a search ends after a bound of blocks.
// An address takes part in what it sends, receives, is created by or emits logs in; deeper calls are not looked at.
import { setImmediate } from 'node:timers/promises'
import type { Chain, MinedReceipt } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { placeReceipts } from './shapes/receipt.ts'

/** Transactions of one page. */
export const MAX_PAGE = 1000
/** Blocks of one search. */
const MAX_SCANNED = 50_000
/** After so many blocks others get a turn. */
const TURN = 256

export type SearchResult = {
  /** Newest first. Blocks are never split, so that there may be more than were asked for. */
  readonly found: readonly MinedReceipt[]
  /** Nothing is newer, nothing is older. */
  readonly isNewest: boolean
  readonly isOldest: boolean
}

/**
 * Transactions before or after a block, from there on until the page is full; 0 begins at the chain's end on that side.
 * Throws `limit-exceeded` when the bound is reached and nothing was found.
 */
export async function searchTransactions(
  chain: Chain,
  who: Address,
  side: 'before' | 'after',
  number: bigint,
  size: number,
): Promise<SearchResult> {
  const last = chain.head.number
  const step = side === 'before' ? -1n : 1n
  const start = side === 'before' ? (number === 0n || number > last ? last : number - 1n) : number + 1n
  const wanted = Math.max(1, Math.min(size, MAX_PAGE))
  const found: MinedReceipt[] = []
  let at = start
  for (let scanned = 0; at > 0n && at <= last && found.length < wanted; at += step) {
    if (++scanned % TURN === 0) await setImmediate()
    if (scanned > MAX_SCANNED) break
    const taken = await inBlock(chain, at, who)
    found.push(...(side === 'before' ? taken.reverse() : taken))
  }
  const isExhausted = at <= 0n || at > last
  if (!isExhausted && found.length === 0) {
    throw new ChainError('limit-exceeded', `no transaction of ${who} in ${MAX_SCANNED} blocks; the search ends there`)
  }
  if (side === 'before') return { found, isNewest: number === 0n, isOldest: isExhausted }
  return { found: found.reverse(), isNewest: isExhausted, isOldest: number === 0n }
}

async function inBlock(chain: Chain, number: bigint, who: Address): Promise<MinedReceipt[]> {
  const header = await chain.header({ number })
  if (header === undefined || header.gasUsed === 0n) return []
  const block = await chain.block({ number })
  const receipts = block && chain.receipts(block.header.hash)
  return receipts ? placeReceipts(block, receipts).filter((mined) => takesPart(mined, who)) : []
}

const takesPart = ({ transaction, receipt }: MinedReceipt, who: Address): boolean =>
  transaction.from === who ||
  transaction.to === who ||
  receipt.contractAddress === who ||
  receipt.logs.some(({ address }) => address === who)
