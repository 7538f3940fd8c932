// The methods of the explorer Otterscan (ots_). Call frames come from replaying transactions, the transactions of an address
// from the index.
import { z } from 'zod'
import type { BlockRef, Chain, MinedReceipt, Replayed } from '../../chain/types.ts'
import { transactionsBefore, transactionsFrom } from '../../indexer/participation.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { Block, SealedHeader } from '../../primitives/types.ts'
import type { Reward } from '../../runtime/system.ts'
import { firstBlockWith } from '../block-bisection.ts'
import { address, atBlock, blockNumber, bool, data, hash, looseQuantity } from '../codec.ts'
import { type RpcContext, rpcMethod } from '../define.ts'
import { wireHeader } from '../shapes/block.ts'
import { blockDetails, blockPage, internalOperations, searchPage, traceEntries } from '../shapes/otterscan.ts'
import { minedReceipts } from '../shapes/receipt.ts'

/** The version of these methods, which Otterscan checks. */
const API_LEVEL = 8

type Details = {
  readonly block: Block
  readonly receipts: readonly MinedReceipt[]
  readonly rewards: readonly Reward[]
}

async function detailsOf(chain: Chain, ref: BlockRef): Promise<Details | null> {
  const block = await chain.block(ref)
  if (block === undefined) return null
  const receipts = minedReceipts(block, chain.receipts(block.header.hash) ?? [])
  return { block, receipts, rewards: chain.traces.rewards(block) }
}

const detailsOrNull = (found: Details | null) => found && blockDetails(found.block, found.receipts, found.rewards)
const headerOrNull = (header: SealedHeader | undefined) => (header ? wireHeader(header) : null)

export const ots_getApiLevel = rpcMethod({
  summary: 'The version of Otterscan’s methods that this node has.',
  params: [],
  result: z.number(),
  handler: () => API_LEVEL,
})

export const ots_getHeaderByNumber = rpcMethod({
  summary: 'A header by its number or tag.',
  params: [blockNumber],
  names: ['block'],
  result: headerOrNull,
  committed: true,
  handler: ([block], { chain }) => chain.header(block),
})

export const ots_getBlockDetails = rpcMethod({
  summary: 'A block without its transactions, with the issuance and the fees of it.',
  params: [blockNumber],
  names: ['block'],
  result: detailsOrNull,
  committed: true,
  handler: ([block], { chain }) => detailsOf(chain, block),
})

export const ots_getBlockDetailsByHash = rpcMethod({
  summary: 'A block by its hash, without its transactions, with the issuance and the fees of it.',
  params: [hash],
  names: ['blockHash'],
  result: detailsOrNull,
  committed: true,
  handler: ([hash], { chain }) => detailsOf(chain, { hash }),
})

export const ots_getBlockTransactions = rpcMethod({
  summary: 'A page of the transactions of a block; page 0 has the last ones.',
  params: [blockNumber, looseQuantity, looseQuantity],
  names: ['block', 'page', 'pageSize'],
  result: (page: ReturnType<typeof blockPage> | null) => page,
  heavy: true,
  committed: true,
  async handler([block, page, size], { chain }) {
    const found = await detailsOf(chain, block)
    return found && blockPage(found.block, found.receipts, Number(page), Math.min(Number(size), MAX_PAGE))
  },
})

export const ots_hasCode = rpcMethod({
  summary: 'Whether an account has code after a block.',
  params: [address, atBlock],
  names: ['address', 'block'],
  result: bool,
  committed: true,
  async handler([accountAddress, ref], { chain }) {
    const { view } = await chain.at(ref)
    return view.code(accountAddress).length > 0
  },
})

/** Throws `not-found` for an unknown transaction, as tracing does. */
const replayOf = ({ chain }: RpcContext, hash: Hash, signal: AbortSignal): Promise<Replayed> =>
  chain.traces.replayTransaction(hash, { signal })

export const ots_traceTransaction = rpcMethod({
  summary: 'All call frames of a transaction with their depths.',
  params: [hash],
  names: ['transactionHash'],
  result: traceEntries,
  heavy: true,
  committed: true,
  handler: ([hash], context, signal) => replayOf(context, hash, signal),
})

export const ots_getInternalOperations = rpcMethod({
  summary: 'Transfers, creations and self-destructions within a transaction.',
  params: [hash],
  names: ['transactionHash'],
  result: internalOperations,
  heavy: true,
  committed: true,
  handler: ([hash], context, signal) => replayOf(context, hash, signal),
})

