// The interface of a tracer: it observes one message, from before its gas is bought until its fees are paid, and returns a trace
// as JSON values.
import type { Machine } from '../../evm/machine.ts'
import type { MessageTracer } from '../../evm/tracer.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import type { TransactionMessage } from '../../primitives/types.ts'
import type { StateView } from '../../state/types.ts'
import type { BlockEnv } from '../block-env.ts'
import type { MessageResult } from '../execute-message.ts'

/** The message to trace and its context. The message has not changed the machine's view yet. */
export type TraceContext = {
  readonly machine: Machine
  readonly env: BlockEnv
  readonly message: TransactionMessage
  /** The account that receives the fees. */
  readonly feeRecipient: Address
  /** The transaction's block and index; undefined for a call. */
  readonly position: TransactionPosition | undefined
}

/** A mined transaction's block and index. */
export type TransactionPosition = {
  readonly blockHash: Hash
  readonly blockNumber: bigint
  readonly transactionHash: Hash
  readonly index: number
}

/**
 * An error of a client's tracer, with go-ethereum's message for the failing function. In a trace of a block it is the result of
 * one transaction; the others have theirs.
 */
export class ScriptFailure extends ChainError {
  constructor(message: string) {
    super('execution-failed', message)
  }
}

/** The part of a result that traces show. */
export type TraceOutcome = Pick<MessageResult, 'gasUsed' | 'returnData' | 'error'>

/** Traces one transaction or call; each needs a new tracer. */
export interface Tracer extends MessageTracer {
  /** Whether it needs only what the recording of a block has (`recorded-block.ts`). */
  readonly readsRecording?: boolean
  start?(context: TraceContext): void
  /** The trace as a JSON value, or a promise of it. Throws ScriptFailure. */
  result(outcome: TraceOutcome): unknown
}

/** The context of a recorded transaction. */
export type RecordedContext = Omit<TraceContext, 'machine'> & {
  readonly machine: Pick<Machine, 'isPrecompile'> & {
    readonly view: Pick<StateView, 'transactionDiff' | 'codeWith'>
  }
}

/** A tracer that may be played a recording. */
export interface RecordedTracer extends Tracer {
  start?(context: RecordedContext): void
}

export const readsRecording = (tracer: Tracer): tracer is RecordedTracer => tracer.readsRecording === true
