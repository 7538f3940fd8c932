// Counters that threads share: a row for each thread, and the sum of all.
import { expect, it } from 'vitest'
import { Budget } from '../../src/lib/budget.ts'
import { SharedCounters } from '../../src/lib/shared-counters.ts'

it('counts what each thread holds, and forgets what an ended thread held but not what it has done', () => {
  const main = SharedCounters.of(3)
  const threads = [main, new SharedCounters(main.dataOf(1)), new SharedCounters(main.dataOf(2))]
  for (const [row, counters] of threads.entries()) {
    counters.counter('connections').add(10 ** row)
    counters.counter('answers').add(10 ** row)
    counters.clientCounter('203.0.113.7').add(10 ** row)
  }
  const [held, done, share] = [main.counter('connections'), main.counter('answers'), main.clientCounter('203.0.113.7')]
  expect([held.sum(), done.sum(), share.sum()]).toEqual([111, 111, 111])
  expect([held.max(), held.own(), threads[2]?.counter('connections').own()]).toEqual([100, 1, 100])
  main.clear(1)
  expect([held.sum(), done.sum(), share.sum()]).toEqual([101, 111, 101])
  threads[1]?.counter('connections').set(5)
  expect(held.sum()).toBe(106)
})

it('has totals that wrap at 2^32 and never get below zero', () => {
  const refused = SharedCounters.of(1).counter('refused')
  refused.add(2 ** 31 - 1)
  refused.add(2)
  expect(refused.sum()).toBe(2 ** 31 + 1)
})

it('is a total that budgets of several threads share', () => {
  const main = SharedCounters.of(2)
  const budgets = [main, main.of(1)].map((counters) => new Budget(100, 100, counters.counter('text')))
  expect(budgets.map((budget) => budget.take(60))).toEqual([true, false])
  budgets[0]?.give(60)
  expect(budgets[1]?.take(60)).toBe(true)
  expect(budgets[0]?.taken).toBe(60)
})
