// The definition of a JSON-RPC method, and the context that its handler gets. To add a method, export a const from a file of
// `methods/`: its name is the name on the wire.
import type { z } from 'zod'
import type { Forking, ForkTarget } from '../chain/fork.ts'
import type { Chain } from '../chain/types.ts'
import type { BlockProducer } from '../consensus/block-producer.ts'
import type { NetworkStatus } from '../consensus/network-status.ts'
import type { KnownContracts } from '../contracts/abi.ts'
import type { RevertWords } from '../contracts/words.ts'
import type { Budget } from '../lib/budget.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address, Hash, Hex } from '../lib/hex.ts'
import type { Logger } from '../lib/log.ts'
import type { KeyedMutex } from '../lib/mutex.ts'
import type { SharedCounters } from '../lib/shared-counters.ts'
import type { WorkQueue } from '../lib/work-queue.ts'
import type { CallRequest, SentMessages } from '../runtime/types.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { JsonChunk } from './chunked-json.ts'
import { bool, type Encode, encoderOf } from './codec.ts'
import type { DevelopmentTimeline } from './development-timeline.ts'
import type { WireError } from './errors.ts'
import type { GcStatistics } from './gc-statistics.ts'
import type { LogIndex, LogSearch } from './log-search.ts'
import type { LogFilter } from './shapes/log-filter.ts'

/** The events that a polling filter reports. */
export type FilterSource =
  | { readonly kind: 'blocks' }
  /** Hashes, or transactions in full. */
  | { readonly kind: 'transactions'; readonly full?: boolean }
  | { readonly kind: 'logs'; readonly filter: LogFilter }

/**
 * The polling filters of all clients; `notifications/polling-filters.ts` implements it. Unknown ids throw `not-found`
 * (`filter not found`).
 */
export interface Filters {
  /**
   * Opens a filter for events from now on, and returns its id. Throws `limit-exceeded` when there are too many, of all clients or
   * of this one (`clientOf`).
   */
  open(source: FilterSource, client?: string): Hex
  source(id: Hex): FilterSource
  /** The events since the last call, as wire values. */
  changes(id: Hex): readonly unknown[]
  /** False when there is no such filter. */
  close(id: Hex): boolean
}

/** One WebSocket connection, as `eth_subscribe` sees it. */
export interface Subscriber {
  /**
   * Opens a subscription and returns its id. `start` adds the listeners and returns a function that removes them, which is
   * called by `close` or when the connection ends. `send` takes wire values; the client gets the id before the first of them.
   * `places`: the subscription's share of the places of all subscriptions. Throws `limit-exceeded` when the connection, its
   * client or all clients together have too many.
   */
  open(start: (send: (result: unknown) => void) => () => void, places?: number): Hex
  /** False when this connection has no such subscription. */
  close(id: Hex): boolean
}

/** State of the development methods. */
export type DevelopmentState = {
  readonly impersonated: Set<Address>
  autoImpersonate: boolean
  /** What was done, for the development page; left out: it is not kept. */
  readonly timeline?: DevelopmentTimeline | undefined
}

export type RpcOptions = {
  /** Enables the development methods (evm_, anvil_, hardhat_, …); the client version then begins with `anvil`. */
  readonly development: boolean
  /** Enables the testing_ methods. */
  readonly testing: boolean
  /** Enables the check of the native modules' invariants, which reads the whole state. */
  readonly audit: boolean
  /** This program's version: `0.1.0`. */
  readonly version: string
  /** Bytes of a request body or WebSocket message. */
  readonly maxRequestSize: number
  /** Requests in a batch. */
  readonly maxBatch: number
  /** Characters of a batch's answers; requests beyond it are answered with an error. */
  readonly maxBatchAnswer: number
  /** Characters that the large requests and batch answers of all connections may take together. */
  readonly maxTextInWork: number
  /** Blocks of one eth_feeHistory. */
  readonly maxFeeHistory: number
  /** Subscriptions of one connection. */
  readonly maxSubscriptions: number
  /** A WebSocket with more unsent bytes than this is closed: its client does not read. */
  readonly maxUnsent: number
  /** Seconds between pings; a connection that has not answered one by the next is closed. */
  readonly pingInterval: number
  /** Seconds that eth_sendRawTransactionSync waits by default, and at most. */
  readonly syncTimeout: number
}

export const defaultRpcOptions: RpcOptions = {
  development: false,
  testing: false,
  audit: false,
  version: '0.1.0',
  // As in go-ethereum: about three transactions with nine blobs each.
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

/** For a failed request to the consensus engine: returns a value in place of its refusal. Bugs of this program are rethrown. */
export const otherwise =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof ChainError) return value
    throw error
  }

