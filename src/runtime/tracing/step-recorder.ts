// Records the opcodes of a message beside its call tree: what stack traces, profiles and debuggers are made of. A step takes 16
// bytes, and only the last two million steps are kept, so a recording has at most 32 MB. Where each message was called and
// where it ended is kept of all messages.
import type { Result } from '../../evm/result.ts'
import {
  type CallFrame,
  CallTreeTracer,
  type EnterEvent,
  PACKED_STEP,
  type Step,
  type StepLog,
} from '../../evm/tracer.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import { EMPTY_BYTES } from '../../lib/hex.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import type { Log } from '../../primitives/types.ts'
import type { StateView } from '../../state/types.ts'
import type { CallTree } from '../types.ts'
import type { TraceContext, TraceOutcome, Tracer } from './tracer.ts'

/** Both powers of 2. */
const FIRST_STEPS = 4096
export const MOST_STEPS = 1 << 21

/** The steps of a message with all its inner messages, in the order in which they ran. */
export class Steps {
  #bytes = new Uint8Array(FIRST_STEPS * PACKED_STEP)
  #words = new Uint32Array(this.#bytes.buffer)
  #gas = new Float64Array(this.#bytes.buffer)
  #count = 0

  /** Number of steps that ran. */
  get count(): number {
    return this.#count
  }

  /** The first step that is kept. */
  get first(): number {
    return Math.max(0, this.#count - MOST_STEPS)
  }

  /** Adds packed steps. */
  add(packed: Uint8Array): void {
    for (let at = 0; at < packed.length; ) {
      const place = (this.#reserve(packed.length - at) * PACKED_STEP) % this.#bytes.length
      const part = packed.subarray(at, at + this.#bytes.length - place)
      this.#bytes.set(part, place)
      this.#count += part.length / PACKED_STEP
      at += part.length
    }
  }

  push(pc: number, op: number, depth: number, gas: number): void {
    const place = this.#reserve(PACKED_STEP) & this.#mask
    this.#words[4 * place] = pc
    this.#words[4 * place + 1] = op | (depth << 8)
    this.#gas[2 * place + 1] = gas
    this.#count++
  }

  pc(step: number): number {
    return this.#words[4 * (step & this.#mask)] ?? 0
  }

  op(step: number): number {
    return (this.#words[4 * (step & this.#mask) + 1] ?? 0) & 0xff
  }

  /** Of the frame; 0 for the transaction's own message. */
  depth(step: number): number {
    return (this.#words[4 * (step & this.#mask) + 1] ?? 0) >>> 8
  }

  /** Gas of the frame before the step. */
  gas(step: number): number {
    return this.#gas[2 * (step & this.#mask) + 1] ?? 0
  }

  get #mask(): number {
    return this.#bytes.length / PACKED_STEP - 1
  }

  /** Makes room for bytes, as far as there may be. Returns the number of the next step. */
  #reserve(bytes: number): number {
    let { length } = this.#bytes
    while (length < MOST_STEPS * PACKED_STEP && this.#count * PACKED_STEP + bytes > length) length *= 2
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(length)
      larger.set(this.#bytes)
      this.#bytes = larger
      this.#words = new Uint32Array(larger.buffer)
      this.#gas = new Float64Array(larger.buffer)
    }
    return this.#count
  }
}

/** What ran of a frame of the call tree. */
export type FrameSteps = {
  readonly depth: number
  /** The code that ran; of a creation its input. Empty for accounts without code, precompiles and native contracts. */
  readonly code: Uint8Array
  /** Its first step, and the one behind its last; those of messages within are between them. */
  readonly first: number
  end: number
  /** Program counters of its last step, and of the step of the caller that called it; -1: there is none. */
  lastPc: number
  readonly calledAt: number
}

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
}

/** Describes a recording; the result, or a promise of it, is the trace. */
export type Explain = (recording: Recording) => unknown

const NO_STEPS = { stack: false, memory: false, returnData: false, storage: false }

/** A tracer whose result is what `explain` makes of the recording. */
export class StepRecorder extends CallTreeTracer implements Tracer {
  readonly #explain: Explain
  readonly #budget: ByteBudget
  readonly #steps = new Steps()
  readonly #frames = new Map<CallFrame, FrameSteps>()
  readonly #running: FrameSteps[] = []
  readonly #logs: { readonly frame: CallFrame; readonly log: Log; readonly position: number }[] = []
  #view: StateView | undefined
  readonly stepLog: StepLog

  constructor(budget: ByteBudget, explain: Explain) {
    super(budget)
    this.#budget = budget
    this.#explain = explain
    const add = (packed: Uint8Array) => this.#steps.add(packed)
    const left = Number.POSITIVE_INFINITY
    this.stepLog = { shows: NO_STEPS, isPacked: true, left, add, storage: () => EMPTY_BYTES }
  }

  start({ machine }: TraceContext): void {
    this.#view = machine.view
  }

  /** For engines and chains that cannot pack steps. */
  step({ frame: { pc, code, depth, gas } }: Step): void {
    this.#steps.push(pc, code[pc] ?? 0, depth, Number(gas))
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
    return this.#explain({ root, steps, frames, logs, view, outcome, budget })
  }

  #codeOf({ to, input }: EnterEvent): Uint8Array {
    const view = this.#view
    if (to === null || view === undefined) return input
    const code = view.code(to)
    const delegate = delegationOf(code)
    return delegate === undefined ? code : view.code(delegate)
  }
}
