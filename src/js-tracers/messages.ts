// Messages between the node and the thread that runs clients' tracers. All of them survive structured cloning.
import type { MessagePort } from 'node:worker_threads'
import type { TraceTask } from '../chain/types.ts'
import type { EngineChoice } from '../evm/machine-options.ts'
import type { ChainErrorCode } from '../lib/errors.ts'
import type { Block } from '../primitives/types.ts'
import type { CallLimits } from '../runtime/call.ts'
import type { TracerChoice } from '../runtime/tracing/tracers.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'

/** The settings of the thread. */
export type ThreadData = {
  readonly spec: ChainSpec
  readonly engine: EngineChoice
  /** Modules with the users' opcode proposals, as `--proposal` names them; the thread loads them itself. */
  readonly proposalFiles: readonly string[]
  readonly limits: CallLimits
  /** Rows that it asks for come here. */
  readonly answers: MessagePort
  /** One Int32: how many rows have been sent; the thread sleeps on it. */
  readonly answered: SharedArrayBuffer
}

export type Job = {
  readonly id: number
  readonly task: TraceTask
  /** The pending block of this job; undefined where the task does not name it. */
  readonly pending: Block | undefined
  readonly choice: TracerChoice
  /** Milliseconds for each transaction. */
  readonly timeout: number
}

/** A trace with its result as JSON in UTF-8, or how its script has failed. */
export type WrittenTrace = { readonly json: Uint8Array } | { readonly error: string }

/** How a job has ended: traces of the transaction, of the block's transactions, or of each bundle's calls. */
export type Outcome =
  | { readonly traces: readonly (readonly WrittenTrace[])[] }
  | { readonly code: ChainErrorCode | undefined; readonly message: string }

/** Messages of the thread: the key of a row that it needs, that a script begins or ends, or how a job ended. */
export type Report =
  | { readonly kind: 'row'; readonly key: Uint8Array }
  | { readonly kind: 'watched'; readonly isRunning: boolean }
  /** `isSpent`: the thread must not be used again. */
  | { readonly kind: 'done'; readonly id: number; readonly outcome: Outcome; readonly isSpent: boolean }
