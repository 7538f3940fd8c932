// Emits a tracer's `step` events for the WebAssembly engine. An event shows the frame before the opcode, but is emitted
// after the opcode has run, when its cost is known. Only stack items that the last opcode may have changed are read again.
import { type Address, bigToWord } from '../../lib/hex.ts'
import type { Operation } from '../opcode-table.ts'
import { hasDepths, type Opcode, opcodeOf } from '../opcodes.ts'
import { type FrameState, stackItem } from '../tracer.ts'
import type { ActiveFrame, Execution, RunProgress } from './frames.ts'
import type { Instance } from './instance.ts'
import { F_CODE, F_CODE_LENGTH, F_MEMORY_SIZE, F_PC, F_STACK, F_TOP, MARKED, PAUSED } from './layout.ts'
import { StepCosts } from './step-costs.ts'

/** The stack effect of a function that may leave any number of items. */
const NO_EFFECT = { pops: 0, pushes: 0 }
/** Opcodes that write memory. The event is emitted after them, so the memory before them is copied. */
const SSTORE = 0x55
const WRITES_MEMORY = new Set([0x37, 0x39, 0x3c, 0x3e, 0x52, 0x53, 0x5e])

export class WasmFrame extends StepCosts implements FrameState {
  pc = 0
  gas = 0n
  refund = 0n
  readonly depth: number
  readonly address: Address
  readonly stack: bigint[] = []
  /** Bytes of memory. */
  memorySize = 0
  overwritten: FrameState['overwritten']
  readonly #engine: Instance
  readonly #frame: number
  #opcode = 0
  /** State gas that had spilled before the opcode. */
  #spilled = 0n
  #code: Uint8Array | undefined
  #memory: Uint8Array | undefined

  constructor(engine: Instance, { frame, message: call }: ActiveFrame) {
    super()
    this.#engine = engine
    this.#frame = frame
    this.depth = call.depth
    this.address = call.to
  }

  /** Reads the frame's current state. Writes dirty slots to the view. */
  refresh(run: Execution): void {
    const engine = this.#engine
    const frame = this.#frame
    this.#refreshRefund(run)
    this.pc = engine.field(frame, F_PC)
    this.gas = BigInt(engine.gas(frame))
    this.#spilled = engine.spilled
    this.memorySize = engine.field(frame, F_MEMORY_SIZE)
    this.#memory = undefined
    const start = engine.field(frame, F_STACK)
    const height = (engine.field(frame, F_TOP) - start) / 32
    // A proposal's function may have changed any item, and SWAPN and EXCHANGE a deep one.
    const isKnown = this.#operation(run)?.execute === undefined && !hasDepths(this.#opcode)
    const changed = isKnown ? this.opcode.pops : this.stack.length
    const kept = Math.max(0, this.stack.length - changed)
    this.stack.length = Math.min(kept, height)
    for (let i = this.stack.length; i < height; i++) this.stack.push(engine.word(start + 32 * i))
    const isInside = this.pc < engine.field(frame, F_CODE_LENGTH)
    this.#opcode = isInside ? (engine.bytes[engine.field(frame, F_CODE) + this.pc] ?? 0) : 0
  }

