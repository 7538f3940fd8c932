// Runs mined transactions again under a tracer, on the state before them: the earlier transactions of their block run first,
// untraced. No receipts or roots are computed.
import type { Machine } from '../../evm/machine.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Pause } from '../../lib/scheduler.ts'
import type { Block, Transaction, TransactionMessage } from '../../primitives/types.ts'
import type { StateView } from '../../state/types.ts'
import type { BlockEnv } from '../block-env.ts'
import { BlockExecution, modeOf } from '../block-execution.ts'
import { executeMessage, type MessageResult } from '../execute-message.ts'
import type { BlockHashes, Runtime } from '../runtime.ts'
import type { MessageMode } from '../validity.ts'
import type { Tracer, TransactionPosition } from './tracer.ts'

/** Indices of the first and last traced transaction of a block; later ones are not run. */
export type TransactionRange = { readonly first: number; readonly last: number }

export type ReplayLimits = {
  /** Milliseconds that one transaction may take. */
  readonly timeout: number
  /** Yields to the event loop between transactions. */
  readonly pause: Pause
}

/** A transaction that was traced, with its tracer and result. */
export type Traced<T> = {
  readonly transaction: Transaction
  readonly index: number
  readonly tracer: T
  readonly outcome: MessageResult
}

/** Replays a block on the view of its parent, up to the last transaction of the range, and yields each traced one. */
export async function* replayBlock<T extends Tracer>(
  runtime: Runtime,
  view: StateView,
  block: Block,
  blockHash: BlockHashes,
  { first, last }: TransactionRange,
  makeTracer: () => T,
  { timeout, pause }: ReplayLimits,
): AsyncGenerator<Traced<T>> {
  const { machine, env } = await beginReplay(runtime, view, block, blockHash, pause)
  for (const [index, transaction] of block.transactions.slice(0, last + 1).entries()) {
    await pause()
    const mode = modeOf(transaction)
    if (index < first) {
      await executeMessage(machine, env, runtime.spec.chainId, transaction, mode, runtime.fees)
      continue
    }
    const tracer = makeTracer()
    const position = { blockHash: block.header.hash, blockNumber: env.number, transactionHash: transaction.hash, index }
    machine.deadline = performance.now() + timeout
    const outcome = await traceMessage(runtime, { machine, env, message: transaction, mode, position }, tracer)
    machine.deadline = undefined
    yield { transaction, index, tracer, outcome }
  }
}

/** Runs the block's system calls and its first `count` transactions. */
export async function replayUpTo(
  runtime: Runtime,
  view: StateView,
  block: Block,
  blockHash: BlockHashes,
  count: number,
  pause: Pause,
): Promise<void> {
  const { machine, env } = await beginReplay(runtime, view, block, blockHash, pause)
  for (const transaction of block.transactions.slice(0, count)) {
    await pause()
    const mode = modeOf(transaction)
    await executeMessage(machine, env, runtime.spec.chainId, transaction, mode, runtime.fees)
  }
}

async function beginReplay(runtime: Runtime, view: StateView, block: Block, blockHash: BlockHashes, pause: Pause) {
  const execution = new BlockExecution(runtime, view, block.header, blockHash, pause)
  await execution.begin()
  return execution
}

/** A message that is ready to run under a tracer. */
type Traceable = {
  readonly machine: Machine
  readonly env: BlockEnv
  readonly message: TransactionMessage
  readonly mode: MessageMode
  readonly position: TransactionPosition | undefined
}

/** Runs one message under a tracer. Throws ChainError `execution-failed` when its time is up. */
export async function traceMessage(
  { spec, fees }: Runtime,
  { machine, env, message, mode, position }: Traceable,
  tracer: Tracer,
): Promise<MessageResult> {
  tracer.start?.({ machine, env, message, feeRecipient: fees.collector ?? env.coinbase, position })
  machine.tracer = tracer
  try {
    return await executeMessage(machine, env, spec.chainId, message, mode, fees)
  } catch (error) {
    const isLate = machine.deadline !== undefined && performance.now() > machine.deadline
    if (isLate && error instanceof ChainError && error.code === 'limit-exceeded') {
      throw new ChainError('execution-failed', 'execution timeout')
    }
    throw error
  } finally {
    machine.tracer = undefined
  }
}
