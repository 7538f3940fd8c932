// An item of an advanced filter: a transaction, a token transfer or a message, in Blockscout's one form for all three.
import { z } from 'zod'
import { methodName } from '../../contracts/abi.ts'
import { isCreation } from '../../indexer/indexing-context.ts'
import { type CallEntry, KIND_BIT, TOKEN_TYPES } from '../../indexer/tables.ts'
import { toHex } from '../../lib/hex.ts'
import { type Activity, placeInBatch } from '../advanced-filter/activity.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, isContractAt, showAddress, showAddressOrNull } from './address.ts'
import { feeOf, type IndexedTransaction, indexedTransaction, methodOf } from './indexed-transaction.ts'
import { tokenSchema } from './token.ts'
import { showTransfer, totalSchema } from './transfer.ts'

const count = z.number().int()

export const activitySchema = z.strictObject({
  hash: wire.hash.describe('of the transaction'),
  type: z.enum(['coin_transfer', 'contract_interaction', 'contract_creation', ...TOKEN_TYPES]),
  status: z.string().describe('of the transaction: success, or what went wrong'),
  method: z.string().nullable(),
  from: addressSchema,
  to: addressSchema.nullable(),
  created_contract: addressSchema.nullable(),
  value: wire.decimal.nullable().describe('null for token transfers'),
  total: totalSchema.nullable().describe('of token transfers only, like the next'),
  token: tokenSchema.nullable(),
  timestamp: wire.time,
  block_number: count,
  transaction_index: count,
  internal_transaction_index: count.nullable(),
  token_transfer_index: count.nullable().describe('index of the log within the block'),
  token_transfer_batch_index: count.nullable().describe('of several transfers of one log'),
  fee: wire.decimal.describe('of the transaction'),
})
z.globalRegistry.add(activitySchema, { id: 'Activity' })
export type ActivityJson = z.infer<typeof activitySchema>

export async function showActivity(context: ExplorerContext, item: Activity): Promise<ActivityJson> {
  const mined = await indexedTransaction(context, item.transaction)
  const { row, header, transaction } = mined
  return {
    hash: transaction.hash,
    status: row.error ?? 'success',
    timestamp: isoTime(header.timestamp),
    block_number: row.number,
    transaction_index: row.index,
    internal_transaction_index: item.kind === 'call' ? item.entry.index : null,
    token_transfer_index: null,
    token_transfer_batch_index: null,
    created_contract: null,
    total: null,
    token: null,
    fee: feeOf(mined).toString(),
    ...(item.kind === 'transaction'
      ? ofTransaction(context, mined)
      : item.kind === 'call'
        ? ofCall(context, item.entry)
        : await ofTransfer(context, row.number, item)),
  }
}

function ofTransaction(context: ExplorerContext, mined: IndexedTransaction) {
  const { row, transaction, receipt } = mined
  const { from, to, value } = transaction
  const isCall = (row.kinds & KIND_BIT.contract_call) !== 0
  return {
    type:
      to === null
        ? ('contract_creation' as const)
        : isCall
          ? ('contract_interaction' as const)
          : ('coin_transfer' as const),
    method: methodOf(context, mined),
    from: showAddress(context, from),
    to: showAddressOrNull(context, to),
    created_contract: row.error === undefined ? showAddressOrNull(context, receipt.contractAddress) : null,
    value: value.toString(),
  }
}

function ofCall(context: ExplorerContext, call: CallEntry) {
  const { from, to, value, selector } = call
  const target = showAddressOrNull(context, to)
  const parties = { from: showAddress(context, from), value: value.toString() }
  if (isCreation(call)) {
    return { ...parties, type: 'contract_creation' as const, method: null, to: null, created_contract: target }
  }
  const isCall = to !== undefined && isContractAt(context, to)
  if (!isCall || selector.length === 0)
    return {
      ...parties,
      type: isCall ? ('contract_interaction' as const) : ('coin_transfer' as const),
      method: null,
      to: target,
    }
  const id = toHex(selector)
  return { ...parties, type: 'contract_interaction' as const, method: methodName(context, to, id) ?? id, to: target }
}

async function ofTransfer(context: ExplorerContext, number: number, item: Extract<Activity, { kind: 'transfer' }>) {
  const { method, from, to, token, token_type: type, total } = await showTransfer(context, item.sequence)
  const token_transfer_batch_index = placeInBatch(context, number, item) ?? null
  return {
    type,
    method,
    from,
    to,
    token,
    total,
    value: null,
    token_transfer_index: item.entry.log,
    token_transfer_batch_index,
  }
}
