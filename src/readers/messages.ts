// Messages between the node and its read threads. All of them survive structured cloning.
import type { PoolPolicy } from '../chain/pool-rules.ts'
import type { EngineChoice } from '../evm/engine-selection.ts'
import type { SharedCountersData } from '../lib/shared-counters.ts'
import type { WorkLimits } from '../lib/work-queue.ts'
import type { CountedCalls } from '../monitoring/call-histogram.ts'
import type { FailedRequest, PrintingCall, RpcOptions, ThreadAnswer } from '../rpc/define.ts'
import type { SharedPort } from '../rpc/http/shared-port.ts'
import type { CallLimits } from '../runtime/call.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'

/** `workerData` of a read thread. */
export type ReadThreadData = {
  /** Folder of the database, which the node has opened as shared. */
  readonly directory: string
  readonly spec: ChainSpec
  readonly engine: EngineChoice
  /** Files of the users' opcode proposals (`--proposal`), which the thread loads itself. */
  readonly proposalFiles: readonly string[]
  readonly limits: CallLimits
  readonly pool: PoolPolicy
  readonly slotsInAnEpoch?: number | undefined
  /** Limits of heavy work for each thread. */
  readonly work: Partial<WorkLimits>
  readonly rpc: RpcOptions
  /** Memory of the `SharedHead`. */
  readonly head: SharedArrayBuffer
  readonly counters: SharedCountersData
  /** undefined: the thread accepts no connections. */
  readonly port: SharedPort | undefined
}

/** A request or batch as text. `connection` identifies the client's connection, `client` is its `clientOf`. */
export type Question = {
  readonly id: number
  readonly connection: number
  readonly client: string | undefined
  readonly text: string
}

/** undefined: the asker must answer the request itself. */
export type Reply = { readonly id: number; readonly answer: ThreadAnswer | undefined }

/** In both directions (`exchange.ts`): requests, the closing of a connection, whose work may then end, and answers. */
export type ExchangeMessage =
  | { readonly kind: 'questions'; readonly questions: readonly Question[] }
  | { readonly kind: 'closed'; readonly connection: number }
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }

/**
 * To the thread. `retire`: close connections after their next response. `leave`: stop listening; `isClosing`: end the
 * connections too. `suspend`: close the database until `resume`. `count`: tell the calls since the last time.
 */
export type ThreadOrder =
  | ExchangeMessage
  | { readonly kind: 'retire' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'count' }
  | { readonly kind: 'leave'; readonly isClosing: boolean }

export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** From the thread: it is ready, has done what it was ordered to, has something to report, or a record for the node's log. */
export type ThreadReport =
  | ExchangeMessage
  | { readonly kind: 'ready' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'left' }
  | { readonly kind: 'counted'; readonly counts: CountedCalls }
  | { readonly kind: 'failed'; readonly request: FailedRequest }
  | { readonly kind: 'printed'; readonly call: PrintingCall }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly fields: unknown; readonly message: string | undefined }
