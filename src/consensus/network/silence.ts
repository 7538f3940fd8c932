// Logs when a network's node waits: for blocks, or for a snapshot. Without the line it looks like a healthy one.
import type { Chain } from '../../chain/types.ts'

/** Milliseconds of waiting before the first line; each further line comes after twice the time. */
const FIRST = 30_000
/** Milliseconds between checks. */
const LOOK = 5_000

/** Calls `say` with the seconds that have passed since the start or the last `restart`, less and less often. */
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
    /** Returns whether something was said since the last one. */
    restart() {
      const hasSaid = patience > FIRST
      since = Date.now()
      patience = FIRST
      return hasSaid
    },
    stop: () => clearInterval(timer),
  }
}

/** Watches until the returned function is called. `peers` may fail: then the engine does not answer. */
export function watchSilence(
  { events, head }: Pick<Chain, 'events' | 'head'>,
  peers: () => Promise<number>,
  log: (line: string) => void,
): () => void {
  let number = head.number
  const { restart, stop } = remind(async (seconds) => {
    const who = await peers().then(
      (count) => `${count} peer${count === 1 ? ' is' : 's are'} connected`,
      () => 'the engine does not answer',
    )
    log(`no block for ${seconds} s after block ${number}: ${who}; more than two thirds of the stake must be online`)
  })
  const stopListening = events.on('block', ({ block }) => {
    number = block.header.number
    if (restart()) log(`blocks come again: block ${number}`)
  })
  return () => {
    stop()
    stopListening()
  }
}
