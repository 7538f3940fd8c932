// The generational cache keeps recently used entries, drops others, and returns no stale value after a generation ends.
import { expect, test } from 'vitest'
import { GenerationalCache } from '../../src/lib/caches.ts'

test('the cache keeps the entries used last, within its capacity', () => {
  const recent = new GenerationalCache<number, string>(100)
  for (let i = 0; i < 1000; i++) {
    recent.set(i, `of ${i}`)
    expect(recent.get(0)).toBe('of 0')
  }
  const left = Array.from({ length: 1000 }, (_, i) => i).filter((i) => recent.has(i))
  expect(left.length).toBeLessThanOrEqual(100)
  expect(left[0]).toBe(0)
  expect(left.slice(-48)).toEqual(Array.from({ length: 48 }, (_, i) => 952 + i))
})

test('the cache agrees with a map of the same writes wherever it has an entry', () => {
  const recent = new GenerationalCache<number, number>(40)
  const all = new Map<number, number>()
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
  let answered = 0
  for (let step = 0; step < 20_000; step++) {
    const key = next(60)
    const what = next(10)
    if (what < 4) {
      recent.set(key, step)
      all.set(key, step)
    } else if (what === 4) {
      recent.delete(key)
      all.delete(key)
    } else {
      const found = recent.get(key)
      if (found === undefined) continue
      answered++
      expect(found).toBe(all.get(key))
    }
  }
  expect(answered).toBeGreaterThan(2000)
})
