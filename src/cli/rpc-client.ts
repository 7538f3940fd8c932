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
/** Milliseconds for one answer. A node that makes a block for a transaction answers after it. */
const ANSWER = 60_000
/** Milliseconds between looks for a receipt. */
const POLLING = 250

export type RpcClient = ReturnType<typeof connect>

function connect(url: string) {
  const client = createClient({ transport: http(url, { retryCount: 0, timeout: ANSWER }), pollingInterval: POLLING })
    .extend(publicActions)
    .extend(walletActions)
  return {
    /** viem's functions. */
    viem: client,
    /** Any method. Throws viem's errors. */
    request: (method: string, ...params: unknown[]): Promise<unknown> => requestOf(client)({ method, params }),
  }
}

// viem types the methods it knows; a node of ours has more.
const requestOf = (client: { request: unknown }) =>
  client.request as (of: { method: string; params: readonly unknown[] }) => Promise<unknown>

/** Does something with the node at a URL. Throws ChainError in the node's words. */
export async function withNode<T>(url: string, work: (node: RpcClient) => Promise<T>): Promise<T> {
  try {
    return await work(connect(url))
  } catch (error) {
    throw error instanceof BaseError ? inOneLine(error, url) : error
  }
}

/** The answer of a method, or undefined when the node does not offer it. */
export async function ifOffered(node: RpcClient, method: string, ...params: unknown[]): Promise<unknown> {
  try {
    return await node.request(method, ...params)
  } catch (error) {
    if (refusalOf(error)?.code === METHOD_NOT_FOUND) return undefined
    throw error
  }
}

const METHOD_NOT_FOUND = -32601

/** What the node itself said when it refused: its code and words. */
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
