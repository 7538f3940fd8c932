// The queue of heavy calls: how many run, which is next, which are refused, and which are dropped.
import { setImmediate as nextIteration } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { setClient } from '../../src/lib/connection-signal.ts'
import { Scheduler } from '../../src/lib/scheduler.ts'
import { type WorkLimits, WorkQueue } from '../../src/lib/work-queue.ts'

afterEach(() => vi.useRealTimers())

/** A queue in a thread whose turn never ends. */
const queueOf = (limits: Partial<WorkLimits>) => new WorkQueue(limits, new Scheduler(() => 0))

const connection = () => new AbortController()

/** Calls that hold their places until the test ends them. */
function calls(queue: WorkQueue) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const call = (name: string, caller: AbortController) =>
    queue.run(caller.signal, () => {
      begun.push(name)
      return new Promise<void>((end) => ends.set(name, end))
    })
  /** Ends the oldest running call. */
  const endNext = async () => {
    const [[name, end] = []] = ends
    if (name !== undefined) ends.delete(name)
    end?.()
    for (let count = 0; count < 8; count++) await nextIteration()
  }
  return { begun, call, endNext }
}

describe('places of the work queue', () => {
  it('are taken synchronously while some are free', () => {
    const queue = queueOf({ running: 2 })
    const { signal } = connection()
    expect(queue.enter(signal)).toBeUndefined()
    expect(queue.enter(signal)).toBeUndefined()
    expect(queue.load).toEqual({ running: 2, waiting: 0 })
  })

  it('are at most as many as configured', async () => {
    const queue = queueOf({ running: 3 })
    const { begun, call, endNext } = calls(queue)
    const one = connection()
    const all = Promise.all(Array.from({ length: 10 }, (_, i) => call(String(i), one)))
    for (let ended = 0; ended < 10; ended++) {
      for (let count = 0; count < 8; count++) await nextIteration()
      expect(queue.load.running).toBe(Math.min(3, 10 - ended))
      await endNext()
    }
    await all
    expect(begun).toEqual(Array.from({ length: 10 }, (_, i) => String(i)))
    expect(queue.load).toEqual({ running: 0, waiting: 0 })
  })

  it('are given to connections in turn', async () => {
    const queue = queueOf({ running: 1 })
    const { begun, call, endNext } = calls(queue)
    const many = connection()
    const one = connection()
    const two = connection()
    for (let i = 0; i < 300; i++) call(`many ${i}`, many).catch(() => undefined)
    void call('one', one)
    for (const name of ['two 0', 'two 1']) void call(name, two)
    for (let count = 0; count < 6; count++) await endNext()
    expect(begun).toEqual(['many 0', 'many 1', 'one', 'two 0', 'many 2', 'two 1', 'many 3'])
    many.abort()
  })

  it('are given to network addresses in turn, with any number of connections each', async () => {
    const queue = queueOf({ running: 1, waitingPerClient: 3 })
    const { begun, call, endNext } = calls(queue)
    const many = Array.from({ length: 5 }, connection)
    const other = connection()
    for (const { signal } of many) setClient(signal, '192.0.2.1')
    setClient(other.signal, '192.0.2.2')
    for (const [i, one] of many.slice(0, 4).entries()) call(`many ${i}`, one).catch(() => undefined)
    await expect(call('refused', many[4] ?? connection())).rejects.toThrow('at most 3 calls of one client wait')
    void call('other', other)
    // Closing one of the address's connections drops the calls of that connection only.
    many[1]?.abort()
    for (let count = 0; count < 3; count++) await endNext()
    expect(begun).toEqual(['many 0', 'many 2', 'other', 'many 3'])
  })

  it('are not given once the running calls have used up their turn', () => {
    let time = 0
    const queue = new WorkQueue({ running: 4 }, new Scheduler(() => time))
    const { signal } = connection()
    expect(queue.enter(signal)).toBeUndefined()
    time = 6
    const place = queue.enter(signal)
    expect(place).toBeInstanceOf(Promise)
    // No call ends in this queue, so this one is refused after 30 seconds.
    place?.catch(() => undefined)
  })

  it('are released by calls that fail', async () => {
    const queue = queueOf({ running: 1 })
    const failing = () => queue.run(connection().signal, () => Promise.reject(new Error('no')))
    await expect(failing()).rejects.toThrow('no')
    await expect(failing()).rejects.toThrow('no')
    expect(queue.load).toEqual({ running: 0, waiting: 0 })
  })
})

describe('the work queue refuses a call', () => {
  const OVERLOADED = { code: 'overloaded' }

  it('when too many calls wait', async () => {
    const queue = queueOf({ running: 1, waiting: 2 })
    const { call } = calls(queue)
    const callers = [connection(), connection(), connection()] as const
    for (const [i, caller] of callers.entries()) call(String(i), caller).catch(() => undefined)
    await expect(call('x', connection())).rejects.toMatchObject({
      ...OVERLOADED,
      message: 'limit exceeded: at most 2 calls wait on this node',
    })
  })

  it('when too many calls of its connection wait, and accepts others', async () => {
    const queue = queueOf({ running: 1, waitingPerClient: 2 })
    const { call } = calls(queue)
    const one = connection()
    for (const name of ['0', '1', '2']) call(name, one).catch(() => undefined)
    await expect(call('x', one)).rejects.toMatchObject({
      ...OVERLOADED,
      message: 'limit exceeded: at most 2 calls of one client wait',
    })
    call('y', connection()).catch(() => undefined)
    expect(queue.load.waiting).toBe(3)
  })

  it('when it has waited too long', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] })
    const queue = queueOf({ running: 1, maxWait: 30_000 })
    const { call } = calls(queue)
    void call('runs', connection())
    const waits = call('waits', connection())
    const refused = expect(waits).rejects.toMatchObject({
      ...OVERLOADED,
      message: 'limit exceeded: the call has waited for 30 seconds',
    })
    vi.advanceTimersByTime(29_000)
    expect(queue.load.waiting).toBe(1)
    vi.advanceTimersByTime(2_000)
    await refused
    expect(queue.load).toEqual({ running: 1, waiting: 0 })
  })
})

describe('a closed connection in the work queue', () => {
  it('cancels its own waiting calls only', async () => {
    const queue = queueOf({ running: 1 })
    const { begun, call, endNext } = calls(queue)
    const gone = connection()
    const here = connection()
    const running = call('runs', gone)
    const dropped = Array.from({ length: 5 }, (_, i) => call(`gone ${i}`, gone))
    const kept = call('here', here)
    gone.abort()
    for (const { status } of await Promise.allSettled(dropped)) expect(status).toBe('rejected')
    expect(queue.load).toEqual({ running: 1, waiting: 1 })
    await endNext()
    await running
    await endNext()
    await kept
    expect(begun).toEqual(['runs', 'here'])
  })

  it('cannot add waiting calls', async () => {
    const queue = queueOf({ running: 1 })
    const gone = connection()
    queue.enter(gone.signal)
    gone.abort()
    await expect(queue.run(gone.signal, () => 1)).rejects.toMatchObject({ code: 'cancelled' })
  })
})
