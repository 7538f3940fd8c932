// Stack, memory and return data of a frame at any of its steps, by running through its steps from the first one. A recording keeps
// only the top of the stack at each step: every opcode pushes at most one item, so an item of the stack is the number of the step
// whose top it was, and no opcode has to be computed again. What an opcode writes to memory is on the stack, in the code, or in
// the call tree. Of a frame whose first steps were not kept, items from before are unknown.
import { type Depths, depthsOf, opcodeOf } from '../../evm/opcodes.ts'
import { EMPTY_BYTES, hexToAddress, toHex } from '../../lib/hex.ts'
import type { StateView } from '../../state/types.ts'
import type { CallTree } from '../types.ts'
import type { FrameSteps, Steps } from './steps.ts'

/** An item whose value is not known. */
const UNKNOWN = -1
const MOST_ITEMS = 1024

const OP = {
  KECCAK256: 0x20,
  CALLDATACOPY: 0x37,
  CODECOPY: 0x39,
  EXTCODECOPY: 0x3c,
  RETURNDATACOPY: 0x3e,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  MCOPY: 0x5e,
  PUSH0: 0x5f,
  DUP16: 0x8f,
  SWAP16: 0x9f,
  LOG4: 0xa4,
  DUPN: 0xe6,
  SWAPN: 0xe7,
  EXCHANGE: 0xe8,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
} as const

/** Stack positions of the offsets at which a call's input and output begin. */
const INPUT_OF: Readonly<Record<number, number>> = {
  [OP.CALL]: 3,
  [OP.CALLCODE]: 3,
  [OP.DELEGATECALL]: 2,
  [OP.STATICCALL]: 2,
}
const CALLS = [...Object.keys(INPUT_OF).map(Number), OP.CREATE, OP.CREATE2]

const MEMORY_OPS: readonly number[] = [
  ...[OP.KECCAK256, OP.CALLDATACOPY, OP.CODECOPY, OP.EXTCODECOPY, OP.RETURNDATACOPY],
  ...[OP.MLOAD, OP.MSTORE, OP.MSTORE8, OP.MCOPY],
]

const POPS = Uint8Array.from({ length: 256 }, (_, op) => opcodeOf(op).pops)
const PUSHES = Uint8Array.from({ length: 256 }, (_, op) => opcodeOf(op).pushes)

/** What opcodes do, for a switch. */
const PLAIN = 0
const PUSH = 1
const SWAP = 2
const MEMORY = 3
const CALL = 4
const KIND = Uint8Array.from({ length: 256 }, (_, op) => {
  if ((op >= OP.PUSH0 && op <= OP.DUP16) || op === OP.DUPN) return PUSH
  if ((op > OP.DUP16 && op <= OP.SWAP16) || op === OP.SWAPN || op === OP.EXCHANGE) return SWAP
  if (CALLS.includes(op)) return CALL
  return MEMORY_OPS.includes(op) || (op > OP.SWAP16 && op <= OP.LOG4) ? MEMORY : PLAIN
})

type Recorded = {
  readonly steps: Steps
  readonly frames: ReadonlyMap<CallTree, FrameSteps>
  readonly view: Pick<StateView, 'code'>
}

export class FrameValues {
  readonly #steps: Steps
  readonly #frames: Recorded['frames']
  readonly #view: Recorded['view']
  readonly #frame: CallTree
  readonly #code: Uint8Array
  readonly #isCreation: boolean
  /** Whether its first step was kept. */
  readonly isWhole: boolean
  /** The frame's step that runs next. */
  step: number
  readonly end: number
  /** Of items: the steps whose top they were. */
  readonly #stack = new Int32Array(2 * MOST_ITEMS + 2).fill(UNKNOWN)
  #height = 0
  #memory = new Uint8Array(1024)
  /** Bytes of memory. */
  memorySize = 0
  /** Of the last call. */
  returnData: Uint8Array = EMPTY_BYTES
  #nextCall = 0

