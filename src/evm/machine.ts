// Our one subclass of the library's EVM. Its four seams: `_loadCode` gives native contracts the whole message, `runCall`
// refuses to spend what an account must keep and lets our engine run what it can, `getActiveOpcodes` takes our opcode
// table, `shallowCopy` stays possible.
// One machine runs one message at a time.
import {
  EVM,
  EVMError,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
  type Message,
  type PrecompileFunc,
  type PrecompileInput,
} from '@ethereumjs/evm'
import { Address as LibAddress } from '@ethereumjs/util'
import { type Address, fromHex, type Hash } from '../lib/hex.ts'
import type { StateView } from '../state/types.ts'
import { Clock } from './clock.ts'
import { bls12381 } from './crypto/bls12-381.ts'
import { bn254 } from './crypto/bn254.ts'
import { useFasterPrecompiles } from './crypto/precompiles.ts'
import type { CallKind } from './engine/message.ts'
import { rulesOf } from './engine/rules.ts'
import { firstMessage, Seat, suitsEngine } from './engine/seat.ts'
import type { Surroundings } from './engine/surroundings.ts'
import { asLibJournal, asLibTransient, Journal, TransientStorage } from './journal.ts'
import { DEFAULT_ENGINE, type EngineChoice, type MachineOptions } from './machine-options.ts'
import { BLAKE2F, chainOf, insufficientBalance, isLoneInvalid, refuseLongWork, unreachable } from './machine-parts.ts'
import type { NativeContract } from './native-call.ts'
import { type NativeSetting, runNative, withOwnLogs } from './run-native.ts'
import { addressOf, StateAdapter } from './state-adapter.ts'
import type { OpcodeHost, OpcodeTable, RunState } from './tables.ts'
import type { CallType, MessageTracer } from './tracer.ts'
import { impliedStop, watched } from './watch.ts'

export type { EngineChoice, MachineOptions } from './machine-options.ts'

export class Machine extends EVM implements OpcodeHost, Surroundings {
  /** The call opcode that ran last: the next message is its. */
  callType: CallType = 'CALL'
  /** How many messages have begun: an opcode that called, and began none, was refused. */
  messages = 0
  /** `performance.now()` after which a call is stopped with ChainError `limit-exceeded`. */
  deadline: number | undefined
  /** Whether executed messages tell which accounts and slots they accessed. */
  reportsAccess = false
  /** What is warm from the start (EIP-2929): the fork's precompiles and the natives, wherever they are moved later. */
  readonly precompileAddresses: readonly Address[]
  readonly warmth: Journal
  readonly transient = new TransientStorage()
  #tracer: MessageTracer | undefined
  #table: OpcodeTable
  readonly #options: MachineOptions
  readonly #engine: EngineChoice
  readonly #natives: Map<Address, NativeContract>
  readonly #clock = new Clock()
  /** A message runs in the library's interpreter. */
  #isInLibrary = false
  readonly #seat = new Seat()

