// Bundles of user operations (ERC-4337), and their senders, bundlers, paymasters and factories with totals.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { LIST, type Part, sequenceEntry } from '../../indexer/tables.ts'
import type { Address } from '../../lib/hex.ts'
import { entryAt, listLength } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { addressSchema, showAddress, showAddressOrNull } from './address.ts'
import { indexedOperation } from './user-operation.ts'

const count = z.number().int()

export const bundleSchema = z.strictObject({
  transaction_hash: wire.hash,
  bundler: addressSchema,
  block_number: wire.decimal,
  bundle_index: count.describe('within the transaction'),
  timestamp: wire.time,
  total_ops: count,
})
z.globalRegistry.add(bundleSchema, { id: 'Bundle' })

/** The bundle at a position of LIST.bundles; throws 404. */
export async function showBundle(context: ExplorerContext, position: number): Promise<z.infer<typeof bundleSchema>> {
  const first = firstOf(context, position)
  if (first === undefined) throw notFound()
  const { entry, mined } = await indexedOperation(context, first)
  return {
    transaction_hash: mined.transaction.hash,
    bundler: showAddress(context, entry.bundler),
    block_number: mined.header.number.toString(),
    bundle_index: entry.bundle,
    timestamp: isoTime(mined.header.timestamp),
    total_ops: (firstOf(context, position + 1) ?? listLength(context.rows, LIST.operations)) - first,
  }
}

/** Position of a bundle's first operation. */
function firstOf({ rows }: ExplorerContext, position: number): number | undefined {
  const entry = entryAt(rows, LIST.bundles, position)
  return entry && sequenceEntry.decode(entry).sequence
}

export const smartAccountSchema = z.strictObject({
  address: addressSchema,
  creation_op_hash: wire.hash.nullable().describe('the operation for which it was deployed, if one was'),
  creation_transaction_hash: wire.hash.nullable(),
  creation_timestamp: wire.time.nullable(),
  factory: addressSchema.nullable(),
  total_ops: count,
})
z.globalRegistry.add(smartAccountSchema, { id: 'SmartAccount' })

/** An account that was the sender of an operation; throws 404. */
export async function showSmartAccount(
  context: ExplorerContext,
  of: Address,
): Promise<z.infer<typeof smartAccountSchema>> {
  const known = RECORD.smartAccount.get(context.rows, of)
  if (known === undefined) throw notFound()
  const creation = known.creation === undefined ? undefined : await indexedOperation(context, known.creation)
  return {
    address: showAddress(context, of),
    creation_op_hash: creation?.event.hash ?? null,
    creation_transaction_hash: creation?.mined.transaction.hash ?? null,
    creation_timestamp: creation === undefined ? null : isoTime(creation.mined.header.timestamp),
    factory: showAddressOrNull(context, creation?.entry.factory),
    total_ops: operationsOf(context, of, 'sender'),
  }
}

export const bundlerSchema = z.strictObject({ address: addressSchema, total_bundles: count, total_ops: count })
z.globalRegistry.add(bundlerSchema, { id: 'Bundler' })
export const paymasterSchema = z.strictObject({ address: addressSchema, total_ops: count })
z.globalRegistry.add(paymasterSchema, { id: 'Paymaster' })
export const factorySchema = z.strictObject({ address: addressSchema, total_accounts: count })
z.globalRegistry.add(factorySchema, { id: 'Factory' })

const operationsOf = ({ rows }: ExplorerContext, of: Address, part: Part): number =>
  listLength(rows, LIST.operationsOf(of, part))

export const showBundler = (context: ExplorerContext, of: Address): z.infer<typeof bundlerSchema> => ({
  address: showAddress(context, of),
  total_bundles: listLength(context.rows, LIST.bundlesOf(of, 'bundler')),
  total_ops: operationsOf(context, of, 'bundler'),
})

export const showPaymaster = (context: ExplorerContext, of: Address): z.infer<typeof paymasterSchema> => ({
  address: showAddress(context, of),
  total_ops: operationsOf(context, of, 'paymaster'),
})

export const showFactory = (context: ExplorerContext, of: Address): z.infer<typeof factorySchema> => ({
  address: showAddress(context, of),
  total_accounts: listLength(context.rows, LIST.smartAccountsOf(of)),
})
