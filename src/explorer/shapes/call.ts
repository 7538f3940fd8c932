// An internal transaction: a message that a contract sent, or the creation of a contract by a transaction.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { type CallEntry, callEntry, LIST } from '../../indexer/tables.ts'
import { entryAt } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { addressSchema, showAddress, showAddressOrNull } from './address.ts'
import { indexedTransaction } from './indexed-transaction.ts'

/** The kinds of internal transactions with the names of Blockscout and Etherscan. */
export const CALL_TYPE = {
  CALL: 'call',
  STATICCALL: 'staticcall',
  DELEGATECALL: 'delegatecall',
  CALLCODE: 'callcode',
  CREATE: 'create',
  CREATE2: 'create2',
  SELFDESTRUCT: 'selfdestruct',
  TRANSFER: 'call',
} as const satisfies Record<CallEntry['type'], string>

export const internalTransactionSchema = z.strictObject({
  transaction_hash: wire.hash,
  tx_hash: wire.hash,
  transaction_index: z.number().int(),
  index: z.number().int().describe('within the transaction, in call order'),
  block_number: z.number().int(),
  block_index: z.number().int(),
  timestamp: wire.time,
  type: z.enum([...new Set(Object.values(CALL_TYPE))]),
  from: addressSchema,
  to: addressSchema.nullable(),
  created_contract: addressSchema.nullable(),
  value: wire.decimal,
  gas_limit: wire.decimal,
  gas_used: wire.decimal,
  success: z.boolean(),
  error: z.string().nullable(),
  reverted: z.boolean().describe('an enclosing call failed, so that its effects were undone'),
})
z.globalRegistry.add(internalTransactionSchema, { id: 'InternalTransaction' })
export type InternalTransaction = z.infer<typeof internalTransactionSchema>

/** The entry of LIST.calls with this sequence; throws 404. */
export async function showCall(context: ExplorerContext, sequence: number): Promise<InternalTransaction> {
  const entry = entryAt(context.rows, LIST.calls, sequence)
  if (entry === undefined) throw notFound()
  const call = callEntry.decode(entry)
  const { header, row, transaction } = await indexedTransaction(context, call.transaction)
  const isCreation = call.type === 'CREATE' || call.type === 'CREATE2'
  const target = showAddressOrNull(context, call.to)
  return {
    transaction_hash: transaction.hash,
    tx_hash: transaction.hash,
    transaction_index: row.index,
    index: call.index,
    block_number: row.number,
    block_index: sequence - (RECORD.block.get(context.rows, row.number)?.firstCall ?? 0),
    timestamp: isoTime(header.timestamp),
    type: CALL_TYPE[call.type],
    from: showAddress(context, call.from),
    to: isCreation ? null : target,
    created_contract: isCreation ? target : null,
    value: call.value.toString(),
    gas_limit: call.gas.toString(),
    gas_used: call.gasUsed.toString(),
    success: call.error === undefined,
    error: call.error ?? null,
    reverted: call.isUndone,
  }
}
