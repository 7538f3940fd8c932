// Checks one rule of block validity. Every refusal of a block goes through it.
import { ChainError } from '../lib/errors.ts'

/** Throws ChainError `invalid-block` with the reason unless the rule holds. */
export function requireBlockRule(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new ChainError('invalid-block', reason)
}
