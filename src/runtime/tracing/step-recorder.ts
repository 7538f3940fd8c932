// Records the opcodes of a message beside its call tree: what stack traces, profiles and debuggers are made of. A step takes 16
// bytes, for debuggers 48, and only the last two million steps are kept, so a recording has at most 32 or 96 MB. Where each message
// was called and where it ended is kept of all messages.
import { opcodeOf } from '../../evm/opcodes.ts'
import type { Result } from '../../evm/result.ts'
import {
  type CallFrame,
  CallTreeTracer,
  type EnterEvent,
  PACKED_STEP,
  type Step,
  type StepLog,
  stackItem,
  WIDE_STEP,
} from '../../evm/tracer.ts'
import type { ByteBudget } from '../../lib/budget.ts'
import { bigToWord, EMPTY_BYTES, fromHex } from '../../lib/hex.ts'
import type { Pause } from '../../lib/scheduler.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import type { Log } from '../../primitives/types.ts'
import type { StateView } from '../../state/types.ts'
import type { CallTree } from '../types.ts'
import { FrameValues } from './frame-values.ts'
import { StorageHistory } from './storage-history.ts'
import type { TraceContext, TraceOutcome, Tracer } from './tracer.ts'

/** Both powers of 2. */
const FIRST_STEPS = 4096
export const MOST_STEPS = 1 << 21

/** The steps of a message with all its inner messages, in the order in which they ran. */
export class Steps {
  /** Bytes of a step. */
  readonly #size: number
  #bytes: Uint8Array
  #words: Uint32Array
  #gas: Float64Array
  /** The number of places, a power of 2, less one. */
  #mask = FIRST_STEPS - 1
  #count = 0

  /** `keepsTop`: whether the top of the stack is kept, too. */
  constructor(keepsTop = false) {
    this.#size = keepsTop ? WIDE_STEP : PACKED_STEP
    this.#bytes = new Uint8Array(FIRST_STEPS * this.#size)
    this.#words = new Uint32Array(this.#bytes.buffer)
    this.#gas = new Float64Array(this.#bytes.buffer)
  }

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
      const place = (this.#reserve(packed.length - at) * this.#size) % this.#bytes.length
      const part = packed.subarray(at, at + this.#bytes.length - place)
      this.#bytes.set(part, place)
      this.#count += part.length / this.#size
      at += part.length
    }
  }

  push(pc: number, op: number, depth: number, gas: number, top: bigint): void {
    this.#reserve(this.#size)
    const place = this.#place(this.#count)
    this.#words[place >>> 2] = pc
    this.#words[(place >>> 2) + 1] = op | (depth << 8)
    this.#gas[(place >>> 3) + 1] = gas
    if (this.#size === WIDE_STEP) this.#bytes.set(fromHex(bigToWord(top)), place + PACKED_STEP)
    this.#count++
  }

  pc(step: number): number {
    return this.#words[this.#place(step) >>> 2] ?? 0
  }

  op(step: number): number {
    return (this.#words[(this.#place(step) >>> 2) + 1] ?? 0) & 0xff
  }

  /** The opcode's name. */
  nameAt(step: number): string {
    return opcodeOf(this.op(step)).name
  }

  /** Of the frame; 0 for the transaction's own message. */
  depth(step: number): number {
    return (this.#words[(this.#place(step) >>> 2) + 1] ?? 0) >>> 8
  }

  /** Gas of the frame before the step. */
  gas(step: number): number {
    return this.#gas[(this.#place(step) >>> 3) + 1] ?? 0
  }

  /** The item on top of the stack before the step, if they are kept. Valid until steps are added. */
  top(step: number): Uint8Array {
    const at = this.#place(step) + PACKED_STEP
    return this.#bytes.subarray(at, at + WORD)
  }

  /** The top of the stack as a number; Infinity: above 48 bits. */
  smallTop(step: number): number {
    const at = this.#place(step) + PACKED_STEP
    const bytes = this.#bytes
    let value = 0
    for (let i = at; i < at + WORD - 6; i++) if (bytes[i] !== 0) return Number.POSITIVE_INFINITY
    for (let i = at + WORD - 6; i < at + WORD; i++) value = value * 256 + (bytes[i] ?? 0)
    return value
  }

  /** Where a step is in the ring, in bytes. */
  #place(step: number): number {
    return (step & this.#mask) * this.#size
  }

  /** Makes room for bytes, as far as there may be. Returns the number of the next step. */
  #reserve(bytes: number): number {
    let { length } = this.#bytes
    while (length < MOST_STEPS * this.#size && this.#count * this.#size + bytes > length) length *= 2
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(length)
      larger.set(this.#bytes)
      this.#bytes = larger
      this.#words = new Uint32Array(larger.buffer)
      this.#gas = new Float64Array(larger.buffer)
      this.#mask = length / this.#size - 1
    }
    return this.#count
  }
}

const WORD = 32

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
  /** undefined: only the opcodes are kept. */
  readonly values: RecordedValues | undefined
}

/** The values that opcodes worked on. */
export type RecordedValues = {
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
