// A log, decoded if its emitter's interface is known.
import { z } from 'zod'
import { decodeLog } from '../../contracts/abi.ts'
import { toHex } from '../../lib/hex.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress, showAddressOrNull } from './address.ts'
import { decodedLogSchema } from './decoded.ts'
import { type LocatedLog, logAt } from './indexed-transaction.ts'

const MOST_TOPICS = 4

export const logSchema = z.strictObject({
  transaction_hash: wire.hash,
  tx_hash: wire.hash,
  block_hash: wire.hash,
  block_number: z.number().int(),
  block_timestamp: wire.time,
  index: z.number().int().describe('within the block'),
  address: addressSchema,
  smart_contract: addressSchema.nullable().describe('what the transaction called'),
  topics: z.array(wire.hash.nullable()).length(MOST_TOPICS).describe('padded with null'),
  data: wire.hex,
  decoded: decodedLogSchema.nullable(),
})
z.globalRegistry.add(logSchema, { id: 'Log' })
export type LogJson = z.infer<typeof logSchema>

/** A log by its block and its index within the block; throws 404. */
export async function showLog(
  context: ExplorerContext,
  at: { readonly number: number; readonly index: number },
): Promise<LogJson> {
  return shapeLog(context, await logAt(context, at))
}

export function shapeLog(context: ExplorerContext, { log, header, transaction, index }: LocatedLog): LogJson {
  return {
    transaction_hash: transaction.hash,
    tx_hash: transaction.hash,
    block_hash: header.hash,
    block_number: Number(header.number),
    block_timestamp: isoTime(header.timestamp),
    index,
    address: showAddress(context, log.address),
    smart_contract: showAddressOrNull(context, transaction.to),
    topics: Array.from({ length: MOST_TOPICS }, (_, i) => log.topics[i] ?? null),
    data: toHex(log.data),
    decoded: decodeLog(context, log),
  }
}
