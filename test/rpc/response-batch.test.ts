// Responses that are written together: which ones wait, and how long.
import { Socket } from 'node:net'
import { setImmediate as iteration } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { ResponseBatch } from '../../src/rpc/http/response-batch.ts'

function sockets(count: number) {
  const written: string[] = []
  const list = Array.from({ length: count }, (_, index) => {
    const socket = new Socket()
    vi.spyOn(socket, 'writable', 'get').mockReturnValue(true)
    vi.spyOn(socket, 'write').mockImplementation((text) => written.push(`${index}: ${text}`) > 0)
    return socket
  })
  return { list, written }
}

test('four responses are written at once, in their order', () => {
  const { list, written } = sockets(4)
  const batch = new ResponseBatch()
  for (const socket of list) {
    expect(written).toEqual([])
    batch.write(socket, 'answer', 'latin1')
  }
  expect(written).toEqual(['0: answer', '1: answer', '2: answer', '3: answer'])
})

test('fewer responses are written at the end of the iteration of the event loop', async () => {
  const { list, written } = sockets(1)
  const batch = new ResponseBatch()
  for (const socket of list) batch.write(socket, 'answer', 'latin1')
  await iteration()
  expect(written).toEqual(['0: answer'])
})

test('a flush writes the waiting responses once, and nothing to a closed socket', async () => {
  const { list, written } = sockets(2)
  const batch = new ResponseBatch()
  for (const socket of list) batch.write(socket, 'answer', 'latin1')
  for (const socket of list.slice(0, 1)) vi.spyOn(socket, 'writable', 'get').mockReturnValue(false)
  batch.flush()
  await iteration()
  expect(written).toEqual(['1: answer'])
})
