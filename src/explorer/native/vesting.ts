// A clawback account's schedules in the explorer's form.
import { z } from 'zod'
import type { Address } from '../../lib/hex.ts'
import type { Schedule } from '../../modules/vesting/schedule.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { nativeOf, showTime } from './modules.ts'

const stepSchema = z.strictObject({
  time: wire.time,
  amount: wire.decimal.describe('base units that this step releases'),
  total: wire.decimal.describe('released by this step and all before it'),
  is_over: z.boolean(),
})

export const vestingSchema = z.strictObject({
  address: addressSchema,
  funder: addressSchema,
  allows_governance_clawback: z.boolean(),
  start_time: wire.time,
  original: wire.decimal.describe('base units granted'),
  vested: wire.decimal,
  unvested: wire.decimal.describe('what the funder may take back'),
  unlocked: wire.decimal,
  locked: wire.decimal,
  delegated: wire.decimal.describe('delegated since, and not come back'),
  spendable: wire.decimal.describe('of the whole balance'),
  lockup: z.array(stepSchema),
  vesting: z.array(stepSchema),
})

/** undefined for an ordinary account. */
export function showVesting(context: ExplorerContext, of: Address): z.input<typeof vestingSchema> | undefined {
  const { modules, now } = nativeOf(context, 'head')
  const account = modules.vesting.account(of)
  if (account === undefined) return undefined
  const { original, vested, unlocked } = account.progress
  return {
    address: showAddress(context, of),
    funder: showAddress(context, account.funder),
    allows_governance_clawback: account.allowsGovernance,
    start_time: showTime(account.start),
    original: original.toString(),
    vested: vested.toString(),
    unvested: (original - vested).toString(),
    unlocked: unlocked.toString(),
    locked: (original - unlocked).toString(),
    delegated: account.delegated.toString(),
    spendable: modules.vesting.spendable(of).toString(),
    lockup: showSchedule(account.lockup, account.start, now),
    vesting: showSchedule(account.vesting, account.start, now),
  }
}

/** Nothing is released up to and including the start, even by a step with that time. */
const showSchedule = (schedule: Schedule, start: bigint, now: bigint): z.input<typeof stepSchema>[] =>
  schedule.map(({ time, total }, i) => ({
    time: showTime(time),
    amount: (total - (schedule[i - 1]?.total ?? 0n)).toString(),
    total: total.toString(),
    is_over: now > start && time <= now,
  }))
