// A deadline is of CPU time of the work's own turns. Sleeping stands for a machine that is busy with other things.
import { expect, test } from 'vitest'
import { Deadline, LONGEST_WALL } from '../../src/lib/deadline.ts'

const LIMIT = 200

/** Time is the subject of this file: the thread sleeps without giving way. */
const sleep = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

test('a deadline is not past while the work has not had its CPU time', () => {
  const deadline = new Deadline(LIMIT)
  expect(deadline.isPast()).toBe(false)
  sleep(2 * LIMIT)
  expect(deadline.isPast()).toBe(false)
  while (!deadline.isPast());
})

test('what others do between two turns does not count', async () => {
  const deadline = new Deadline(LIMIT)
  expect(deadline.isPast()).toBe(false)
  await deadline.pause(async () => {
    await Promise.resolve()
    for (const end = performance.now() + 2 * LIMIT; performance.now() < end; );
  })
  expect(deadline.isPast()).toBe(false)
})

test('work that gets no CPU time ends all the same', () => {
  const deadline = new Deadline(LIMIT / 10)
  expect(deadline.isPast()).toBe(false)
  sleep((LONGEST_WALL * LIMIT) / 10)
  expect(deadline.isPast()).toBe(true)
})
