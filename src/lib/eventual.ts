// What mostly is there at once and sometimes has to be waited for. Where thousands of steps follow each other, a promise
// for each costs more than many of the steps. Whoever awaits an Eventual need not know which it was.

export type Eventual<T> = T | Promise<T>

/** Goes on with the value, at once if it is there. */
export function after<T, R>(value: Eventual<T>, next: (value: T) => Eventual<R>): Eventual<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** `try … finally`: cleans up when the work is done or has failed, which it may do at once or later. */
export function cleanedUp<T>(work: () => Eventual<T>, cleanUp: () => void): Eventual<T> {
  let value: Eventual<T>
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
