// JSON-RPC of the node that serves the page. The name of a method determines the types of its parameters and result, from its
// schemas on the node (`src/rpc/methods`), of which only types are imported.
import type { Hex } from 'viem'
import type { z } from 'zod'
import type { RpcMethods } from '../src/rpc/methods/index.ts'
import type { Read } from './api.ts'

/** The chain's JSON-RPC endpoint, for wallets. */
export const RPC_URL = `${location.origin}/rpc`

type Method = keyof RpcMethods
type Positions<P extends readonly z.ZodType[]> = { -readonly [I in keyof P]: z.input<P[I]> }
/** A tuple, also without its optional last elements. */
type Shorter<T> = T extends unknown[]
  ? T | (T extends [...infer Init, infer Last] ? (undefined extends Last ? Shorter<Init> : never) : never)
  : never
export type Params<M extends Method> = Shorter<Positions<RpcMethods[M]['params']>>
export type Result<M extends Method> = RpcMethods[M]['result'] extends infer R
  ? R extends z.ZodType
    ? z.input<R>
    : R extends (value: never) => infer Wire
      ? Wire
      : never
  : never

/** An error of the node or a wallet: both follow EIP-1474 and EIP-1193. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

type Response = { result?: unknown; error?: { code: number; message: string; data?: unknown } }
type Request = { readonly method: string; readonly params?: readonly unknown[] }

/** Several requests in one message; returns results in order, with errors as values. */
async function send(requests: readonly Request[]): Promise<unknown[]> {
  if (requests.length === 0) return []
  const body = JSON.stringify(requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request })))
  const response = await fetch(RPC_URL, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers: unknown = await response.json()
  if (!Array.isArray(answers)) throw new Error(`The node answered with status ${response.status}.`)
  const byId = new Map<unknown, Response>(answers.map((answer) => [answer.id, answer]))
  return requests.map((_, id) => {
    const answer = byId.get(id)
    return answer?.error === undefined ? answer?.result : new RpcError(answer.error)
  })
}

/** One request of any method, in the form of EIP-1193. Throws RpcError. */
export async function request(of: Request): Promise<unknown> {
  const [result] = await send([of])
  if (result instanceof RpcError) throw result
  return result
}

/** A call of the node that has not been sent: for `useRead` and `rpcBatch`. */
export type Call<T> = Read<T> & Required<Request>

export function call<M extends Method>(method: M, ...params: Params<M>): Call<Result<M>> {
  // The type comes from the schema with which the node encodes the result.
  return {
    key: JSON.stringify([method, params]),
    method,
    params,
    load: async () => (await request({ method, params })) as Result<M>,
  }
}

/** Calls a method. Throws RpcError. */
export const rpc = <M extends Method>(method: M, ...params: Params<M>): Promise<Result<M>> =>
  call(method, ...params).load()

type Results<C extends readonly Call<unknown>[]> = {
  -readonly [I in keyof C]: C[I] extends Call<infer T> ? T | RpcError : never
}

/** Several calls in one message; returns results in order, with errors as values. */
export const rpcBatch = async <const C extends readonly Call<unknown>[]>(calls: C): Promise<Results<C>> =>
  (await send(calls.map(({ method, params }) => ({ method, params })))) as Results<C>

/** QUANTITY of JSON-RPC: `0x1f`. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

export const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
