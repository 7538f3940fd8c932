// The decisions of the block policy, with a simulated clock.
import { describe, expect, it } from 'vitest'
import {
  hasMoreToTake,
  MAX_OPEN_SIZE,
  MAX_OPEN_TIME,
  MIN_OPEN_SIZE,
  OpenBatches,
  QUIET_PERIOD,
} from '../../src/consensus/block-policy.ts'

/** A simulated clock that `sleep` advances, and a pool that grows at given times. */
function setting(arrivals: readonly number[] = []) {
  let time = 0
  const pool = {
    get pending() {
      return 100 + arrivals.filter((at) => at <= time).length
    },
  }
  const timing = {
    now: () => time,
    sleep: async (milliseconds: number) => {
      time += milliseconds
    },
  }
  return { pool, timing, elapsed: () => time }
}
const open = { size: MIN_OPEN_SIZE + 1, isFull: false, isContended: false }

describe('hasMoreToTake', () => {
  it.each([
    ['a small block', { ...open, size: MIN_OPEN_SIZE }],
    ['a large block', { ...open, size: MAX_OPEN_SIZE }],
    ['a full block', { ...open, isFull: true }],
    ['a block for whose lock another writer waits', { ...open, isContended: true }],
  ])('seals %s without waiting', async (_, block) => {
    const { pool, timing, elapsed } = setting([1])
    expect(await hasMoreToTake(block, pool, 0, () => true, timing)).toBe(false)
    expect(elapsed()).toBe(0)
  })

  it('keeps a block open when a transaction arrives within the quiet period', async () => {
    const { pool, timing, elapsed } = setting([QUIET_PERIOD - 1])
    expect(await hasMoreToTake(open, pool, 0, () => true, timing)).toBe(true)
    expect(elapsed()).toBeLessThanOrEqual(QUIET_PERIOD)
  })

  it('seals a block when none arrives within the quiet period', async () => {
    const { pool, timing, elapsed } = setting([QUIET_PERIOD + 1])
    expect(await hasMoreToTake(open, pool, 0, () => true, timing)).toBe(false)
    expect(elapsed()).toBe(QUIET_PERIOD)
  })

  it('seals a block after MAX_OPEN_TIME, even if transactions arrive', async () => {
    const { pool, timing } = setting([1])
    expect(await hasMoreToTake(open, pool, -MAX_OPEN_TIME, () => true, timing)).toBe(false)
  })

  it('seals a block when the producer has something else to do', async () => {
    const { pool, timing, elapsed } = setting([1])
    expect(await hasMoreToTake(open, pool, 0, () => false, timing)).toBe(false)
    expect(elapsed()).toBe(0)
  })
})

describe('OpenBatches', () => {
  it('settles `ended` when all batches that were open have ended', async () => {
    const batches = new OpenBatches()
    const ends = [batches.open(), batches.open()]
    let isEnded = false
    const ended = batches.ended().then(() => {
      isEnded = true
    })
    ends[0]?.()
    await Promise.resolve()
    expect(isEnded).toBe(false)
    ends[1]?.()
    await ended
    expect(isEnded).toBe(true)
  })
})
