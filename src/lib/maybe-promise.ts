// What mostly is there at once and sometimes has to be waited for. Where thousands of steps follow each other, a promise
// for each costs more than many of the steps. Whoever awaits an Eventual need not know which it was.

export type MaybePromise<T> = T | Promise<T>

/** Goes on with the value, at once if it is there. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** `try … finally`: cleans up when the work is done or has failed, which it may do at once or later. */
export function andFinally<T>(work: () => MaybePromise<T>, cleanUp: () => void): MaybePromise<T> {
  let value: MaybePromise<T>
  try {
    value = work()
  } catch (error) {
    cleanUp()
    throw error
  }
  if (value instanceof Promise) return value.finally(cleanUp)
  cleanUp()
  return value
}
