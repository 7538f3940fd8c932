// Runs a proposal's function on its frame (opcode-frame.ts) and checks and charges everything it reads and writes. An engine
// provides the frame as `EngineFrame`. Stack and gas are passed to the engine when the function returns; memory, storage and
// logs are written at once and reverted if the frame fails, like any other change.
import { ChainError, ReadFailure } from '../lib/errors.ts'
import { type Address, bigToBytes, bigToWord, bytesToBig, EMPTY_BYTES, type Hash, ZERO_ADDRESS } from '../lib/hex.ts'
import type { ForkRules } from '../spec/fork-rules.ts'
import { type FailureCode, failureOf } from './failure.ts'
import type { ForkGas } from './gas/fork-gas.ts'
import { COPY_WORD, LOG_BYTE, LOG_TOPIC, STACK_LIMIT } from './gas/gas-rules.ts'
import { expansionGas, type PriceState, roundToWords } from './gas/memory-gas.ts'
import { storeCost } from './gas/sstore-gas.ts'
import type { FrameHost } from './host.ts'
import type {
  Bytes,
  Execute,
  Frame,
  FrameBytes,
  FrameEnvironment,
  FrameMemory,
  FrameStack,
  FrameStorage,
} from './opcode-frame.ts'
import type { OpcodeTable } from './opcode-table.ts'
import { messageOf } from './proposal-functions.ts'

/** The fork's rules for the charges of a frame. */
export type FrameRules = {
  readonly gas: ForkGas
  readonly forks: ForkRules
}

/** A frame as stored by its engine. Nothing here is checked or charged; offsets and lengths are in bytes. */
export interface EngineFrame extends PriceState {
  readonly stack: PriceState['stack'] & {
    /** An item, counted from the top. */
    item(index: number): bigint
  }
  readonly host: FrameHost
  readonly rules: FrameRules
  /** The fork's own table. */
  readonly own: OpcodeTable
  readonly callData: Uint8Array
  readonly returnData: Uint8Array
  growMemory(bytes: bigint): void
  writeMemory(offset: number, bytes: Uint8Array): void
  load(key: Hash): Uint8Array
  store(key: Hash, word: Uint8Array): void
  /** Charges state gas (EIP-8037); below zero it is given back. Returns the gas left of `gasLeft`; below zero, nothing was charged. */
  useState(gasLeft: bigint, gas: bigint): bigint
  /** `gas` may be negative. */
  addRefund(gas: number): void
  addLog(topics: Hash[], data: Uint8Array): void
}

/** How a function ended the frame. */
export type FrameEnd = {
  /** undefined: it returned. */
  readonly failure: FailureCode | undefined
  readonly words: string | undefined
  readonly output: Uint8Array
}

/** The result of a function: the end of the frame, or the popped and pushed items, bottom first. */
export type OpcodeOutcome = {
  readonly end: FrameEnd | undefined
  readonly gasLeft: bigint
  /** Gas charged by the function, including what could not be paid. */
  readonly charged: bigint
  readonly taken: number
  readonly pushed: readonly bigint[]
}

/** Opcodes whose constant gas is the price of a read before EIP-2929. */
const BALANCE = 0x31
const CODE_SIZE = 0x3b
const LOAD = 0x54
const TRANSIENT_LOAD = 0x5c
const MOST_TOPICS = 4

/** Thrown to leave the function; the end of the frame is already recorded. */
const ENDED = new Error('the frame has ended')

/**
 * Runs a proposal's function on a frame that has paid the opcode's price. `limit`: maximum stack height afterwards. Throws
 * errors of the node, not of the frame: ChainError and ReadFailure.
 */
export function runOpcode(execute: Execute, state: EngineFrame, limit: number): OpcodeOutcome {
  const core = new FrameCore(state)
  try {
    const answer: unknown = execute(new OpcodeFrame(core))
    if (answer instanceof Promise) {
      answer.catch(() => undefined)
      core.settle('proposal', 'execute must not be asynchronous')
    }
  } catch (error) {
    // The function may have caught and rethrown an error of the node.
    if (isFault(error)) core.fault ??= error
    core.settle('proposal', messageOf(error, failureOf('proposal').message))
  }
  core.isOpen = false
  if (core.fault !== undefined) throw core.fault
  const items = core.height
  const most = Math.min(limit, STACK_LIMIT)
  if (items > most) core.settle('proposal', `stack limit reached ${items} (${most})`)
  return core
}

