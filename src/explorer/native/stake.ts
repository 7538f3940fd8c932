// Delegations, unbondings and redelegations in the explorer's form, for validators and delegators.
import { z } from 'zod'
import { type Dec, truncateInt } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import type { RedelegationEntry, UnbondingEntry } from '../../modules/staking/layout.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { nativeOf, operatorText, rate, secondsLeft, showRate, showTime } from './modules.ts'

/** A validator within another record. */
export const validatorRefSchema = z.strictObject({
  address: addressSchema,
  operator_address: z.string().describe('bech32'),
  moniker: z.string().nullable().describe('null when the validator is gone'),
})

export function showValidatorRef(context: ExplorerContext, operator: Address): z.input<typeof validatorRefSchema> {
  const { spec, modules } = nativeOf(context, 'head')
  return {
    address: showAddress(context, operator),
    operator_address: operatorText(spec, operator),
    moniker: modules.staking.validator(operator)?.description.moniker ?? null,
  }
}

export const delegationSchema = z.strictObject({
  delegator: addressSchema,
  validator: validatorRefSchema,
  shares: rate,
  balance: wire.decimal.describe('base units that the shares are worth'),
  rewards: rate.describe('base units that it has earned and not taken'),
})

export type Delegated = { readonly delegator: Address; readonly operator: Address; readonly shares: Dec }

export function showDelegation(
  context: ExplorerContext,
  { delegator, operator, shares }: Delegated,
): z.input<typeof delegationSchema> {
  const { staking, distribution } = nativeOf(context, 'head').modules
  return {
    delegator: showAddress(context, delegator),
    validator: showValidatorRef(context, operator),
    shares: showRate(shares),
    balance: truncateInt(staking.tokensFromShares(operator, shares)).toString(),
    rewards: showRate(distribution.delegationRewards(delegator, operator) ?? 0n),
  }
}

const entrySchema = z.strictObject({
  creation_height: z.number().int(),
  completion_time: wire.time,
  seconds_left: z.number().int().describe('until the completion time, 0 when it has come'),
  initial_balance: wire.decimal,
})

export const unbondingSchema = entrySchema.extend({
  delegator: addressSchema,
  validator: validatorRefSchema,
  balance: wire.decimal.describe('base units that will be paid, less what was slashed'),
})

export const redelegationSchema = entrySchema.extend({
  delegator: addressSchema,
  source: validatorRefSchema,
  destination: validatorRefSchema,
  shares: rate.describe('of the destination'),
  balance: wire.decimal.describe('base units that these shares are worth'),
})

function showEntry(
  context: ExplorerContext,
  { creationHeight, completionTime, initialBalance }: Omit<UnbondingEntry, 'balance' | 'id'>,
): z.input<typeof entrySchema> {
  return {
    creation_height: Number(creationHeight),
    completion_time: showTime(completionTime),
    seconds_left: secondsLeft(completionTime, nativeOf(context, 'head').now),
    initial_balance: initialBalance.toString(),
  }
}

export const showUnbonding = (
  context: ExplorerContext,
  entry: UnbondingEntry & { readonly delegator: Address; readonly operator: Address },
): z.input<typeof unbondingSchema> => ({
  ...showEntry(context, entry),
  delegator: showAddress(context, entry.delegator),
  validator: showValidatorRef(context, entry.operator),
  balance: entry.balance.toString(),
})

export const showRedelegation = (
  context: ExplorerContext,
  entry: RedelegationEntry & { readonly delegator: Address; readonly source: Address; readonly destination: Address },
): z.input<typeof redelegationSchema> => ({
  ...showEntry(context, entry),
  delegator: showAddress(context, entry.delegator),
  source: showValidatorRef(context, entry.source),
  destination: showValidatorRef(context, entry.destination),
  shares: showRate(entry.sharesDst),
  balance: truncateInt(
    nativeOf(context, 'head').modules.staking.tokensFromShares(entry.destination, entry.sharesDst),
  ).toString(),
})
