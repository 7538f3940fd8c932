// A user operation (ERC-4337): its entry in the index, the event in its transaction's receipt, and the struct of its bundle.
import { z } from 'zod'
import { decodeInput } from '../../contracts/abi.ts'
import { type OperationRecord, RECORD } from '../../indexer/records.ts'
import { LIST, type OperationEntry, operationEntry, transferEntry } from '../../indexer/tables.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { type Address, bigToWord, type Hash, toHex } from '../../lib/hex.ts'
import type { Log } from '../../primitives/types.ts'
import {
  addressIn,
  ENTRY_POINT_VERSIONS,
  entryPointVersion,
  executedCall,
  gasLimitOf,
  OPERATION_TOPIC,
  type OperationEvent,
  operationEvent,
  revertReasonIn,
} from '../../primitives/user-operation.ts'
import { entriesBetween, entryAt, ListReader } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { notFound } from '../errors.ts'
import type { Span } from '../pagination/filtered.ts'
import { addressSchema, showAddress, showAddressOrNull } from './address.ts'
import { decodedSchema } from './decoded.ts'
import { type IndexedTransaction, indexedTransaction } from './indexed-transaction.ts'

/** An executed operation with its transaction. */
export type IndexedOperation = {
  readonly entry: OperationEntry
  readonly event: OperationEvent
  readonly entryPoint: Address
  readonly mined: IndexedTransaction
}

/** The operation at a position of LIST.operations; throws 404. */
export const indexedOperation = oncePerRequest(async (context, sequence: number): Promise<IndexedOperation> => {
  const row = entryAt(context.rows, LIST.operations, sequence)
  if (row === undefined) throw notFound()
  const entry = operationEntry.decode(row)
  const mined = await indexedTransaction(context, entry.transaction)
  const log = mined.receipt.logs[entry.log]
  const event = log && operationEvent(log)
  if (log === undefined || event === undefined) throw notFound()
  return { entry, event, entryPoint: log.address, mined }
})

/** An operation with the struct that its bundle had. */
export type FullOperation = IndexedOperation & { readonly struct: OperationRecord }

/** An operation by its hash; throws 404. */
export async function operationByHash(context: ExplorerContext, hash: Hash): Promise<FullOperation> {
  const struct = RECORD.operation.get(context.rows, hash)
  if (struct === undefined) throw notFound()
  return { ...(await indexedOperation(context, struct.operation)), struct }
}

/** The operations of transactions from a sequence up to, but excluding, another one: positions in LIST.operations. */
export function operationsOf({ rows }: ExplorerContext, from: number, to: number): Span {
  const operations = new ListReader(rows, LIST.operations)
  return { from: operations.find(from), to: operations.find(to) }
}

/** The operations of one bundle among those of its transaction. */
export function bundleSpan({ rows }: ExplorerContext, { from, to }: Span, bundle: number): Span {
  const numbers = entriesBetween(rows, LIST.operations, from, to).map((entry) => operationEntry.decode(entry).bundle)
  const first = numbers.indexOf(bundle)
  return first < 0 ? { from, to: from } : { from: from + first, to: from + numbers.lastIndexOf(bundle) + 1 }
}

const version = z.enum(ENTRY_POINT_VERSIONS)

export const listedOperationSchema = z.strictObject({
  hash: wire.hash,
  address: addressSchema.describe('the sender'),
  entry_point: addressSchema,
  entry_point_version: version,
  transaction_hash: wire.hash,
  block_number: wire.decimal,
  status: z.boolean(),
  fee: wire.decimal,
  timestamp: wire.time,
})
z.globalRegistry.add(listedOperationSchema, { id: 'UserOperationInList' })

const common = {
  sender: wire.address,
  nonce: wire.decimal,
  init_code: wire.hex,
  call_data: wire.hex,
  pre_verification_gas: wire.decimal,
  paymaster_and_data: wire.hex,
  signature: wire.hex,
}
const limits = {
  call_gas_limit: wire.decimal,
  verification_gas_limit: wire.decimal,
  max_fee_per_gas: wire.decimal,
  max_priority_fee_per_gas: wire.decimal,
}
const rawSchema = z.union([
  z.strictObject({ ...common, ...limits }),
  z.strictObject({ ...common, account_gas_limits: wire.hash, gas_fees: wire.hash }),
])

