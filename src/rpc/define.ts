// What a JSON-RPC method is, and what it may use. A method is one exported const whose name is the wire name:
// adding an export to a file of `methods/` is all it takes.

import type { z } from 'zod'
import type { Chain, MinedLog } from '../chain/types.ts'
import type { BlockProducer } from '../consensus/block-producer.ts'
import type { LogQuery } from '../indexer/logs.ts'
import type { Address, Hash, Hex } from '../lib/hex.ts'
import type { Logger } from '../lib/log.ts'
import type { WorkQueue } from '../lib/work-queue.ts'
import type { Wallet } from '../wallet/wallet.ts'
import { type Read, readerOf, type Write, writerOf } from './compile.ts'
import type { LogFilter } from './shapes/filter.ts'
import type { TextBudget } from './text-budget.ts'

/** The index of logs by address and topic; `indexer/logs.ts` implements it. */
export interface LogIndex {
  /** Matching logs in the chain's order, those of one block at a time. */
  byBlock(query: LogQuery, caller?: AbortSignal): AsyncIterable<readonly MinedLog[]>
}

/** What a polling filter watches. */
export type FilterSource =
  | { readonly kind: 'blocks' }
  /** Hashes, or on request in full. */
  | { readonly kind: 'transactions'; readonly full?: boolean }
  | { readonly kind: 'logs'; readonly filter: LogFilter }

/** The polling filters of all clients; `filters.ts` implements it. Unknown ids throw `not-found` (`filter not found`). */
export interface Filters {
  /** Begins gathering from now on; what was before is not reported. */
  open(source: FilterSource): Hex
  source(id: Hex): FilterSource
  /** What came since the last call, as it goes on the wire. */
  changes(id: Hex): readonly unknown[]
  close(id: Hex): boolean
}

/** One WebSocket connection, as `eth_subscribe` sees it. */
export interface Subscriber {
  /**
   * Opens a subscription and returns its id. `start` attaches the listeners and returns what detaches them, which
   * runs at `close` or when the connection ends. `send` takes wire values; none is delivered before the id was.
   * Throws `limit-exceeded` when the connection has too many.
   */
  open(start: (send: (result: unknown) => void) => () => void): Hex
  /** False when this connection has no such subscription. */
  close(id: Hex): boolean
}

/** What development methods remember between requests. */
export type Development = {
  readonly impersonated: Set<Address>
  autoImpersonate: boolean
}

export type RpcOptions = {
  /** Opens the development methods (evm_, anvil_, hardhat_, …); the client version then begins with `anvil`. */
  readonly development: boolean
  /** Opens the testing_ methods. */
  readonly testing: boolean
  /** This program's version: `0.1.0`. */
  readonly version: string
  /** Bytes of a request body or WebSocket message. */
  readonly maxRequestSize: number
  /** Requests in a batch. */
  readonly maxBatch: number
  /** Characters of a batch's answers; requests beyond it are answered with an error. */
  readonly maxBatchAnswer: number
  /** Characters of large requests and of batches' answers that are in work, of all connections together. */
  readonly maxTextInWork: number
  /** Blocks asked of one eth_feeHistory. */
  readonly maxFeeHistory: number
  /** Subscriptions of one connection. */
  readonly maxSubscriptions: number
  /** Unsent bytes at which a connection that does not read is closed. */
  readonly maxUnsent: number
  /** Seconds between pings; a connection that misses one is closed. */
  readonly pingInterval: number
  /** Seconds eth_sendRawTransactionSync waits when the request does not say. */
  readonly syncTimeout: number
}

export const defaultRpcOptions: RpcOptions = {
  development: false,
  testing: false,
  version: '0.1.0',
  // go-ethereum's; three times a transaction of nine blobs.
  maxRequestSize: 5 * 1024 * 1024,
  maxBatch: 1000,
  maxBatchAnswer: 64 * 1024 * 1024,
  maxTextInWork: 256 * 1024 * 1024,
  maxFeeHistory: 1024,
  maxSubscriptions: 1000,
  maxUnsent: 64 * 1024 * 1024,
  pingInterval: 30,
  syncTimeout: 20,
}

