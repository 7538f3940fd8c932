// ChainError: the one error that may cross a border. The list of codes is closed; each face maps a code outward
// in one table of its own (JSON-RPC number, HTTP status, revert data). Anything else that is thrown is a bug.
import type { Hex } from './hex.ts'

export type ChainErrorCode =
  /** The request itself is malformed: wrong type, wrong range, contradictory fields. */
  | 'invalid-params'
  /** A block that does not exist here was named. */
  | 'header-not-found'
  /** Anything else that was named and is not here (filter, account, snapshot). */
  | 'not-found'
  /** The transaction may not enter the pool or be executed; the message says why in geth's words. */
  | 'transaction-rejected'
  /** The call ran and reverted; `data` holds the revert bytes. */
  | 'execution-reverted'
  /** The call ran and failed otherwise (out of gas, invalid opcode, …). */
  | 'execution-failed'
  /** The node has no key for this account. */
  | 'unknown-account'
  /** A limit of this node was reached (time, size, count). */
  | 'limit-exceeded'
  /** The method exists but is switched off here. */
  | 'not-allowed'
  /** The genesis, a block or the data directory is not acceptable; the message names the field or number. */
  | 'invalid-genesis'
  | 'invalid-block'
  | 'storage'

export class ChainError extends Error {
  readonly code: ChainErrorCode
  /** Revert bytes or other machine-readable detail that the face passes on. */
  readonly data: Hex | undefined

  constructor(code: ChainErrorCode, message: string, data?: Hex) {
    super(message)
    this.name = 'ChainError'
    this.code = code
    this.data = data
  }
}
