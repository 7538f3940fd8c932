// Logs when a network makes no blocks; without the line a node that waits for its peers looks like a healthy one.
import type { Chain } from '../../chain/types.ts'

/** Milliseconds without a block after which the log says so; each further line comes after twice the time. */
const FIRST = 30_000
/** Milliseconds between checks. */
const LOOK = 5_000

/** Watches until the returned function is called. `peers` may fail: then the engine does not answer. */
export function watchSilence(
  { events, head }: Pick<Chain, 'events' | 'head'>,
  peers: () => Promise<number>,
  log: (line: string) => void,
): () => void {
  let since = Date.now()
  let patience = FIRST
  let number = head.number
  const stopListening = events.on('block', ({ block }) => {
    if (patience > FIRST) log(`blocks come again: block ${block.header.number}`)
    number = block.header.number
    since = Date.now()
    patience = FIRST
  })
  const timer = setInterval(async () => {
    const waited = Date.now() - since
    if (waited < patience) return
    patience *= 2
    const who = await peers().then(
      (count) => `${count} peer${count === 1 ? ' is' : 's are'} connected`,
      () => 'the engine does not answer',
    )
    const seconds = Math.round(waited / 1000)
    log(`no block for ${seconds} s after block ${number}: ${who}; more than two thirds of the stake must be online`)
  }, LOOK)
  timer.unref()
  return () => {
    clearInterval(timer)
    stopListening()
  }
}
