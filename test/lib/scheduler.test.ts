// The scheduler's order of turns, with a clock that moves only when the test's work says so.
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

  it('has one turn in an iteration of the event loop, however many calls wait', async () => {
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

  it('begins in the running turn while it lasts, and uses the rest that the last call left', () => {
    const { order, advance } = world()
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

describe('while a block is built', () => {
  it('heavy work has one turn in fifty milliseconds', async () => {
    const { order, log, work, advance } = world()
    const heavy = work('h', 'heavy', 4 * TURN)
    await order.prioritize(async () => {
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

  it('light work continues', async () => {
    const { order, log, work } = world()
    await work('h', 'heavy', 1)
    await order.prioritize(() => work('l', 'light', 3 * TURN))
    expect(log.filter((name) => name === 'l').length).toBe(3 * TURN)
  })

  it('heavy work continues when the last block is built', async () => {
    const { order, log, work, advance } = world()
    let finish = () => {}
    const first = order.prioritize(() => new Promise<void>((resolve) => (finish = resolve)))
    const second = order.prioritize(async () => {})
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

describe('while the engine of a network waits for a block', () => {
  const LONGEST_WAIT = 2000
  const iterations = async () => {
    for (let count = 0; count < 20; count++) await nextIteration()
  }
  /** A task that runs until it is told to finish. */
  function engineTask(order: Scheduler) {
    let finish = () => {}
    const done = order.prioritizeForEngine(() => new Promise<void>((resolve) => (finish = resolve)))
    return { done, finish: () => finish() }
  }

  it('heavy work has no turn until it has waited for two seconds, and then one', async () => {
    const { order, log, work, advance } = world()
    const task = engineTask(order)
    const heavy = work('h', 'heavy', 2 * TURN)
    advance(LONGEST_WAIT - 2 * TURN)
    await iterations()
    // Other work makes the scheduler look again: the timer that waits for heavy work runs on the machine's clock.
    await work('l', 'light', TURN + 1)
    expect(runs(log)).toEqual([`l${TURN + 1}`])
    await work('m', 'light', TURN + 1)
    await iterations()
    expect(log.filter((name) => name === 'h').length).toBe(TURN)
    // The next turn has its own two seconds.
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

  it('no heavy call begins but in a turn that had begun before', () => {
    const { order, advance } = world()
    expect(order.mayBeginHeavy(true)).toBe(true)
    advance(1)
    const task = engineTask(order)
    expect(order.mayBeginHeavy(false)).toBe(true)
    advance(TURN - 1)
    order.heavyWorkEnded()
    expect(order.mayBeginHeavy(true)).toBe(false)
    task.finish()
  })

  it('a call that comes alone waits for the end of the task', async () => {
    const { order, advance } = world()
    const task = engineTask(order)
    expect(order.mayBeginHeavy(true)).toBe(false)
    task.finish()
    await task.done
    advance(SENDERS_PAUSE)
    expect(order.mayBeginHeavy(true)).toBe(true)
  })

  it('heavy work continues when the last of several tasks has ended, also if it failed', async () => {
    const { order, log, work, advance } = world()
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
    const { order, log, work } = world()
    const task = engineTask(order)
    await work('l', 'light', 3 * TURN)
    expect(log.length).toBe(3 * TURN)
    task.finish()
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
    made.order.transactionArrived()
    return { ...made, heavy: made.work('h', 'heavy', TURN) }
  }

  it('heavy work waits until none has arrived for two milliseconds', async () => {
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

  it('heavy work has its turn fifty milliseconds after its last, however many arrive', async () => {
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
