// Runs messages on a state view and is the host of the engine that runs them. All engines write to the same view and journal
// and call the same tracer. One machine runs one message at a time.
import type { AnyDeadline } from '../lib/deadline.ts'
import { ChainError, loadPart } from '../lib/errors.ts'
import { type Address, bigToFixed, bytesToBig, type Hash, ZERO_ADDRESS } from '../lib/hex.ts'
import { andFinally, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Pause } from '../lib/scheduler.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { ECRECOVER, SIGNATURE_LENGTH, slotOfSignature } from '../primitives/impersonated-signature.ts'
import type { StateView } from '../state/types.ts'
import { AccessJournal, TransientStorage } from './access-journal.ts'
import { BuiltinContracts } from './builtin-contracts.ts'
import { DEFAULT_ENGINE, type EngineChoice } from './engine-selection.ts'
import { ECRECOVER_GAS } from './gas/precompile-gas.ts'
import type { Engine, Host, NativeOutcome } from './host.ts'
import type { MachineOptions } from './machine-options.ts'
import type { CallKind, Message, OuterMessage } from './message.ts'
import type { NativeContract } from './native-call.ts'
import type { OpcodeTable } from './opcode-table.ts'
import { type Precompile, succeeded } from './precompile.ts'
import { NO_LOGS, type Result } from './result.ts'
import { runNative } from './run-native.ts'
import type { StateAccesses } from './state-accesses.ts'
import type { Substate } from './substate.ts'
import type { EnterEvent, FrameState, MessageTracer } from './tracer.ts'
import { runPlainTransfer } from './value-transfer.ts'
import { fitsWasm, WasmEngine } from './wasm/engine.ts'
import { compiler } from './wasm-compiler/module-cache.ts'

export type { EngineChoice } from './engine-selection.ts'
export type { MachineOptions } from './machine-options.ts'

/** EIP-152's address and the first field of its input. Two million rounds take about a second. */
const BLAKE2F = `0x${'0'.repeat(39)}9` as Address
const MAX_ROUNDS = 8_000_000

export class Machine implements Host {
  callKind: Exclude<CallKind, 'CREATE' | 'CREATE2'> = 'CALL'
  /** Unpaid work of the last message, in gas. */
  unpaidWork = 0n
  /** Number of messages begun: a call opcode that began none was refused. */
  messageCount = 0
  /** When it has passed, a call is stopped with ChainError `limit-exceeded`. */
  deadline: AnyDeadline | undefined
  /** Whether messages report the accounts and slots that they accessed. */
  reportsAccess = false
  /** Receives the accesses of later messages to the state (EIP-7928). */
  stateAccesses: StateAccesses | undefined
  /** Receives the events of later messages, also of opcodes if it has `step`. */
  tracer: MessageTracer | undefined
  readonly view: StateView
  readonly accessJournal: AccessJournal
  readonly transient = new TransientStorage()
  readonly #options: MachineOptions
  readonly #contracts: BuiltinContracts
  readonly #choice: EngineChoice
  readonly #clock: ExecutionClock
  #table: OpcodeTable
  #wasm: WasmEngine | undefined
  #ethereumjs: Engine | undefined
  /** The current outer message and its engine. */
  #running: { readonly engine: Engine; readonly message: OuterMessage } | undefined

  constructor(options: MachineOptions) {
    this.view = options.view
    this.#options = options
    this.#choice = options.engine ?? DEFAULT_ENGINE
    const { rules } = options.table
    this.accessJournal = new AccessJournal(options.view, rules.spuriousDragon)
    this.#contracts = new BuiltinContracts(options.spec, rules, options.natives)
    this.#table = options.table
    this.deadline = options.deadline
    this.#clock = new ExecutionClock(options.pause ?? yieldToEventLoop('block'))
  }

  /** The initially warm addresses (EIP-2929): the fork's precompiles and the native contracts, even if they are moved later. */
  get precompileAddresses(): ReadonlySet<Address> {
    return this.#contracts.addresses
  }

  /** Whether the reference engine runs all messages. */
  get isReference(): boolean {
    return this.#choice === 'library'
  }

