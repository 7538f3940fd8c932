// The one form in which a block is refused: a rule that must hold, and what to say when it does not.
import { ChainError } from '../lib/errors.ts'

/** Throws ChainError `invalid-block` with the reason unless the rule holds. */
export function check(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new ChainError('invalid-block', reason)
}
