// A withdrawal of EIP-4895. Amounts are in wei, although the consensus layer counts in gwei.
import { z } from 'zod'
import { withdrawnWei } from '../../primitives/block.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { notFound } from '../errors.ts'
import { addressSchema, showAddress } from './address.ts'
import { minedBlock } from './indexed-transaction.ts'

export const withdrawalSchema = z.strictObject({
  index: z.number().int(),
  validator_index: z.number().int(),
  receiver: addressSchema,
  amount: wire.decimal,
  block_number: z.number().int(),
  timestamp: wire.time,
})
z.globalRegistry.add(withdrawalSchema, { id: 'Withdrawal' })
export type WithdrawalJson = z.infer<typeof withdrawalSchema>

/** A withdrawal by its block and its index within the block; throws 404. */
export async function showWithdrawal(
  context: ExplorerContext,
  { number, index }: { readonly number: number; readonly index: number },
): Promise<WithdrawalJson> {
  const block = await minedBlock(context, number)
  const withdrawal = block.withdrawals?.[index]
  if (withdrawal === undefined) throw notFound()
  return {
    index: Number(withdrawal.index),
    validator_index: Number(withdrawal.validatorIndex),
    receiver: showAddress(context, withdrawal.address),
    amount: withdrawnWei(withdrawal).toString(),
    block_number: number,
    timestamp: isoTime(block.header.timestamp),
  }
}
