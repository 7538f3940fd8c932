// What runs messages on a view: our engine, or the library where ours cannot run or must not. Both write on the same view,
// the same journal, and tell the same tracer. The library's part is made when something first needs it.
// One machine runs one message at a time; a message stays where it began.
import type { EVMResult, EVMRunCallOpts, ExecResult, Message, PrecompileFunc, PrecompileInput } from '@ethereumjs/evm'
import type { Eventual } from '../lib/eventual.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { StateView } from '../state/types.ts'
import { Clock } from './clock.ts'
import { Contracts } from './contracts.ts'
import { Journal, TransientStorage } from './journal.ts'
import { Library, toLibCall } from './library.ts'
import { DEFAULT_ENGINE, type EngineChoice, type MachineOptions } from './machine-options.ts'
import { BLAKE2F, insufficientBalance, type OuterMessage, refuseLongWork } from './machine-parts.ts'
import type { NativeContract } from './native-call.ts'
import { plainTransfer } from './plain-transfer.ts'
import { runNative, withOwnLogs } from './run-native.ts'
import { addressOf } from './state-adapter.ts'
import type { OpcodeTable } from './tables.ts'
import type { CallType, Entered, MessageTracer } from './tracer.ts'
import { fromLibMessage, incoming } from './wasm/incoming.ts'
import { type Rules, rulesOf } from './wasm/rules.ts'
import { fitsEngine, Seat } from './wasm/seat.ts'
import type { Surroundings } from './wasm/surroundings.ts'

export type { EngineChoice, MachineOptions } from './machine-options.ts'

export class Machine implements Surroundings {
  /** The call opcode that ran last: the next message is its. */
  callType: CallType = 'CALL'
  /** How many messages have begun: an opcode that called, and began none, was refused. */
  messages = 0
  /** `performance.now()` after which a call is stopped with ChainError `limit-exceeded`. */
  deadline: number | undefined
  /** Whether executed messages tell which accounts and slots they accessed. */
  reportsAccess = false
  readonly view: StateView
  readonly warmth: Journal
  readonly transient = new TransientStorage()
  readonly #options: MachineOptions
  readonly #contracts: Contracts
  readonly #engine: EngineChoice
  readonly #clock = new Clock()
  readonly #seat = new Seat()
  #tracer: MessageTracer | undefined
  #table: OpcodeTable
  #library: Library | undefined
  /** A message runs in the library's interpreter. */
  #isInLibrary = false

  constructor(options: MachineOptions) {
    this.view = options.view
    this.#options = options
    this.#engine = options.engine ?? DEFAULT_ENGINE
    this.warmth = new Journal(options.view, options.common.gteHardfork('spuriousDragon'))
    this.#contracts = new Contracts(options.common, options.natives)
    this.#table = options.table
    this.deadline = options.deadline
  }

  /** What is warm from the start (EIP-2929): the fork's precompiles and the natives, wherever they are moved later. */
  get precompileAddresses(): ReadonlySet<Address> {
    return this.#contracts.addresses
  }

  get tracer(): MessageTracer | undefined {
    return this.#tracer
  }

  /** Who is told of messages (and of opcodes, if it listens to them) from now on. */
  set tracer(tracer: MessageTracer | undefined) {
    this.#tracer = tracer
    this.#library?.useTable(this.#table, tracer)
  }

  /** Changes what opcodes do in the messages to come. */
  useTable(table: OpcodeTable): void {
    this.#table = table
    this.#library?.useTable(table, this.#tracer)
  }

  /** One of Ethereum's own precompiles, not a native contract. */
  isPrecompile(address: Address): boolean {
    return this.#contracts.precompileAt(address) !== undefined
  }

  /** A precompile or native contract, here or moved here. */
  hasPrecompile(address: Address): boolean {
    return this.isPrecompile(address) || this.#contracts.nativeAt(address) !== undefined
  }

  /** Moves a precompile to another address for this machine only; what was there is replaced. */
  movePrecompile(from: Address, to: Address): void {
    this.#contracts.move(from, to)
    this.#library?.useContracts(this.#contracts)
  }

  /** Makes an address an ordinary account for this machine only. */
  removePrecompile(address: Address): void {
    this.#contracts.remove(address)
    this.#library?.useContracts(this.#contracts)
  }

  /** Marks an account as touched: if it is empty when the message ends, it goes (EIP-161). */
  touch(address: Address): void {
    this.warmth.touch(address)
  }

  /** Wei that an account must keep of its balance. */
  held(of: Address): bigint {
    return this.#options.held?.(of) ?? 0n
  }

