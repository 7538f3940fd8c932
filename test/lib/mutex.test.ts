// A mutex for each key: tasks of one key run one after the other, tasks of different keys concurrently.
import { expect, it } from 'vitest'
import { KeyedMutex } from '../../src/lib/mutex.ts'

it('KeyedMutex runs tasks of one key in order, and tasks of another key concurrently', async () => {
  const mutex = new KeyedMutex<string>()
  const log: string[] = []
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const first = mutex.run('a', async () => {
    log.push('a1 begins')
    await released
    log.push('a1 ends')
    throw new Error('a1')
  })
  const second = mutex.run('a', async () => log.push('a2'))
  await mutex.run('b', async () => log.push('b'))
  expect(log).toEqual(['a1 begins', 'b'])
  release()
  await expect(first).rejects.toThrow('a1')
  await second
  await mutex.run('a', async () => log.push('a3'))
  expect(log).toEqual(['a1 begins', 'b', 'a1 ends', 'a2', 'a3'])
})
