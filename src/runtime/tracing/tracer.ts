// What a tracer is to the rooms above: it watches one message from before its gas is bought until its fees are paid,
// and then answers in JSON values.
import type { Machine } from '../../evm/machine.ts'
import type { MessageTracer } from '../../evm/tracer.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import type { Message } from '../../primitives/types.ts'
import type { BlockEnv } from '../block-env.ts'
import type { MessageResult } from '../execute-message.ts'

/** What is about to be traced. Nothing of the message has happened to the machine's view. */
export type TraceContext = {
  readonly machine: Machine
  readonly env: BlockEnv
  readonly message: Message
  /** The receiver of the fees. */
  readonly feeRecipient: Address
  /** The transaction's block and index; undefined for a call. */
  readonly position: TransactionPosition | undefined
}

export type TransactionPosition = {
  readonly blockHash: Hash
  readonly blockNumber: bigint
  readonly transactionHash: Hash
  readonly index: number
}

/**
 * A client's own tracer has failed: its words, and go-ethereum's for the place. Of a block's traces only the transaction's
 * own fails.
 */
export class ScriptFailure extends ChainError {
  constructor(message: string) {
    super('execution-failed', message)
  }
}

/** Watches one transaction or call, and is used up by it. */
export interface Tracer extends MessageTracer {
  start?(context: TraceContext): void
  /** The answer, as it goes on the wire. Throws ScriptFailure. */
  result(outcome: MessageResult): unknown
}
