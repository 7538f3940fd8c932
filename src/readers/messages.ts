// Messages between the node and its read threads. All of them survive structured cloning.
import type { PoolPolicy } from '../chain/pool-rules.ts'
import type { EngineChoice } from '../evm/engine-selection.ts'
import type { WorkLimits } from '../lib/work-queue.ts'
import type { RpcOptions, ThreadAnswer } from '../rpc/define.ts'
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
  /** Limits of heavy work for each thread. */
  readonly work: Partial<WorkLimits>
  readonly rpc: RpcOptions
  /** Memory of the `SharedHead`. */
  readonly head: SharedArrayBuffer
}

/** A request or batch as text. `connection` identifies the client's connection, `client` is its `clientOf`. */
export type Question = {
  readonly id: number
  readonly connection: number
  readonly client: string | undefined
  readonly text: string
}

/** To the thread: requests, or the closing of a connection, whose work may then end. */
export type ThreadOrder =
  | { readonly kind: 'questions'; readonly questions: readonly Question[] }
  | { readonly kind: 'closed'; readonly connection: number }

/** undefined: the node must answer the request itself. */
export type Reply = { readonly id: number; readonly answer: ThreadAnswer | undefined }

export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** From the thread: it is ready, answers, or a record for the node's log. */
export type ThreadReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly fields: unknown; readonly message: string | undefined }