  /** Copies the memory if the next opcode writes to it. */
  keepMemory(run: Execution): void {
    if (WRITES_MEMORY.has(this.#opcode) || this.#operation(run)?.execute !== undefined)
      this.#memory = this.memory(0, this.memorySize)
  }

  /** Saves the current value of the slot if the next opcode is an SSTORE. */
  keepSlot({ host: { view } }: Execution): void {
    if (this.#opcode !== SSTORE || this.stack.length < 2) this.overwritten = undefined
    else {
      const key = bigToWord(stackItem(this, 0))
      this.overwritten = { key, word: view.word(this.address, key) }
    }
  }

  get height(): number {
    return this.stack.length
  }

  state(run: Execution): FrameState {
    this.refresh(run)
    return this
  }

  get number(): number {
    return this.#opcode
  }

  get opcode(): Opcode {
    return opcodeOf(this.#opcode)
  }

  get code(): Uint8Array {
    const engine = this.#engine
    this.#code ??= engine.slice(engine.field(this.#frame, F_CODE), engine.field(this.#frame, F_CODE_LENGTH))
    return this.#code
  }

  get returnData(): Uint8Array {
    return this.#engine.returned()
  }

  memory(offset: number, length: number): Uint8Array {
    const copy = new Uint8Array(length)
    const end = Math.min(offset + length, this.memorySize)
    if (end <= offset) return copy
    const start = this.#engine.memory(this.#frame)
    copy.set(this.#memory?.subarray(offset, end) ?? this.#engine.bytes.subarray(start + offset, start + end))
    return copy
  }

  // --- step events

  /** Emits the step of an opcode that has run. Its cost is the difference of the frame's gas. */
  traceStep(run: Execution, cost = this.spent(), error?: string): void {
    // go-ethereum adds the refund when it computes the price of an SSTORE: before the event, and even if the gas is lacking.
    if (this.#opcode === SSTORE) {
      this.#refreshRefund(run)
      if (this.#engine.missing > 0n) this.refund += this.#engine.missingRefund
    }
    const operation = this.#operation(run)
    const { name = this.opcode.name, effect = NO_EFFECT } = operation ?? {}
    const opcode = { ...this.opcode, name, pops: effect.pops, pushes: effect.pushes }
    const { memorySize } = this
    run.host.tracer?.step?.({ frame: this, opcode: operation ? opcode : this.opcode, cost, memorySize, error })
  }

  #refreshRefund({ engine, substate }: Execution): void {
    engine.flushStores()
    this.refund = BigInt(substate.refund)
  }

  spent(): bigint {
    return this.gas - BigInt(this.#engine.gas(this.#frame)) - (this.#engine.spilled - this.#spilled)
  }

  /** The operation of the opcode if a proposal has changed it. */
  #operation({ rules: { table } }: Execution): Operation | undefined {
    return table.changed.has(this.#opcode) ? table.operations[this.#opcode] : undefined
  }
}

/** Opcodes that run between two checks of the clock. */
const STEPS_PER_LOOK = 256

/** The same where only some opcodes are traced. */
const UNTRACED_PER_LOOK = 4096

/** Runs the innermost frame up to the next opcode that the tracer wants, or through it. */
export function stepMarked(
  run: Execution,
  react: (run: Execution, active: ActiveFrame, reason: number) => RunProgress,
): RunProgress {
  const active = run.frames.at(-1)
  if (active === undefined) throw new Error('there is no frame to run')
  // The copy of the stack in a traced frame is stale after opcodes that were not traced.
  active.traced = undefined
  const reason = run.engine.runToMarked(UNTRACED_PER_LOOK)
  if (reason === MARKED) return stepFrame(run, react)
  if (reason === PAUSED) return run.host.pauseIfDue()?.then(() => undefined)
  run.engine.flushStores()
  return react(run, active, reason)
}

/** Runs one opcode of the innermost frame. `react` carries out what the interpreter stopped for. */
export function stepFrame(
  run: Execution,
  react: (run: Execution, active: ActiveFrame, reason: number) => RunProgress,
): RunProgress {
  const { engine, host } = run
  const active = run.frames.at(-1)
  if (active === undefined) throw new Error('there is no frame to run')
  if (++run.turnCount % STEPS_PER_LOOK === 0) {
    const pause = host.pauseIfDue()
    if (pause !== undefined) return pause.then(() => undefined)
  }
  const traced = active.traced instanceof WasmFrame ? active.traced : new WasmFrame(engine, active)
  active.traced = traced
  traced.refresh(run)
  if (host.tracer?.readsMemory === true) traced.keepMemory(run)
  if (host.tracer?.readsState === true) traced.keepSlot(run)
  const reason = engine.step()
  traced.traceRun(run, reason)
  return reason === PAUSED ? undefined : react(run, active, reason)
}
