// The errors of call frames in Parity's trace format.

const ERRORS: Readonly<Record<string, string>> = {
  'execution reverted': 'Reverted',
  'out of gas': 'Out of gas',
  'contract creation code storage out of gas': 'Out of gas',
  'gas uint64 overflow': 'Out of gas',
  'max code size exceeded': 'Out of gas',
  'invalid jump destination': 'Bad jump destination',
  'return data out of bounds': 'Out of bounds',
  'write protection': 'Mutable Call In Static Context',
  'invalid input length': 'Built-in failed',
}
const PREFIXES: readonly (readonly [string, string])[] = [
  ['invalid opcode', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
  ['stack limit reached', 'Out of stack'],
]

/** Parity's message for a frame's error, which is given as geth's message; geth's own if Parity has none. */
export const parityError = (error: string): string =>
  ERRORS[error] ?? PREFIXES.find(([prefix]) => error.startsWith(prefix))?.[1] ?? error
