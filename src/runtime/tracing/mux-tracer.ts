// geth's muxTracer: several tracers over one run, each answering under its own name.
import type { Result } from '../../evm/result.ts'
import type { CallFrame, EnterEvent, FrameState, Step } from '../../evm/tracer.ts'
import type { Address } from '../../lib/hex.ts'
import type { Log } from '../../primitives/types.ts'
import type { MessageResult } from '../execute-message.ts'
import type { TraceContext, Tracer } from './tracer.ts'

export class MuxTracer implements Tracer {
  readonly #tracers: ReadonlyMap<string, Tracer>
  // Defined only if one of the tracers has it: the machine reports opcodes only to a tracer with this hook.
  readonly step?: (step: Step) => void
  readonly log?: (log: Log) => void
  readonly refuse?: (frame: CallFrame) => void
  readonly readsMemory: boolean
  readonly readsState: boolean

  constructor(tracers: ReadonlyMap<string, Tracer>) {
    this.#tracers = tracers
    const tell = (ears: (tracer: Tracer) => void) => {
      for (const tracer of tracers.values()) ears(tracer)
    }
    const hears = (hook: 'step' | 'log' | 'refuse') =>
      [...tracers.values()].some((tracer) => tracer[hook] !== undefined)
    this.readsMemory = [...tracers.values()].some((tracer) => tracer.readsMemory === true)
    this.readsState = [...tracers.values()].some((tracer) => tracer.readsState === true)
    if (hears('step')) this.step = (step) => tell((tracer) => tracer.step?.(step))
    if (hears('log')) this.log = (log) => tell((tracer) => tracer.log?.(log))
    // Each builds a tree of its own.
    if (hears('refuse')) this.refuse = (frame) => tell((tracer) => tracer.refuse?.({ ...frame, calls: [] }))
  }

  start(context: TraceContext): void {
    for (const tracer of this.#tracers.values()) tracer.start?.(context)
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

  /** Asks each for its result, also after a failure: a script gives back its sandbox then. Throws the first failure. */
  result(outcome: MessageResult): unknown {
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
    return Object.fromEntries(results)
  }
}
