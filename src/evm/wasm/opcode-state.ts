// A frame of the engine for proposals' functions: those that price an opcode and, through `run-opcode.ts`, those that replace
// it. Values are read from the engine's memory on access, because most functions need few.
import { EMPTY_BYTES, type Hash } from '../../lib/hex.ts'
import type { Host } from '../host.ts'
import { isCreation } from '../message.ts'
import type { OpcodeTable } from '../opcode-table.ts'
import { topItems } from '../proposal-functions.ts'
import type { EngineFrame, FrameRules } from '../run-opcode.ts'
import { type ActiveFrame, type Execution, stackSize } from './frames.ts'
import type { Instance } from './instance.ts'
import { F_CODE, F_CODE_LENGTH, F_MEMORY_SIZE, F_PC, F_TOP } from './layout.ts'

export class OpcodeState implements EngineFrame {
  /** Gas that the function may still use; the frame's own field is written after the opcode. */
  gasLeft: bigint
  readonly stack: EngineFrame['stack']
  readonly memory: EngineFrame['memory']
  readonly #run: Execution
  readonly #active: ActiveFrame

  constructor(run: Execution, active: ActiveFrame, gasLeft: bigint) {
    this.#run = run
    this.#active = active
    this.gasLeft = gasLeft
    const { engine } = run
    const { frame } = active
    const top = engine.field(frame, F_TOP)
    const item = (index: number): bigint => engine.word(top - 32 * (index + 1))
    const length = stackSize(engine, frame)
    this.stack = { length, item, peek: (count) => topItems(count, length, item) }
    this.memory = { read: (offset, length) => readMemory(engine, frame, offset, length) }
  }

  get memoryWordCount(): bigint {
    return BigInt(this.#run.engine.field(this.#active.frame, F_MEMORY_SIZE) / 32)
  }

  get programCounter(): number {
    return this.#run.engine.field(this.#active.frame, F_PC)
  }

  get code(): Uint8Array {
    const { engine } = this.#run
    const { frame } = this.#active
    return engine.slice(engine.field(frame, F_CODE), engine.field(frame, F_CODE_LENGTH))
  }

  get env(): EngineFrame['env'] {
    const { to, caller, value, depth, isStatic } = this.#active.message
    return { address: to, caller, callValue: value, depth, isStatic }
  }

  get host(): Host {
    return this.#run.host
  }

  get rules(): FrameRules {
    return this.#run.rules
  }

  get own(): OpcodeTable {
    return this.#run.rules.own.table
  }

  get callData(): Uint8Array {
    const { kind, data, dataLength } = this.#active.message
    return isCreation(kind) ? EMPTY_BYTES : this.#run.engine.bytes.subarray(data, data + dataLength)
  }

  get returnData(): Uint8Array {
    return this.#run.engine.returned()
  }

  growMemory(bytes: bigint): void {
    this.#run.engine.growMemory(this.#active.frame, bytes)
  }

  writeMemory(offset: number, bytes: Uint8Array): void {
    const { engine } = this.#run
    engine.bytes.set(bytes, engine.memory(this.#active.frame) + offset)
  }

  load(key: Hash): Uint8Array {
    this.#run.host.stateAccesses?.slot(this.#active.message.to, key)
    return this.#run.host.view.word(this.#active.message.to, key)
  }

  /** The engine's cached copy of the slot is now stale. */
  store(key: Hash, word: Uint8Array): void {
    this.#run.host.view.setWord(this.#active.message.to, key, word)
    this.#run.engine.invalidateCache()
  }

  useState(gasLeft: bigint, gas: bigint): bigint {
    const { engine } = this.#run
    if (gas < 0n) return engine.refundedState(this.#active.frame, gasLeft, -gas)
    return BigInt(engine.chargeState(Number(gasLeft), Number(gas)))
  }

  addRefund(gas: number): void {
    this.#run.opcodeHost.addRefund(gas)
  }

  addLog(topics: Hash[], data: Uint8Array): void {
    this.#run.opcodeHost.log(topics, data)
  }
}

function readMemory(engine: Instance, frame: number, offset: number, length: number): Uint8Array {
  const copy = new Uint8Array(length)
  const start = engine.memory(frame)
  const end = Math.min(offset + length, engine.field(frame, F_MEMORY_SIZE))
  if (end > offset) copy.set(engine.bytes.subarray(start + offset, start + end))
  return copy
}
