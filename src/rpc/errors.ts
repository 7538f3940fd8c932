// Errors on the wire: the table from a ChainError's code to a JSON-RPC error code, and reverts in geth's words. Any other error
// is a bug of this program: the client gets `internal error`, the log gets everything.
import type { RevertWords } from '../contracts/words.ts'
import { ChainError, type ChainErrorCode, ReadFailure, shownError } from '../lib/errors.ts'
import { type Address, fromHex, toHex } from '../lib/hex.ts'

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
/** geth's code for a batch whose answers exceed the limit. */
export const RESPONSE_TOO_LARGE = -32003
export const LIMIT_EXCEEDED = -32005

export type WireError = { readonly code: number; readonly message: string; readonly data?: unknown }

const CODES: Readonly<Record<ChainErrorCode, number>> = {
  'invalid-params': INVALID_PARAMS,
  'header-not-found': -32000,
  'state-not-available': -32000,
  'not-found': -32000,
  'transaction-rejected': -32000,
  'execution-reverted': 3,
  'execution-failed': -32000,
  'unknown-account': -32000,
  'limit-exceeded': LIMIT_EXCEEDED,
  overloaded: LIMIT_EXCEEDED,
  cancelled: -32000,
  'not-allowed': METHOD_NOT_FOUND,
  'invalid-genesis': -32000,
  'invalid-block': -32000,
  storage: INTERNAL_ERROR,
  'disk-failure': INTERNAL_ERROR,
}

/** An error whose code the specification of a method prescribes (eth_simulateV1's -38xxx, EIP-7966's 4). */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

/** Whether an operator must know of the error: a bug, or a broken database. */
export function isFault(thrown: unknown): boolean {
  const error = shownError(thrown)
  return !(error instanceof RpcError || error instanceof ChainError) || error.code === 'storage'
}

/** The error as the client gets it; undefined for bugs, whose messages it must not see. */
export function wireError(thrown: unknown): WireError | undefined {
  const error = shownError(thrown)
  if (error instanceof RpcError) return withData(error.code, error.message, error.data)
  if (error instanceof ReadFailure) return { code: INTERNAL_ERROR, message: error.message }
  if (!(error instanceof ChainError)) return undefined
  return withData(CODES[error.code], error.message, error.data)
}

/** Maximum characters of a message, which may quote the request. */
const MAX_MESSAGE = 4096

function withData(code: number, text: string, data: unknown): WireError {
  const message = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text
  return data === undefined ? { code, message } : { code, message, data }
}

export const internalError: WireError = { code: INTERNAL_ERROR, message: 'internal error' }

// --- reverts

/** The error of a call that reverted with this data: `execution reverted`, with the reason if there are words for it. */
export const revertError = (data: Uint8Array, reason: string | undefined): ChainError =>
  new ChainError(
    'execution-reverted',
    reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`,
    toHex(data),
  )

/**
 * The error of a failed estimate: a revert with its reason, any other error unchanged. A revert without data has code -32000,
 * as in geth, and not 3, which clients distinguish.
 */
export async function estimateError(
  error: unknown,
  to: Address | null | undefined,
  words: RevertWords,
): Promise<unknown> {
  if (!(error instanceof ChainError) || error.code !== 'execution-reverted') return error
  const { data = '0x' } = error
  if (data === '0x') return new ChainError('execution-failed', 'execution reverted')
  return revertError(fromHex(data), await words(fromHex(data), to))
}
