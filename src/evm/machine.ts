// Our one subclass of the library's EVM. Its four seams: `_loadCode` gives native contracts the whole message, `runCall`
// refuses to spend what an account must keep, `getActiveOpcodes` takes our opcode table, `shallowCopy` stays possible.
// One machine runs one message at a time.
import type { Common } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
  Message,
  type PrecompileFunc,
  type PrecompileInput,
} from '@ethereumjs/evm'
import { createZeroAddress, Address as LibAddress, type PrefixedHexString } from '@ethereumjs/util'
import { ChainError } from '../lib/errors.ts'
import { type Address, bytesToBig, EMPTY_BYTES, fromHex, type Hash } from '../lib/hex.ts'
import type { StateView } from '../state/types.ts'
import { bls12381 } from './crypto/bls12-381.ts'
import { bn254 } from './crypto/bn254.ts'
import { useFasterPrecompiles } from './crypto/precompiles.ts'
import { setEnvironment } from './engine/environment.ts'
import { execute } from './engine/execution.ts'
import type { Instance } from './engine/instance.ts'
import type { CallKind } from './engine/message.ts'
import { hasEngine, returnEngine, takeEngine } from './engine/pool.ts'
import { rulesOf } from './engine/rules.ts'
import type { Surroundings } from './engine/surroundings.ts'
import { asLibJournal, asLibTransient, Journal, TransientStorage } from './journal.ts'
import type { NativeBlock, NativeContract, NativeContracts } from './native-call.ts'
import { type NativeSetting, runNative, withOwnLogs } from './run-native.ts'
import { addressOf, StateAdapter } from './state-adapter.ts'
import type { OpcodeHost, OpcodeTable, RunState } from './tables.ts'
import type { CallType, MessageTracer } from './tracer.ts'
import { impliedStop, watched } from './watch.ts'

export type MachineOptions = {
  readonly common: Common
  readonly view: StateView
  readonly table: OpcodeTable
  readonly natives: NativeContracts
  readonly block: NativeBlock
  /** BLOCKHASH: hash of an ancestor within the last 256; undefined reads as zero. */
  readonly blockHash: (number: bigint) => Hash | undefined
  readonly deadline: number | undefined
  /** Wei that an account must keep; left out: none ever must. */
  readonly held?: ((of: Address) => bigint) | undefined
  /** What runs ordinary code; left out: our engine, if it has been built. */
  readonly engine?: EngineChoice | undefined
}

/** Our own engine or the library's interpreter. Where ours cannot run, or must not, the library's does. */
export type EngineChoice = 'wasm' | 'library'

