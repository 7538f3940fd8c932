// Tracers that count: opcodes (opcountTracer, unigramTracer, bigramTracer and trigramTracer, which go-ethereum ships in
// JavaScript) and function selectors (4byteTracer).

import type { EnterEvent, Step } from '../../evm/tracer.ts'
import { toHex } from '../../lib/hex.ts'
import type { RecordedContext, RecordedTracer, Tracer } from './tracer.ts'

/** How many opcodes ran. */
export class OpcodeCounter implements Tracer {
  #count = 0

  step(_step: Step): void {
    this.#count++
  }

  result(): unknown {
    return this.#count
  }
}

/** How often each opcode ran. */
export class UnigramTracer implements Tracer {
  readonly #counts = new Map<string, number>()

  step({ opcode: { name } }: Step): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  result(): unknown {
    return Object.fromEntries(this.#counts)
  }
}

/** How often two opcodes ran one after the other at the same depth. */
export class BigramTracer implements Tracer {
  readonly #counts = new Map<string, number>()
  #last = ''
  #depth = 0

  step({ opcode: { name }, frame: { depth } }: Step): void {
    if (depth + 1 === this.#depth) {
      const key = `${this.#last}-${name}`
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    }
    this.#last = name
    this.#depth = depth + 1
  }

  result(): unknown {
    return Object.fromEntries(this.#counts)
  }
}

/** How often three opcodes ran one after the other. As in go-ethereum, the first opcode at a new depth is skipped. */
export class TrigramTracer implements Tracer {
  readonly #counts = new Map<string, number>()
  #last: readonly [string, string] = ['', '']
  #depth = 0

  step({ opcode: { name }, frame: { depth } }: Step): void {
    if (depth + 1 !== this.#depth) {
      this.#last = ['', '']
      this.#depth = depth + 1
      return
    }
    const key = `${this.#last[0]}-${this.#last[1]}-${name}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    this.#last = [this.#last[1], name]
  }

  result(): unknown {
    return Object.fromEntries(this.#counts)
  }
}

const SELECTOR = 4

/** How often each function selector was called, by `selector-size`, the size in bytes of the arguments. */
export class FourByteTracer implements RecordedTracer {
  readonly readsRecording = true
  readonly #counts = new Map<string, number>()
  #machine: RecordedContext['machine'] | undefined

  start({ machine }: RecordedContext): void {
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
