// The line that an operator reads when a network makes no blocks.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchSilence } from '../../../src/consensus/network/silence.ts'
import { fakeNetwork } from '../../support/network.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }))
afterEach(() => void vi.useRealTimers())

it('says that no block comes after 30 seconds, less and less often, and when one comes', async () => {
  const engine = await fakeNetwork(1)
  const [node] = engine.nodes
  if (node === undefined) throw new Error('no node')
  const lines: string[] = []
  let peers = () => Promise.resolve(1)
  const stop = watchSilence(
    node.chain,
    () => peers(),
    (line) => lines.push(line),
  )
  await vi.advanceTimersByTimeAsync(25_000)
  expect(lines).toEqual([])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(lines).toEqual([expect.stringMatching(/^no block for 30 s after block 0: 1 peer is connected; /)])
  peers = () => Promise.reject(new Error('gone'))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(lines[1]).toMatch(/^no block for 60 s after block 0: the engine does not answer/)
  await engine.decide()
  expect(lines[2]).toBe('blocks come again: block 1')
  stop()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(lines).toHaveLength(3)
})
