// geth's 4byteTracer: how often each function selector was called, with the size of its arguments.
import type { Message } from '@ethereumjs/evm'
import type { Machine } from '../../evm/machine.ts'
import { addressOf } from '../../evm/state-adapter.ts'
import { toHex } from '../../lib/hex.ts'
import type { TraceContext, Tracer } from './tracer.ts'

const SELECTOR = 4

export class FourByteTracer implements Tracer {
  readonly #counts = new Map<string, number>()
  #machine: Machine | undefined

  start({ machine }: TraceContext): void {
    this.#machine = machine
  }

  enter(message: Message): void {
    const { data, depth, to } = message
    if (data.length < SELECTOR) return
    // The transaction's own data counts whatever it is; inner creations and precompiles have no functions.
    const isCall = to !== undefined && !this.#machine?.isPrecompile(addressOf(message.codeAddress))
    if (depth > 0 && !isCall) return
    const key = `${toHex(data.subarray(0, SELECTOR))}-${data.length - SELECTOR}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  result(): unknown {
    return Object.fromEntries(this.#counts)
  }
}