  /** The opcode table for later messages. */
  get table(): OpcodeTable {
    return this.#table
  }

  /** Sets the opcode table for later messages. */
  useTable(table: OpcodeTable): void {
    this.#table = table
  }

  /** Whether it is a precompile of Ethereum, not a native contract. */
  isPrecompile(address: Address): boolean {
    return this.#contracts.precompileAt(address) !== undefined
  }

  /** Whether a precompile or native contract is, or was moved, here. */
  hasPrecompile(address: Address): boolean {
    return this.isPrecompile(address) || this.#contracts.nativeAt(address) !== undefined
  }

  /** Moves a precompile to another address, for this machine only, replacing a contract there. */
  movePrecompile(from: Address, to: Address): void {
    this.#contracts.move(from, to)
  }

  /** Makes an address an ordinary account, for this machine only. */
  removePrecompile(address: Address): void {
    this.#contracts.remove(address)
  }

  /** Marks an account as touched: if it is empty when the message ends, it is deleted (EIP-161). */
  touch(address: Address): void {
    this.accessJournal.touch(address)
  }

  lockedBalance(of: Address): bigint {
    return this.#options.lockedBalance?.(of) ?? 0n
  }

  // --- messages

  /** Runs an outer message to its end. Most messages complete synchronously. */
  run(message: OuterMessage): MaybePromise<Result> {
    const engine = this.#engineFor(message)
    this.unpaidWork = 0n
    if (engine instanceof WasmEngine) {
      const moved = runPlainTransfer(this, message)
      if (moved !== undefined) return moved
    }
    if (this.#running !== undefined) throw new Error('a machine runs one message at a time')
    this.#running = { engine, message }
    return andFinally(
      () => engine.run(message),
      () => {
        this.#running = undefined
      },
    )
  }

  /** Call it after the deadline stopped a message: resets the machine for the next one. The caller reverts the view. */
  forgetMessage(): void {
    this.accessJournal.forget()
    this.transient.clear()
    this.tracer = undefined
    // The library's interpreter cannot run another message after it was stopped.
    this.#ethereumjs = undefined
  }

  /** Runs a message within the current one, for a native contract. */
  call(message: Message, substate: Substate): MaybePromise<Result> {
    if (this.#running === undefined) throw new Error('a message within none')
    return this.#running.engine.call(message, substate)
  }

  /** The engine for the message, created at its first use. */
  #engineFor(message: OuterMessage): Engine {
    if (needsLibrary(this.#choice, message)) {
      this.#ethereumjs ??= loadedAtFirstUse(async () => {
        const { EthereumjsEngine } = await loadPart(() => import('./ethereumjs/engine.ts'))
        return new EthereumjsEngine(this, this.#options.spec)
      })
      return this.#ethereumjs
    }
    this.#wasm ??= new WasmEngine(this, this.#options.spec.chainId, this.#choice === 'compiled' ? compiler : undefined)
    return this.#wasm
  }

  // --- for engines

  get outer(): OuterMessage {
    if (this.#running === undefined) throw new Error('no message runs')
    return this.#running.message
  }

  get chainId(): bigint {
    return this.#options.spec.chainId
  }

  get contracts(): BuiltinContracts {
    return this.#contracts
  }

  nativeAt(address: Address): NativeContract | undefined {
    return this.#contracts.nativeAt(address)
  }

  findNative(address: Address): NativeContract | undefined {
    return this.#options.natives.find?.(this.view, address)
  }

  precompileAt(address: Address): Precompile | undefined {
    return this.#contracts.precompileAt(address)
  }

  runNative(native: NativeContract, message: Message, substate: Substate): MaybePromise<NativeOutcome> {
    const origin = this.#running?.message.from ?? ZERO_ADDRESS
    return runNative(this, origin, this.#options.block, native, message, substate)
  }

  /** A precompile cannot be interrupted: one that would certainly exceed the call's deadline is not started. */
  runPrecompile(precompile: Precompile, input: Uint8Array, gas: bigint): MaybePromise<NativeOutcome> {
    if (this.deadline !== undefined && precompile === this.precompileAt(BLAKE2F)) refuseLongWork(input)
    if (gas >= ECRECOVER_GAS && precompile === this.precompileAt(ECRECOVER)) {
      const signer = impersonatedSigner(this.view, input)
      if (signer !== undefined) return withoutLogs(succeeded(ECRECOVER_GAS, signer))
    }
    const result = precompile(input, gas)
    return result instanceof Promise ? result.then(withoutLogs) : withoutLogs(result)
  }

  blockHash(number: bigint): Hash | undefined {
    return this.#options.blockHash(number)
  }

  messageBegan(message: () => EnterEvent): void {
    if (this.tracer?.enter !== undefined) this.tracer.enter(message())
    this.callKind = 'CALL'
    this.messageCount++
  }

  messageEnded(result: Result, frame: FrameState | undefined): void {
    this.tracer?.exit?.(result, frame)
  }

  pauseIfDue(): Promise<void> | undefined {
    return this.#clock.pauseIfDue(this.deadline)
  }

  /** As `turn`, between the jumps of a loop. */
  pauseAtJump(): Promise<void> | undefined {
    return this.#clock.pauseAtJump(this.deadline)
  }
}

/** The library's interpreter is 1.3 MB of code that most nodes never run. */
function loadedAtFirstUse(load: () => Promise<Engine>): Engine {
  let engine: Engine | undefined
  return {
    async run(message) {
      engine ??= await load()
      return engine.run(message)
    },
    async call(message, substate) {
      engine ??= await load()
      return engine.call(message, substate)
    },
  }
}

/**
 * Whether the library's interpreter runs a message: it was chosen, or our engine cannot run it because it was not built, the
 * block is unknown, or the gas exceeds 2^40.
 */
const needsLibrary = (choice: EngineChoice, { block, gasLimit }: OuterMessage): boolean =>
  choice === 'library' || block === undefined || !fitsWasm(gasLimit)

/** Field by field: object spread takes 2 µs, longer than a short hash. */
const withoutLogs = ({ failure, output, gasUsed }: Awaited<ReturnType<Precompile>>): NativeOutcome => ({
  failure,
  output,
  gasUsed,
  logs: NO_LOGS,
  nativeLogs: NO_LOGS,
})

/** What ecrecover answers for an impersonated signature; undefined: it has to recover the signer. */
function impersonatedSigner(view: StateView, input: Uint8Array): Uint8Array | undefined {
  if (view.nonce(ECRECOVER) === 0n) return undefined
  const signature = new Uint8Array(SIGNATURE_LENGTH)
  signature.set(input.subarray(64, 128))
  signature[SIGNATURE_LENGTH - 1] = input[63] ?? 0
  const signer = view.storage(ECRECOVER, slotOfSignature(signature))
  return signer === 0n ? undefined : bigToFixed(signer, 32)
}

/** Throws ChainError `limit-exceeded` for a BLAKE2F with more rounds than any deadline permits. */
function refuseLongWork(input: Uint8Array): void {
  const rounds = Number(bytesToBig(input.subarray(0, 4)))
  if (rounds <= MAX_ROUNDS) return
  throw new ChainError('limit-exceeded', `execution aborted: blake2f with ${rounds} rounds takes too long`)
}

export class ExecutionClock {
  #jumps = 0
  readonly #pause: Pause

  constructor(pause: Pause) {
    this.#pause = pause
  }

  /** undefined in the common case; else a promise that settles after other work had its turn. Throws at the deadline. */
  pauseAtJump(deadline: AnyDeadline | undefined): Promise<void> | undefined {
    // Check every fourth jump only: a contract's whole straight line may lie between two jumps.
    return (++this.#jumps & 3) === 0 ? this.pauseIfDue(deadline) : undefined
  }

  /** As `pauseAtJump`, without skipping checks. */
  pauseIfDue(deadline: AnyDeadline | undefined): Promise<void> | undefined {
    const now = performance.now()
    if (deadline === undefined) return this.#pause(now)
    if (deadline.isPast(now)) {
      throw new ChainError('limit-exceeded', 'execution aborted: the call took longer than this node allows')
    }
    return deadline.pause(this.#pause, now)
  }
}
