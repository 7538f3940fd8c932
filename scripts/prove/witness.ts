// What a run of a message shows of its opcodes: the steps of each frame, with the outcome of each step, and where compiled code and
// the ends of turns were. Frames are numbered in the order in which they begin, which is the same on every engine.
import { type FailureCode, failureOf } from '../../src/evm/failure.ts'
import type { Result } from '../../src/evm/result.ts'
import type { CallFrame, MessageTracer, Step } from '../../src/evm/tracer.ts'
import { FALLEN, NO_MEMORY, PAUSED } from '../../src/evm/wasm/layout.ts'
import { OF_MESSAGE, type Outcome } from '../fuzz-geth/opcode-ends.ts'
import type { Passage, Place } from './instrument.ts'

export type SeenStep = Place & { readonly opcode: number; readonly cost: number; outcome: Outcome }
export type EngineState = 'interpreted' | 'compiled' | 'paused'
export const STATES: readonly EngineState[] = ['interpreted', 'compiled', 'paused']

/** Texts of refused calls, as `CallFrame.error` has them. */
const REFUSED: ReadonlyMap<string, FailureCode> = new Map(
  (['call depth', 'insufficient balance', 'nonce overflow'] as const).map((code) => [failureOf(code).message, code]),
)

/** Numbers the frames; without `step`, so that compiled code runs. */
export class FrameWitness implements MessageTracer {
  readonly #open: number[] = []
  #frames = 0
  readonly passages: Passage[][] = []

  keepsInput(): boolean {
    return false
  }

  enter(): void {
    this.#open.push(this.#frames++)
  }

  exit(_result: Result): void {
    this.#open.pop()
  }

  refuse(_frame: CallFrame): void {}

  /** The number of the running frame. */
  get current(): number {
    return this.#open.at(-1) ?? -1
  }

  pass(passage: Passage): void {
    const list = this.passages[this.current] ?? []
    list.push(passage)
    this.passages[this.current] = list
  }
}

/** Keeps the steps of each frame. */
export class StepsOfFrames extends FrameWitness {
  readonly frames: SeenStep[][] = []

  step({ frame: { pc, gas, code }, cost }: Step): void {
    const steps = this.frames[this.current] ?? []
    this.frames[this.current] = steps
    steps.push({ pc, gas: Number(gas), opcode: code[pc] ?? 0, cost: Number(cost), outcome: 'none' })
  }

  override exit(result: Result): void {
    const own = this.frames[this.current]
    super.exit(result)
    const code = result.failure?.code
    if (code === undefined) return
    // A message that fails for its sender, or has no code, is the outcome of the opcode that began it.
    if (own === undefined) this.#mark(this.frames[this.current], OF_MESSAGE.has(code) ? code : 'precompile')
    else this.#mark(OF_MESSAGE.has(code) ? this.frames[this.current] : own, code)
  }

  override refuse({ error = '' }: CallFrame): void {
    const code = REFUSED.get(error)
    if (code !== undefined) this.#mark(this.frames[this.current], code)
  }

  #mark(steps: SeenStep[] | undefined, code: FailureCode): void {
    const last = steps?.at(-1)
    if (last !== undefined) last.outcome = code
  }
}

/** Whether compiled code may have left at this step: before its opcode, or, for a call or creation, behind it and its price. */
const leavesAt = ({ pc, gas, opcode }: SeenStep, { pc: at, gas: left }: Place, reason: number): boolean =>
  gas >= left && (opcode === reason ? at - pc <= 1 : at === pc)

/** The engine's states at each step of a frame: in compiled code, or where that left to the interpreter; after the end of a turn. */
export function statesOf(steps: readonly SeenStep[], passages: readonly Passage[]): ReadonlySet<EngineState>[] {
  const states = steps.map(() => new Set<EngineState>())
  let next = 0
  for (const passage of passages) {
    if (passage.kind === 'paused') {
      const at = steps.findIndex(
        (step, index) => index >= next && step.pc === passage.at.pc && step.gas === passage.at.gas,
      )
      // It and those behind it run on what the engine has written to memory and read again.
      if (at >= 0) for (let index = at; index <= blockEnd(steps, at); index++) states[index]?.add('paused')
      continue
    }
    const { from, to } = passage
    const first = steps.findIndex((step, index) => index >= next && step.pc === from.pc && step.gas === from.gas)
    if (first < 0) continue
    // The last step before the gas falls below that of the exit. A frame that failed in compiled code has ended, and its header is stale.
    const hasFailed = passage.reason > PAUSED && passage.reason < NO_MEMORY
    let last = hasFailed ? steps.length - 1 : first
    for (let at = first; at < steps.length && !hasFailed; at++) {
      const step = steps[at]
      if (step === undefined || step.gas < to.gas) break
      if (leavesAt(step, to, passage.reason)) last = at
    }
    for (let at = first; at <= last; at++) states[at]?.add('compiled')
    // Compiled code checks gas and stack of a whole block at its start, and leaves there if one of its opcodes will fail.
    if (passage.reason === FALLEN) {
      const end = blockEnd(steps, last)
      if (steps[end]?.outcome !== 'none') states[end]?.add('compiled')
    }
    next = last
  }
  for (const state of states) if (!state.has('compiled')) state.add('interpreted')
  return states
}

const JUMPDEST = 0x5b
const JUMPS = new Set([0x56, 0x57])

/** The last step that is run straight on from this one: up to a jump, or before a jump destination. */
function blockEnd(steps: readonly SeenStep[], at: number): number {
  let end = at
  while (end + 1 < steps.length && !JUMPS.has(steps[end]?.opcode ?? 0) && steps[end + 1]?.opcode !== JUMPDEST) end++
  return end
}