export const ots_getTransactionError = rpcMethod({
  summary: 'The revert data of a transaction; empty when it did not revert.',
  params: [hash],
  names: ['transactionHash'],
  result: data,
  heavy: true,
  committed: true,
  async handler([hash], context, signal) {
    const receipt = context.chain.receipt(hash)?.receipt
    if (receipt?.status === 1) return new Uint8Array(0)
    const { error, output } = await replayOf(context, hash, signal)
    return error === undefined ? new Uint8Array(0) : output
  },
})

export const ots_getTransactionBySenderAndNonce = rpcMethod({
  summary: 'The hash of the mined transaction of an account with a nonce.',
  params: [address, looseQuantity],
  names: ['sender', 'nonce'],
  result: hash.nullable(),
  async handler([sender, nonce], { chain }) {
    const block = await chain.block({ number: await firstBlockWith(chain, (view) => view.nonce(sender) > nonce) })
    return block?.transactions.find((sent) => sent.from === sender && sent.nonce === nonce)?.hash ?? null
  },
})

type Creation = { readonly hash: Hash; readonly creator: Address }

export const ots_getContractCreator = rpcMethod({
  summary: 'The transaction that created a contract, and the account that created it.',
  params: [address],
  names: ['address'],
  result: (creation: Creation | null) => creation,
  heavy: true,
  committed: true,
  async handler([contract], { chain }, signal): Promise<Creation | null> {
    const { view } = await chain.at('latest')
    if (view.code(contract).length === 0) return null
    const number = await firstBlockWith(chain, (view) => view.code(contract).length > 0)
    // Contracts of the genesis have no creator.
    if (number === 0n) return null
    for (const { transaction, frames } of await chain.traces.replayBlock({ number }, { signal })) {
      const creation = frames.find(({ type, to, error }) => to === contract && error === undefined && isCreation(type))
      if (creation !== undefined) return { hash: transaction.hash, creator: creation.from }
    }
    return null
  },
})

const isCreation = (type: string): boolean => type === 'CREATE' || type === 'CREATE2'

const wirePage = ({ found, isNewest, isOldest }: SearchResult) => searchPage(found, isNewest, isOldest)

export const ots_searchTransactionsBefore = rpcMethod({
  summary: 'Transactions in which an address took part, in blocks before a number (0 for all), newest first.',
  params: [address, looseQuantity, looseQuantity],
  names: ['address', 'block', 'pageSize'],
  result: wirePage,
  heavy: true,
  committed: true,
  handler: ([accountAddress, number, size], { chain }, signal) =>
    searchTransactions(chain, accountAddress, 'before', number, Number(size), signal),
})

export const ots_searchTransactionsAfter = rpcMethod({
  summary: 'Transactions in which an address took part, in blocks after a number (0 for all), newest first.',
  params: [address, looseQuantity, looseQuantity],
  names: ['address', 'block', 'pageSize'],
  result: wirePage,
  heavy: true,
  committed: true,
  handler: ([accountAddress, number, size], { chain }, signal) =>
    searchTransactions(chain, accountAddress, 'after', number, Number(size), signal),
})

/** Maximum number of transactions of one page. */
const MAX_PAGE = 1000

type SearchResult = {
  /** Newest first. Blocks are never split, so there may be more than requested. */
  readonly found: readonly MinedReceipt[]
  /** Whether there are no newer transactions, and no older ones. */
  readonly isNewest: boolean
  readonly isOldest: boolean
}

/**
 * Transactions that an address sent, received, was created by, or took part in through an inner call. They are from blocks
 * before or after the given one, starting next to it, until the page is full; 0 starts at that end of the chain.
 */
async function searchTransactions(
  chain: Chain,
  accountAddress: Address,
  side: 'before' | 'after',
  number: bigint,
  size: number,
  signal: AbortSignal,
): Promise<SearchResult> {
  const pause = yieldToEventLoop('heavy', signal)
  const isBefore = side === 'before'
  const wanted = Math.max(1, Math.min(size, MAX_PAGE))
  const end = chain.head.number + 1n
  const positions = isBefore
    ? transactionsBefore(chain.store, [accountAddress], Number(number === 0n || number > end ? end : number))
    : transactionsFrom(chain.store, [accountAddress], Number(number + 1n))
  const found: MinedReceipt[] = []
  let block: number | undefined
  let isExhausted = true
  for (const { number: blockNumber, index } of positions) {
    await pause()
    if (block !== blockNumber) {
      isExhausted = found.length < wanted
      if (!isExhausted) break
      block = blockNumber
    }
    const mined = chain.receiptAt(BigInt(blockNumber), index)
    // undefined: the index rows of a block that is being committed are visible before the block.
    if (mined !== undefined) found.push(mined)
  }
  if (isBefore) return { found, isNewest: number === 0n, isOldest: isExhausted }
  return { found: found.reverse(), isNewest: isExhausted, isOldest: number === 0n }
}
