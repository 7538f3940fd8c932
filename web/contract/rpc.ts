// JSON-RPC of the node that serves the page, and what went wrong in the words of a contract.
import { type Abi, decodeErrorResult, type Hex } from 'viem'

/** The chain's JSON-RPC endpoint, as wallets need it. */
export const RPC_URL = `${location.origin}/rpc`

/** An error answer, of the node or of a wallet: both follow EIP-1474 and EIP-1193. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } }
type Request = { readonly method: string; readonly params: readonly unknown[] }

/** Several requests in one message; answers in their order, errors as values. */
export async function rpcBatch(requests: readonly Request[]): Promise<unknown[]> {
  if (requests.length === 0) return []
  const body = JSON.stringify(requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request })))
  const response = await fetch(RPC_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers: unknown = await response.json()
  if (!Array.isArray(answers)) throw new Error(`The node answered with status ${response.status}.`)
  const byId = new Map<unknown, Answer>(answers.map((answer) => [answer.id, answer]))
  return requests.map((_, id) => {
    const answer = byId.get(id)
    return answer?.error === undefined ? answer?.result : new RpcError(answer.error)
  })
}

/** One request. Throws RpcError. */
export async function rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
  const [result] = await rpcBatch([{ method, params }])
  if (result instanceof RpcError) throw result
  return result
}

/** Quantity of JSON-RPC: `0x1f`. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

export const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)

/** Revert data within an error: wallets wrap the node's error, each in its own way. */
function revertData(error: unknown, depth = 0): Hex | undefined {
  if (isHex(error)) return error.length >= 10 ? error : undefined
  if (typeof error !== 'object' || error === null || depth > 4) return undefined
  for (const name of ['data', 'originalError', 'error', 'cause']) {
    const found = revertData(Reflect.get(error, name), depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

const PANICS: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'an arithmetic operation overflowed',
  '18': 'a division by zero',
  '33': 'a value is not one of its enum',
  '50': 'an index is out of bounds',
  '65': 'too much memory was asked for',
}

/** What went wrong, in words: the contract's own error with its values if the ABI has it. */
export function describeError(error: unknown, abi: Abi = []): string {
  const data = revertData(error)
  const decoded = data === undefined ? undefined : decodedError(data, abi)
  if (decoded !== undefined) return decoded
  const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  if (code === 4001) return 'The request was refused in the wallet.'
  const message = error instanceof Error ? error.message : messageOf(error)
  return data === undefined ? message : `${message} (${data})`
}

const messageOf = (error: unknown): string => {
  const message = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : undefined
  return typeof message === 'string' ? message : String(error)
}

function decodedError(data: Hex, abi: Abi): string | undefined {
  try {
    const { errorName, args = [], abiItem } = decodeErrorResult({ abi, data })
    const values: readonly unknown[] = args
    if (errorName === 'Error') return `Reverted: ${values[0]}`
    if (errorName === 'Panic') return `Reverted: ${PANICS[String(values[0])] ?? `panic ${values[0]}`}`
    return `Reverted: ${errorName}(${values.map((value, i) => named(abiItem, i, value)).join(', ')})`
  } catch {
    // The ABI does not have this error.
    return undefined
  }
}

function named(item: Abi[number], position: number, value: unknown): string {
  const name = 'inputs' in item ? item.inputs?.[position]?.name : undefined
  const text = plainText(value)
  return name ? `${name}: ${text}` : text
}

/** A decoded value as one line of text. */
export const plainText = (value: unknown): string =>
  typeof value === 'object'
    ? JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner))
    : String(value)
