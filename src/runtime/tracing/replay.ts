// Runs mined transactions again under a tracer, on the state before them: the earlier transactions of their block run first,
// untraced. No receipts or roots are computed.
import type { Machine } from '../../evm/machine.ts'
import type { OpcodeTable } from '../../evm/opcode-table.ts'
import { Deadline } from '../../lib/deadline.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Pause } from '../../lib/scheduler.ts'
import type { Block, Transaction, TransactionMessage } from '../../primitives/types.ts'
import type { StateView } from '../../state/types.ts'
import type { BlockEnv } from '../block-env.ts'
import { BlockExecution, modeOf } from '../block-execution.ts'
import { executeMessage, feeRecipientOf, type MessageResult } from '../execute-message.ts'
import type { BlockHashes, Runtime } from '../runtime.ts'
import type { MessageMode } from '../validity.ts'
import type { RecordedBlock } from './recorded-block.ts'
import type { TraceOutcome, Tracer, TransactionPosition } from './tracer.ts'

export type ReplayLimits = {
  /** Milliseconds of CPU time that one transaction may take. */
  readonly timeout: number
  /** Yields to the event loop between transactions. */
  readonly pause: Pause
}

/** A transaction that was traced, with its tracer and result. */
export type Traced<T> = {
  readonly transaction: Transaction
  readonly index: number
  readonly tracer: T
  readonly outcome: TraceOutcome
}

/** The transactions of a block, run again one after the other on the state before them. */
export class BlockReplay {
  readonly block: Block
  readonly view: StateView
  readonly #runtime: Runtime
  readonly #env: BlockEnv
  readonly #table: OpcodeTable
  readonly #blockHash: BlockHashes
  readonly #recorded: RecordedBlock | undefined
  #position: number
  #gasUsed: bigint
  #machine: Machine | undefined

  private constructor(of: ReplayState) {
    this.block = of.block
    this.view = of.view
    this.#runtime = of.runtime
    this.#env = of.env
    this.#table = of.table
    this.#blockHash = of.blockHash
    this.#recorded = of.recorded
    this.#position = of.position
    this.#gasUsed = of.gasUsed
  }

  /** Runs the steps of a block that precede its first transaction, on the view of its parent. */
  static async begin(
    runtime: Runtime,
    view: StateView,
    block: Block,
    blockHash: BlockHashes,
    pause: Pause,
  ): Promise<BlockReplay> {
    const execution = new BlockExecution(runtime, view, block, blockHash, pause)
    await execution.begin()
    const { env, machine } = execution
    return new BlockReplay({ runtime, view, block, blockHash, env, table: machine.table, position: 0, gasUsed: 0n })
  }

  /** Starts on the recorded state. `advance` then applies recorded changes and runs nothing. */
  static ofRecording(runtime: Runtime, recorded: RecordedBlock, blockHash: BlockHashes): BlockReplay {
    const { block, recording } = recorded
    const { start, table } = recording
    const env = runtime.env(block.header)
    return new BlockReplay({
      runtime,
      view: start.fork(),
      block,
      blockHash,
      env,
      table,
      position: 0,
      gasUsed: 0n,
      recorded,
    })
  }

  /** Number of transactions that have run. */
  get position(): number {
    return this.#position
  }

  /** Whether earlier transactions and the beginning of the block are recorded. */
  get isRecorded(): boolean {
    return this.#recorded !== undefined
  }

  /** Gas used so far: it bounds how much state was touched. */
  get gasUsed(): bigint {
    return this.#gasUsed
  }

  /** An independent replay at the same position. */
  fork(): BlockReplay {
    return new BlockReplay({
      runtime: this.#runtime,
      view: this.view.fork(),
      block: this.block,
      blockHash: this.#blockHash,
      env: this.#env,
      table: this.#table,
      position: this.#position,
      gasUsed: this.#gasUsed,
      recorded: this.#recorded,
    })
  }

  /** Runs the remaining transactions before `position`. */
  async advance(position: number, pause: Pause): Promise<void> {
    if (this.#recorded !== undefined) {
      this.#gasUsed += this.#recorded.skip(this.view, this.#position, position)
      this.#position = Math.max(this.#position, position)
      return
    }
    const { spec, fees } = this.#runtime
    const machine = this.#machineWith(pause)
    for (const transaction of this.block.transactions.slice(this.#position, position)) {
      await pause()
      const running = executeMessage(machine, this.#env, spec.chainId, transaction, modeOf(transaction), fees)
      this.#count(running instanceof Promise ? await running : running)
    }
  }

  /** Runs the next transaction under a tracer. Throws ChainError `execution-failed` when its time is up. */
  async trace<T extends Tracer>(tracer: T, { timeout, pause }: ReplayLimits): Promise<Traced<T>> {
    const index = this.#position
    const transaction = this.block.transactions[index]
    if (transaction === undefined) throw new Error(`the block has no transaction ${index}`)
    await pause()
    this.#recorded?.readDeleted(this.view, index)
    const machine = this.#machineWith(pause)
    const env = this.#env
    const { hash: blockHash } = this.block.header
    const position = { blockHash, blockNumber: env.number, transactionHash: transaction.hash, index }
    machine.deadline = new Deadline(timeout)
    const message = { machine, env, message: transaction, mode: modeOf(transaction), position }
    const outcome = await traceMessage(this.#runtime, message, tracer)
    machine.deadline = undefined
    this.#count(outcome)
    return { transaction, index, tracer, outcome }
  }

  #count({ gasUsed }: MessageResult): void {
    this.#gasUsed += gasUsed
    this.#position++
  }

  #machineWith(pause: Pause): Machine {
    if (this.#machine !== undefined) return this.#machine
    this.#machine = this.#runtime.machine(this.view, this.#env, this.#blockHash, pause)
    this.#machine.useTable(this.#table)
    return this.#machine
  }
}

type ReplayState = {
  readonly runtime: Runtime
  readonly view: StateView
  readonly block: Block
  readonly blockHash: BlockHashes
  readonly env: BlockEnv
  readonly table: OpcodeTable
  readonly position: number
  readonly gasUsed: bigint
  readonly recorded?: RecordedBlock | undefined
}

/** Traces the remaining transactions in order. */
export async function* traceRest<T extends Tracer>(
  replay: BlockReplay,
  makeTracer: () => T,
  limits: ReplayLimits,
): AsyncGenerator<Traced<T>> {
  while (replay.position < replay.block.transactions.length) yield await replay.trace(makeTracer(), limits)
}

/** A message that is ready to be traced. */
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
  tracer.start?.({ machine, env, message, feeRecipient: feeRecipientOf(fees, env), position })
  machine.tracer = tracer
  try {
    return await executeMessage(machine, env, spec.chainId, message, mode, fees)
  } catch (error) {
    const isLate = machine.deadline?.isPast() === true
    if (isLate && error instanceof ChainError && error.code === 'limit-exceeded') {
      throw new ChainError('execution-failed', 'execution timeout')
    }
    throw error
  } finally {
    machine.tracer = undefined
  }
}
