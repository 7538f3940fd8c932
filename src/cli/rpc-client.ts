// JSON-RPC over HTTP to a running node, for commands. Every failure becomes a one-line error, with the contract's revert
// reason if there is one.
import {
  BaseError,
  createClient,
  HttpRequestError,
  http,
  publicActions,
  RpcRequestError,
  TimeoutError,
  walletActions,
} from 'viem'
import { ChainError } from '../lib/errors.ts'
import type { Hex } from '../lib/hex.ts'

export const DEFAULT_RPC_URL = 'http://127.0.0.1:8545/rpc'
/** Milliseconds to wait for a response. A node may build a block before it responds to a transaction. */
const RESPONSE_TIMEOUT = 60_000
/** Milliseconds between requests for a receipt. */
const POLLING = 250

export type RpcClient = ReturnType<typeof connect>

function connect(url: string) {
  const client = createClient({
    transport: http(url, { retryCount: 0, timeout: RESPONSE_TIMEOUT }),
    pollingInterval: POLLING,
  })
    .extend(publicActions)
    .extend(walletActions)
  return {
    /** viem's functions. */
    viem: client,
    /** Any method. Throws viem's errors. */
    request: (method: string, ...params: unknown[]): Promise<unknown> => requestOf(client)({ method, params }),
  }
}

// viem's types list only the methods that it knows.
const requestOf = (client: { request: unknown }) =>
  client.request as (of: { method: string; params: readonly unknown[] }) => Promise<unknown>

/** Runs `work` with a client of the node at a URL. Throws ChainError with the node's message. */
export async function withNode<T>(url: string, work: (node: RpcClient) => Promise<T>): Promise<T> {
  try {
    return await work(connect(url))
  } catch (error) {
    throw error instanceof BaseError ? inOneLine(error, url) : error
  }
}

/** The result of a method; undefined when the node does not have it. */
export async function ifOffered(node: RpcClient, method: string, ...params: unknown[]): Promise<unknown> {
  try {
    return await node.request(method, ...params)
  } catch (error) {
    if (refusalOf(error)?.code === METHOD_NOT_FOUND) return undefined
    throw error
  }
}

const METHOD_NOT_FOUND = -32601

/** The JSON-RPC error that the node returned; undefined for other errors. */
export function refusalOf(error: unknown): { code: number; message: string; data: Hex | undefined } | undefined {
  const found = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : undefined
  if (!(found instanceof RpcRequestError)) return undefined
  return {
    code: found.code,
    message: found.details,
    data: typeof found.data === 'string' ? (found.data as Hex) : undefined,
  }
}

function inOneLine(error: BaseError, url: string): ChainError {
  const refusal = refusalOf(error)
  if (refusal !== undefined) {
    const { message, data } = refusal
    const reason = message.replace(/^execution reverted:? ?/, '')
    return new ChainError('execution-reverted', reason === '' ? 'the call reverted without a reason' : reason, data)
  }
  const isThere = (kind: typeof HttpRequestError | typeof TimeoutError) =>
    error.walk((cause) => cause instanceof kind) !== null
  if (isThere(TimeoutError)) return new ChainError('limit-exceeded', `the node at ${url} took too long to answer`)
  if (isThere(HttpRequestError))
    return new ChainError('not-found', `no node answers at ${url}; \`kestrel start\` runs one, --rpc-url names another`)
  return new ChainError('execution-failed', error.shortMessage)
}
