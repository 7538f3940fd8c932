// A deadline counts the CPU time of the work's own turns. A sleep simulates a machine that is busy with other work.
import { expect, test } from 'vitest'
import { Deadline, LONGEST_WALL } from '../../src/lib/deadline.ts'

const LIMIT = 200

/** Blocks the thread for a measured time, because time is the subject of this file. */
const sleep = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

test('a deadline is not reached before the work has had its CPU time', () => {
  const deadline = new Deadline(LIMIT)
  expect(deadline.isPast()).toBe(false)
  sleep(2 * LIMIT)
  expect(deadline.isPast()).toBe(false)
  while (!deadline.isPast());
})

test('other work between two turns does not count towards a deadline', async () => {
  const deadline = new Deadline(LIMIT)
  expect(deadline.isPast()).toBe(false)
  await deadline.pause(async () => {
    await Promise.resolve()
    for (const end = performance.now() + 2 * LIMIT; performance.now() < end; );
  })
  expect(deadline.isPast()).toBe(false)
})

test('a deadline also ends work that gets no CPU time', () => {
  const deadline = new Deadline(LIMIT / 10)
  expect(deadline.isPast()).toBe(false)
  sleep((LONGEST_WALL * LIMIT) / 10)
  expect(deadline.isPast()).toBe(true)
})