const isFault = (error: unknown): boolean => error instanceof ChainError || error instanceof ReadFailure

/** State shared by the views of a frame; not accessible to functions. */
class FrameCore implements OpcodeOutcome {
  readonly state: EngineFrame
  isOpen = true
  end: FrameEnd | undefined
  /** An error of the node, which a function must not hide. */
  fault: unknown
  gasLeft: bigint
  charged = 0n
  taken = 0
  readonly pushed: bigint[] = []

  constructor(state: EngineFrame) {
    this.state = state
    this.gasLeft = state.gasLeft
  }

  /** Height of the stack. */
  get height(): number {
    return this.state.stack.length - this.taken + this.pushed.length
  }

  /** Records the end of the frame; only the first call has an effect. */
  settle(failure: FailureCode | undefined, words?: string, output: Uint8Array = EMPTY_BYTES): void {
    this.end ??= { failure, words, output }
  }

  leave(failure: FailureCode | undefined, words?: string, output?: Uint8Array): never {
    this.requireOpen()
    this.settle(failure, words, output)
    throw ENDED
  }

  requireOpen(): void {
    if (!this.isOpen || this.end !== undefined) throw ENDED
  }

  charge(gas: bigint): void {
    this.requireOpen()
    if (typeof gas !== 'bigint' || gas < 0n) this.leave('proposal', 'gas: expected a bigint from 0')
    this.charged += gas
    if (gas > this.gasLeft) this.leave('out of gas')
    this.gasLeft -= gas
  }

  /** Charges for copying. */
  chargeWords(length: bigint): void {
    this.charge(((length + 31n) / 32n) * BigInt(COPY_WORD))
  }

  requireChange(): void {
    this.requireOpen()
    if (this.state.env.isStatic) this.leave('write protection')
  }

  /** Accesses the state. An error of the node is recorded before the function sees it. */
  guarded<T>(work: () => T): T {
    this.requireOpen()
    try {
      return work()
    } catch (error) {
      if (isFault(error)) this.fault ??= error
      throw error
    }
  }

  word(given: unknown, what: string): bigint {
    if (typeof given === 'bigint' && BigInt.asUintN(256, given) === given) return given
    return this.leave('proposal', `${what} is no word`)
  }

  bytes(given: unknown): Uint8Array {
    return given instanceof Uint8Array ? given : this.leave('proposal', 'expected a Uint8Array')
  }

  /** Converts a range; out of gas if no memory can be that large. */
  range(offset: Bytes, length: Bytes): { from: bigint; length: bigint } {
    this.requireOpen()
    const range = { from: BigInt(offset), length: BigInt(length) }
    if (range.from < 0n || range.length < 0n) this.leave('proposal', 'a range begins or ends below zero')
    return range
  }

  /** A copy of a range, padded with zeros. */
  copy(source: () => Uint8Array, offset: Bytes, length: Bytes): Uint8Array {
    const range = this.range(offset, length)
    this.chargeWords(range.length)
    const bytes = source()
    const copy = new Uint8Array(Number(range.length))
    if (range.from < BigInt(bytes.length))
      copy.set(bytes.subarray(Number(range.from), Number(range.from + range.length)))
    return copy
  }

  /** Charges a cold or warm access to an account (EIP-2929); before Berlin the price of the opcode that reads it. */
  accessAccount(account: Address, opcode: number): void {
    const { rules, host, own } = this.state
    const isWarm = host.accessJournal.isWarm(account)
    if (rules.forks.berlin && !isWarm) host.accessJournal.warm(account)
    const price = BigInt(isWarm ? rules.gas.warm : rules.gas.cold)
    this.charge(rules.forks.berlin ? price : (own.operations[opcode]?.constantGas ?? 0n))
    host.stateAccesses?.account(account)
  }

  /** Marks the slot as warm. Returns whether it was cold. */
  accessSlot(key: Hash): boolean {
    const { rules, host, env } = this.state
    return rules.forks.berlin && host.accessJournal.warmSlot(env.address, key)
  }
}

const addressOf = (word: bigint): Address => `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}` as Address

class OpcodeFrame implements Frame {
  readonly #core: FrameCore
  readonly stack: FrameStack
  #memory: FrameMemory | undefined
  #storage: FrameStorage | undefined
  #transient: FrameStorage | undefined
  #env: FrameEnvironment | undefined

