// A transaction: as an item of a list, in full, or while it is pending.
import { z } from 'zod'
import { decodeInput, decodeRevert } from '../../contracts/abi.ts'
import { KINDS, type Kind } from '../../indexer/tables.ts'
import { hasFailed } from '../../indexer/transactions.ts'
import { type Hash, toHex } from '../../lib/hex.ts'
import { SECONDS_A_DAY } from '../../lib/unix-time.ts'
import { effectiveTip } from '../../primitives/gas.ts'
import type { Transaction as ChainTransaction, SealedHeader } from '../../primitives/types.ts'
import { isoDay, isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { summarySchema } from '../summary/phrase.ts'
import { addressSchema, showAddress, showAddressOrNull } from './address.ts'
import { authorizationSchema, showAuthorizations } from './authorization.ts'
import { burnsBaseFee } from './block.ts'
import { decodedSchema } from './decoded.ts'
import {
  type IndexedTransaction,
  indexedTransaction,
  methodOf,
  methodOfInput,
  transactionSequence,
} from './indexed-transaction.ts'
import { showTransfer, transferSchema } from './transfer.ts'

const count = z.number().int()
const amount = wire.decimal
/** Token transfers contained in the record. */
const SHOWN_TRANSFERS = 10

export const transactionSchema = z.strictObject({
  hash: wire.hash,
  block_number: count.nullable(),
  block: count.nullable(),
  timestamp: wire.time.nullable(),
  from: addressSchema,
  to: addressSchema.nullable(),
  created_contract: addressSchema.nullable(),
  value: amount,
  status: z.enum(['ok', 'error']).nullable().describe('null while it waits'),
  result: z.string().describe('success, pending, dropped/replaced, or what went wrong'),
  gas_used: amount.nullable(),
  gas_price: amount.describe('what was paid; while it waits what may be paid at most'),
  gas_limit: amount,
  fee: z.strictObject({ type: z.enum(['actual', 'maximum']), value: amount.nullable() }),
  type: count,
  nonce: count,
  position: count.nullable(),
  max_fee_per_gas: amount.nullable(),
  max_priority_fee_per_gas: amount.nullable(),
  base_fee_per_gas: amount.nullable(),
  priority_fee: amount.nullable(),
  transaction_burnt_fee: amount.nullable(),
  confirmations: count,
  confirmation_duration: z.array(count).nullable().describe('null: not measured, and frontends leave it out'),
  method: z.string().nullable(),
  transaction_types: z.array(z.enum(KINDS)),
  raw_input: wire.hex,
  decoded_input: decodedSchema.nullable(),
  revert_reason: z.union([z.strictObject({ raw: wire.hex }), decodedSchema]).nullable(),
  token_transfers: z.array(transferSchema).nullable().describe(`the first ${SHOWN_TRANSFERS}; null in lists`),
  token_transfers_overflow: z.boolean().nullable(),
  exchange_rate: wire.number.nullable(),
  historic_exchange_rate: wire.number.nullable(),
  has_error_in_internal_transactions: z.boolean().nullable(),
  transaction_tag: z.null(),
  is_pending_update: z.boolean(),
  fhe_operations_count: count,
  actions: z.array(z.never()),
  summary: summarySchema.optional().describe('in lists that are asked for it'),
  authorization_list: z.array(authorizationSchema).describe('empty in lists'),
  max_fee_per_blob_gas: amount.optional().describe('of blob transactions only, like the next'),
  blob_versioned_hashes: z.array(wire.hash).optional(),
  blob_gas_used: amount.optional(),
  blob_gas_price: amount.optional(),
  burnt_blob_fee: amount.optional(),
})
z.globalRegistry.add(transactionSchema, { id: 'Transaction' })
export type TransactionJson = z.infer<typeof transactionSchema>

/** The transaction at a position of LIST.transactions, as an item of a list; throws 404. */
export async function showTransaction(context: ExplorerContext, sequence: number): Promise<TransactionJson> {
  return showMined(context, await indexedTransaction(context, sequence))
}

/** A transaction by its hash, mined, pending or dropped, with its first transfers and its authorizations; throws 404. */
export async function showTransactionInFull(context: ExplorerContext, hash: Hash): Promise<TransactionJson> {
  const found = context.chain.transaction(hash)
  if (found === undefined || found.header.number > context.head.number) {
    const pending = context.chain.pool.get(hash) ?? found?.transaction
    if (pending !== undefined) return inFull(context, pending, showPending(context, pending))
    const dropped = context.pendingTransactions.dropped(hash)
    if (dropped !== undefined) return inFull(context, dropped, showDropped(context, dropped))
    throw notFound()
  }
  const sequence = transactionSequence(context, Number(found.header.number), found.index)
  const mined = await indexedTransaction(context, sequence)
  const { firstTransfer, transfers } = mined.row
  const shown = Array.from({ length: Math.min(transfers, SHOWN_TRANSFERS) }, (_, i) => firstTransfer + i)
  return {
    ...(await inFull(context, mined.transaction, showMined(context, mined))),
    token_transfers: await Promise.all(shown.map((transfer) => showTransfer(context, transfer))),
    token_transfers_overflow: transfers > SHOWN_TRANSFERS,
  }
}

/** A transaction of the pool. */
export function showPending(context: ExplorerContext, transaction: ChainTransaction): TransactionJson {
  const { to, data, gasLimit, maxFeePerGas } = transaction
  const method = methodOfInput(context, to, data)
  return {
    ...common(context, transaction),
    block_number: null,
    block: null,
    timestamp: null,
    created_contract: null,
    status: null,
    result: 'pending',
    gas_used: null,
    gas_price: maxFeePerGas.toString(),
    fee: { type: 'maximum', value: (gasLimit * maxFeePerGas).toString() },
    position: null,
    base_fee_per_gas: null,
    priority_fee: null,
    transaction_burnt_fee: null,
    confirmations: 0,
    method,
    transaction_types: kindsOfMessage(context, transaction),
    decoded_input: method === null ? null : decodedInput(context, transaction),
    revert_reason: null,
    historic_exchange_rate: null,
    has_error_in_internal_transactions: null,
  }
}

/** Kinds that follow from a transaction without the index, which knows whether it transfers tokens. */
export function kindsOfMessage(context: ExplorerContext, { to, value }: ChainTransaction): Kind[] {
  const is: Partial<Record<Kind, boolean>> = {
    coin_transfer: value > 0n,
    contract_call: to !== null && context.view.code(to).length > 0,
    contract_creation: to === null,
  }
  return KINDS.filter((kind) => is[kind] === true)
}

/** A transaction that left the pool and was not mined. */
const showDropped = (context: ExplorerContext, transaction: ChainTransaction): TransactionJson => ({
  ...showPending(context, transaction),
  status: 'error',
  result: 'dropped/replaced',
})

/** A mined transaction without its transfers. */
export function showMined(context: ExplorerContext, mined: IndexedTransaction): TransactionJson {
  const { header, transaction, receipt, row } = mined
  const { gasUsed, effectiveGasPrice } = receipt
  const baseFee = header.baseFeePerGas
  const blobFee = (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n)
  const isFailed = hasFailed(receipt, row)
  const burnt = burnsBaseFee(context.spec) ? gasUsed * (baseFee ?? 0n) : 0n
  return {
    ...common(context, transaction),
    block_number: row.number,
    block: row.number,
    timestamp: isoTime(header.timestamp),
    created_contract: isFailed ? null : showAddressOrNull(context, receipt.contractAddress),
    status: isFailed ? 'error' : 'ok',
    result: isFailed ? (row.error ?? 'failed') : 'success',
    gas_used: gasUsed.toString(),
    gas_price: effectiveGasPrice.toString(),
    fee: { type: 'actual', value: (gasUsed * effectiveGasPrice + blobFee).toString() },
    position: row.index,
    base_fee_per_gas: baseFee?.toString() ?? null,
    priority_fee: baseFee === undefined ? null : (effectiveTip(transaction, baseFee) * gasUsed).toString(),
    transaction_burnt_fee: baseFee === undefined ? null : burnt.toString(),
    confirmations: Number(context.head.number - header.number) + 1,
    method: methodOf(context, mined),
    transaction_types: KINDS.filter((_, bit) => (row.kinds & (1 << bit)) !== 0),
    decoded_input: row.selector.length === 0 ? null : decodedInput(context, transaction),
    revert_reason: row.revertData.length === 0 ? null : revertReason(context, mined),
    historic_exchange_rate: historicRate(context, header),
    has_error_in_internal_transactions: row.hasInnerError,
    ...(receipt.blobGasUsed !== undefined && {
      blob_gas_used: receipt.blobGasUsed.toString(),
      blob_gas_price: (receipt.blobGasPrice ?? 0n).toString(),
      burnt_blob_fee: (burnsBaseFee(context.spec) ? blobFee : 0n).toString(),
    }),
  }
}

/** Fields that follow from the signed transaction alone. */
function common(context: ExplorerContext, transaction: ChainTransaction) {
  const { type, hash, from, to, value, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, data } = transaction
  return {
    hash,
    from: showAddress(context, from),
    to: showAddressOrNull(context, to),
    value: value.toString(),
    gas_limit: gasLimit.toString(),
    type,
    nonce: Number(nonce),
    max_fee_per_gas: type >= 2 ? maxFeePerGas.toString() : null,
    max_priority_fee_per_gas: type >= 2 ? maxPriorityFeePerGas.toString() : null,
    confirmation_duration: null,
    raw_input: toHex(data),
    token_transfers: null,
    token_transfers_overflow: null,
    exchange_rate: context.options.prices?.coin ?? null,
    transaction_tag: null,
    is_pending_update: false,
    fhe_operations_count: 0,
    actions: [],
    // An authorization costs a recovery and its outcome a trace, and a page has any number of them.
    authorization_list: [],
    ...(type === 3 && {
      max_fee_per_blob_gas: transaction.maxFeePerBlobGas.toString(),
      blob_versioned_hashes: [...transaction.blobVersionedHashes],
    }),
  }
}

async function inFull(
  context: ExplorerContext,
  of: ChainTransaction,
  shown: TransactionJson,
): Promise<TransactionJson> {
  return { ...shown, authorization_list: await showAuthorizations(context, of) }
}

const decodedInput = (context: ExplorerContext, { to, data }: ChainTransaction) =>
  to === null ? null : decodeInput(context, to, data)

const revertReason = (context: ExplorerContext, { row, transaction }: IndexedTransaction) =>
  decodeRevert(context, transaction.to ?? undefined, row.revertData) ?? { raw: toHex(row.revertData) }

/** Closing price of the coin on the day of the block. */
function historicRate({ options }: ExplorerContext, { timestamp }: SealedHeader): string | null {
  const { prices } = options
  if (prices === undefined) return null
  const day = isoDay(Number(timestamp / SECONDS_A_DAY))
  return prices.history.find(({ date }) => date === day)?.closing_price ?? null
}
