// Blocks and transactions of the forked chain, read as far as a page shows them.
import { z } from 'zod'
import type { Hash } from '../lib/hex.ts'
import { EMPTY_BYTES, toQuantity } from '../lib/hex.ts'
import type { Log, Receipt, SealedHeader, Transaction, TransactionType } from '../primitives/types.ts'
import type { ForkedChain } from './forked-chain.ts'
import { address, block, bytes, hash, listOr, quantity, without } from './wire.ts'

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

const body = z.object({
  transactions: z.array(z.unknown()),
  size: quantity.nullish(),
  uncles: listOr(hash),
  withdrawals: z.array(z.unknown()).nullish(),
})

const zero = without(quantity, 0n)
const accessed = z.object({ address, storageKeys: z.array(hash) })
const authorization = z.object({ chainId: quantity, address, nonce: quantity, yParity: zero, r: zero, s: zero })
const transactionSchema = z.object({
  hash,
  blockNumber: quantity,
  transactionIndex: quantity,
  type: zero,
  chainId: quantity.nullish(),
  from: address,
  to: address.nullish(),
  nonce: zero,
  value: zero,
  input: bytes,
  gas: quantity,
  gasPrice: zero,
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  maxFeePerBlobGas: zero,
  accessList: listOr(accessed),
  blobVersionedHashes: listOr(hash),
  authorizationList: listOr(authorization),
  v: zero,
  r: zero,
  s: zero,
})
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
const fullBody = z.object({ transactions: z.array(transactionSchema) })
const paid = z.array(z.object({ gasUsed: quantity, effectiveGasPrice: zero })).nullable()

/** A block up to the fork by its number. Throws ChainError. */
export async function foreignBlock(forked: ForkedChain, number: bigint): Promise<ForeignBlock> {
  const params = [toQuantity(number), false]
  const [header, rest, receipts] = await Promise.all([
    forked.ask(block, 'eth_getBlockByNumber', params),
    forked.ask(body, 'eth_getBlockByNumber', params),
    forked.ask(paid, 'eth_getBlockReceipts', [toQuantity(number)]).catch(() => null),
  ])
  return {
    header,
    transactions: rest.transactions.length,
    size: rest.size == null ? undefined : Number(rest.size),
    uncles: rest.uncles,
    withdrawals: rest.withdrawals?.length,
    fees: receipts?.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n),
  }
}

/** A transaction of a block up to the fork; undefined: there is none with this hash. Throws ChainError. */
export async function foreignTransaction(forked: ForkedChain, of: Hash): Promise<ForeignTransaction | undefined> {
  const number = await forked.locate(of)
  const found = number && (await forked.ask(transactionSchema.nullable(), 'eth_getTransactionByHash', [of]))
  if (!found) return undefined
  const [header, receipt] = await Promise.all([
    forked.ask(block, 'eth_getBlockByNumber', [toQuantity(found.blockNumber), false]),
    forked.ask(receiptSchema, 'eth_getTransactionReceipt', [of]),
  ])
  return mined(header, found, receipt)
}

/** The transactions of a block up to the fork. Throws ChainError. */
export async function foreignTransactions(forked: ForkedChain, number: bigint): Promise<readonly ForeignTransaction[]> {
  const params = [toQuantity(number), true]
  const [header, { transactions }, receipts] = await Promise.all([
    forked.ask(block, 'eth_getBlockByNumber', params),
    forked.ask(fullBody, 'eth_getBlockByNumber', params),
    forked.ask(z.array(receiptSchema).nullable(), 'eth_getBlockReceipts', [toQuantity(number)]).catch(() => null),
  ])
  return Promise.all(
    transactions.map(async (found, index) => {
      const receipt = receipts?.[index] ?? forked.ask(receiptSchema, 'eth_getTransactionReceipt', [found.hash])
      return mined(header, found, await receipt)
    }),
  )
}

function mined(
  header: SealedHeader,
  found: z.output<typeof transactionSchema>,
  receipt: z.output<typeof receiptSchema>,
): ForeignTransaction {
  const { gasPrice, gas: gasLimit, input: data, type, blockNumber: _, transactionIndex, ...fields } = found
  const transaction: Transaction = {
    ...fields,
    type: Number(type) as TransactionType,
    chainId: fields.chainId ?? undefined,
    to: fields.to ?? null,
    data,
    gasLimit,
    maxFeePerGas: fields.maxFeePerGas ?? gasPrice,
    maxPriorityFeePerGas: fields.maxPriorityFeePerGas ?? gasPrice,
    raw: EMPTY_BYTES,
  }
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