export const operationSchema = z.strictObject({
  hash: wire.hash,
  sender: addressSchema,
  nonce: wire.hash,
  call_data: wire.hex,
  ...limits,
  pre_verification_gas: wire.decimal,
  signature: wire.hex,
  raw: rawSchema,
  aggregator: wire.address.nullable(),
  aggregator_signature: wire.hex.nullable(),
  entry_point: addressSchema,
  entry_point_version: version,
  transaction_hash: wire.hash,
  block_number: wire.decimal,
  block_hash: wire.hash,
  bundler: addressSchema.describe('who received the fees of the bundle'),
  bundle_index: z.number().int(),
  index: z.number().int().describe('within the bundle'),
  factory: addressSchema.nullable(),
  paymaster: addressSchema.nullable(),
  status: z.boolean(),
  revert_reason: wire.hex.nullable(),
  gas: wire.decimal.describe('the most that could be charged'),
  gas_price: wire.decimal,
  gas_used: wire.decimal,
  sponsor_type: z
    .enum(['wallet_deposit', 'wallet_balance', 'paymaster_sponsor', 'paymaster_hybrid'])
    .describe('who paid, and whether it made a deposit in the transaction'),
  user_logs_start_index: z.number().int(),
  user_logs_count: z.number().int(),
  fee: wire.decimal,
  consensus: z.literal(true),
  timestamp: wire.time,
  execute_target: addressSchema.nullable(),
  execute_call_data: wire.hex.nullable(),
  decoded_call_data: decodedSchema.nullable(),
  decoded_execute_call_data: decodedSchema.nullable(),
})
z.globalRegistry.add(operationSchema, { id: 'UserOperation' })
type OperationJson = z.infer<typeof operationSchema>

/** The operation at a position of LIST.operations, as an item of a list; throws 404. */
export async function showListedOperation(
  context: ExplorerContext,
  sequence: number,
): Promise<z.infer<typeof listedOperationSchema>> {
  const of = await indexedOperation(context, sequence)
  return {
    hash: of.event.hash,
    address: showAddress(context, of.event.sender),
    fee: of.event.cost.toString(),
    ...placeOf(context, of),
  }
}

const placeOf = (context: ExplorerContext, { entry, event, entryPoint, mined }: IndexedOperation) => ({
  entry_point: showAddress(context, entryPoint),
  entry_point_version: entryPointVersion(entryPoint, entry.isPacked, context.view.code(entryPoint)),
  transaction_hash: mined.transaction.hash,
  block_number: mined.header.number.toString(),
  status: event.isSuccess,
  timestamp: isoTime(mined.header.timestamp),
})

/** An operation in full; throws 404. */
export async function showOperation(context: ExplorerContext, hash: Hash): Promise<OperationJson> {
  const of = await operationByHash(context, hash)
  const { entry, event, entryPoint, mined, struct } = of
  const { start, count } = userLogs(of)
  const execution = executedCall(struct.callData)
  return {
    hash,
    sender: showAddress(context, event.sender),
    nonce: bigToWord(event.nonce),
    call_data: toHex(struct.callData),
    ...limitsOf(struct),
    pre_verification_gas: struct.preVerificationGas.toString(),
    signature: toHex(struct.signature),
    raw: rawOf(of),
    aggregator: struct.aggregator === undefined ? null : checksummed(struct.aggregator),
    aggregator_signature: struct.aggregator === undefined ? null : toHex(struct.aggregatorSignature),
    ...placeOf(context, of),
    block_hash: mined.header.hash,
    bundler: showAddress(context, entry.bundler),
    bundle_index: entry.bundle,
    index: entry.index,
    factory: showAddressOrNull(context, entry.factory),
    paymaster: showAddressOrNull(context, event.paymaster),
    revert_reason: hexOrNull(revertReason(of)),
    gas: gasLimitOf({ ...struct, ...event }, entry.isPacked).toString(),
    gas_price: (event.gasUsed === 0n ? 0n : event.cost / event.gasUsed).toString(),
    gas_used: event.gasUsed.toString(),
    sponsor_type: sponsorOf(event, depositors(mined.receipt.logs, entryPoint)),
    user_logs_start_index: mined.firstLogIndex + start,
    user_logs_count: count,
    fee: event.cost.toString(),
    consensus: true,
    execute_target: showAddressOrNull(context, execution?.target),
    execute_call_data: hexOrNull(execution?.input),
    decoded_call_data: decodeInput(context, event.sender, struct.callData),
    decoded_execute_call_data: execution === undefined ? null : decodeInput(context, execution.target, execution.input),
  }
}