  constructor(options: MachineOptions) {
    const adapter = new StateAdapter(options.view)
    super({
      common: options.common,
      stateManager: adapter,
      blockchain: chainOf(options.blockHash),
      bn254,
      bls: bls12381,
    })
    useFasterPrecompiles(this._precompiles)
    this.#options = options
    this.#engine = options.engine ?? DEFAULT_ENGINE
    this.warmth = new Journal(options.view, adapter, options.common.gteHardfork('spuriousDragon'))
    this.journal = asLibJournal(this.warmth)
    Object.defineProperty(this, 'transientStorage', { value: asLibTransient(this.transient) })
    this.deadline = options.deadline
    this.#natives = new Map(options.natives)
    this.#table = options.table
    this.useTable(options.table)
    // Native contracts stand among the precompiles, so that they are warm and are found wherever those are.
    for (const native of options.natives.values()) this._precompiles.set(native.address.slice(2), unreachable)
    this.precompileAddresses = [...this._precompiles.keys()].map((hex) => `0x${hex}` as Address)
    // The library's emitter awaits a list of listeners; one direct call is what is needed.
    Object.defineProperty(this, '_emit', { value: (topic: string, data: unknown) => this.#emit(topic, data) })
  }

  get view(): StateView {
    return this.#options.view
  }

  get tracer(): MessageTracer | undefined {
    return this.#tracer
  }

  /** Who is told of messages (and of opcodes, if it listens to them) from now on. */
  set tracer(tracer: MessageTracer | undefined) {
    this.#tracer = tracer
    this._opcodeMap = tracer === undefined ? this.#table.map : watched(this.#table, tracer)
  }

  /** Changes what opcodes do in the messages to come. */
  useTable(table: OpcodeTable): void {
    const { opcodes, handlers, dynamicGasHandlers } = table.context
    this._opcodes = opcodes
    this._handlers = handlers
    this._dynamicGasHandlers = dynamicGasHandlers
    this.#table = table
    this.tracer = this.#tracer
  }

  /** One of Ethereum's own precompiles, not a native contract. */
  isPrecompile(address: Address): boolean {
    return this._precompiles.has(address.slice(2)) && !this.#natives.has(address)
  }

  /** A precompile or native contract, here or moved here. */
  hasPrecompile(address: Address): boolean {
    return this._precompiles.has(address.slice(2))
  }

  /** Marks an account as touched: if it is empty when the message ends, it goes (EIP-161). */
  touch(address: Address): void {
    this.warmth.touch(address)
  }

  /** Moves a precompile to another address for this machine only; what was there is replaced. */
  movePrecompile(from: Address, to: Address): void {
    const code = this._precompiles.get(from.slice(2))
    const native = this.#natives.get(from)
    this.removePrecompile(from)
    this.removePrecompile(to)
    if (code !== undefined) this._precompiles.set(to.slice(2), code)
    if (native !== undefined) this.#natives.set(to, native)
  }

  /** Makes an address an ordinary account for this machine only. */
  removePrecompile(address: Address): void {
    this._precompiles.delete(address.slice(2))
    this.#natives.delete(address)
  }

  pause(): Promise<void> | undefined {
    return this.#clock.atJump(this.deadline)
  }

  onSelfdestruct(state: RunState, beneficiary: bigint): void {
    const from = addressOf(state.interpreter.getAddress())
    const to = `0x${(beneficiary & ((1n << 160n) - 1n)).toString(16).padStart(40, '0')}` as Address
    // Code of another may run for an account that has a key (EIP-7702).
    if (from !== to && this.held(from) > 0n) throw new EVMError(EVMError.errorMessages.INSUFFICIENT_BALANCE)
    this.#tracer?.selfdestruct?.(from, to, this.view.balance(from))
  }

  /** Wei that an account must keep of its balance. */
  held(of: Address): bigint {
    return this.#options.held?.(of) ?? 0n
  }

  /** A call that would spend what its account must keep is refused as one without the balance is: no message begins. */
  override runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const { message } = options
    if (message !== undefined && message.value > 0n && this.#options.held !== undefined && this.#overspends(message)) {
      return Promise.resolve({ execResult: insufficientBalance() })
    }
    // What the library has begun it carries on: its interpreter sends its messages through here.
    if (this.#isInLibrary) return super.runCall(options)
    if (this.#isForEngine(options)) return this.#runInEngine(options)
    this.#isInLibrary = true
    return super.runCall(options).finally(() => {
      this.#isInLibrary = false
    })
  }

  #isForEngine(options: EVMRunCallOpts): boolean {
    if (this.#engine === 'library' || this.#table.isChanged || this.reportsAccess) return false
    return this.#tracer?.step === undefined && suitsEngine(options)
  }

  #runInEngine(options: EVMRunCallOpts): Promise<EVMResult> {
    const message = options.message ?? firstMessage(options)
    if (options.message === undefined) {
      if (options.block !== undefined) this._block = options.block
      this._tx = { gasPrice: options.gasPrice ?? 0n, origin: options.origin ?? message.caller }
    }
    const environment = () => ({
      origin: addressOf(this._tx?.origin ?? message.caller),
      gasPrice: this._tx?.gasPrice ?? 0n,
      chainId: this.common.chainId(),
      header: this._block?.header,
    })
    const rules = rulesOf(this.#table, this.common)
    return this.#seat.run(this, rules, message, environment, this.#engine === 'compiled')
  }

  // --- for the engine

  nativeAt(address: Address): NativeContract | undefined {
    return this.#natives.get(address)
  }

  findNative(address: Address): NativeContract | undefined {
    return this.#options.natives.find?.(this.view, address)
  }

  precompileAt(address: Address): PrecompileFunc | undefined {
    return this._precompiles.get(address.slice(2))
  }

  runNative(native: NativeContract, message: Message): ExecResult | Promise<ExecResult> {
    const { data, gasLimit } = message
    return runNative(this.#nativeSetting(message), native, message, { data, gasLimit })
  }

  blockHash(number: bigint): Hash | undefined {
    return this.#options.blockHash(number)
  }

  began(message: () => Message, kind: CallKind | undefined): void {
    const type = kind === 'CREATE' || kind === 'CREATE2' ? 'CALL' : kind
    if (this.#tracer?.enter !== undefined) {
      const begun = message()
      this.#tracer.enter(begun, begun.depth === 0 ? 'CALL' : (type ?? this.callType))
    }
    this.callType = 'CALL'
    this.messages++
  }

  ended(result: EVMResult): void {
    this.#tracer?.exit?.(withOwnLogs(result))
  }

  turn(): Promise<void> | undefined {
    return this.#clock.look(this.deadline)
  }

  #overspends({ caller, to, value, delegatecall }: Message): boolean {
    const from = addressOf(caller)
    if (delegatecall || (to !== undefined && addressOf(to) === from)) return false
    const held = this.held(from)
    return held > 0n && this.view.balance(from) - value < held
  }

  /** Our table is set by the constructor; the library asks for one before that. */
  override getActiveOpcodes(): OpcodeTable['context']['opcodes'] {
    return this._opcodes ?? new Map()
  }

  /** A precompile cannot be interrupted: in a call, which has a deadline, one that is sure to miss it is not begun. */
  override runPrecompile(...[code, data, gasLimit]: Parameters<EVM['runPrecompile']>) {
    if (this.deadline !== undefined && code === this._precompiles.get(BLAKE2F)) refuseLongWork(data)
    // The input lies in its caller's memory, which goes on changing; the output may be the very input (identity).
    return super.runPrecompile(code, data.slice(), gasLimit)
  }

  protected override async _loadCode(message: Message): Promise<void> {
    if (message.code) return super._loadCode(message)
    const address = addressOf(message.codeAddress)
    const native = this.#natives.get(address)
    if (native !== undefined) return this.#enterNative(native, message)
    await super._loadCode(message)
    if (!isLoneInvalid(message.code)) return
    const found = this.#options.natives.find?.(this.view, address)
    if (found !== undefined) this.#enterNative(found, message)
  }

  #enterNative(native: NativeContract, message: Message): void {
    const setting = this.#nativeSetting(message)
    message.code = (input: PrecompileInput) => runNative(setting, native, message, input)
    message.isCompiled = true
  }

  #nativeSetting(message: Message): NativeSetting {
    return { machine: this, origin: addressOf(this._tx?.origin ?? message.caller), block: this.#options.block }
  }

  #emit(topic: string, data: unknown): Promise<void> {
    const tracer = this.#tracer
    if (topic === 'beforeMessage') {
      const message = data as Message
      // A refused call leaves its type behind; a transaction's own message is a CALL.
      tracer?.enter?.(message, message.depth === 0 ? 'CALL' : this.callType)
      this.callType = 'CALL'
      this.messages++
      // A message may have been a precompile's long work: the clock is looked at for each.
      return this.#clock.look(this.deadline) ?? SETTLED
    }
    if (topic === 'afterMessage' && tracer !== undefined) {
      const result = withOwnLogs(data as EVMResult)
      const stop = tracer.step && impliedStop(result.execResult)
      if (stop !== undefined) tracer.step?.(stop)
      tracer.exit?.(result)
    }
    return SETTLED
  }
}

const SETTLED = Promise.resolve()

/** An address in the library's form. */
export const toLibAddress = (address: Address): LibAddress => new LibAddress(fromHex(address))
