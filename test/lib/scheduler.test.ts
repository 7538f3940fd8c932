// The scheduler's order of turns, with a clock that only the test's work advances.
import { setImmediate as nextIteration } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { Scheduler, type WorkKind } from '../../src/lib/scheduler.ts'

const TURN = 5
const BESIDE_BLOCKS = 50
const SENDERS_PAUSE = 2

function steppedScheduler() {
  let time = 1000
  const order = new Scheduler(() => time)
  const log: string[] = []
  /** Work in steps of a millisecond, each logged with its name. */
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

/** Names and lengths of the runs of equal entries in a log. */
const runs = (log: readonly string[]) =>
  log
    .join('')
    .match(/(.)\1*/g)
    ?.map((run) => `${run[0]}${run.length}`) ?? []

describe('heavy work in the scheduler', () => {
  it('gets turns of five milliseconds, one after the other', async () => {
    const { log, work } = steppedScheduler()
    await Promise.all(['a', 'b', 'c'].map((name) => work(name, 'heavy', 2 * TURN)))
    expect(runs(log)).toEqual(['a5', 'b5', 'c5', 'a5', 'b5', 'c5'])
  })

  it('has one turn in an iteration of the event loop, however many calls wait', async () => {
    const { log, work } = steppedScheduler()
    const all = Promise.all(Array.from({ length: 20 }, () => work('x', 'heavy', TURN)))
    let most = 0
    for (let before = 0; log.length < 20 * TURN; before = log.length) {
      await nextIteration()
      most = Math.max(most, log.length - before)
    }
    await all
    expect(most).toBe(TURN)
  })

  it("starts in the current turn while it lasts, and uses the rest of the previous call's turn", () => {
    const { order, advance } = steppedScheduler()
    expect(order.mayBeginHeavy(true)).toBe(true)
    advance(3)
    order.heavyWorkEnded()
    advance(100)
    expect(order.mayBeginHeavy(true)).toBe(true)
    advance(1)
    expect(order.mayBeginHeavy(false)).toBe(true)
    advance(1)
    expect(order.mayBeginHeavy(false)).toBe(false)
    order.heavyWorkEnded()
    expect(order.mayBeginHeavy(true)).toBe(false)
  })

  it('is cancelled at its next turn when its connection is closed', async () => {
    const { log, work } = steppedScheduler()
    const caller = new AbortController()
    const stopped = work('a', 'heavy', 100, caller.signal)
    const continues = work('b', 'heavy', 3 * TURN)
    caller.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
    await continues
    expect(log.filter((name) => name === 'a').length).toBeLessThanOrEqual(TURN)
    expect(log.filter((name) => name === 'b').length).toBe(3 * TURN)
  })
})

describe('scheduler while a block is built', () => {
  it('heavy work has one turn in fifty milliseconds', async () => {
    const { order, log, work, advance } = steppedScheduler()
    const heavy = work('h', 'heavy', 4 * TURN)
    await order.prioritize(async () => {
      // A block of 100 steps, with an iteration of the event loop after each.
      for (let step = 0; step < 100; step++) {
        advance(1)
        log.push('b')
        for (let count = 0; count < 3; count++) await nextIteration()
        // A timer wakes heavy work after the rest of the fifty milliseconds.
        await vi.waitFor(() => true)
      }
    })
    const during = log.lastIndexOf('b')
    const turns = runs(log.slice(0, during)).filter((run) => run.startsWith('h'))
    // The first turn comes at once, then at most one for each fifty of a few hundred milliseconds.
    expect(turns.length).toBeLessThanOrEqual(1 + Math.floor((100 + 4 * TURN) / BESIDE_BLOCKS))
    await heavy
    expect(log.filter((name) => name === 'h').length).toBe(4 * TURN)
  })

  it('light work continues', async () => {
    const { order, log, work } = steppedScheduler()
    await work('h', 'heavy', 1)
    await order.prioritize(() => work('l', 'light', 3 * TURN))
    expect(log.filter((name) => name === 'l').length).toBe(3 * TURN)
  })

  it('heavy work continues after the last block is built', async () => {
    const { order, log, work, advance } = steppedScheduler()
    let finish = () => {}
    const first = order.prioritize(() => new Promise<void>((resolve) => (finish = resolve)))
    const second = order.prioritize(async () => {})
    const heavy = work('h', 'heavy', 3 * TURN)
    await second
    for (let count = 0; count < 20; count++) await nextIteration()
    // One turn only, because the clock stands still.
    expect(log.length).toBe(TURN)
    finish()
    await first
    advance(SENDERS_PAUSE)
    await heavy
    expect(log.length).toBe(3 * TURN)
  })
})

describe('scheduler while the consensus engine waits for a block', () => {
  const LONGEST_WAIT = 2000
  const iterations = async () => {
    for (let count = 0; count < 20; count++) await nextIteration()
  }
  /** A task that runs until the test finishes it. */
  function engineTask(order: Scheduler) {
    let finish = () => {}
    const done = order.prioritizeForEngine(() => new Promise<void>((resolve) => (finish = resolve)))
    return { done, finish: () => finish() }
  }

  it('heavy work has no turn until it has waited for two seconds, and then one', async () => {
    const { order, log, work, advance } = steppedScheduler()
    const task = engineTask(order)
    const heavy = work('h', 'heavy', 2 * TURN)
    advance(LONGEST_WAIT - 2 * TURN)
    await iterations()
    // Other work makes the scheduler check again: the timer for heavy work uses the machine's clock.
    await work('l', 'light', TURN + 1)
    expect(runs(log)).toEqual([`l${TURN + 1}`])
    await work('m', 'light', TURN + 1)
    await iterations()
    expect(log.filter((name) => name === 'h').length).toBe(TURN)
    // The next turn waits two seconds again.
    advance(BESIDE_BLOCKS)
    await work('n', 'light', TURN + 1)
    await iterations()
    expect(log.filter((name) => name === 'h').length).toBe(TURN)
    task.finish()
    await task.done
    advance(SENDERS_PAUSE)
    await heavy
    expect(log.filter((name) => name === 'h').length).toBe(2 * TURN)
  })

  it('no heavy call starts, except in a turn that had begun before', () => {
    const { order, advance } = steppedScheduler()
    expect(order.mayBeginHeavy(true)).toBe(true)
    advance(1)
    const task = engineTask(order)
    expect(order.mayBeginHeavy(false)).toBe(true)
    advance(TURN - 1)
    order.heavyWorkEnded()
    expect(order.mayBeginHeavy(true)).toBe(false)
    task.finish()
  })

  it('a single call waits for the end of the task', async () => {
    const { order, advance } = steppedScheduler()
    const task = engineTask(order)
    expect(order.mayBeginHeavy(true)).toBe(false)
    task.finish()
    await task.done
    advance(SENDERS_PAUSE)
    expect(order.mayBeginHeavy(true)).toBe(true)
  })

  it('heavy work continues after the last of several tasks, even if it failed', async () => {
    const { order, log, work, advance } = steppedScheduler()
    const task = engineTask(order)
    const failed = order.prioritizeForEngine(() => Promise.reject(new Error('refused')))
    const heavy = work('h', 'heavy', TURN + 1)
    await expect(failed).rejects.toThrow('refused')
    advance(BESIDE_BLOCKS)
    await iterations()
    expect(log).toEqual([])
    task.finish()
    await task.done
    advance(SENDERS_PAUSE)
    await heavy
    expect(log.length).toBe(TURN + 1)
  })

  it('light work continues', async () => {
    const { order, log, work } = steppedScheduler()
    const task = engineTask(order)
    await work('l', 'light', 3 * TURN)
    expect(log.length).toBe(3 * TURN)
    task.finish()
  })
})

describe('scheduler while transactions arrive', () => {
  const iterations = async () => {
    for (let count = 0; count < 20; count++) await nextIteration()
  }

  /** After a turn of heavy work, so that the next one has to wait. */
  async function afterOneTurn() {
    const made = steppedScheduler()
    await made.work('h', 'heavy', TURN)
    made.order.transactionArrived()
    return { ...made, heavy: made.work('h', 'heavy', TURN) }
  }

  it('heavy work waits until no transaction has arrived for two milliseconds', async () => {
    const { order, log, advance, heavy } = await afterOneTurn()
    for (let count = 0; count < 10; count++) {
      order.transactionArrived()
      advance(1)
      await iterations()
    }
    expect(log.length).toBe(TURN)
    advance(1)
    await heavy
    expect(log.length).toBe(2 * TURN)
  })

  it('heavy work gets its turn fifty milliseconds after its last, however many transactions arrive', async () => {
    const { order, log, advance, heavy } = await afterOneTurn()
    for (let count = TURN; count < BESIDE_BLOCKS - 1; count++) {
      advance(1)
      order.transactionArrived()
    }
    await iterations()
    expect(log.length).toBe(TURN)
    advance(1)
    order.transactionArrived()
    await heavy
    expect(log.length).toBe(2 * TURN)
  })
})
