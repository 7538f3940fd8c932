// ChainError: the one error that a room may throw to another. The list of codes is closed, and each interface (JSON-RPC, REST,
// revert data) maps the codes to its own in one table. Anything else that is thrown is a bug.
import type { Hex } from './hex.ts'

export type ChainErrorCode =
  /** The request itself is malformed: wrong type, wrong range, contradictory fields. */
  | 'invalid-params'
  /** The request names a block that this node does not have. */
  | 'header-not-found'
  /** The block exists, but its state was pruned. */
  | 'state-not-available'
  /** The request names something else that this node does not have (filter, account, snapshot). */
  | 'not-found'
  /** The transaction may not enter the pool or be executed; the message is geth's. */
  | 'transaction-rejected'
  /** The call ran and reverted; `data` holds the revert bytes. */
  | 'execution-reverted'
  /** The call ran and failed otherwise (out of gas, invalid opcode, …). */
  | 'execution-failed'
  /** The node has no key for this account. */
  | 'unknown-account'
  /** A limit of this node was reached (time, size, count). */
  | 'limit-exceeded'
  /** Too many requests wait already: the same request may succeed later. */
  | 'overloaded'
  /** The client closed its connection before the answer was ready. */
  | 'cancelled'
  /** The method exists but is switched off here. */
  | 'not-allowed'
  /** The genesis, a block or the data directory is not acceptable; the message names the field or number. */
  | 'invalid-genesis'
  | 'invalid-block'
  | 'storage'
  /** The disk takes no writes (full, broken, too many open files). The store logs this once, not for every refused write. */
  | 'disk-failure'

/**
 * `message` may become revert data, and so part of the state. It must be the same on every node, so it is made of this
 * program's text and of the request. Text of a library, of the JavaScript engine or of a user's module goes into `detail`.
 */
export class ChainError extends Error {
  readonly code: ChainErrorCode
  /** Revert bytes or other machine-readable detail for the client. */
  readonly data: Hex | undefined
  /** More for a person to read. It is logged or printed and never enters a block. */
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
 * The store, or a part of the program, could not be read. This says nothing about the transaction, call or vote that was being
 * executed, so code that turns errors into outcomes must rethrow it.
 */
export class ReadFailure extends Error {}

/** The error that a border answers: the refusal behind a ReadFailure, if there is one. */
export const shownError = (error: unknown): unknown =>
  error instanceof ReadFailure && error.cause instanceof ChainError ? error.cause : error

/** Imports a part of the program that execution needs, at its first use. Throws ReadFailure. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    // The usual cause: the program's files were replaced while it ran.
    throw new ReadFailure('a part of the program cannot be loaded: restart the node', { cause })
  }
}

/**
 * This thread cannot give the answer, another one can: it depends on what only the main thread knows, such as the pool. It is
 * no refusal, so no code that turns errors into answers may catch it.
 */
export class AnswerElsewhere extends Error {}

/** Message and detail of an error for a log line or a terminal. Not for anything that enters a block. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const detail = error instanceof ChainError ? error.detail : undefined
  return detail === undefined ? error.message : `${error.message}: ${detail}`
}
