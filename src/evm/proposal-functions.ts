// Checks the values that proposals' functions return and throw, which can be anything; a bad one fails only its frame.

/** The result of a gas or memory function. Throws TypeError for anything but a bigint, also for a promise. */
export function bigintFrom(answer: unknown): bigint {
  // A promise that rejects later must not end the process.
  if (answer instanceof Promise) answer.catch(() => undefined)
  if (typeof answer !== 'bigint') throw new TypeError(`expected a bigint, got ${typeof answer}`)
  return answer
}

/** The message of a thrown value; `otherwise` if it has none. */
export function messageOf(thrown: unknown, otherwise: string): string {
  try {
    const words = thrown instanceof Error ? thrown.message : String(thrown)
    return typeof words === 'string' ? words : otherwise
  } catch {
    return otherwise
  }
}

/** Copies of the topmost items of a stack. Throws RangeError for more than it has: below it is what an engine keeps there. */
export function topItems(count: number, length: number, item: (index: number) => bigint): bigint[] {
  if (!(count <= length)) throw new RangeError(`stack underflow (${length} <=> ${count})`)
  return Array.from({ length: count }, (_, index) => item(index))
}
