// Turns on the one thread: long work lets others go between.

/** How long work may hold the thread before others get a turn, in milliseconds. */
const TURN = 15

/** To be awaited in a loop that does not wait for anything else; who knows the time (`performance.now()`) may tell it. */
export function takingTurns(): (now?: number) => Promise<void> | undefined {
  let turnEnds = performance.now() + TURN
  return (now = performance.now()) => {
    if (now < turnEnds) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        turnEnds = performance.now() + TURN
        resolve()
      }),
    )
  }
}
