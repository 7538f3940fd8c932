// A frame of the library's interpreter as tracers and a proposal's price functions see it.
import type { Address } from '../../lib/hex.ts'
import type { PriceState } from '../gas/memory-gas.ts'
import type { FrameState } from '../tracer.ts'
import type { RunState } from './library-types.ts'
import { addressOf } from './state-adapter.ts'

export class LibraryFrame implements FrameState {
  readonly #state: RunState
  readonly #owed: bigint
  #stack: readonly bigint[] | undefined

  /** `owed`: refunds that the library was not told of. */
  constructor(state: RunState, owed: bigint) {
    this.#state = state
    this.#owed = owed
  }

  get pc(): number {
    return this.#state.programCounter
  }

  get gas(): bigint {
    return this.#state.gasLeft
  }

  get refund(): bigint {
    return this.#state.gasRefund + this.#owed
  }

  get depth(): number {
    return this.#state.env.depth
  }

  get address(): Address {
    return addressOf(this.#state.env.address)
  }

  get code(): Uint8Array {
    return this.#state.code
  }

  get stack(): readonly bigint[] {
    this.#stack ??= this.#state.stack.getStack()
    return this.#stack
  }

  get returnData(): Uint8Array {
    return this.#state.returnBytes
  }

  memory(offset: number, length: number): Uint8Array {
    const copy = new Uint8Array(length)
    copy.set(this.#state.memory._store.subarray(offset, offset + length))
    return copy
  }
}

/** The frame for functions that price an opcode: nothing that only the library has. */
export function priceState(state: RunState): PriceState {
  const { stack, memory, env } = state
  return {
    stack: {
      length: stack.length,
      peek: (count) => stack.peek(count),
    },
    memory: { read: (offset, length) => memory.read(offset, length) },
    memoryWordCount: state.memoryWordCount,
    gasLeft: state.gasLeft,
    programCounter: state.programCounter,
    code: state.code,
    env: {
      address: env.address,
      caller: env.caller,
      callValue: env.callValue,
      depth: env.depth,
      isStatic: env.isStatic,
    },
  }
}
