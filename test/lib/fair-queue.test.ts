import { expect, it } from 'vitest'
import { TaskQueue } from '../../src/lib/fair-queue.ts'

/** A queue whose tasks end when the test says so; `order` has the names of started tasks. */
function queueOf(limits: { tasks?: number; tasksPerClient?: number; size?: number } = {}) {
  const queue = new TaskQueue({ tasks: 100, tasksPerClient: 100, size: 1000, ...limits })
  const order: string[] = []
  const ends: (() => void)[] = []
  const add = (client: string, name: string, size = 1) =>
    queue.add(client, size, () => {
      order.push(name)
      return new Promise((resolve) => ends.push(resolve))
    })
  /** Ends the running task. */
  const end = async () => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { add, end, order }
}

it('the task queue alternates between clients, each with its tasks in order', async () => {
  const { add, end, order } = queueOf()
  for (const name of ['a1', 'a2', 'a3', 'a4']) add('a', name)
  for (const name of ['b1', 'b2']) add('b', name)
  expect(order).toEqual(['a1'])
  for (let i = 0; i < 3; i++) await end()
  add('c', 'c1')
  for (let i = 0; i < 5; i++) await end()
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'c1'])
})

it('the task queue limits tasks for each client, in total, and by size', async () => {
  const full = { code: 'limit-exceeded' }
  const one = queueOf({ tasksPerClient: 2 })
  for (const name of ['a1', 'a2', 'a3']) one.add('a', name)
  expect(() => one.add('a', 'a4')).toThrow(expect.objectContaining(full))
  one.add('b', 'b1')

  const all = queueOf({ tasks: 2 })
  for (const client of ['a', 'b', 'c']) all.add(client, client)
  expect(() => all.add('d', 'd')).toThrow(expect.objectContaining(full))
  await all.end()
  all.add('d', 'd')

  const sized = queueOf({ size: 10 })
  sized.add('a', 'a1', 50)
  expect(() => sized.add('b', 'b1', 1)).toThrow(expect.objectContaining(full))
  await sized.end()
  sized.add('b', 'b1', 6)
  sized.add('b', 'b2', 4)
  expect(() => sized.add('c', 'c1', 1)).toThrow(expect.objectContaining(full))
})