const hexOrNull = (bytes: Uint8Array | undefined) => (bytes === undefined ? null : toHex(bytes))

const limitsOf = (of: OperationRecord) => ({
  call_gas_limit: of.callGasLimit.toString(),
  verification_gas_limit: of.verificationGasLimit.toString(),
  max_fee_per_gas: of.maxFeePerGas.toString(),
  max_priority_fee_per_gas: of.maxPriorityFeePerGas.toString(),
})

/** The struct with the fields of its version. */
function rawOf({
  entry,
  event,
  struct,
}: IndexedOperation & { readonly struct: OperationRecord }): OperationJson['raw'] {
  const fields = {
    sender: checksummed(event.sender),
    nonce: event.nonce.toString(),
    init_code: toHex(struct.initCode),
    call_data: toHex(struct.callData),
    pre_verification_gas: struct.preVerificationGas.toString(),
    paymaster_and_data: toHex(struct.paymasterAndData),
    signature: toHex(struct.signature),
  }
  if (!entry.isPacked) return { ...fields, ...limitsOf(struct) }
  return {
    ...fields,
    account_gas_limits: packed(struct.verificationGasLimit, struct.callGasLimit),
    gas_fees: packed(struct.maxPriorityFeePerGas, struct.maxFeePerGas),
  }
}

const packed = (high: bigint, low: bigint): Hash => bigToWord((high << 128n) | low)

/** Accounts for which an entry point has received deposits. */
const depositors = (logs: readonly Log[], entryPoint: Address): readonly Address[] =>
  logs.flatMap(({ address, topics: [topic, account] }) =>
    address === entryPoint && topic === OPERATION_TOPIC.deposited && account !== undefined ? [addressIn(account)] : [],
  )

function sponsorOf({ sender, paymaster }: OperationEvent, paid: readonly Address[]): OperationJson['sponsor_type'] {
  if (paymaster === undefined) return paid.includes(sender) ? 'wallet_deposit' : 'wallet_balance'
  return paid.includes(paymaster) ? 'paymaster_hybrid' : 'paymaster_sponsor'
}

/** Logs of a transaction from the event before an operation, its entry point's, up to its own: positions. */
function logsOf({ entry, entryPoint, mined: { receipt } }: IndexedOperation): { from: number; to: number } {
  const ends: readonly (Hash | undefined)[] = [OPERATION_TOPIC.operation, OPERATION_TOPIC.beforeExecution]
  const before = receipt.logs
    .slice(0, entry.log)
    .findLastIndex(({ address, topics }) => address === entryPoint && ends.includes(topics[0]))
  return { from: before + 1, to: entry.log }
}

/** What the operation's call has logged, without entry point and paymaster at its ends: position within the transaction, and number. */
export function userLogs(of: IndexedOperation): { readonly start: number; readonly count: number } {
  const { entryPoint, event, mined } = of
  const emitter = (position: number) => mined.receipt.logs[position]?.address
  let { from, to } = logsOf(of)
  while (from < to && [entryPoint, event.paymaster].includes(emitter(to - 1))) to--
  while (from < to && emitter(from) === entryPoint) from++
  return { start: from, count: to - from }
}

/** The token transfers among these logs: the first position in LIST.transfers, and their number. */
export function userTransfers({ rows }: ExplorerContext, of: IndexedOperation): { first: number; count: number } {
  const { firstTransfer, transfers } = of.mined.row
  const { start, count } = userLogs(of)
  const first = of.mined.firstLogIndex + start
  const logs = entriesBetween(rows, LIST.transfers, firstTransfer, firstTransfer + transfers).map(
    (entry) => transferEntry.decode(entry).log,
  )
  const before = logs.filter((log) => log < first).length
  return { first: firstTransfer + before, count: logs.filter((log) => log < first + count).length - before }
}

/** Why the call failed, or the paymaster after it. */
export function revertReason(of: IndexedOperation): Uint8Array | undefined {
  const { from, to } = logsOf(of)
  const reasons: readonly (Hash | undefined)[] = [OPERATION_TOPIC.revertReason, OPERATION_TOPIC.postOpRevertReason]
  const log = of.mined.receipt.logs
    .slice(from, to)
    .find(({ address, topics: [topic] }) => address === of.entryPoint && reasons.includes(topic))
  return log && revertReasonIn(log)
}
