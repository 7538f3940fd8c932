// Vesting schedules. V12 and V13 are the specification's worked tables; the properties hold for any periods.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  freeAt,
  merge,
  type Period,
  type Schedule,
  scheduleOf,
  totalOf,
  unspendable,
} from '../../../src/modules/vesting/schedule.ts'

const T = 1_700_000_000n
const period = (length: bigint, amount: bigint): Period => ({ length, amount })
const sum = (periods: readonly Period[]) => periods.reduce((total, { amount }) => total + amount, 0n)
const schedule = (start: bigint, periods: readonly Period[]) => scheduleOf(start, periods, sum(periods))

const lockup = schedule(T, [period(2_000n, 500n), period(1_000n, 500n)])
const vesting = schedule(
  T,
  [250n, 250n, 250n, 250n].map((amount) => period(1_000n, amount)),
)

/** locked, unvested, vested, unlockedVested, lockedUpVested, unspendable: the specification's columns. */
function row(steps: { lockup: Schedule; vesting: Schedule }, at: bigint, delegated = 0n) {
  const original = totalOf(steps.vesting)
  const unlocked = freeAt(T, steps.lockup, T + at)
  const vested = freeAt(T, steps.vesting, T + at)
  const unlockedVested = unlocked < vested ? unlocked : vested
  const rest = unspendable({ original, unlocked, vested }, delegated)
  return [original - unlocked, original - vested, vested, unlockedVested, vested - unlockedVested, rest]
}

/** Steps as the specification writes them, each with its length and amount. */
const periodsOf = (start: bigint, steps: Schedule) =>
  steps.map(({ time, total }, i) => [time - (steps[i - 1]?.time ?? start), total - (steps[i - 1]?.total ?? 0n)])

describe('the schedule of vector V12', () => {
  it.each([
    [0n, [1000n, 1000n, 0n, 0n, 0n, 1000n]],
    [999n, [1000n, 1000n, 0n, 0n, 0n, 1000n]],
    [1000n, [1000n, 750n, 250n, 0n, 250n, 1000n]],
    [1500n, [1000n, 750n, 250n, 0n, 250n, 1000n]],
    [2000n, [500n, 500n, 500n, 500n, 0n, 500n]],
    [2999n, [500n, 500n, 500n, 500n, 0n, 500n]],
    [3000n, [0n, 250n, 750n, 750n, 0n, 250n]],
    [4000n, [0n, 0n, 1000n, 1000n, 0n, 0n]],
  ])('at T+%s', (at, expected) => {
    expect(row({ lockup, vesting }, at)).toEqual(expected)
  })

  it('has the specified spendable coins at T+1000 with 250 delegated', () => {
    expect(row({ lockup, vesting }, 1000n, 250n).at(-1)).toBe(750n)
    // Only vested coins that are still locked can count as delegated: 250 is the maximum.
    expect(row({ lockup, vesting }, 1000n, 900n).at(-1)).toBe(750n)
  })
})

describe('the schedule of vector V13', () => {
  const second = [period(500n, 100n), period(1_000n, 100n)]
  const steps = {
    lockup: merge(lockup, scheduleOf(T + 500n, [], 200n)),
    vesting: merge(vesting, schedule(T + 500n, second)),
  }

  it('merges the periods of both grants', () => {
    expect(periodsOf(T, steps.lockup)).toEqual([
      [500n, 200n],
      [1500n, 500n],
      [1000n, 500n],
    ])
    expect(periodsOf(T, steps.vesting)).toEqual([
      [1000n, 350n],
      [1000n, 350n],
      [1000n, 250n],
      [1000n, 250n],
    ])
  })

  it('releases the sum of both grants', () => {
    expect(row(steps, 1000n)).toEqual([1000n, 850n, 350n, 200n, 150n, 1000n])
    expect(row(steps, 2000n)).toEqual([500n, 500n, 700n, 700n, 0n, 500n])
  })
})

describe('any vesting schedule', () => {
  const periods = fc.array(fc.record({ length: fc.bigInt(1n, 50n), amount: fc.bigInt(0n, 100n) }), { maxLength: 12 })
  const start = fc.bigInt(0n, 100n)
  const time = fc.bigInt(0n, 900n)
  /** The definition, period by period. */
  const model = (from: bigint, given: readonly Period[], total: bigint, at: bigint) => {
    if (at <= from) return 0n
    let end = from
    let free = given.length === 0 ? total : 0n
    for (const { length, amount } of given) {
      end += length
      if (end <= at) free += amount
    }
    return free
  }

  it('releases the amount of its definition', () => {
    fc.assert(
      fc.property(start, periods, fc.bigInt(0n, 1000n), time, (from, given, total, at) => {
        const all = given.length === 0 ? total : sum(given)
        expect(freeAt(from, scheduleOf(from, given, all), at)).toBe(model(from, given, all, at))
      }),
    )
  })

  it('never decreases, and has released everything at its end', () => {
    fc.assert(
      fc.property(start, periods, time, time, (from, given, a, b) => {
        const steps = schedule(from, given)
        const [early, late] = a < b ? [a, b] : [b, a]
        expect(freeAt(from, steps, early)).toBeLessThanOrEqual(freeAt(from, steps, late))
        expect(freeAt(from, steps, 10_000n)).toBe(sum(given))
        expect(totalOf(steps)).toBe(sum(given))
      }),
    )
  })

  it('merged with another gives the sum from the later start on, without two steps in one second', () => {
    const other = fc.tuple(start, periods)
    fc.assert(
      fc.property(other, other, time, ([from, given], [later, more], at) => {
        const a = schedule(from, given)
        const b = schedule(later, more)
        const merged = merge(a, b)
        expect(merge(b, a)).toEqual(merged)
        const began = from < later ? from : later
        fc.pre(at > from && at > later)
        expect(freeAt(began, merged, at)).toBe(model(from, given, 0n, at) + model(later, more, 0n, at))
        const times = merged.map((step) => step.time)
        expect(times).toEqual([...new Set(times)].sort((x, y) => Number(x - y)))
      }),
    )
  })

  it('keeps at least the unvested coins, and at most all', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 100n), fc.nat(100), fc.nat(100), fc.bigInt(0n, 200n), (original, u, v, delegated) => {
        const part = (percent: number) => (original * BigInt(percent)) / 100n
        const progress = { original, unlocked: part(u), vested: part(v) }
        const kept = unspendable(progress, delegated)
        expect(kept).toBeGreaterThanOrEqual(original - progress.vested)
        expect(kept).toBeLessThanOrEqual(original)
        expect(unspendable(progress, delegated + 1n)).toBeLessThanOrEqual(kept)
        // Nothing is locked any more: only unvested coins are kept.
        expect(unspendable({ ...progress, unlocked: original }, delegated)).toBe(original - progress.vested)
      }),
    )
  })
})
