// Checks what the functions of a proposal's module return and throw. They may return or throw any value; it must not leave the frame.

/** The answer of a function for gas or memory. Throws TypeError for anything but a bigint; nothing waits for a promise. */
export function bigintFrom(answer: unknown): bigint {
  if (answer instanceof Promise) answer.catch(() => undefined)
  if (typeof answer !== 'bigint') throw new TypeError(`expected a bigint, got ${typeof answer}`)
  return answer
}

/** Words for something thrown; `otherwise` where it has none. */
export function messageOf(thrown: unknown, otherwise: string): string {
  try {
    const words = thrown instanceof Error ? thrown.message : String(thrown)
    return typeof words === 'string' ? words : otherwise
  } catch {
    return otherwise
  }
}
