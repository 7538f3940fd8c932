// Logs when a network's node waits for blocks or for a state snapshot. Without these lines it looks like a healthy node.
import type { Chain } from '../../chain/types.ts'
import type { Measurements } from './measurements.ts'
import type { CometBftRpc, RoundState } from './options.ts'

/** Milliseconds of waiting before the first line; each further line comes after twice the time. */
const FIRST = 30_000
/** Milliseconds between checks. */
const LOOK = 5_000
/** Fraction of the stake that must be exceeded. */
const QUORUM = 2 / 3
/** Seconds above which the duration of a proposal is reported. */
const LONG = 1

/** Calls `say` with the seconds since the start or the last `restart`, at doubling intervals. */
export function remind(say: (seconds: number) => void): { restart(): boolean; stop(): void } {
  let since = Date.now()
  let patience = FIRST
  const timer = setInterval(() => {
    const waited = Date.now() - since
    if (waited < patience) return
    patience *= 2
    say(Math.round(waited / 1000))
  }, LOOK)
  timer.unref()
  return {
    /** Returns whether `say` was called since the last restart. */
    restart() {
      const hasSaid = patience > FIRST
      since = Date.now()
      patience = FIRST
      return hasSaid
    },
    stop: () => clearInterval(timer),
  }
}

/** The part of the vote that a line reports. */
type Vote = Pick<RoundState, 'height' | 'round' | 'voting'>

export type Watched = {
  readonly chain: Pick<Chain, 'events' | 'head'>
  readonly cometBft: Pick<CometBftRpc, 'peers'> & { rounds(): Promise<Vote> }
  readonly measurements: Pick<Measurements, 'slowest'>
  readonly log: (line: string) => void
}

/** Watches until the returned function is called. */
export function watchSilence({ chain, cometBft, measurements, log }: Watched): () => void {
  let { number } = chain.head
  const { restart, stop } = remind(async (seconds) => {
    // CometBFT does not answer requests about its round while it waits for this node.
    const [peers, round] = await Promise.all([
      cometBft.peers().catch(() => undefined),
      cometBft.rounds().catch(() => undefined),
    ])
    const what = [...describeEngine(peers, round), ...describeTimes(measurements.slowest)].join('; ')
    log(`no block for ${seconds} s after block ${number}: ${what}`)
  })
  const stopListening = chain.events.on('block', ({ block }) => {
    number = block.header.number
    if (restart()) log(`blocks come again: block ${number}`)
  })
  return () => {
    stop()
    stopListening()
  }
}

function describeEngine(peers: number | undefined, round: Vote | undefined): string[] {
  if (peers === undefined) return ['CometBFT does not answer']
  const connected = `${peers} peer${peers === 1 ? ' is' : 's are'} connected`
  if (round === undefined) return [connected]
  const where = `round ${round.round} of block ${round.height}`
  if (round.voting > QUORUM) return [where, connected]
  const percent = Math.floor(round.voting * 100)
  return [where, connected, `${percent} % of the stake votes, and more than two thirds must be online`]
}

/** Requests that take long enough to make rounds fail. */
function describeTimes({ prepare, process }: Measurements['slowest']): string[] {
  const took: string[] = []
  if (prepare > LONG) took.push(`a proposal took ${prepare.toFixed(1)} s to build`)
  if (process > LONG) took.push(`a proposal took ${process.toFixed(1)} s to execute`)
  return took
}
