// Evmos x/vesting: clawback accounts.
import { balanceOf, credit, debit, MODULE, send } from './bank.ts'
import { least } from './dec.ts'
import { eventsOf, vestedAt } from './schedule.ts'
import { type Address, need, type Period, refuseIf, type State, type VestingAccount } from './state.ts'

/** Coins that an account may delegate: all but unvested ones, also locked ones. */
export function delegatable(state: State, account: Address): bigint {
  const vesting = state.vesting.get(account)
  return balanceOf(state, account) - (vesting === undefined ? 0n : vestedAt(vesting, state.time).unvested)
}

export function trackDelegation(state: State, account: Address, amount: bigint): void {
  const vesting = state.vesting.get(account)
  if (vesting !== undefined) vesting.delegatedFree += amount
}

export function trackUndelegation(state: State, account: Address, amount: bigint): void {
  const vesting = state.vesting.get(account)
  if (vesting !== undefined) vesting.delegatedFree -= least(vesting.delegatedFree, amount)
}

const vestingOf = (state: State, account: Address): VestingAccount =>
  need(state.vesting, account, 'account is not subject to clawback vesting')

export function createVesting(state: State, funder: Address, account: Address): void {
  refuseIf(state.vesting.has(account), 'is already a clawback vesting account')
  state.vesting.set(account, { funder, start: 0n, end: 0n, original: 0n, delegatedFree: 0n, lockup: [], vesting: [] })
}

const total = (periods: readonly Period[]): bigint => periods.reduce((sum, { amount }) => sum + amount, 0n)

/** Union of two schedules; amounts of one time add up. */
function merged(start: bigint, ...schedules: { at: bigint; amount: bigint }[][]): Period[] {
  const amounts = new Map<bigint, bigint>()
  for (const { at, amount } of schedules.flat()) amounts.set(at, (amounts.get(at) ?? 0n) + amount)
  let before = start
  return [...amounts]
    .sort(([a], [b]) => Number(a - b))
    .map(([at, amount]) => {
      const length = at - before
      before = at
      return { length, amount }
    })
}

export function fundVesting(
  state: State,
  funder: Address,
  account: Address,
  start: bigint,
  lockup: readonly Period[],
  vesting: readonly Period[],
): void {
  const amount = total(vesting) || total(lockup)
  refuseIf(
    [...lockup, ...vesting].some(({ length, amount: coins }) => length < 1n || coins === 0n) || amount === 0n,
    'invalid periods',
  )
  refuseIf(lockup.length > 0 && vesting.length > 0 && total(lockup) !== amount, 'schedules must have same total coins')
  const grown = vestingOf(state, account)
  refuseIf(grown.funder !== funder, 'account can only accept grants from its funder')
  send(state, funder, account, amount)
  const instant = [{ at: start, amount }]
  const isFirst = grown.original === 0n && grown.vesting.length === 0
  const from = isFirst || start < grown.start ? start : grown.start
  const events = (periods: readonly Period[], old: readonly Period[]) =>
    merged(from, eventsOf(grown.start, old), periods.length === 0 ? instant : eventsOf(start, periods))
  grown.lockup = events(lockup, grown.lockup)
  grown.vesting = events(vesting, grown.vesting)
  grown.start = from
  grown.original += amount
  const lengths = (periods: readonly Period[]) => periods.reduce((sum, { length }) => sum + length, 0n)
  const [one, two] = [lengths(grown.lockup), lengths(grown.vesting)]
  grown.end = from + (one > two ? one : two)
}

/** The funder takes back what is unvested; the account is a plain one then. */
export function clawback(state: State, funder: Address, account: Address, to: Address): void {
  const { funder: recorded, vesting, lockup, ...rest } = vestingOf(state, account)
  refuseIf(vesting.length === 0 && lockup.length === 0, 'has no vesting or lockup periods')
  refuseIf(recorded !== funder, 'clawback can only be requested by original funder')
  refuseIf(Object.values<Address>(MODULE).includes(to), 'not allowed to receive funds')
  const { unvested } = vestedAt({ funder, vesting, lockup, ...rest }, state.time)
  state.vesting.delete(account)
  debit(state, account, unvested)
  credit(state, to, unvested)
}

export function convertVesting(state: State, account: Address): void {
  const vesting = vestingOf(state, account)
  const { unvested, locked } = vestedAt(vesting, state.time)
  refuseIf(unvested > 0n || locked > 0n, 'coins still left in account')
  state.vesting.delete(account)
}
