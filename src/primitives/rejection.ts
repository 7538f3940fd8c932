// The rule that a message or simulated block broke, for interfaces that number the rules (eth_simulateV1). The error's message is
// geth's.
import { ChainError, type ChainErrorCode } from '../lib/errors.ts'

export type BrokenRule =
  | 'nonce-too-low'
  | 'nonce-too-high'
  | 'fee-below-base-fee'
  | 'tip-above-fee'
  | 'intrinsic-gas'
  | 'insufficient-funds'
  | 'initcode-size'
  /** This rule and those below apply to simulated blocks only. */
  | 'block-gas-limit'
  | 'block-number-order'
  | 'block-timestamp-order'
  | 'too-many-blocks'
  | 'precompile-onto-itself'
  /** Rules without a number. */
  | 'other'

export class Rejection extends ChainError {
  readonly rule: BrokenRule

  constructor(words: string, rule: BrokenRule, code: ChainErrorCode = 'transaction-rejected') {
    super(code, words)
    this.rule = rule
  }
}
