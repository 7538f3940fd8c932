// Turns on the one thread: long work lets others go between.

/** How long work may hold the thread before others get a turn, in milliseconds. */
const TURN = 5
/** The same for work that comes again and again, while others send what the next of it is made of. */
export const SHORT_TURN = 1

/** To be awaited in a loop that does not wait for anything else; who knows the time (`performance.now()`) may tell it. */
export function takingTurns(turn = TURN): (now?: number) => Promise<void> | undefined {
  let turnEnds = performance.now() + turn
  return (now = performance.now()) => {
    if (now < turnEnds) return undefined
    return new Promise((resolve) =>
      // The second one lets those go first who were called in the meantime and have asked for the end of the same turn.
      setImmediate(() =>
        setImmediate(() => {
          turnEnds = performance.now() + turn
          resolve()
        }),
      ),
    )
  }
}

/** Takes a short step for each of many, one after the other, in turns with others: a promise for each would cost as much. */
export async function inShortTurns<T>(items: Iterable<T>, step: (item: T) => void): Promise<void> {
  const pause = takingTurns(SHORT_TURN)
  for (const item of items) {
    step(item)
    const rest = pause()
    if (rest !== undefined) await rest
  }
}