/** Whether a network's consensus engine decides the chain's blocks. */
export const isNetwork = ({ chain, network }: Pick<RpcServices, 'chain' | 'network'>): boolean =>
  network !== undefined || chain.spec.native?.consensus !== undefined

/**
 * The options in effect: in a network, methods that make blocks or change the state are closed, because its nodes agree on
 * both. Invariants may be checked there, and in development.
 */
export const effectiveOptions = (services: Pick<RpcServices, 'options' | 'chain' | 'network'>): RpcOptions =>
  isNetwork(services)
    ? { ...services.options, development: false, testing: false, audit: true }
    : { ...services.options, audit: services.options.development }

/** Counts the calls; `monitoring/metrics.ts` implements it. */
export interface CallMeter {
  /**
   * A call has ended. `method`: undefined when no enabled method has that name. `began`: `performance.now()` at its start.
   * `code`: the code of its error.
   */
  ended(method: string | undefined, began: number, code: number | undefined): void
  /** A message that is not a valid request was refused with this error code. */
  refused(code: number): void
}

/** A read thread's answer to a request or batch. */
export type ThreadAnswer = {
  /** undefined: no answer is due. */
  readonly chunks: readonly JsonChunk[] | undefined
  readonly calls: readonly AnsweredCall[]
}

/** For the meter: a call, its duration in milliseconds, and the code of its error. */
export type AnsweredCall = {
  readonly method: string | undefined
  readonly time: number
  readonly code: number | undefined
}

/** Threads that answer requests of `committed` methods; `readers/` implements it. */
export interface Readers {
  /**
   * A thread's answer to a request or batch. undefined, at once or later: the caller must answer. Rejects when the thread dies.
   * Aborting `signal` ends the work. `isIdle`: whether no other heavy call runs in the caller's thread.
   */
  answer(text: string, signal: AbortSignal, isIdle: boolean): Promise<ThreadAnswer | undefined> | undefined
  /** A connection has sent a request that a thread could answer. */
  noticeRead(signal: AbortSignal): void
  /** Names who is told of the requests that threads answer. */
  reportTo(reports: RequestReports): void
}

/** A request that was answered with an error. */
export type FailedRequest = { readonly method: string; readonly params: unknown; readonly error: WireError }

/** A call in which contracts have called the console. */
export type PrintingCall = {
  readonly method: string
  readonly call: Pick<CallRequest, 'from' | 'to' | 'value' | 'data'>
  readonly messages: SentMessages
}

/** Who is told of requests; `request-reports.ts` writes it to the log. */
export interface RequestReports {
  failed(request: FailedRequest): void
  printed(call: PrintingCall): void
}

/** Begins the chain anew as a fork, or asks another server of the forked chain. */
export type Reforking = {
  restart(target: ForkTarget): Promise<void>
  connect: Forking['connect']
}

/** The parts of the node that JSON-RPC uses. */
export type RpcServices = {
  readonly chain: Chain
  readonly producer: BlockProducer
  /** The status of a network's node from its consensus engine; undefined on a chain of one node. */
  readonly network?: NetworkStatus | undefined
  readonly index: LogIndex
  readonly wallet: Wallet
  readonly filters: Filters
  readonly development: DevelopmentState
  /** Limits how many heavy methods run at a time, together with the explorer's heavy requests. */
  readonly queue: WorkQueue
  /** undefined: calls are not counted. */
  readonly meter?: CallMeter | undefined
  /** undefined: the main thread answers everything. */
  readonly readers?: Readers | undefined
  /** Forks other chains for development methods; left out: they are refused. */
  readonly forking?: Reforking | undefined
  /** What is known of contracts, for errors in words; left out: nothing. */
  readonly contracts?: KnownContracts
  /** Left out: `contracts` has them. */
  readonly revertWords?: RevertWords
  /** Who is told of failed requests and of what contracts print; left out: the log. */
  readonly reports?: RequestReports
  /** Whether this is a thread that answers `committed` methods only; requests of others throw AnswerElsewhere. */
  readonly committedOnly?: boolean
  /** Of the process, if more of its threads answer requests. */
  readonly counters?: SharedCounters | undefined
  readonly options: RpcOptions
  readonly log: Pick<Logger, 'error' | 'warn' | 'info' | 'debug'>
}

