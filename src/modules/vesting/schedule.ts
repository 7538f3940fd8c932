// Schedules of vesting grants, as pure functions. Coins are released in discrete steps. A grant has two schedules over
// the same coins: the lockup schedule says when they are unlocked, the vesting schedule when the holder owns them.
// Times are unix seconds, amounts base units.
import { reverted } from '../module.ts'

/** By `time`, `total` coins have been released; the total is cumulative, including all earlier steps. */
export type ScheduleStep = { readonly time: bigint; readonly total: bigint }
/** Steps in order of time. The start time is stored separately, once for both schedules of a grant; see `freeAt`. */
export type Schedule = readonly ScheduleStep[]

/** `amount` coins are released `length` seconds after the end of the previous period. */
export type Period = { readonly length: bigint; readonly amount: bigint }

/** Builds a schedule from periods. Without periods, all coins are released at the start. */
export function scheduleOf(start: bigint, periods: readonly Period[], total: bigint): Schedule {
  if (periods.length === 0) return [{ time: start, total }]
  let step: ScheduleStep = { time: start, total: 0n }
  return periods.map(({ length, amount }) => {
    step = { time: step.time + length, total: step.total + amount }
    return step
  })
}

/** Adds two schedules into one; steps with the same time are combined. */
export function merge(a: Schedule, b: Schedule): Schedule {
  const merged: ScheduleStep[] = []
  let i = 0
  let j = 0
  for (;;) {
    const first = a[i]?.time
    const second = b[j]?.time
    if (first === undefined && second === undefined) return merged
    const time = second === undefined || (first !== undefined && first < second) ? first : second
    while (a[i] !== undefined && a[i]?.time === time) i++
    while (b[j] !== undefined && b[j]?.time === time) j++
    merged.push({ time: time ?? 0n, total: (a[i - 1]?.total ?? 0n) + (b[j - 1]?.total ?? 0n) })
  }
}

/** Read access to a schedule: an array, or a list in storage, which is read element by element. */
export type Steps = { readonly length: number; at(index: number): ScheduleStep | undefined }

/** Coins released by `time`. None are released up to and including `start`, even if a step has that time. */
export function freeAt(start: bigint, steps: Steps, time: bigint): bigint {
  if (time <= start) return 0n
  let over = 0
  let ahead = steps.length
  while (over < ahead) {
    const middle = (over + ahead) >> 1
    const step = steps.at(middle)
    if (step !== undefined && step.time <= time) over = middle + 1
    else ahead = middle
  }
  return over === 0 ? 0n : (steps.at(over - 1)?.total ?? 0n)
}

/** The number of coins that a schedule releases in all. */
export const totalOf = (steps: Steps): bigint => (steps.length === 0 ? 0n : (steps.at(steps.length - 1)?.total ?? 0n))

/** How many of a grant's `original` coins are unlocked and how many are vested by now. */
export type VestingProgress = { readonly original: bigint; readonly unlocked: bigint; readonly vested: bigint }

/**
 * The balance that the holder's account must keep. Vested coins may be delegated while they are locked. Delegated coins
 * have left the account, so `delegated` is subtracted from the coins that are vested but locked.
 */
export function unspendable({ original, unlocked, vested }: VestingProgress, delegated: bigint): bigint {
  const free = unlocked < vested ? unlocked : vested
  const lockedVested = vested - free
  return original - free - (delegated < lockedVested ? delegated : lockedVested)
}

/** A grant as its funder specifies it. An empty list of periods releases all coins at the start. */
export type VestingGrant = {
  /** Unix seconds; may be in the past. */
  readonly start: bigint
  readonly lockup: readonly Period[]
  readonly vesting: readonly Period[]
}

const LAST_SECOND = 2n ** 63n - 1n

/** The coins of a grant, in base units. Throws ChainError for an invalid grant. */
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
