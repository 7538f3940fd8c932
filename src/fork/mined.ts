// Blocks and transactions of the forked chain, read as far as a page shows them.
import { z } from 'zod'
import { EMPTY_BYTES, type Hash, toQuantity } from '../lib/hex.ts'
import type { Log, Receipt, SealedHeader, Transaction } from '../primitives/types.ts'
import type { ForkedChain } from './forked-chain.ts'
import { address, block, bytes, foreignTransaction, hash, listOr, quantity, zero } from './wire.ts'

export type ForeignBlock = {
  readonly header: SealedHeader
  readonly transactions: number
  /** undefined: the chain does not say. */
  readonly size: number | undefined
  readonly uncles: readonly Hash[]
  /** undefined before Shanghai. */
  readonly withdrawals: number | undefined
  /** All fees in wei; undefined: the chain does not give receipts of a block. */
  readonly fees: bigint | undefined
}

export type ForeignTransaction = {
  readonly header: SealedHeader
  readonly transaction: Transaction
  readonly index: number
  readonly receipt: Receipt
  readonly logs: readonly (Log & { readonly index: number })[]
}

const withBody = z.object({
  transactions: z.array(z.unknown()),
  size: quantity.nullish(),
  uncles: listOr(hash),
  withdrawals: z.array(z.unknown()).nullish(),
})

const mined = foreignTransaction.and(z.object({ blockNumber: quantity, transactionIndex: quantity }))
const log = z.object({ address, topics: z.array(hash).max(4), data: bytes, logIndex: quantity })
const receiptSchema = z.object({
  status: quantity.nullish(),
  root: hash.nullish(),
  cumulativeGasUsed: quantity,
  gasUsed: quantity,
  effectiveGasPrice: quantity.nullish(),
  contractAddress: address.nullish(),
  blobGasUsed: quantity.nullish(),
  blobGasPrice: quantity.nullish(),
  logs: z.array(log),
})
const paid = z.array(z.object({ gasUsed: quantity, effectiveGasPrice: zero })).nullable()

/** A block up to the fork by its number. Throws ChainError. */
export async function foreignBlock(forked: ForkedChain, number: bigint): Promise<ForeignBlock> {
  const [found, receipts] = await Promise.all([
    forked.ask(block.and(withBody), 'eth_getBlockByNumber', [toQuantity(number), false]),
    forked.ask(paid, 'eth_getBlockReceipts', [toQuantity(number)]).catch(() => null),
  ])
  const { transactions, size, uncles, withdrawals, ...header } = found
  return {
    header,
    transactions: transactions.length,
    size: size == null ? undefined : Number(size),
    uncles,
    withdrawals: withdrawals?.length,
    fees: receipts?.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n),
  }
}

/** A transaction of a block up to the fork; undefined: there is none with this hash. Throws ChainError. */
export async function minedTransaction(forked: ForkedChain, of: Hash): Promise<ForeignTransaction | undefined> {
  const number = await forked.locate(of)
  const found = number && (await forked.ask(mined.nullable(), 'eth_getTransactionByHash', [of]))
  if (!found) return undefined
  const [header, receipt] = await Promise.all([
    forked.ask(block, 'eth_getBlockByNumber', [toQuantity(found.blockNumber), false]),
    forked.ask(receiptSchema, 'eth_getTransactionReceipt', [of]),
  ])
  return withReceipt(header, found, receipt)
}

/** The transactions of a block up to the fork. Throws ChainError. */
export async function minedTransactions(forked: ForkedChain, number: bigint): Promise<readonly ForeignTransaction[]> {
  const full = block.and(z.object({ transactions: z.array(mined) }))
  const [{ transactions, ...header }, receipts] = await Promise.all([
    forked.ask(full, 'eth_getBlockByNumber', [toQuantity(number), true]),
    forked.ask(z.array(receiptSchema).nullable(), 'eth_getBlockReceipts', [toQuantity(number)]).catch(() => null),
  ])
  return Promise.all(
    transactions.map(async (found, index) => {
      const receipt = receipts?.[index] ?? forked.ask(receiptSchema, 'eth_getTransactionReceipt', [found.hash])
      return withReceipt(header, found, await receipt)
    }),
  )
}

function withReceipt(
  header: SealedHeader,
  { blockNumber: _, transactionIndex, gasPrice, ...fields }: z.output<typeof mined>,
  receipt: z.output<typeof receiptSchema>,
): ForeignTransaction {
  const transaction: Transaction = { ...fields, raw: EMPTY_BYTES }
  const logs = receipt.logs.map(({ logIndex, ...rest }) => ({ ...rest, index: Number(logIndex) }))
  return {
    header,
    transaction,
    index: Number(transactionIndex),
    receipt: {
      type: transaction.type,
      status: receipt.status == null ? undefined : receipt.status === 0n ? 0 : 1,
      root: receipt.root ?? undefined,
      cumulativeGasUsed: receipt.cumulativeGasUsed,
      gasUsed: receipt.gasUsed,
      bloom: EMPTY_BYTES,
      logs,
      contractAddress: receipt.contractAddress ?? null,
      effectiveGasPrice: receipt.effectiveGasPrice ?? gasPrice,
      blobGasUsed: receipt.blobGasUsed ?? undefined,
      blobGasPrice: receipt.blobGasPrice ?? undefined,
    },
    logs,
  }
}
