// Messages between the node and the thread that runs clients' tracers. All of them survive structured cloning.
import type { MessagePort } from 'node:worker_threads'
import type { TraceTask } from '../chain/types.ts'
import type { EngineChoice } from '../evm/engine-selection.ts'
import type { ChainErrorCode } from '../lib/errors.ts'
import type { Block } from '../primitives/types.ts'
import type { CallLimits } from '../runtime/call.ts'
import type { TracerChoice } from '../runtime/tracing/tracers.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'

/** `workerData` of the thread. */
export type TracerThreadData = {
  readonly spec: ChainSpec
  readonly engine: EngineChoice
  /** Files of the users' opcode proposals (`--proposal`), which the thread loads itself. */
  readonly proposalFiles: readonly string[]
  readonly limits: CallLimits
  /** Receives the database rows that the thread requests. */
  readonly rows: MessagePort
  /** One Int32, the number of rows sent so far. The thread sleeps until it changes. */
  readonly rowCount: SharedArrayBuffer
}

export type TracerJob = {
  readonly id: number
  readonly task: TraceTask
  /** The pending block; undefined unless the task refers to it. */
  readonly pending: Block | undefined
  readonly choice: TracerChoice
  /** Milliseconds for each transaction. */
  readonly timeout: number
}

/** The result of a trace as JSON in UTF-8, or the error of its script. */
export type SerializedTrace = { readonly json: Uint8Array } | { readonly error: string }

/** The end of a job: traces (one list for the transaction or block, or one for each bundle of calls), or an error. */
export type TracerOutcome =
  | { readonly traces: readonly (readonly SerializedTrace[])[] }
  | { readonly code: ChainErrorCode | undefined; readonly message: string }

/** Messages of the thread: it requests a row, a script starts or ends, a job has ended. */
export type TracerReport =
  | { readonly kind: 'row-request'; readonly key: Uint8Array }
  | { readonly kind: 'script'; readonly isRunning: boolean }
  /** `isUnusable`: the thread must not be given another job. */
  | { readonly kind: 'done'; readonly id: number; readonly outcome: TracerOutcome; readonly isUnusable: boolean }
