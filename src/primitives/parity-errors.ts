// How a frame failed, in the words of Parity's traces.

const WORDS: Readonly<Record<string, string>> = {
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
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['invalid opcode', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
  ['stack limit reached', 'Out of stack'],
]

/** geth's words turned into Parity's; those it has no word for stay. */
export const parityError = (error: string): string =>
  WORDS[error] ?? BEGINNINGS.find(([beginning]) => error.startsWith(beginning))?.[1] ?? error
