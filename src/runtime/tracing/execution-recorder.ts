// Records the effects of one message: its frames, the accounts it changed, and its opcodes on request. RPC (`trace_*`, `ots_*`)
// and the explorer convert the record to their formats.
import type { Result } from '../../evm/result.ts'
import { type CallFrame, CallTreeTracer, type EnterEvent, type FrameState, type Step } from '../../evm/tracer.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import { EMPTY_BYTES } from '../../lib/hex.ts'
import type { Account, AccountDiff } from '../../state/types.ts'
import { isPrecompileCall } from './flat-call-tracer.ts'
import { type FlatFrame, flattenCallTree } from './flatten.ts'
import type { RecordedContext, RecordedTracer, TraceOutcome } from './tracer.ts'
import { type VmFrame, VmRecorder } from './vm-trace.ts'

/** An account's change with its code on both sides. */
export type AccountChange = AccountDiff & { readonly codeBefore: Uint8Array; readonly codeAfter: Uint8Array }

/** The effects of a message. */
export type ExecutionRecord = {
  readonly frames: readonly FlatFrame[]
  readonly changes: readonly AccountChange[]
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** geth's words; undefined on success. */
  readonly error: string | undefined
  /** undefined unless requested. */
  readonly operations: VmFrame | undefined
}

/** A tracer whose result is an ExecutionRecord. */
export class ExecutionRecorder extends CallTreeTracer implements RecordedTracer {
  readonly readsRecording: boolean
  #machine: RecordedContext['machine'] | undefined
  readonly #operations: VmRecorder | undefined
  readonly step?: (step: Step) => void

  readonly #keepsBytes: boolean

  /** `bytes`: whether to keep inputs and outputs of calls within the message, which are taken from the budget. */
  constructor(
    { opcodes = false, bytes = true }: { readonly opcodes?: boolean; readonly bytes?: boolean },
    budget: ByteBudget,
  ) {
    super(budget)
    this.#keepsBytes = bytes
    this.readsRecording = !opcodes
    if (!opcodes) return
    const operations = new VmRecorder()
    this.#operations = operations
    this.step = (step) => operations.step(step)
  }

  protected override takes(length: number): boolean {
    return this.#keepsBytes && super.takes(length)
  }

  start({ machine }: RecordedContext): void {
    this.#machine = machine
  }

  refuse(frame: CallFrame): void {
    this.attach(frame)
  }

  override enter(message: EnterEvent): void {
    super.enter(message)
    this.#operations?.enter()
  }

  override exit(result: Result, frame: FrameState | undefined): void {
    super.exit(result)
    this.#operations?.exit(frame, result.failure !== undefined)
  }

  result({ returnData, gasUsed, error }: TraceOutcome): ExecutionRecord {
    const { root } = this
    const machine = this.#machine
    if (root === undefined || machine === undefined) throw new Error('nothing was traced')
    const { view } = machine
    const codeOf = (account: Account | undefined) => (account ? view.codeWith(account.codeHash) : EMPTY_BYTES)
    return {
      // Parity lists no calls of precompiles; those that transfer value are listed here, because coins move.
      frames: flattenCallTree(root, (frame) => frame.value > 0n || !isPrecompileCall(machine, frame)),
      changes: view.transactionDiff().map((change) => ({
        ...change,
        codeBefore: codeOf(change.before),
        codeAfter: codeOf(change.after),
      })),
      output: returnData,
      gasUsed,
      error,
      operations: this.#operations?.root,
    }
  }
}
