// The log lines of a network's node that gets no blocks.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newMeasurements } from '../../../src/consensus/network/measurements.ts'
import { watchSilence } from '../../../src/consensus/network/silence.ts'
import { fakeNetwork } from '../../support/network.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }))
afterEach(() => void vi.useRealTimers())

it('logs that no block has come after 30 seconds, then at doubling intervals, and logs the next block', async () => {
  const engine = await fakeNetwork(1)
  const [node] = engine.nodes
  if (node === undefined) throw new Error('no node')
  const lines: string[] = []
  let peers = () => Promise.resolve(1)
  let round = () => Promise.resolve({ height: 1n, round: 3, voting: 0.5 })
  const measurements = newMeasurements()
  const log = (line: string) => lines.push(line)
  const stop = watchSilence({
    chain: node.chain,
    cometBft: { peers: () => peers(), rounds: () => round() },
    measurements,
    log,
  })
  await vi.advanceTimersByTimeAsync(25_000)
  expect(lines).toEqual([])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(lines).toEqual([
    'no block for 30 s after block 0: round 3 of block 1; 1 peer is connected; 50 % of the stake votes, and more than two thirds must be online',
  ])
  round = () => Promise.resolve({ height: 1n, round: 12, voting: 1 })
  measurements.slowest = { prepare: 0.2, process: 11, finalize: 0, commit: 0 }
  await vi.advanceTimersByTimeAsync(30_000)
  expect(lines[1]).toBe(
    'no block for 60 s after block 0: round 12 of block 1; 1 peer is connected; a proposal took 11.0 s to execute',
  )
  measurements.slowest = { ...measurements.slowest, process: 0 }
  round = () => Promise.reject(new Error('busy'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines[2]).toBe('no block for 120 s after block 0: 1 peer is connected')
  peers = () => Promise.reject(new Error('gone'))
  await vi.advanceTimersByTimeAsync(120_000)
  expect(lines[3]).toBe('no block for 240 s after block 0: CometBFT does not answer')
  await engine.decide()
  expect(lines[4]).toBe('blocks come again: block 1')
  stop()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(lines).toHaveLength(5)
})
