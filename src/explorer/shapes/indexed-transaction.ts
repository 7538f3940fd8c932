// From the index to the chain: an entry of the index has the position of a transaction or log; transaction, receipt and log are
// read from the block. A block that was removed in the meantime is not found (404).

import { methodName } from '../../contracts/abi.ts'
import { RECORD } from '../../indexer/records.ts'
import { LIST, type TransactionEntry, transactionEntry } from '../../indexer/tables.ts'
import { type Address, type Hex, toHex } from '../../lib/hex.ts'
import type { Block, Log, Receipt, SealedHeader, Transaction } from '../../primitives/types.ts'
import { entryAt } from '../../tables/list.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { notFound } from '../errors.ts'

/** A mined transaction with its row in the index, its block's header and its receipt. */
export type IndexedTransaction = {
  readonly sequence: number
  readonly row: TransactionEntry
  readonly header: SealedHeader
  readonly transaction: Transaction
  readonly receipt: Receipt
  /** Index within the block of its first log. */
  readonly firstLogIndex: number
}

/** A block of the context's chain; throws 404. */
export const minedBlock = oncePerRequest(async ({ chain, head }, number: number): Promise<Block> => {
  const block = number <= Number(head.number) ? await chain.block({ number: BigInt(number) }) : undefined
  if (block === undefined) throw notFound()
  return block
})

/** Position in LIST.transactions of a block's transaction; throws 404. */
export function transactionSequence({ rows }: ExplorerContext, number: number, index: number): number {
  const fact = RECORD.block.get(rows, number)
  if (fact === undefined || index >= fact.transactions) throw notFound()
  return fact.firstTransaction + index
}

/** The sequences of a block's transactions: from, and up to but excluding; an unknown block has none. */
export function blockTransactions({ rows }: ExplorerContext, number: number): [from: number, to: number] {
  const { firstTransaction = 0, transactions = 0 } = RECORD.block.get(rows, number) ?? {}
  return [firstTransaction, firstTransaction + transactions]
}

/** The row at a position of LIST.transactions; throws 404. */
export function transactionRow({ rows }: ExplorerContext, sequence: number): TransactionEntry {
  const entry = entryAt(rows, LIST.transactions, sequence)
  if (entry === undefined) throw notFound()
  return transactionEntry.decode(entry)
}

/** The transaction at a position of LIST.transactions; throws 404. */
export const indexedTransaction = oncePerRequest(async (context, sequence: number): Promise<IndexedTransaction> => {
  const row = transactionRow(context, sequence)
  const mined = context.chain.receiptAt(BigInt(row.number), row.index)
  if (mined === undefined) throw notFound()
  return { sequence, row, ...mined }
})

/** The fee paid by the sender, including blob gas. */
export const feeOf = ({ receipt }: Pick<IndexedTransaction, 'receipt'>): bigint =>
  receipt.gasUsed * receipt.effectiveGasPrice + (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n)

/** A log with the transaction that emitted it. */
export type LocatedLog = {
  readonly log: Log
  readonly header: SealedHeader
  readonly transaction: Transaction
  /** Within the block. */
  readonly index: number
}

/** A log by its block and its index within the block; throws 404. */
export async function logAt(
  { chain, head }: ExplorerContext,
  { number, index }: { readonly number: number; readonly index: number },
): Promise<LocatedLog> {
  const of = BigInt(number)
  const mined = of <= head.number ? chain.logAt(of, index) : undefined
  const transaction = mined && chain.transactionAt(of, mined.transactionIndex)?.transaction
  if (mined === undefined || transaction === undefined) throw notFound()
  return { log: mined.log, header: mined.header, transaction, index }
}

const SELECTOR_SIZE = 4

/** The method that a mined transaction called: its name, or the selector if it is unknown; null for none. */
export function methodOf(
  context: ExplorerContext,
  { row, transaction }: Pick<IndexedTransaction, 'row' | 'transaction'>,
): string | null {
  if (transaction.to === null || row.selector.length < SELECTOR_SIZE) return null
  return nameOf(context, transaction.to, toHex(row.selector))
}

/** As `methodOf`, for a transaction that is not mined; null unless the recipient has code at the head. */
export function methodOfInput(context: ExplorerContext, to: Address | null, input: Uint8Array): string | null {
  if (to === null || input.length < SELECTOR_SIZE || context.view.code(to).length === 0) return null
  return nameOf(context, to, toHex(input.subarray(0, SELECTOR_SIZE)))
}

const nameOf = (context: ExplorerContext, to: Address, selector: Hex): string =>
  methodName(context, to, selector) ?? selector