  constructor(core: FrameCore) {
    this.#core = core
    this.stack = new Stack(core)
  }

  get memory(): FrameMemory {
    this.#memory ??= new Memory(this.#core)
    return this.#memory
  }

  get storage(): FrameStorage {
    this.#storage ??= new Storage(this.#core)
    return this.#storage
  }

  get transient(): FrameStorage {
    this.#transient ??= new Transient(this.#core)
    return this.#transient
  }

  get callData(): FrameBytes {
    const core = this.#core
    const source = () => core.state.callData
    return { size: source().length, read: (offset, length) => core.copy(source, offset, length) }
  }

  get returnData(): FrameBytes {
    const core = this.#core
    const source = () => core.state.returnData
    return { size: source().length, read: (offset, length) => core.copy(source, offset, length) }
  }

  get env(): FrameEnvironment {
    this.#env ??= environmentOf(this.#core.state)
    return this.#env
  }

  get code(): Uint8Array {
    return this.#core.state.code
  }

  get programCounter(): number {
    return this.#core.state.programCounter
  }

  get gasLeft(): bigint {
    return this.#core.gasLeft
  }

  // Fields, so that functions can destructure the frame.

  readonly chargeGas = (gas: bigint): void => this.#core.charge(gas)

  readonly balance = (account: bigint): bigint => {
    const core = this.#core
    const address = addressOf(core.word(account, 'account'))
    return core.guarded(() => {
      core.accessAccount(address, BALANCE)
      return core.state.host.view.balance(address)
    })
  }

  readonly codeOf = (account: bigint): Uint8Array => {
    const core = this.#core
    const address = addressOf(core.word(account, 'account'))
    return core.guarded(() => {
      core.accessAccount(address, CODE_SIZE)
      const code = core.state.host.view.code(address)
      core.chargeWords(BigInt(code.length))
      return code.slice()
    })
  }

  readonly log = (topics: readonly bigint[], data: Uint8Array): void => {
    const core = this.#core
    core.requireChange()
    if (topics.length > MOST_TOPICS) core.leave('proposal', `a log has ${MOST_TOPICS} topics at most`)
    const words = topics.map((topic) => bigToWord(core.word(topic, 'topic')))
    const { length } = core.bytes(data)
    core.charge(BigInt(LOG_TOPIC * (1 + words.length) + LOG_BYTE * length))
    core.state.addLog(words, data.slice())
  }

  readonly finish = (output: Uint8Array): never => this.#leave(undefined, output)

  readonly revert = (output: Uint8Array): never => this.#leave('revert', output)

  readonly fail = (reason: string): never => this.#core.leave('proposal', String(reason))

  #leave(failure: 'revert' | undefined, output: Uint8Array): never {
    const core = this.#core
    core.chargeWords(BigInt(core.bytes(output).length))
    return core.leave(failure, undefined, output.slice())
  }
}

class Stack implements FrameStack {
  readonly #core: FrameCore

  constructor(core: FrameCore) {
    this.#core = core
  }

  get length(): number {
    return this.#core.height
  }

  pop(): bigint {
    const core = this.#core
    core.requireOpen()
    const { stack } = core.state
    const pushed = core.pushed.pop()
    if (pushed !== undefined) return pushed
    if (core.taken === stack.length) core.leave('proposal', `stack underflow (${stack.length} <=> ${core.taken + 1})`)
    return stack.item(core.taken++)
  }