  /** Whether a message of code would spend what its sender must keep. */
  overspends({ caller, to, value, delegatecall }: Message): boolean {
    if (value === 0n || this.#options.held === undefined) return false
    const from = addressOf(caller)
    if (delegatecall || (to !== undefined && addressOf(to) === from)) return false
    const held = this.held(from)
    return held > 0n && this.view.balance(from) - value < held
  }

  // --- messages

  /** Runs a message from outside to its end; most have run already when this returns. */
  run(message: OuterMessage): Eventual<EVMResult> {
    const { block, gasLimit, from, gasPrice } = message
    if (block === undefined || !this.#isForEngine() || !fitsEngine(gasLimit)) {
      return this.#runInLibrary(toLibCall(message))
    }
    const moved = plainTransfer(this, message)
    if (moved !== undefined) return moved
    const chainId = this.#options.common.chainId()
    const setting = { block, origin: from, gasPrice, chainId }
    return this.#seat.run(this, this.#rules, incoming(message), setting, this.#engine === 'compiled')
  }

  /** Runs a message within the one that runs, from a native contract; or any message in the library's own words. */
  runCall(options: EVMRunCallOpts): Eventual<EVMResult> {
    const { message } = options
    if (this.#isInLibrary || message === undefined || !this.#seat.isTaken || !fitsEngine(message.gasLimit)) {
      return this.#runInLibrary(options)
    }
    if (this.overspends(message)) return { execResult: insufficientBalance() }
    return this.#seat.runWithin(this, this.#rules, fromLibMessage(message))
  }

  #isForEngine(): boolean {
    if (this.#engine === 'library' || this.#isInLibrary || this.#table.isChanged || this.reportsAccess) return false
    return this.#tracer?.step === undefined
  }

  get #rules(): Rules {
    return rulesOf(this.#table, this.#options.common)
  }

  async #runInLibrary(options: EVMRunCallOpts): Promise<EVMResult> {
    // What it has begun it carries on.
    if (this.#isInLibrary) return this.library.runCall(options)
    this.#isInLibrary = true
    try {
      return await this.library.runCall(options)
    } finally {
      this.#isInLibrary = false
    }
  }

  /** The library's part, made now if it was not needed before. */
  get library(): Library {
    if (this.#library === undefined) {
      const library = new Library(this, this.#options.common)
      library.useContracts(this.#contracts)
      library.useTable(this.#table, this.#tracer)
      this.#library = library
    }
    return this.#library
  }

  // --- for engine and library

  nativeAt(address: Address): NativeContract | undefined {
    return this.#contracts.nativeAt(address)
  }

  findNative(address: Address): NativeContract | undefined {
    return this.#options.natives.find?.(this.view, address)
  }

  precompileAt(address: Address): PrecompileFunc | undefined {
    return this.#contracts.precompileAt(address)
  }

  runNative(
    native: NativeContract,
    message: Message,
    input: Pick<PrecompileInput, 'data' | 'gasLimit'> = message,
  ): ExecResult | Promise<ExecResult> {
    const origin = (this.#isInLibrary ? this.#library?.origin : this.#seat.origin) ?? addressOf(message.caller)
    return runNative({ machine: this, origin, block: this.#options.block }, native, message, input)
  }

  /** A precompile cannot be interrupted: in a call, which has a deadline, one that is sure to miss it is not begun. */
  runPrecompile(code: PrecompileFunc, data: Uint8Array, gasLimit: bigint): ExecResult | Promise<ExecResult> {
    if (this.deadline !== undefined && code === this.precompileAt(BLAKE2F)) refuseLongWork(data)
    return code(new PrecompileCall(this, this.#options.common, data, gasLimit))
  }

  blockHash(number: bigint): Hash | undefined {
    return this.#options.blockHash(number)
  }

  began(message: () => Entered): void {
    if (this.#tracer?.enter !== undefined) this.#tracer.enter(message())
    this.callType = 'CALL'
    this.messages++
  }

  ended(result: EVMResult): void {
    this.#tracer?.exit?.(withOwnLogs(result))
  }

  turn(): Promise<void> | undefined {
    return this.#clock.look(this.deadline)
  }

  /** As `turn`, between the jumps of a loop. */
  pause(): Promise<void> | undefined {
    return this.#clock.atJump(this.deadline)
  }
}

/** What a precompile is handed. Few look at the library behind it. */
class PrecompileCall implements PrecompileInput {
  readonly data: Uint8Array
  readonly gasLimit: bigint
  readonly common: PrecompileInput['common']
  readonly #machine: Machine

  constructor(machine: Machine, common: PrecompileInput['common'], data: Uint8Array, gasLimit: bigint) {
    this.data = data
    this.gasLimit = gasLimit
    this.common = common
    this.#machine = machine
  }

  get _EVM(): PrecompileInput['_EVM'] {
    return this.#machine.library
  }
}
