// The order of turns on the one thread, with a clock that only moves when the work of the test says so.
import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { Scheduler, type WorkKind } from '../../src/lib/scheduler.ts'

const TURN = 5
const BESIDE_BLOCKS = 50
const SENDERS_PAUSE = 2

function world() {
  let time = 1000
  const order = new Scheduler(() => time)
  const log: string[] = []
  /** Work in steps of a millisecond, which are logged by its name. */
  const work = async (name: string, kind: WorkKind, steps: number, caller?: AbortSignal) => {
    const pause = order.yieldFor(kind, caller)
    for (let step = 0; step < steps; step++) {
      const next = pause()
      if (next !== undefined) await next
      time++
      log.push(name)
    }
  }
  const advance = (milliseconds: number) => {
    time += milliseconds
  }
  return { order, log, work, advance }
}

/** Lengths of the runs of a name in a log. */
const runs = (log: readonly string[]) =>
  log
    .join('')
    .match(/(.)\1*/g)
    ?.map((run) => `${run[0]}${run.length}`) ?? []

describe('heavy work', () => {
  it('takes turns of five milliseconds, one after the other', async () => {
    const { log, work } = world()
    await Promise.all(['a', 'b', 'c'].map((name) => work(name, 'heavy', 2 * TURN)))
    expect(runs(log)).toEqual(['a5', 'b5', 'c5', 'a5', 'b5', 'c5'])
  })

  it('has one turn in an iteration of the event loop, with any number of tasks', async () => {
    const { log, work } = world()
    const all = Promise.all(Array.from({ length: 20 }, () => work('x', 'heavy', TURN)))
    let most = 0
    for (let before = 0; log.length < 20 * TURN; before = log.length) {
      await nextIteration()
      most = Math.max(most, log.length - before)
    }
    await all
    expect(most).toBe(TURN)
  })

  it('begins in the current turn while it lasts, with the time that the last call left', () => {
    const { order, advance } = world()
    expect(order.mayBegin(true)).toBe(true)
    advance(3)
    order.rest()
    advance(100)
    expect(order.mayBegin(true)).toBe(true)
    advance(1)
    expect(order.mayBegin(false)).toBe(true)
    advance(1)
    expect(order.mayBegin(false)).toBe(false)
    order.rest()
    expect(order.mayBegin(true)).toBe(false)
  })

  it('ends with its connection, at its next turn', async () => {
    const { log, work } = world()
    const caller = new AbortController()
    const stopped = work('a', 'heavy', 100, caller.signal)
    const goesOn = work('b', 'heavy', 3 * TURN)
    caller.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
    await goesOn
    expect(log.filter((name) => name === 'a').length).toBeLessThanOrEqual(TURN)
    expect(log.filter((name) => name === 'b').length).toBe(3 * TURN)
  })
})

describe('while a block is made', () => {
  it('heavy work has one turn in fifty milliseconds', async () => {
    const { order, log, work, advance } = world()
    const heavy = work('h', 'heavy', 4 * TURN)
    await order.first(async () => {
      // A block of 100 steps with an iteration for others after each.
      for (let step = 0; step < 100; step++) {
        advance(1)
        log.push('b')
        for (let count = 0; count < 3; count++) await nextIteration()
        // A timer wakes heavy work; it is set for the time that is left of the fifty milliseconds.
        await vi.waitFor(() => true)
      }
    })
    const during = log.lastIndexOf('b')
    const turns = runs(log.slice(0, during)).filter((run) => run.startsWith('h'))
    // The first turn at once, and then at most one for each fifty of some hundred milliseconds.
    expect(turns.length).toBeLessThanOrEqual(1 + Math.floor((100 + 4 * TURN) / BESIDE_BLOCKS))
    await heavy
    expect(log.filter((name) => name === 'h').length).toBe(4 * TURN)
  })

  it('light work goes on', async () => {
    const { order, log, work } = world()
    await work('h', 'heavy', 1)
    await order.first(() => work('l', 'light', 3 * TURN))
    expect(log.filter((name) => name === 'l').length).toBe(3 * TURN)
  })

  it('heavy work goes on when the last block is made', async () => {
    const { order, log, work, advance } = world()
    let finish = () => {}
    const first = order.first(() => new Promise<void>((resolve) => (finish = resolve)))
    const second = order.first(async () => {})
    const heavy = work('h', 'heavy', 3 * TURN)
    await second
    for (let count = 0; count < 20; count++) await nextIteration()
    // One turn, and none after it: the clock stands still.
    expect(log.length).toBe(TURN)
    finish()
    await first
    advance(SENDERS_PAUSE)
    await heavy
    expect(log.length).toBe(3 * TURN)
  })
})

describe('while transactions arrive', () => {
  const iterations = async () => {
    for (let count = 0; count < 20; count++) await nextIteration()
  }

  /** After a turn of heavy work, so that the next one has to wait for its time. */
  async function afterOneTurn() {
    const made = world()
    await made.work('h', 'heavy', TURN)
    made.order.transactionCame()
    return { ...made, heavy: made.work('h', 'heavy', TURN) }
  }

  it('heavy work waits until none has come for two milliseconds', async () => {
    const { order, log, advance, heavy } = await afterOneTurn()
    for (let count = 0; count < 10; count++) {
      order.transactionCame()
      advance(1)
      await iterations()
    }
    expect(log.length).toBe(TURN)
    advance(1)
    await heavy
    expect(log.length).toBe(2 * TURN)
  })

  it('heavy work has its turn fifty milliseconds after the last, however many come', async () => {
    const { order, log, advance, heavy } = await afterOneTurn()
    for (let count = TURN; count < BESIDE_BLOCKS - 1; count++) {
      advance(1)
      order.transactionCame()
    }
    await iterations()
    expect(log.length).toBe(TURN)
    advance(1)
    order.transactionCame()
    await heavy
    expect(log.length).toBe(2 * TURN)
  })
})
