// geth's 4byteTracer: how often each function selector was called, with the size of its arguments.
import type { Machine } from '../../evm/machine.ts'
import type { Entered } from '../../evm/tracer.ts'
import { toHex } from '../../lib/hex.ts'
import type { TraceContext, Tracer } from './tracer.ts'

const SELECTOR = 4

export class FourByteTracer implements Tracer {
  readonly #counts = new Map<string, number>()
  #machine: Machine | undefined

  start({ machine }: TraceContext): void {
    this.#machine = machine
  }

  enter({ input, depth, to }: Entered): void {
    if (input.length < SELECTOR) return
    // The transaction's own data counts whatever it is; inner creations and precompiles have no functions.
    const isCall = to !== null && !this.#machine?.isPrecompile(to)
    if (depth > 0 && !isCall) return
    const key = `${toHex(input.subarray(0, SELECTOR))}-${input.length - SELECTOR}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  result(): unknown {
    return Object.fromEntries(this.#counts)
  }
}