/** Everything that a handler may use. `plugin.ts` makes one for each node. */
export type RpcContext = RpcServices & {
  /** All methods by wire name, including those behind a closed gate. */
  readonly methods: ReadonlyMap<string, RpcMethod>
  /** Settles when the sender of a pooled transaction may be answered: with automine, when a block has taken it. */
  settled(transaction: Hash): Promise<void>
  /** Whether failed sends are answered with their error, as Hardhat's client expects (`sends/hardhat-client.ts`). */
  readonly reportsFailedSends?: boolean
  readonly revertWords: RevertWords
  readonly textBudget: Budget
  /** Places of the subscriptions of all WebSockets. */
  readonly subscriptions: Budget
  readonly logSearch: LogSearch
  /** One send at a time for each account that this node signs for. */
  readonly sendLocks: KeyedMutex<Address>
  /** The OpenRPC document of the enabled methods. */
  readonly openRpc: () => Readonly<Record<string, unknown>>
  readonly gcStatistics: GcStatistics
  readonly reports: RequestReports
  /** The WebSocket of the request; undefined over HTTP. */
  readonly subscriber?: Subscriber
}

/** Methods behind a gate answer -32601 (method not found) unless the option of this name is set. */
export type Gate = 'development' | 'testing' | 'audit'

type Params = readonly z.ZodType[]
type Arguments<P extends Params> = { -readonly [I in keyof P]: z.output<P[I]> }
/** A codec; or a plain function to the wire value, for large results of frequently called methods. */
type Result = z.ZodType | ((value: never) => unknown)
type Returned<R extends Result> = R extends z.ZodType ? z.output<R> : R extends (value: infer V) => unknown ? V : never

type Definition<P extends Params, R extends Result> = {
  readonly summary: string
  /** One schema for each position. Trailing ones may be optional or have a default: then JSON null counts as left out. */
  readonly params: P
  /** Names of the parameters in the OpenRPC document. */
  readonly names?: { readonly [I in keyof P]: string }
  readonly result: R
  readonly gate?: Gate
  /** Runs code, replays, searches or dumps: waits for a slot in the work queue. Such a method must not wait for a block. */
  readonly heavy?: boolean
  /**
   * The answer depends only on committed blocks and states and on the arguments, so that a read thread may give it; for the
   * block `pending` the thread passes the request back.
   */
  readonly committed?: boolean
  /** Changes something beside the state and the blocks, as the clock: the development page shows the call. */
  readonly noted?: boolean
  /** Pools a transaction and then awaits `settled`. In a batch it shares a block with the sends before and after it. */
  readonly sends?: boolean
  /** `signal` is aborted when the connection of the request is closed. */
  handler(args: Arguments<P>, context: RpcContext, signal: AbortSignal): Returned<R> | Promise<Returned<R>>
}

/** A method as the dispatcher calls it. Its schemas type the calls of the pages (`web/rpc.ts`). */
export type RpcMethod<P extends Params = Params, R extends Result = Result> = {
  readonly summary: string
  readonly params: P
  readonly names: readonly string[]
  /** Number of leading arguments that a request must have. */
  readonly required: number
  readonly result: R
  readonly gate: Gate | undefined
  readonly heavy: boolean
  readonly committed: boolean
  readonly sends: boolean
  readonly noted: boolean
  /** Runs the handler on decoded arguments and encodes its result. */
  invoke(args: readonly unknown[], context: RpcContext, signal: AbortSignal): Promise<unknown>
}

/** Makes a method of its definition. The schemas give the types of the handler's arguments and result. */
export function rpcMethod<const P extends Params, R extends Result>(definition: Definition<P, R>): RpcMethod<P, R> {
  const { summary, params, names = [], result, gate } = definition
  const { heavy = false, committed = false, sends = false, noted = false } = definition
  const encode = typeof result === 'function' ? (result as Encode) : encoderOf(result)
  return {
    summary,
    params,
    names,
    required: params.findLastIndex((schema) => !schema.safeParse(undefined).success) + 1,
    result,
    gate,
    heavy,
    committed,
    sends,
    noted,
    // The dispatcher has decoded each argument with the schema at its position.
    invoke: async (args, context, signal) => encode(await definition.handler(args as Arguments<P>, context, signal)),
  }
}

/** The same method under another name, answering true instead of null, as Hardhat and Ganache do. */
export const answeringTrue = <P extends Params>(method: RpcMethod<P>): RpcMethod<P, typeof bool> => ({
  ...method,
  result: bool,
  async invoke(args, context, signal) {
    await method.invoke(args, context, signal)
    return true
  },
})