  constructor({ steps, frames, view }: Recorded, frame: CallTree) {
    const of = frames.get(frame)
    this.#steps = steps
    this.#frames = frames
    this.#view = view
    this.#frame = frame
    this.#code = of?.code ?? EMPTY_BYTES
    this.#isCreation = frame.type === 'CREATE' || frame.type === 'CREATE2'
    this.end = of?.end ?? 0
    const first = of?.first ?? 0
    this.isWhole = first >= steps.first
    this.step = first
    if (!this.isWhole) this.#skipLost()
  }

  /** The present opcode. */
  get op(): number {
    return this.#steps.op(this.step)
  }

  get height(): number {
    return this.#height
  }

  /** The step whose top an item was, counted from the top; negative: its value is not known. */
  itemStep(index: number): number {
    const step = index < this.#height ? (this.#stack[this.#height - 1 - index] ?? UNKNOWN) : UNKNOWN
    return step < this.#steps.first ? UNKNOWN : step
  }

  /** An item counted from the top, in 32 bytes; undefined: not known. */
  item(index: number): Uint8Array | undefined {
    const step = this.itemStep(index)
    return step < 0 ? undefined : this.#steps.top(step)
  }

  /** An item as a number; Infinity: above 48 bits, NaN: not known. */
  small(index: number): number {
    const step = this.itemStep(index)
    return step < 0 ? Number.NaN : this.#steps.smallTop(step)
  }

  /** A copy of a part of memory; what was not written is zero. */
  memory(offset: number, length: number): Uint8Array {
    const copy = new Uint8Array(length)
    if (offset < this.memorySize) copy.set(this.#memory.subarray(offset, Math.min(this.memorySize, offset + length)))
    return copy
  }

  /** What the present opcode hashes, if it is a KECCAK256 of at most so many bytes; its hash is the top of the frame's next step. */
  hashed(longest: number): Uint8Array | undefined {
    if (this.op !== OP.KECCAK256) return undefined
    const [at, length] = [this.small(0), this.small(1)]
    return length <= longest ? this.memory(at, length) : undefined
  }

  /** Runs the present step. False: it was the frame's last one. */
  advance(): boolean {
    const { step } = this
    const op = this.#steps.op(step)
    const stack = this.#stack
    switch (KIND[op]) {
      case PUSH:
        stack[this.#height++] = step + 1
        break
      case SWAP: {
        const top = this.#height - 1
        const { deep, high } = this.#swapped(op)
        const lifted = stack[top - deep] ?? UNKNOWN
        stack[top - deep] = stack[top - high] ?? UNKNOWN
        stack[top - high] = lifted
        stack[top] = step + 1
        break
      }
      case CALL:
        return this.#call(op)
      case MEMORY:
        if (step + 1 < this.end) this.#writeMemory(op)
        this.#replace(op)
        break
      default:
        this.#replace(op)
    }
    this.step++
    return this.step < this.end
  }

  /** Runs up to a step of this frame. */
  runTo(step: number): void {
    while (this.step < step && this.advance());
  }

  #swapped(op: number): Depths {
    if (op <= OP.SWAP16) return { deep: op - OP.DUP16, high: 0 }
    return depthsOf(op, this.#code[this.#steps.pc(this.step) + 1] ?? 0) ?? { deep: 0, high: 0 }
  }

  #replace(op: number): void {
    this.#height -= POPS[op] ?? 0
    if (PUSHES[op] === 1) this.#stack[this.#height++] = this.step + 1
  }

  /** A call or creation runs, with all steps within it. */
  #call(op: number): boolean {
    const { step } = this
    const output = INPUT_OF[op] === undefined ? undefined : INPUT_OF[op] + 2
    const [start, size] = [
      output === undefined ? 0 : this.small(output),
      output === undefined ? 0 : this.small(output + 1),
    ]
    const input = INPUT_OF[op] ?? 1
    this.#expand(this.small(input), this.small(input + 1))
    this.#expand(start, size)
    const inner = this.#takeCall(step)
    const ran = inner && this.#frames.get(inner)
    const isCreation = output === undefined
    const hasOutput = inner !== undefined && (!isCreation || inner.error === 'execution reverted')
    this.returnData = hasOutput ? inner.output : EMPTY_BYTES
    if (!isCreation) this.#write(start, this.returnData, 0, Math.min(size, this.returnData.length))
    this.#height -= POPS[op] ?? 0
    this.step = Math.max(step + 1, ran?.end ?? 0)
    this.#stack[this.#height++] = this.step
    return this.step < this.end
  }

