// Grants in the explorer's form. The index has the pairs of accounts that ever had one; the state has the live grants.
import { z } from 'zod'
import { LIST, partyEntry } from '../../indexer/tables.ts'
import type { Address, Hex } from '../../lib/hex.ts'
import { type LiveGrant, UNLIMITED } from '../../modules/authz/authz.ts'
import { entriesBetween, listLength } from '../../tables/list.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { coinSchema, nativeOf, secondsLeft, showCoin, showTime } from './modules.ts'
import { showValidatorRef, validatorRefSchema } from './stake.ts'

const allocationSchema = z.strictObject({
  source_port: z.string(),
  source_channel: z.string(),
  spend_limit: z.array(coinSchema),
  allow_list: z.array(z.string()).describe('receivers; empty: anyone'),
  allowed_packet_data: z.array(z.string()).describe('memos; `*`: any'),
})

export const grantSchema = z.strictObject({
  granter: addressSchema,
  grantee: addressSchema,
  message: z.string().describe('type URL'),
  expiration: wire.time,
  seconds_left: z.number().int(),
  limit: wire.decimal.nullable().describe('base units that may still be used; null: no limit'),
  validators: z.array(validatorRefSchema).describe('of stake grants: for whom'),
  allocations: z.array(allocationSchema).describe('of transfer grants: by channel'),
})

export type PlacedGrant = LiveGrant & { readonly granter: Address; readonly grantee: Address }

export function showGrant(context: ExplorerContext, grant: PlacedGrant): z.input<typeof grantSchema> {
  const { granter, grantee, message, expiration, limit, validators, allocations } = grant
  return {
    granter: showAddress(context, granter),
    grantee: showAddress(context, grantee),
    message,
    expiration: showTime(expiration),
    seconds_left: secondsLeft(expiration, nativeOf(context, 'head').now),
    limit: limit === UNLIMITED ? null : limit.toString(),
    validators: validators.map((operator) => showValidatorRef(context, operator)),
    allocations: allocations.map((of) => ({
      source_port: of.sourcePort,
      source_channel: of.sourceChannel,
      spend_limit: of.spendLimit.map(showCoin),
      allow_list: [...of.allowList],
      allowed_packet_data: [...of.allowedPacketData],
    })),
  }
}

const partiesIn = ({ rows }: ExplorerContext, list: Hex): Address[] =>
  entriesBetween(rows, list, 0, listLength(rows, list)).map((entry) => partyEntry.decode(entry).address)

/** An account's live grants, given ones first. */
export function grantsOf(
  context: ExplorerContext,
  of: Address,
  sides: readonly ('given' | 'received')[],
): PlacedGrant[] {
  const { authz } = nativeOf(context, 'head').modules
  const given = sides.includes('given') ? partiesIn(context, LIST.grantees(of)) : []
  const received = sides.includes('received') ? partiesIn(context, LIST.granters(of)) : []
  const pairs = [
    ...given.map((grantee) => ({ granter: of, grantee })),
    // A grant to oneself is already among the given ones.
    ...received
      .filter((granter) => granter !== of || !sides.includes('given'))
      .map((granter) => ({ granter, grantee: of })),
  ]
  return pairs.flatMap(({ granter, grantee }) =>
    authz.grantsBetween(granter, grantee).map((grant) => ({ ...grant, granter, grantee })),
  )
}
