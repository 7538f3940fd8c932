// Transactions by hash, by position or by sender and nonce; their receipts; and sending of signed transactions.
import type { BlockRef, ChainReader, MinedReceipt, TransactionIntake } from '../../chain/types.ts'
import type { Hash } from '../../lib/hex.ts'
import type { Block, Transaction } from '../../primitives/types.ts'
import { firstBlockWith } from '../block-bisection.ts'
import { address, blockNumber, data, hash, index, looseQuantity, quantity } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { answerWhenMined } from '../sends/send-transaction.ts'
import { waitForReceipt } from '../sends/wait-for-receipt.ts'
import { wireReceipt } from '../shapes/receipt.ts'
import { type BlockPosition, wireTransaction } from '../shapes/transaction.ts'

/** A transaction, with its position once it is mined. */
type FoundTransaction = { readonly transaction: Transaction; readonly position: BlockPosition | undefined }

const transactionOrNull = (found: FoundTransaction | undefined) =>
  found ? wireTransaction(found.transaction, found.position) : null
const receiptOrNull = (receipt: MinedReceipt | undefined) => (receipt ? wireReceipt(receipt) : null)
const raw = data.nullable()

function byHash(chain: ChainReader & TransactionIntake, hash: Hash): FoundTransaction | undefined {
  const mined = chain.transaction(hash)
  if (mined) return { transaction: mined.transaction, position: mined }
  const transaction = chain.pool.get(hash)
  return transaction && { transaction, position: undefined }
}

function inBlock(block: Block | undefined, index: number): FoundTransaction | undefined {
  const transaction = block?.transactions[index]
  return transaction && { transaction, position: { header: block.header, index } }
}

async function byIndex(chain: ChainReader, ref: BlockRef, index: number): Promise<FoundTransaction | undefined> {
  if (ref === 'pending') return inBlock(await chain.block(ref), index)
  const header = await chain.header(ref)
  const mined = header && chain.transactionAt(header.number, index)
  return mined && { transaction: mined.transaction, position: mined }
}

export const eth_getTransactionByHash = rpcMethod({
  summary: 'A transaction by its hash, mined or pending.',
  params: [hash],
  names: ['transactionHash'],
  result: transactionOrNull,
  committed: true,
  handler: ([hash], { chain }) => byHash(chain, hash),
})

export const eth_getTransactionByBlockHashAndIndex = rpcMethod({
  summary: 'A transaction by block hash and position.',
  params: [hash, index],
  names: ['blockHash', 'index'],
  result: transactionOrNull,
  committed: true,
  handler: ([hash, position], { chain }) => byIndex(chain, { hash }, position),
})

export const eth_getTransactionByBlockNumberAndIndex = rpcMethod({
  summary: 'A transaction by block number or tag and position.',
  params: [blockNumber, index],
  names: ['block', 'index'],
  result: transactionOrNull,
  committed: true,
  handler: ([ref, position], { chain }) => byIndex(chain, ref, position),
})

export const eth_getRawTransactionByHash = rpcMethod({
  summary: 'The encoding of a signed transaction, by its hash.',
  params: [hash],
  names: ['transactionHash'],
  result: raw,
  committed: true,
  handler: ([hash], { chain }) => byHash(chain, hash)?.transaction.raw ?? null,
})

export const eth_getRawTransactionByBlockHashAndIndex = rpcMethod({
  summary: 'The encoding of a signed transaction, by block hash and position.',
  params: [hash, index],
  names: ['blockHash', 'index'],
  result: raw,
  committed: true,
  handler: async ([hash, position], { chain }) => (await byIndex(chain, { hash }, position))?.transaction.raw ?? null,
})

export const eth_getRawTransactionByBlockNumberAndIndex = rpcMethod({
  summary: 'The encoding of a signed transaction, by block number or tag and position.',
  params: [blockNumber, index],
  names: ['block', 'index'],
  result: raw,
  committed: true,
  handler: async ([ref, position], { chain }) => (await byIndex(chain, ref, position))?.transaction.raw ?? null,
})

export const eth_getTransactionReceipt = rpcMethod({
  summary: 'The receipt of a mined transaction; null while it is pending.',
  params: [hash],
  names: ['transactionHash'],
  result: receiptOrNull,
  committed: true,
  handler: ([hash], { chain }) => chain.receipt(hash),
})

export const eth_getTransactionBySenderAndNonce = rpcMethod({
  summary: 'The transaction of an account with a nonce, mined or pending.',
  params: [address, quantity],
  names: ['sender', 'nonce'],
  result: transactionOrNull,
  async handler([sender, nonce], { chain }) {
    const { pending, queued } = chain.pool.content()
    const pooled = [...(pending.get(sender) ?? []), ...(queued.get(sender) ?? [])]
    const transaction = pooled.find((transaction) => transaction.nonce === nonce)
    if (transaction) return { transaction, position: undefined }
    const block = await chain.block({ number: await firstBlockWith(chain, (view) => view.nonce(sender) > nonce) })
    const index = block?.transactions.findIndex(({ from, nonce: used }) => from === sender && used === nonce) ?? -1
    return inBlock(block, index)
  },
})

export const eth_sendRawTransaction = rpcMethod({
  summary: 'Sends a signed transaction and returns its hash.',
  params: [data],
  names: ['rawTransaction'],
  result: hash,
  sends: true,
  handler: async ([raw], context, signal) => answerWhenMined(await context.chain.submit(raw), context, signal),
})

export const eth_sendRawTransactionSync = rpcMethod({
  summary:
    'Sends a signed transaction and returns its receipt when it is mined (EIP-7966); the timeout is in milliseconds.',
  params: [data, looseQuantity.optional()],
  names: ['rawTransaction', 'timeout'],
  result: wireReceipt,
  handler: ([raw, timeout], { chain, options }) =>
    waitForReceipt(chain, () => chain.submit(raw), timeout, options.syncTimeout),
})

export const eth_pendingTransactions = rpcMethod({
  summary: 'The transactions of the pool, executable ones first.',
  params: [],
  result: (transactions: readonly Transaction[]) =>
    transactions.map((transaction) => wireTransaction(transaction, undefined)),
  handler(_, { chain }) {
    const { pending, queued } = chain.pool.content()
    return [...pending.values(), ...queued.values()].flat()
  },
})
