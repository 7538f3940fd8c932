// A token transfer. A batch transfer of an ERC-1155 counts as one transfer for each id.
import { z } from 'zod'
import { LIST, TOKEN_TYPES, type TransferEntry, transferEntry } from '../../indexer/tables.ts'
import { ZERO_ADDRESS } from '../../lib/hex.ts'
import { entryAt } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { addressSchema, showAddress } from './address.ts'
import { indexedTransaction, methodOf } from './indexed-transaction.ts'
import { showToken, tokenSchema } from './token.ts'
import { instanceSchema, showInstance } from './token-instance.ts'

const item = { token_id: wire.decimal, token_instance: instanceSchema.nullable() }
/** ERC-20, ERC-721, ERC-1155. */
export const totalSchema = z.union([
  z.strictObject({ value: wire.decimal, decimals: wire.decimal.nullable() }),
  z.strictObject(item),
  z.strictObject({ ...item, value: wire.decimal, decimals: wire.decimal.nullable() }),
])
z.globalRegistry.add(totalSchema, { id: 'TokenTransferTotal' })
export type Total = z.infer<typeof totalSchema>

export const transferSchema = z.strictObject({
  transaction_hash: wire.hash,
  tx_hash: wire.hash,
  block_hash: wire.hash,
  block_number: z.number().int(),
  log_index: z.number().int(),
  timestamp: wire.time,
  method: z.string().nullable(),
  from: addressSchema,
  to: addressSchema,
  token: tokenSchema,
  token_type: z.enum(TOKEN_TYPES),
  type: z.enum(['token_transfer', 'token_minting', 'token_burning', 'token_spawning']),
  total: totalSchema,
})
z.globalRegistry.add(transferSchema, { id: 'TokenTransfer' })
export type TokenTransfer = z.infer<typeof transferSchema>

/** The entry of LIST.transfers with this sequence; throws 404. */
export async function showTransfer(context: ExplorerContext, sequence: number): Promise<TokenTransfer> {
  const entry = entryAt(context.rows, LIST.transfers, sequence)
  if (entry === undefined) throw notFound()
  const transfer = transferEntry.decode(entry)
  const mined = await indexedTransaction(context, transfer.transaction)
  const { header, transaction } = mined
  const token = showToken(context, transfer.token)
  return {
    transaction_hash: transaction.hash,
    tx_hash: transaction.hash,
    block_hash: header.hash,
    block_number: Number(header.number),
    log_index: transfer.log,
    timestamp: isoTime(header.timestamp),
    method: methodOf(context, mined),
    from: showAddress(context, transfer.from),
    to: showAddress(context, transfer.to),
    token: { ...token, type: transfer.type },
    token_type: transfer.type,
    type: movement(transfer),
    total: await totalOf(context, transfer, token.decimals),
  }
}

function movement({ from, to }: TransferEntry): TokenTransfer['type'] {
  if (from === ZERO_ADDRESS) return to === ZERO_ADDRESS ? 'token_spawning' : 'token_minting'
  return to === ZERO_ADDRESS ? 'token_burning' : 'token_transfer'
}

type Moved = Pick<TransferEntry, 'type' | 'token' | 'id' | 'amount'>

/** The transferred amount (ERC-20), item (ERC-721), or amount of an item (ERC-1155). */
async function totalOf(
  context: ExplorerContext,
  { type, token, id, amount }: Moved,
  decimals: string | null,
): Promise<Total> {
  const value = { value: amount.toString(), decimals }
  if (type === 'ERC-20' || id === undefined) return value
  const instance = { token_id: id.toString(), token_instance: await showInstance(context, token, id) }
  return type === 'ERC-721' ? instance : { ...instance, ...value }
}
