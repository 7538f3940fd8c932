// The view that threads have of a head that another thread advances and rewinds.
import { expect, it } from 'vitest'
import { SharedHead } from '../../src/readers/shared-head.ts'

it('a reader of the shared head sees each move, and that a rewind lies between two moves', () => {
  const writer = new SharedHead()
  const reader = new SharedHead(writer.memory)
  writer.moved(7n, 9)
  const first = reader.read()
  expect(first).toMatchObject({ number: 7n, version: 9 })
  const { rewinds } = reader
  expect([reader.moves, rewinds % 2]).toEqual([first.moves, 0])
  writer.moved(8n, 10)
  expect(reader.moves).not.toBe(first.moves)
  expect(reader.rewinds).toBe(rewinds)
  writer.rewinding()
  // Until the next move all reads are invalid, and the position is still the previous one.
  expect([reader.rewinds % 2, reader.read().number]).toEqual([1, 8n])
  writer.rewinding()
  writer.moved(2n ** 40n, 2 ** 40)
  expect(reader.read()).toMatchObject({ number: 2n ** 40n, version: 2 ** 40 })
  expect([reader.rewinds % 2, reader.rewinds === rewinds]).toEqual([0, false])
})
