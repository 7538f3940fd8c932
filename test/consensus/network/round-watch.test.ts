// A node's reaction to a CometBFT whose rounds do not progress. The fields are answers of CometBFT v0.40.0 after real failures:
// a different app hash (step 6, with a valid block), and a full disk under its write-ahead log (step 3).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RoundState, STEP } from '../../../src/consensus/network/options.ts'
import { watchRounds } from '../../../src/consensus/network/round-watch.ts'
import { hexToHash } from '../../../src/lib/hex.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const SECONDS = 1_000
const hash = (byte: string) => hexToHash(`0x${byte.repeat(32)}`)
const OWN = hash('aa')
const waiting: RoundState = {
  height: 16n,
  round: 0,
  step: STEP.prevote,
  validators: 4,
  voting: 1,
  hasBlock: true,
  agreed: undefined,
}

/** A watched node at block 15; the state of its CometBFT can be changed. */
function watched(state: Partial<RoundState> = {}) {
  const node = {
    rounds: { ...waiting, ...state },
    answers: true,
    catchingUp: false,
    highest: undefined as bigint | undefined,
    head: 15n,
    failed: [] as string[],
    lines: [] as string[],
    restarts: 0,
  }
  const answer = async <T>(value: T): Promise<T> => {
    if (!node.answers) throw new Error('no answer')
    return value
  }
  const chain = {
    get head() {
      return { number: node.head } as never
    },
    stateQueries: {
      appHashLeaves: (after: unknown) => (Number(after) <= node.head ? { evm: OWN, ibc: undefined } : undefined),
    },
  }
  const restart = async () => void node.restarts++
  const never = async () => undefined
  const stop = watchRounds({
    chain,
    client: {
      rounds: () => answer(node.rounds),
      status: () => answer({ catchingUp: node.catchingUp }),
      highestHeight: () => answer(node.highest),
    },
    cometBft: { start: never, stop: never, restart, setBlockTime: never, failed: new Promise(() => undefined) },
    log: (line) => node.lines.push(line),
    fail: (line) => node.failed.push(line),
  })
  return { node, stop }
}
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * SECONDS)

describe('a block that more than two thirds have voted for', () => {
  it('ends the node if its parent differs from the node’s block', async () => {
    const { node, stop } = watched({ step: STEP.precommit, agreed: { height: 16n, appHash: hash('bb') } })
    await pass(5)
    stop()
    expect(node.failed).toEqual([expect.stringContaining(`block 15 is ${OWN} here`)])
    expect(node.failed[0]).toContain('kestrel resync')
  })

  it('does nothing if its parent is the node’s block, or not here yet', async () => {
    const { node, stop } = watched({ agreed: { height: 16n, appHash: OWN } })
    await pass(5)
    node.rounds = { ...waiting, agreed: { height: 18n, appHash: hash('bb') } }
    await pass(20)
    stop()
    expect(node.failed).toEqual([])
  })
})

describe('a CometBFT that takes no step', () => {
  it('is not restarted while it may wait for the votes of others', async () => {
    const { node, stop } = watched()
    await pass(3_600)
    stop()
    expect(node).toMatchObject({ restarts: 0, lines: [], failed: [] })
  })

  it('is restarted, at growing intervals, if it has everything that the step needs', async () => {
    const { node, stop } = watched({ step: STEP.propose })
    await pass(30)
    expect(node.restarts).toBe(0)
    await pass(5)
    expect(node.restarts).toBe(1)
    expect(node.lines).toEqual([expect.stringMatching(/^CometBFT has not left round 0 of block 16 for 30 s, /)])
    // After 60 s more, then after 120.
    await pass(55)
    expect(node.restarts).toBe(1)
    await pass(130)
    expect(node.restarts).toBe(3)
    stop()
    await pass(3_600)
    expect(node.restarts).toBe(3)
  })

  it.each([
    ['of a network of one', { step: STEP.prevote, validators: 1 }, 1],
    ['with a decided block', { step: STEP.commit, hasBlock: true }, 1],
    ['without the decided block', { step: STEP.commit, hasBlock: false }, 0],
    ['before the next height, which a setting may delay', { step: STEP.newHeight }, 0],
  ])('%s', async (_, state, restarts) => {
    const { node, stop } = watched(state)
    await pass(60)
    stop()
    expect(node.restarts).toBe(restarts)
  })

  it('is only restarted, never ended, for a peer’s claim, at growing intervals', async () => {
    const { node, stop } = watched()
    node.highest = 10n ** 18n
    await pass(24 * 3_600)
    stop()
    // After 5 minutes, then every 10 at the latest.
    expect(node.restarts).toBeLessThan(150)
    expect(node.restarts).toBeGreaterThan(100)
    expect(node.failed).toEqual([])
  })

  it('is not restarted while it fetches blocks, executes one, or takes steps', async () => {
    const { node, stop } = watched({ step: STEP.propose })
    node.catchingUp = true
    await pass(120)
    node.catchingUp = false
    node.answers = false
    await pass(120)
    node.answers = true
    await pass(20)
    node.rounds = { ...node.rounds, round: 1 }
    await pass(25)
    node.head = 16n
    await pass(5)
    stop()
    expect(node).toMatchObject({ restarts: 0, lines: [], failed: [] })
  })
})
