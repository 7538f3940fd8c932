// Results that are usually available at once and sometimes are promises. Code that runs thousands of steps in a row uses this,
// because a promise for each step would cost more than the step. Callers elsewhere simply await.

export type MaybePromise<T> = T | Promise<T>

/** `value.then(next)`, synchronously when the value is ready. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** `try … finally` for work that may be synchronous or not: `cleanUp` runs when the work is done or has failed. */
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
