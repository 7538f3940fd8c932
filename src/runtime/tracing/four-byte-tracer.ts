// geth's 4byteTracer: how often each function selector was called, with the size of its arguments.
import type { Machine } from '../../evm/machine.ts'
import type { EnterEvent } from '../../evm/tracer.ts'
import { toHex } from '../../lib/hex.ts'
import type { TraceContext, Tracer } from './tracer.ts'

const SELECTOR = 4

export class FourByteTracer implements Tracer {
  readonly #counts = new Map<string, number>()
  #machine: Machine | undefined

  start({ machine }: TraceContext): void {
    this.#machine = machine
  }

  enter({ input, to }: EnterEvent): void {
    // Creations (no `to`), the transaction's own included, and precompiles have no functions.
    if (input.length < SELECTOR || to === null || this.#machine?.isPrecompile(to)) return
    const key = `${toHex(input.subarray(0, SELECTOR))}-${input.length - SELECTOR}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  result(): unknown {
    return Object.fromEntries(this.#counts)
  }
}
