// The refusal of a native call. Modules throw it, and precompiles answer it as revert data: Solidity's `Error(string)`.
import { ChainError } from '../lib/errors.ts'

/** `throw reverted(reason)`: undoes the call and keeps the unused gas. The reason is in the words of the Cosmos SDK or Evmos. */
export const reverted = (reason: string): ChainError => new ChainError('execution-reverted', reason)