  popN(count: number): bigint[] {
    return Array.from({ length: this.#counted(count) }, () => this.pop())
  }

  peek(count: number): bigint[] {
    const { pushed, taken, state } = this.#core
    return Array.from({ length: this.#counted(count) }, (_, index) =>
      index < pushed.length
        ? (pushed[pushed.length - 1 - index] ?? 0n)
        : state.stack.item(taken + index - pushed.length),
    )
  }

  push(word: bigint): void {
    const core = this.#core
    core.requireOpen()
    core.pushed.push(core.word(word, 'an item of the stack'))
  }

  #counted(count: number): number {
    const core = this.#core
    core.requireOpen()
    if (!(count <= core.height)) core.leave('proposal', `stack underflow (${core.height} <=> ${count})`)
    return count
  }
}

class Memory implements FrameMemory {
  readonly #core: FrameCore

  constructor(core: FrameCore) {
    this.#core = core
  }

  get size(): number {
    return 32 * Number(this.#core.state.memoryWordCount)
  }

  read(offset: Bytes, length: Bytes): Uint8Array {
    const place = this.#grow(offset, length)
    return this.#core.state.memory.read(place.at, place.length)
  }

  write(offset: Bytes, bytes: Uint8Array): void {
    const place = this.#grow(offset, this.#core.bytes(bytes).length)
    if (place.length > 0) this.#core.state.writeMemory(place.at, bytes)
  }

  /** Charges for a range and expands the memory to it; an empty range needs none. */
  #grow(offset: Bytes, size: Bytes): { at: number; length: number } {
    const core = this.#core
    const { from, length } = core.range(offset, size)
    if (length === 0n) return { at: 0, length: 0 }
    const end = roundToWords(from + length)
    if (end === undefined) return core.leave('out of gas')
    core.chargeWords(length)
    core.charge(expansionGas(core.state, end))
    core.guarded(() => core.state.growMemory(end))
    return { at: Number(from), length: Number(length) }
  }
}

class Storage implements FrameStorage {
  readonly #core: FrameCore

  constructor(core: FrameCore) {
    this.#core = core
  }

  load(slot: bigint): bigint {
    const core = this.#core
    const key = bigToWord(core.word(slot, 'key'))
    const { rules, own } = core.state
    return core.guarded(() => {
      const isCold = core.accessSlot(key)
      const warm = rules.forks.berlin ? BigInt(rules.gas.warm) : (own.operations[LOAD]?.constantGas ?? 0n)
      core.charge(isCold ? BigInt(rules.gas.coldSlot) : warm)
      return bytesToBig(core.state.load(key))
    })
  }

  store(slot: bigint, word: bigint): void {
    const core = this.#core
    core.requireChange()
    const key = bigToWord(core.word(slot, 'key'))
    const value = core.word(word, 'the value')
    const { env, host, rules } = core.state
    const { store, coldStore, state } = rules.gas
    // EIP-2200: the stipend of a call must not pay for it.
    if (store.sentry > 0 && core.gasLeft <= BigInt(store.sentry)) core.leave('out of gas')
    core.guarded(() => {
      if (core.accessSlot(key)) core.charge(BigInt(coldStore))
      const current = bytesToBig(core.state.load(key))
      const original = store.isNet ? bytesToBig(host.view.originalWord(env.address, key)) : current
      const { gas, refund, slots } = storeCost(store, original, current, value)
      core.charge(BigInt(gas))
      core.gasLeft = core.state.useState(core.gasLeft, BigInt(slots * state.slot))
      if (core.gasLeft < 0n) core.leave('out of gas')
      if (refund !== 0) core.state.addRefund(refund)
      core.state.store(key, bigToBytes(value))
    })
  }
}

class Transient implements FrameStorage {
  readonly #core: FrameCore

  constructor(core: FrameCore) {
    this.#core = core
  }

  load(slot: bigint): bigint {
    const { core, key } = this.#access(slot)
    return bytesToBig(core.state.host.transient.load(core.state.env.address, key))
  }

  store(slot: bigint, word: bigint): void {
    this.#core.requireChange()
    const { core, key } = this.#access(slot)
    const value = bigToBytes(core.word(word, 'the value'))
    core.state.host.transient.store(core.state.env.address, key, value)
  }

  #access(slot: bigint): { core: FrameCore; key: Hash } {
    const core = this.#core
    const key = bigToWord(core.word(slot, 'key'))
    if (!core.state.rules.forks.cancun) core.leave('proposal', 'this fork has no transient storage')
    core.charge(core.state.own.operations[TRANSIENT_LOAD]?.constantGas ?? 0n)
    return { core, key }
  }
}

function environmentOf({ env, host, rules }: EngineFrame): FrameEnvironment {
  const { outer, chainId } = host
  const { block } = outer
  const { address, caller, callValue, depth, isStatic } = env
  return {
    address,
    caller,
    callValue,
    depth,
    isStatic,
    origin: outer.from,
    gasPrice: outer.gasPrice,
    chainId,
    blockNumber: block?.number ?? 0n,
    timestamp: block?.timestamp ?? 0n,
    coinbase: block?.coinbase ?? ZERO_ADDRESS,
    prevRandao: (rules.forks.paris ? block && BigInt(block.prevRandao) : block?.difficulty) ?? 0n,
    blockGasLimit: block?.gasLimit ?? 0n,
    baseFee: block?.baseFeePerGas ?? 0n,
  }
}
