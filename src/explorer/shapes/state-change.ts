// A balance change by a transaction: of the coin, of an amount of a token, or of single items.
import { z } from 'zod'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import type { BalanceChange as Change } from '../state-changes.ts'
import { addressSchema, showAddress } from './address.ts'
import type { IndexedTransaction } from './indexed-transaction.ts'
import { showToken, tokenSchema } from './token.ts'

/** Does not embed the item: a transaction may move thousands. */
const itemMoveSchema = z.strictObject({
  direction: z.enum(['from', 'to']),
  total: z.strictObject({ token_id: wire.decimal, token_instance: z.null() }),
})

export const stateChangeSchema = z.strictObject({
  address: addressSchema,
  is_miner: z.boolean(),
  type: z.enum(['coin', 'token']),
  balance_before: wire.decimal.nullable(),
  balance_after: wire.decimal.nullable(),
  change: z.union([wire.delta, z.array(itemMoveSchema).describe('of an ERC-721')]),
  token: tokenSchema.nullable(),
  token_id: wire.decimal.nullable().describe('of an ERC-1155'),
})
z.globalRegistry.add(stateChangeSchema, { id: 'StateChange' })
export type StateChange = z.infer<typeof stateChangeSchema>

export function showStateChange(context: ExplorerContext, { header }: IndexedTransaction, change: Change): StateChange {
  const { address, before, after } = change
  const shown = {
    address: showAddress(context, address),
    is_miner: address === header.coinbase,
    balance_before: before?.toString() ?? null,
    balance_after: after?.toString() ?? null,
  }
  if (change.kind === 'coin') {
    const difference = (change.after - change.before).toString()
    return { ...shown, type: 'coin', change: difference, token: null, token_id: null }
  }
  const { token } = change
  const info = showToken(context, token)
  if (change.kind === 'amount') {
    const token_id = change.id?.toString() ?? null
    return { ...shown, type: 'token', change: change.change.toString(), token: info, token_id }
  }
  const moves = change.moves.map(({ direction, id }) => ({
    direction,
    total: { token_id: id.toString(), token_instance: null },
  }))
  return { ...shown, type: 'token', change: moves, token: { ...info, type: 'ERC-721' }, token_id: null }
}
