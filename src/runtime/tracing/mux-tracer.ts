// geth's muxTracer: several tracers of one run; the result has a field for each, by the tracer's name.
import type { Result } from '../../evm/result.ts'
import type { CallFrame, EnterEvent, FrameState, Step } from '../../evm/tracer.ts'
import type { Address } from '../../lib/hex.ts'
import type { Log } from '../../primitives/types.ts'
import type { TraceContext, TraceOutcome, Tracer } from './tracer.ts'

export class MuxTracer implements Tracer {
  readonly #tracers: ReadonlyMap<string, Tracer>
  // Defined only if one of the tracers has it: the machine reports opcodes only to a tracer with this hook.
  readonly step?: (step: Step) => void
  readonly log?: (log: Log) => void
  readonly refuse?: (frame: CallFrame) => void
  readonly readsRecording: boolean
  readonly readsMemory: boolean
  readonly readsState: boolean

  constructor(tracers: ReadonlyMap<string, Tracer>) {
    this.#tracers = tracers
    const forEach = (call: (tracer: Tracer) => void) => {
      for (const tracer of tracers.values()) call(tracer)
    }
    const anyHas = (hook: 'step' | 'log' | 'refuse') =>
      [...tracers.values()].some((tracer) => tracer[hook] !== undefined)
    this.readsRecording = [...tracers.values()].every((tracer) => tracer.readsRecording === true)
    this.readsMemory = [...tracers.values()].some((tracer) => tracer.readsMemory === true)
    this.readsState = [...tracers.values()].some((tracer) => tracer.readsState === true)
    if (anyHas('step')) this.step = (step) => forEach((tracer) => tracer.step?.(step))
    if (anyHas('log')) this.log = (log) => forEach((tracer) => tracer.log?.(log))
    // A copy for each, because each appends to its own call tree.
    if (anyHas('refuse')) this.refuse = (frame) => forEach((tracer) => tracer.refuse?.({ ...frame, calls: [] }))
  }

  start(context: TraceContext): void {
    for (const tracer of this.#tracers.values()) tracer.start?.(context)
  }

  keepsInput(length: number): boolean {
    // All are asked, because each has a budget of its own.
    return [...this.#tracers.values()].filter((tracer) => tracer.keepsInput?.(length) !== false).length > 0
  }

  enter(message: EnterEvent): void {
    for (const tracer of this.#tracers.values()) tracer.enter?.(message)
  }

  exit(result: Result, frame: FrameState | undefined): void {
    for (const tracer of this.#tracers.values()) tracer.exit?.(result, frame)
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    for (const tracer of this.#tracers.values()) tracer.selfdestruct?.(from, beneficiary, balance)
  }

  /**
   * The results by name; a promise if one of them is. Calls `result` of all tracers even after one throws, because it frees a
   * script's sandbox. Throws the first error.
   */
  result(outcome: TraceOutcome): unknown {
    const failures: unknown[] = []
    const results = [...this.#tracers].map(([name, tracer]) => {
      try {
        return [name, tracer.result(outcome)]
      } catch (error) {
        failures.push(error)
        return [name, undefined]
      }
    })
    if (failures.length > 0) throw failures[0]
    if (!results.some(([, of]) => of instanceof Promise)) return Object.fromEntries(results)
    return Promise.all(results.map(async ([name, of]) => [name, await of] as const)).then(Object.fromEntries)
  }
}
