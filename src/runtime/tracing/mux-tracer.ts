// geth's muxTracer: several tracers over one run, each answering under its own name.
import type { EVMResult, Message } from '@ethereumjs/evm'
import type { CallType, Frame, Step } from '../../evm/tracer.ts'
import type { Address } from '../../lib/hex.ts'
import type { Log } from '../../primitives/types.ts'
import type { MessageResult } from '../execute-message.ts'
import type { TraceContext, Tracer } from './tracer.ts'

export class MuxTracer implements Tracer {
  readonly #tracers: ReadonlyMap<string, Tracer>
  // Present only if one of them listens: the machine is told by that what to tell.
  readonly step?: (step: Step) => void
  readonly log?: (log: Log) => void
  readonly refuse?: (frame: Frame) => void

  constructor(tracers: ReadonlyMap<string, Tracer>) {
    this.#tracers = tracers
    const all = [...tracers.values()]
    if (all.some(({ step }) => step !== undefined)) this.step = (step) => all.forEach((tracer) => tracer.step?.(step))
    if (all.some(({ log }) => log !== undefined)) this.log = (log) => all.forEach((tracer) => tracer.log?.(log))
    if (all.some(({ refuse }) => refuse !== undefined)) {
      // Each builds a tree of its own.
      this.refuse = (frame) => all.forEach((tracer) => tracer.refuse?.({ ...frame, calls: [] }))
    }
  }

  start(context: TraceContext): void {
    for (const tracer of this.#tracers.values()) tracer.start?.(context)
  }

  enter(message: Message, type: CallType): void {
    for (const tracer of this.#tracers.values()) tracer.enter?.(message, type)
  }

  exit(result: EVMResult): void {
    for (const tracer of this.#tracers.values()) tracer.exit?.(result)
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    for (const tracer of this.#tracers.values()) tracer.selfdestruct?.(from, beneficiary, balance)
  }

  result(outcome: MessageResult): unknown {
    return Object.fromEntries([...this.#tracers].map(([name, tracer]) => [name, tracer.result(outcome)]))
  }
}
