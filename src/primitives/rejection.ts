// Which rule a message broke, for faces that number the rules (eth_simulateV1); everyone else reads geth's words.
import { ChainError, type ChainErrorCode } from '../lib/errors.ts'

export type BrokenRule =
  | 'nonce-too-low'
  | 'nonce-too-high'
  | 'fee-below-base-fee'
  | 'tip-above-fee'
  | 'intrinsic-gas'
  | 'insufficient-funds'
  | 'initcode-size'
  /** Of simulated blocks only. */
  | 'block-gas-limit'
  | 'block-number-order'
  | 'block-timestamp-order'
  | 'too-many-blocks'
  | 'precompile-onto-itself'
  /** All that nobody numbers. */
  | 'other'

export class Rejection extends ChainError {
  readonly rule: BrokenRule

  constructor(words: string, rule: BrokenRule, code: ChainErrorCode = 'transaction-rejected') {
    super(code, words)
    this.rule = rule
  }
}