/** Is told what becomes of every request; `monitoring/metrics.ts` implements it. */
export interface CallMeter {
  /** A call has ended. `method` is undefined where no open method has that name; `code` is its error's. */
  ended(method: string | undefined, began: number, code: number | undefined): void
  /** Something that is no request has been refused. */
  refused(code: number): void
}

/** What the node hands to this face. */
export type RpcServices = {
  readonly chain: Chain
  readonly producer: BlockProducer
  readonly index: LogIndex
  readonly wallet: Wallet
  readonly filters: Filters
  readonly development: Development
  /** The places of heavy methods; the explorer's are the same. */
  readonly queue: WorkQueue
  /** Left out: nothing is counted. `began` of its calls is what `performance.now()` was. */
  readonly meter?: CallMeter | undefined
  readonly options: RpcOptions
  readonly log: Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>
}

/** Everything a handler may use. */
export type RpcContext = RpcServices & {
  /** Every method there is, by wire name; gates are not yet applied. */
  readonly methods: ReadonlyMap<string, RpcMethod>
  /** Settles when a transaction's sender may be answered: while blocks are made at once, when one has taken it. */
  settled(transaction: Hash): Promise<void>
  /** The client is Hardhat's: a failed send may be answered with the error, as Hardhat's own node does (`hardhat.ts`). */
  readonly tellsFailures?: boolean
  /** Room for what is in work. */
  readonly texts: TextBudget
  /** The connection the request came over; undefined over HTTP. */
  readonly subscriber?: Subscriber
}

/** Methods behind a gate answer -32601 unless an option opens it. */
export type Gate = 'development' | 'testing'

type Params = readonly z.ZodType[]
type Arguments<P extends Params> = { -readonly [I in keyof P]: z.output<P[I]> }
/** A codec, or for the large shapes of the hot path a plain function to the wire value. */
type Result = z.ZodType | ((value: never) => unknown)
type Returned<R extends Result> = R extends z.ZodType ? z.output<R> : R extends (value: infer V) => unknown ? V : never

type Definition<P extends Params, R extends Result> = {
  readonly summary: string
  /** One schema per position. Trailing ones may be optional or have a default; JSON null counts as left out there. */
  readonly params: P
  /** What the parameters are called in the API's description, one name for each. */
  readonly names?: { readonly [I in keyof P]: string }
  readonly result: R
  readonly gate?: Gate
  /** Runs code, replays, searches or dumps: waits for a place in the queue. Such a method must not wait for a block. */
  readonly heavy?: boolean
  /** Pools a transaction and then awaits `settled`: in a batch it shares a block with the sends before and after it. */
  readonly sends?: boolean
  /** `caller` is aborted when the connection of the request is closed. */
  handler(args: Arguments<P>, context: RpcContext, caller: AbortSignal): Returned<R> | Promise<Returned<R>>
}

/** A method as the dispatcher calls it; the types of its values are settled inside. */
export type RpcMethod = {
  readonly summary: string
  readonly params: Params
  /** What the parameters are called. */
  readonly names: readonly string[]
  /** How many leading arguments have to be there. */
  readonly required: number
  readonly result: Result
  readonly gate: Gate | undefined
  readonly heavy: boolean
  readonly sends: boolean
  /** One for each of `params`, for what it takes. */
  readonly readers: readonly Read[]
  /** Runs the handler on decoded arguments and encodes what it returns. */
  invoke(args: readonly unknown[], context: RpcContext, caller: AbortSignal): Promise<unknown>
}

/** Makes a method of its definition; the handler's arguments and return value are typed by the schemas. */
export function rpcMethod<const P extends Params, R extends Result>(definition: Definition<P, R>): RpcMethod {
  const { summary, params, names = [], result, gate, heavy = false, sends = false } = definition
  const encode = typeof result === 'function' ? (result as Write) : writerOf(result)
  return {
    summary,
    params,
    names,
    required: params.findLastIndex((schema) => !schema.safeParse(undefined).success) + 1,
    result,
    gate,
    heavy,
    sends,
    readers: params.map(readerOf),
    // The dispatcher has parsed each argument with the schema at its position.
    invoke: async (args, context, caller) => encode(await definition.handler(args as Arguments<P>, context, caller)),
  }
}
