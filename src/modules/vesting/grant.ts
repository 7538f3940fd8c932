// What a funder may grant: the rules that need no state.
import { reverted } from '../revert.ts'
import type { Period } from './schedule.ts'

/** A grant as its funder words it. A list without periods lets all coins go at the start. */
export type VestingGrant = {
  /** Unix seconds; may be in the past. */
  readonly start: bigint
  readonly lockup: readonly Period[]
  readonly vesting: readonly Period[]
}

const LAST_SECOND = 2n ** 63n - 1n

/** The coins of a grant, in base units. Throws ChainError when there can be no such grant. */
export function checkGrant({ start, lockup, vesting }: VestingGrant): bigint {
  for (const periods of [lockup, vesting]) {
    for (const [i, { length }] of periods.entries()) {
      if (length >= 1n) continue
      throw reverted(
        `invalid period length of ${length} in period ${i}, length must be greater than 0: invalid request`,
      )
    }
    const end = periods.reduce((time, { length }) => time + length, start)
    if (end > LAST_SECOND) throw reverted(`time ${end} is after the last one, ${LAST_SECOND}: invalid request`)
  }
  const [given, other] = vesting.length > 0 ? [vesting, lockup] : [lockup, vesting]
  if (given.length === 0) throw reverted('vesting and/or lockup schedules must be present')
  const total = sum(given)
  if (other.length > 0 && sum(other) !== total) {
    throw reverted('vesting and lockup schedules must have same total coins')
  }
  return total
}

const sum = (periods: readonly Period[]): bigint => periods.reduce((total, { amount }) => total + amount, 0n)
