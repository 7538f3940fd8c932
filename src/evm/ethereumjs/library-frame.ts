// A frame of the library's interpreter for tracers and proposals' functions.
import { type Address, fromHex, type Hash } from '../../lib/hex.ts'
import { memoryGas } from '../gas/memory-gas.ts'
import type { Host } from '../host.ts'
import type { OpcodeTable } from '../opcode-table.ts'
import { topItems } from '../proposal-functions.ts'
import type { EngineFrame, FrameRules } from '../run-opcode.ts'
import type { FrameState } from '../tracer.ts'
import type { RunState } from './library-types.ts'
import { addressOf } from './state-adapter.ts'

export class LibraryFrame implements FrameState {
  readonly #state: RunState
  readonly #initialRefund: bigint
  #stack: readonly bigint[] | undefined

  /** `initialRefund`: see `LibraryHost`. */
  constructor(state: RunState, initialRefund: bigint) {
    this.#state = state
    this.#initialRefund = initialRefund
  }

  get pc(): number {
    return this.#state.programCounter
  }

  get gas(): bigint {
    return this.#state.gasLeft
  }

  get refund(): bigint {
    return this.#state.gasRefund + this.#initialRefund
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

/** A copy that does not change when the opcode changes stack and memory. */
export function copiedFrame(state: RunState, initialRefund: bigint): LibraryFrame {
  const stack = state.stack.getStack()
  const memory = { _store: state.memory._store.slice() }
  return new LibraryFrame(Object.assign({ ...state }, { stack: { getStack: () => stack }, memory }), initialRefund)
}

/** The frame for a proposal's functions: see `run-opcode.ts`. */
export class LibraryOpcodeState implements EngineFrame {
  readonly programCounter: number
  readonly stack: EngineFrame['stack']
  readonly rules: FrameRules
  readonly own: OpcodeTable
  readonly host: Host
  readonly #state: RunState

  /** `passed`: number of bytes by which the library's program counter is ahead of the opcode. */
  constructor(state: RunState, { own, rules }: Pick<EngineFrame, 'own' | 'rules'>, host: Host, passed: 0 | 1) {
    this.#state = state
    this.own = own
    this.rules = rules
    this.host = host
    this.programCounter = state.programCounter - passed
    const { stack } = state
    const { length } = stack
    this.stack = {
      length,
      item: (index) => stack.peek(index + 1)[index] ?? 0n,
      peek: (count) => {
        const items = stack.peek(Math.min(count, length))
        return topItems(count, length, (index) => items[index] ?? 0n)
      },
    }
  }

  get memory(): EngineFrame['memory'] {
    const { memory } = this.#state
    return { read: (offset, length) => new Uint8Array(memory.read(offset, length)) }
  }

  get memoryWordCount(): bigint {
    return this.#state.memoryWordCount
  }

  get gasLeft(): bigint {
    return this.#state.gasLeft
  }

  get code(): Uint8Array {
    return this.#state.code.slice()
  }

  get env(): EngineFrame['env'] {
    const { address, caller, callValue, depth, isStatic } = this.#state.env
    return { address: addressOf(address), caller: addressOf(caller), callValue, depth, isStatic }
  }

  get callData(): Uint8Array {
    return this.#state.env.callData
  }

  get returnData(): Uint8Array {
    return this.#state.returnBytes
  }

  growMemory(bytes: bigint): void {
    growMemory(this.#state, bytes)
  }

  writeMemory(offset: number, bytes: Uint8Array): void {
    this.#state.memory.write(offset, bytes.length, bytes)
  }

  load(key: Hash): Uint8Array {
    this.host.stateAccesses?.slot(this.env.address, key)
    return this.host.view.word(this.env.address, key)
  }

  store(key: Hash, word: Uint8Array): void {
    this.host.view.setWord(this.env.address, key, word)
  }

  useState(gasLeft: bigint, gas: bigint): bigint {
    const { _evm: evm } = this.#state.interpreter
    if (gas < 0n) {
      const given = -gas < evm.executionStateGasUsed ? -gas : evm.executionStateGasUsed
      const own = this.#state.stateGasSpilled
      const repaid = given < own ? given : own
      this.#state.stateGasSpilled -= repaid
      evm.stateGasReservoir += given - repaid
      evm.executionStateGasUsed -= given
      return gasLeft + repaid
    }
    const spilled = gas > evm.stateGasReservoir ? gas - evm.stateGasReservoir : 0n
    if (spilled <= gasLeft) {
      evm.stateGasReservoir -= gas - spilled
      evm.executionStateGasUsed += gas
      this.#state.stateGasSpilled += spilled
    }
    return gasLeft - spilled
  }

  addRefund(gas: number): void {
    this.#state.gasRefund += BigInt(gas)
  }

  addLog(topics: Hash[], data: Uint8Array): void {
    const log = { address: this.env.address, topics, data }
    this.#state.interpreter.log(data, topics.length, topics.map(fromHex))
    this.host.tracer?.log?.(log)
  }
}

/** Grows the memory after its gas was charged. */
export function growMemory(state: RunState, bytes: bigint): void {
  const { words, cost } = memoryGas(bytes)
  if (words <= state.memoryWordCount) return
  state.memory.extend(0, Number(bytes))
  state.memoryWordCount = words
  state.highestMemCost = cost
}
