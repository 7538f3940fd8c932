// The opcodes of a message with all its inner messages, packed: pc, opcode, depth and gas of each, and with values the top of the stack.
// A ring: only the last two million steps are kept.
import { opcodeOf } from '../../evm/opcodes.ts'
import { PACKED_STEP, WIDE_STEP } from '../../evm/tracer.ts'
import { bigToWord, fromHex } from '../../lib/hex.ts'

/** Both powers of 2. */
const FIRST_STEPS = 4096
const MOST_STEPS = 1 << 21

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

  /** Bytes of memory. */
  get bytes(): number {
    return this.#bytes.length
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
