// Failures of execution: one closed set of codes for all engines, precompiles and native contracts, each with go-ethereum's
// text, which clients match on. A text may name the opcode or the stack, but never depends on the node.
import { opcodeOf, stackFault } from './opcodes.ts'

const WORDS = {
  revert: 'execution reverted',
  'out of gas': 'out of gas',
  'invalid opcode': 'invalid opcode',
  'stack underflow': 'stack underflow',
  'stack overflow': 'stack limit reached',
  'invalid jump': 'invalid jump destination',
  'write protection': 'write protection',
  'return data out of bounds': 'return data out of bounds',
  'code storage out of gas': 'contract creation code storage out of gas',
  'code size': 'max code size exceeded',
  'initcode size': 'max initcode size exceeded',
  'invalid code': 'invalid code: must not begin with 0xef',
  'address collision': 'contract address collision',
  'insufficient balance': 'insufficient balance for transfer',
  'value overflow': 'value overflow',
  'call depth': 'max call depth exceeded',
  'nonce overflow': 'nonce uint64 overflow',
  precompile: 'precompile failed',
  /** A failure in an opcode that a proposal changed. */
  proposal: 'opcode failed',
  /** A failure that only the library's interpreter reports. */
  other: 'execution failed',
} as const

export type FailureCode = keyof typeof WORDS

export type Failure = {
  readonly code: FailureCode
  /** go-ethereum's text. */
  readonly message: string
}

const FAILURES = new Map(Object.entries(WORDS).map(([code, words]) => [code, { code, message: words } as Failure]))

/** A failure; `words`: a more specific text than the code's default. */
export function failureOf(code: FailureCode, words?: string): Failure {
  if (words !== undefined) return { code, message: words }
  return FAILURES.get(code) ?? { code, message: WORDS[code] }
}

/** The failure of an opcode; as in go-ethereum the text names an undefined opcode, or the height of the stack. */
export function opcodeFailure(code: FailureCode, opcode: number, items: number): Failure {
  if (code === 'invalid opcode') return failureOf(code, `invalid opcode: ${opcodeOf(opcode).name}`)
  if (code !== 'stack underflow' && code !== 'stack overflow') return failureOf(code)
  return failureOf(code, stackFault(opcodeOf(opcode), items))
}

/** A text that may enter the state: never that of a proposal's function or of the library. */
export const stableMessage = ({ code, message: words }: Failure): string =>
  code === 'proposal' || code === 'precompile' || code === 'other' ? WORDS[code] : words

export const isRevert = (failure: Failure | undefined): boolean => failure?.code === 'revert'
