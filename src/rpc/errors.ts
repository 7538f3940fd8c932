// Errors on the wire: the one table from a ChainError's code to a JSON-RPC number.
// Anything that is no ChainError is a bug: the client learns nothing of it, the log everything.
import { ChainError, type ChainErrorCode, ReadFailure } from '../lib/errors.ts'
import type { Hex } from '../lib/hex.ts'

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
/** geth's number for a batch whose answers outgrew the limit. */
export const RESPONSE_TOO_LARGE = -32003
export const LIMIT_EXCEEDED = -32005

export type WireError = { readonly code: number; readonly message: string; readonly data?: Hex }

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

/** An error whose number a method's own specification prescribes (eth_simulateV1's -38xxx, EIP-7966's 4). */
export class RpcError extends Error {
  readonly code: number
  readonly data: Hex | undefined

  constructor(code: number, message: string, data?: Hex) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

/** Whether the error belongs in the log as one: a bug, or storage that is broken. */
export const isFault = (error: unknown): boolean =>
  !(error instanceof RpcError || error instanceof ChainError) || error.code === 'storage'

/** What the client is told; undefined for what it must not see. Messages about storage name no path. */
export function wireError(error: unknown): WireError | undefined {
  if (error instanceof RpcError) return withData(error.code, error.message, error.data)
  if (error instanceof ReadFailure) return { code: INTERNAL_ERROR, message: error.message }
  if (!(error instanceof ChainError)) return undefined
  return withData(CODES[error.code], error.message, error.data)
}

/** Messages may quote what the client sent; they are cut where nobody reads on. */
const LONGEST_MESSAGE = 4096

function withData(code: number, words: string, data: Hex | undefined): WireError {
  const message = words.length > LONGEST_MESSAGE ? `${words.slice(0, LONGEST_MESSAGE)}…` : words
  return data === undefined ? { code, message } : { code, message, data }
}

export const internalError: WireError = { code: INTERNAL_ERROR, message: 'internal error' }
