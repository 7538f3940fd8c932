// ChainError: the one error that may cross a border. The list of codes is closed; each face maps a code outward
// in one table of its own (JSON-RPC number, HTTP status, revert data). Anything else that is thrown is a bug.
import type { Hex } from './hex.ts'

export type ChainErrorCode =
  /** The request itself is malformed: wrong type, wrong range, contradictory fields. */
  | 'invalid-params'
  /** A block that does not exist here was named. */
  | 'header-not-found'
  /** The block is here, its state is not any more: it was pruned. */
  | 'state-not-available'
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
  /** More work is waiting than this node takes: the same request may succeed later. */
  | 'overloaded'
  /** The connection that asked was closed: nobody waits for the answer. */
  | 'cancelled'
  /** The method exists but is switched off here. */
  | 'not-allowed'
  /** The genesis, a block or the data directory is not acceptable; the message names the field or number. */
  | 'invalid-genesis'
  | 'invalid-block'
  | 'storage'
  /** The disk takes no writes (full, a fault, a limit of files). The store has logged it once for all that it refuses. */
  | 'disk-failure'

/**
 * `message` may become revert data, and so state: it holds words of this program and of the request, never those of a
 * library, of the JavaScript engine or of a user's module, which differ between nodes. Those go into `detail`.
 */
export class ChainError extends Error {
  readonly code: ChainErrorCode
  /** Revert bytes or other machine-readable detail that the face passes on. */
  readonly data: Hex | undefined
  /** What a person may want to know besides. It is logged or printed, and enters no block. */
  readonly detail: string | undefined

  constructor(code: ChainErrorCode, message: string, data?: Hex, detail?: string) {
    super(message)
    this.name = 'ChainError'
    this.code = code
    this.data = data
    this.detail = detail
  }
}

/**
 * The store could not be read. It is neither a refusal nor a fault of what was being run: no outcome of a transaction, a
 * call or a vote may be made of it, so whoever makes outcomes of errors throws it on.
 */
export class ReadFailure extends Error {}

/** Message and detail of an error, for a log line or a terminal; not for anything that enters a block. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const detail = error instanceof ChainError ? error.detail : undefined
  return detail === undefined ? error.message : `${error.message}: ${detail}`
}
