// Records the opcodes of a message beside its call tree, for stack traces, gas profiles and debuggers. A step takes 16 bytes, or 48
// with the top of the stack. Only the last two million steps are kept, so a recording has at most 32 or 96 MB. The steps at which
// messages were called and ended are kept of all messages.
import type { Result } from '../../evm/result.ts'
import {
  type CallFrame,
  CallTreeTracer,
  type EnterEvent,
  type Step,
  type StepLog,
  stackItem,
} from '../../evm/tracer.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import { EMPTY_BYTES } from '../../lib/hex.ts'
import type { Pause } from '../../lib/scheduler.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import type { Log } from '../../primitives/types.ts'
import type { StateView } from '../../state/types.ts'
import type { CallTree } from '../types.ts'
import { FrameValues } from './frame-values.ts'
import { type FrameSteps, Steps } from './steps.ts'
import { StorageHistory } from './storage-history.ts'
import type { TraceContext, TraceOutcome, Tracer } from './tracer.ts'

/** A message that ran, step by step. */
export type Recording = {
  readonly root: CallTree
  readonly steps: Steps
  /** Of all frames that began: not of refused calls and SELFDESTRUCT. */
  readonly frames: ReadonlyMap<CallTree, FrameSteps>
  /** `position`: how many calls its frame had made. */
  readonly logs: readonly { readonly frame: CallTree; readonly log: Log; readonly position: number }[]
  /** The state after it. */
  readonly view: StateView
  readonly outcome: TraceOutcome
  /** Bytes that its description may take. */
  readonly budget: ByteBudget
  /** undefined: only the opcodes are kept. */
  readonly values: RecordedValues | undefined
}

/** The values that opcodes worked on. */
type RecordedValues = {
  /** Stack, memory and return data of a frame, from its first step that is kept. */
  of(frame: CallTree): FrameValues
  /** Passes through all steps. */
  storage(pause: Pause): Promise<StorageHistory>
}

/** Describes a recording; the result, or a promise of it, is the trace. */
export type Explain = (recording: Recording) => unknown

const NO_STEPS = { stack: false, memory: false, returnData: false, storage: false }

/** A tracer whose result is what `explain` makes of the recording. */
export class StepRecorder extends CallTreeTracer implements Tracer {
  readonly #explain: Explain
  readonly #budget: ByteBudget
  readonly #steps: Steps
  readonly #keepsTop: boolean
  readonly #frames = new Map<CallFrame, FrameSteps>()
  readonly #running: FrameSteps[] = []
  readonly #logs: { readonly frame: CallFrame; readonly log: Log; readonly position: number }[] = []
  #view: StateView | undefined
  readonly stepLog: StepLog

  /** `keepsValues`: whether stacks and memory may be asked for. */
  constructor(budget: ByteBudget, explain: Explain, keepsValues = false) {
    super(budget)
    this.#keepsTop = keepsValues
    this.#steps = new Steps(keepsValues)
    this.#budget = budget
    this.#explain = explain
    const add = (packed: Uint8Array) => this.#steps.add(packed)
    const left = Number.POSITIVE_INFINITY
    this.stepLog = { shows: NO_STEPS, isPacked: true, keepsTop: keepsValues, left, add, storage: () => EMPTY_BYTES }
  }

  start({ machine }: TraceContext): void {
    this.#view = machine.view
  }

  /** For engines and chains that cannot pack steps. */
  step({ frame }: Step): void {
    const { pc, code, depth, gas } = frame
    this.#steps.push(pc, code[pc] ?? 0, depth, Number(gas), stackItem(frame, 0))
  }

  log(log: Log): void {
    const frame = this.current
    if (frame !== undefined) this.#logs.push({ frame, log, position: frame.calls.length })
  }

  refuse(frame: CallFrame): void {
    this.attach(frame)
  }

  override enter(message: EnterEvent): void {
    super.enter(message)
    const frame = this.current
    if (frame === undefined) return
    const { count } = this.#steps
    const calledAt = this.#running.length > 0 && count > 0 ? this.#steps.pc(count - 1) : -1
    const of = { depth: message.depth, code: this.#codeOf(message), first: count, end: count, lastPc: -1, calledAt }
    this.#frames.set(frame, of)
    this.#running.push(of)
  }

  override exit(result: Result): void {
    for (const log of result.nativeLogs) this.log(log)
    super.exit(result)
    const ended = this.#running.pop()
    if (ended === undefined) return
    ended.end = this.#steps.count
    const last = this.#steps.count - 1
    if (last >= ended.first && this.#steps.depth(last) === ended.depth) ended.lastPc = this.#steps.pc(last)
  }

  result(outcome: TraceOutcome): unknown {
    const { root } = this
    const view = this.#view
    if (root === undefined || view === undefined) return null
    const [steps, frames, logs, budget] = [this.#steps, this.#frames, this.#logs, this.#budget]
    const of = (frame: CallTree) => new FrameValues({ steps, frames, view }, frame)
    const storage = (pause: Pause) => StorageHistory.of(recording, of, pause)
    const values = this.#keepsTop ? { of, storage } : undefined
    const recording: Recording = { root, steps, frames, logs, view, outcome, budget, values }
    return this.#explain(recording)
  }

  #codeOf({ to, input }: EnterEvent): Uint8Array {
    const view = this.#view
    if (to === null || view === undefined) return input
    const code = view.code(to)
    const delegate = delegationOf(code)
    return delegate === undefined ? code : view.code(delegate)
  }
}