/** How long a message may hold the thread before others get a turn, in milliseconds. */
const TURN = 15
/** More gas could pay for more memory than the engine can address. */
const MOST_ENGINE_GAS = 1n << 40n
/** Tests may choose for everything in their process. */
const DEFAULT_ENGINE: EngineChoice = process.env['KESTREL_ENGINE'] === 'library' ? 'library' : 'wasm'

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
  readonly #natives: Map<Address, NativeContract>
  #jumps = 0
  #turnEnds = performance.now() + TURN
  /** A message runs in the library's interpreter. */
  #isInLibrary = false
  /** While a message runs in it. */
  #engine: Instance | undefined

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

  /** Undefined in the common case; else a promise that settles after other work had its turn. Throws at the deadline. */
  pause(): Promise<void> | undefined {
    // Between jumps may lie a whole contract's straight line, so not too many of them are let pass unseen.
    return (++this.#jumps & 3) === 0 ? this.#yield() : undefined
  }

  #yield(): Promise<void> | undefined {
    const now = performance.now()
    const { deadline } = this
    if (deadline !== undefined && now > deadline) {
      throw new ChainError('limit-exceeded', 'execution aborted: the call took longer than this node allows')
    }
    if (now < this.#turnEnds) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        this.#turnEnds = performance.now() + TURN
        resolve()
      }),
    )
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

  #isForEngine({ message, block, code, skipNonceIncrement, skipBalance, gasLimit = 0n }: EVMRunCallOpts): boolean {
    if ((this.#options.engine ?? DEFAULT_ENGINE) === 'library' || this.#table.isChanged || this.reportsAccess)
      return false
    if (this.#tracer?.step !== undefined || !hasEngine()) return false
    if (message !== undefined) return message.code === undefined && message.gasLimit <= MOST_ENGINE_GAS
    const isPlain = skipNonceIncrement === true && skipBalance !== true && code === undefined
    return isPlain && block !== undefined && gasLimit <= MOST_ENGINE_GAS
  }

  async #runInEngine(options: EVMRunCallOpts): Promise<EVMResult> {
    const rules = rulesOf(this.#table, this.common)
    const message = options.message ?? this.#firstMessage(options)
    const running = this.#engine
    if (running !== undefined) return execute(running, this, rules, message)
    const engine = takeEngine()
    const block = this._block
    if (engine === undefined || block === undefined) throw new Error('the engine was chosen without there being one')
    const origin = addressOf(this._tx?.origin ?? message.caller)
    const environment = {
      origin,
      gasPrice: this._tx?.gasPrice ?? 0n,
      chainId: this.common.chainId(),
      header: block.header,
    }
    engine.begin(rules)
    setEnvironment(engine, rules, environment)
    this.#engine = engine
    try {
      return await execute(engine, this, rules, message)
    } finally {
      this.#engine = undefined
      returnEngine(engine)
    }
  }

  /** A transaction's own message, as the library makes it. */
  #firstMessage(options: EVMRunCallOpts): Message {
    const { block, caller = createZeroAddress(), origin = caller, gasPrice = 0n, gasLimit = 0n } = options
    if (block !== undefined) this._block = block
    this._tx = { gasPrice, origin }
    const { to, value = 0n, data, isStatic = false, salt, blobVersionedHashes = [] } = options
    return new Message({
      ...{ caller, gasLimit, value, isStatic, blobVersionedHashes },
      ...{ selfdestruct: new Map(), createdAddresses: new Set<PrefixedHexString>() },
      ...(to !== undefined && { to }),
      ...(data !== undefined && { data }),
      ...(salt !== undefined && { salt }),
    })
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
    this.#tracer?.enter?.(message(), type ?? this.callType)
    this.callType = 'CALL'
    this.messages++
  }

  ended(result: EVMResult): void {
    this.#tracer?.exit?.(withOwnLogs(result))
  }

  turn(): Promise<void> | undefined {
    return this.#yield()
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
    if (this.deadline !== undefined && code === this._precompiles.get(BLAKE2F) && roundsOf(data) > MAX_ROUNDS) {
      throw new ChainError('limit-exceeded', `execution aborted: blake2f with ${roundsOf(data)} rounds takes too long`)
    }
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
      return this.#yield() ?? SETTLED
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

/** EIP-152's address and the first field of its input. Two million rounds take about a second. */
const BLAKE2F = `${'0'.repeat(39)}9`
const MAX_ROUNDS = 8_000_000
const roundsOf = (input: Uint8Array): number => Number(bytesToBig(input.subarray(0, 4)))

const insufficientBalance = (): ExecResult => ({
  returnValue: EMPTY_BYTES,
  executionGasUsed: 0n,
  exceptionError: new EVMError(EVMError.errorMessages.INSUFFICIENT_BALANCE),
})

const unreachable = (): ExecResult => {
  throw new Error('a native contract is entered by _loadCode only')
}

const isLoneInvalid = (code: unknown): boolean => code instanceof Uint8Array && code.length === 1 && code[0] === 0xfe

/** What the library asks of a blockchain: hashes of ancestors. */
function chainOf(
  blockHash: MachineOptions['blockHash'],
): NonNullable<ConstructorParameters<typeof EVM>[0]['blockchain']> {
  const chain = {
    getBlock: async (number: number) => {
      const hash = blockHash(BigInt(number))
      return { hash: () => (hash === undefined ? new Uint8Array(32) : fromHex(hash)) }
    },
    putBlock: async () => undefined,
    shallowCopy: () => chain,
  }
  return chain
}

/** An address in the library's form. */
export const toLibAddress = (address: Address): LibAddress => new LibAddress(fromHex(address))