  /** The message of a call's step; undefined: none began. */
  #takeCall(step: number): CallTree | undefined {
    const { calls } = this.#frame
    while (calls[this.#nextCall]?.type === 'SELFDESTRUCT') this.#nextCall++
    const inner = calls[this.#nextCall]
    const ran = inner && this.#frames.get(inner)
    // One that was refused has no steps.
    if (inner === undefined || (ran !== undefined && ran.first !== step + 1)) return undefined
    this.#nextCall++
    return inner
  }

  #writeMemory(op: number): void {
    const stack = (index: number): number => this.small(index)
    if (op === OP.MSTORE) {
      const at = stack(0)
      this.#expand(at, 32)
      this.#write(at, this.item(1) ?? EMPTY_BYTES, 0, 32)
    } else if (op === OP.MLOAD) this.#expand(stack(0), 32)
    else if (op === OP.MSTORE8) {
      const at = stack(0)
      this.#expand(at, 1)
      this.#write(at, this.item(1) ?? EMPTY_BYTES, 31, 1)
    } else if (op === OP.KECCAK256 || (op > OP.SWAP16 && op <= OP.LOG4)) this.#expand(stack(0), stack(1))
    else if (op === OP.CALLDATACOPY) this.#copy(this.#isCreation ? EMPTY_BYTES : this.#frame.input, 0)
    else if (op === OP.CODECOPY) this.#copy(this.#code, 0)
    else if (op === OP.RETURNDATACOPY) this.#copy(this.returnData, 0)
    else if (op === OP.EXTCODECOPY) {
      const address = this.item(0)
      if (address !== undefined) this.#copy(this.#view.code(hexToAddress(toHex(address.subarray(12)))), 1)
    } else if (op === OP.MCOPY) {
      const [to, from, length] = [stack(0), stack(1), stack(2)]
      this.#expand(Math.max(to, from), length)
      if (length > 0) this.#memory.copyWithin(to, from, from + length)
    }
  }

  /** A copy of bytes, whose target, offset and length are on the stack. */
  #copy(bytes: Uint8Array, first: number): void {
    const [to, from, length] = [this.small(first), this.small(first + 1), this.small(first + 2)]
    this.#expand(to, length)
    this.#write(to, bytes, from, length)
  }

  /** Writes bytes to memory that is there; zeros behind their end. */
  #write(at: number, bytes: Uint8Array, from: number, length: number): void {
    if (!(length > 0) || !(at + length <= this.memorySize)) return
    const part = bytes.subarray(Math.min(from, bytes.length), Math.min(from + length, bytes.length))
    this.#memory.set(part, at)
    if (part.length < length) this.#memory.fill(0, at + part.length, at + length)
  }

  #expand(at: number, length: number): void {
    if (!(length > 0) || !(at + length > this.memorySize)) return
    // More than any frame can pay for: the opcode has failed.
    if (!(at + length < MOST_MEMORY)) return
    this.memorySize = Math.ceil((at + length) / 32) * 32
    if (this.memorySize <= this.#memory.length) return
    const larger = new Uint8Array(Math.max(this.memorySize, 2 * this.#memory.length))
    larger.set(this.#memory)
    this.#memory = larger
  }

  /** Begins at the first step that was kept, with items of which only the top is known. */
  #skipLost(): void {
    const { first } = this.#steps
    this.step = Math.min(first, this.end)
    for (const [index, inner] of this.#frame.calls.entries()) {
      const ran = this.#frames.get(inner)
      if (ran === undefined || ran.first > first) continue
      this.#nextCall = index + 1
      this.step = Math.max(this.step, ran.end)
    }
    this.#height = MOST_ITEMS
    if (this.step < this.end) this.#stack[MOST_ITEMS - 1] = this.step
  }
}

/** Bytes. */
const MOST_MEMORY = 1 << 28
