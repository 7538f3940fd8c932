// Schedules of clawback vesting accounts (Evmos x/vesting): what is locked, vested and spendable at a time.
import { least } from './dec.ts'
import type { Address, Period, State, VestingAccount } from './state.ts'

const most = (x: bigint, y: bigint): bigint => (x > y ? x : y)

/** Absolute times and amounts of a list of periods. */
export function eventsOf(start: bigint, periods: readonly Period[]): { at: bigint; amount: bigint }[] {
  let at = start
  return periods.map(({ length, amount }) => {
    at += length
    return { at, amount }
  })
}

/** Coins that a schedule has released at `time`: whole periods, not a line. */
function released({ start, end, original }: VestingAccount, periods: readonly Period[], time: bigint): bigint {
  if (time <= start) return 0n
  if (time >= end) return original
  return eventsOf(start, periods).reduce((sum, { at, amount }) => (at <= time ? sum + amount : sum), 0n)
}

export function vestedAt(account: VestingAccount, time: bigint) {
  const unlocked = released(account, account.lockup, time)
  const vested = released(account, account.vesting, time)
  const unlockedVested = least(unlocked, vested)
  return {
    locked: account.original - unlocked,
    unvested: account.original - vested,
    vested,
    unspendable: most(0n, account.original - unlockedVested - least(account.delegatedFree, vested - unlockedVested)),
  }
}

/** Coins of an account that it may not spend now. */
export function lockedCoins(state: State, account: Address): bigint {
  const vesting = state.vesting.get(account)
  return vesting === undefined ? 0n : vestedAt(vesting, state.time).unspendable
}
