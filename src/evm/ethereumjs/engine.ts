// The library's interpreter as an engine: runs what our engine cannot, and everything with `--engine library`. One subclass of
// its EVM overrides: `_loadCode`, which gives native contracts the whole message; `runCall`, which refuses to spend a locked
// balance; `getActiveOpcodes`, which returns our opcode table. Messages report to the machine when they begin and end.
import type { Common } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMResult,
  type EVMRunCallOpts,
  Message as LibMessage,
  type PrecompileInput,
} from '@ethereumjs/evm'
import { ChainError } from '../../lib/errors.ts'
import { type Address, EMPTY_BYTES } from '../../lib/hex.ts'
import { andThen } from '../../lib/maybe-promise.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import type { ChainSpec } from '../../spec/chain-spec.ts'
import type { StateView } from '../../state/types.ts'
import type { BuiltinContracts } from '../builtin-contracts.ts'
import { failureOf } from '../failure.ts'
import type { StateGasLevels } from '../gas/state-gas.ts'
import { workLimit } from '../gas/unpaid-work.ts'
import type { Engine, Host } from '../host.ts'
import { type CallKind, isCreation, type Message, type OuterMessage } from '../message.ts'
import type { NativeContract } from '../native-call.ts'
import type { OpcodeTable } from '../opcode-table.ts'
import type { Result } from '../result.ts'
import type { Substate } from '../substate.ts'
import type { EnterEvent, MessageTracer } from '../tracer.ts'
import { logTransfer, spendsLockedBalance } from '../value-transfer.ts'
import { bls12381 } from './bls12-381.ts'
import { bn254 } from './bn254.ts'
import { commonFor } from './common.ts'
import {
  addressOfWord,
  chainOf,
  fromLibMessage,
  fromLibResult,
  libErrorOf,
  substateOf,
  toExecResult,
  toLibCall,
  writeSubstate,
} from './convert.ts'
import { accessListOf, asLibJournal, asLibTransient, LibJournal, LibTransient } from './journal-adapter.ts'
import { LibraryFrame } from './library-frame.ts'
import { type LibraryHost, libraryTable } from './library-table.ts'
import type { RunState } from './library-types.ts'
import { withLibraryParams } from './params.ts'
import { addressOf, StateAdapter, toLibAddress } from './state-adapter.ts'
import { impliedStop, tracedTable } from './traced-table.ts'

/** The machine that hosts the engine: EVMC's host, and members that only the library's interpreter needs. */
export type LibraryMachine = Host &
  Pick<LibraryHost, 'messageCount'> & {
    readonly table: OpcodeTable
    readonly contracts: BuiltinContracts
    pauseAtJump(): Promise<void> | undefined
  }

export class EthereumjsEngine implements Engine {
  readonly #evm: LibraryEvm

  /** The library's fork switches and prices come from a `Common` of the machine's fork, not from `ForkRules`. */
  constructor(machine: LibraryMachine, spec: ChainSpec) {
    const { fork } = machine.table.rules
    if (fork === 'amsterdamOpcodes')
      throw new ChainError(
        'not-allowed',
        "@ethereumjs/evm cannot run Amsterdam's opcodes without its other rules (bogotaTime)",
      )
    const common = withLibraryParams(commonFor(spec, fork === 'bogota' ? 'amsterdam' : fork))
    this.#evm = new LibraryEvm(machine, common)
  }

  run(message: OuterMessage): Promise<Result> {
    this.#evm.prepare(message)
    return this.#evm.runCall(toLibCall(message)).then((result) => ({
      ...fromLibResult(result, message.refund),
      stateGas: this.#evm.stateGasAfter(result),
    }))
  }

  async call(message: Message, substate: Substate): Promise<Result> {
    const { kind, sender, recipient, codeAddress, value, gas, input, depth, isStatic } = message
    const libMessage = new LibMessage({
      caller: toLibAddress(sender),
      ...(!isCreation(kind) && { to: toLibAddress(recipient), codeAddress: toLibAddress(codeAddress) }),
      value,
      gasLimit: gas,
      data: input,
      depth,
      isStatic,
      delegatecall: kind === 'DELEGATECALL',
      gasRefund: BigInt(substate.refund),
      selfdestruct: new Map(substate.destroyed),
      createdAddresses: new Set(substate.created),
    })
    const result = fromLibResult(await this.#evm.runCall({ message: libMessage }))
    if (result.failure === undefined) {
      substate.refund = Number(result.refund)
      for (const [address, beneficiary] of result.destroyed) substate.destroy(address, beneficiary)
      for (const address of result.created) substate.create(address)
    }
    return result
  }
}

class LibraryEvm extends EVM implements LibraryHost {
  readonly #machine: LibraryMachine
  #initialRefund = 0n
  /** Unpaid work that the transaction may still do. */
  #work = 0n
  /** The newest creation: the library does not say to which message its event of a new contract belongs. */
  #creation: LibMessage | undefined

  constructor(machine: LibraryMachine, common: Common) {
    const adapter = new StateAdapter(machine.view)
    const blockchain = chainOf((number) => machine.blockHash(number))
    super({ common, stateManager: adapter, blockchain, bn254, bls: bls12381 })
    this.#machine = machine
    Object.defineProperty(this, 'blockLevelAccessList', { value: accessListOf(machine) })
    // The new account of a transaction is paid before it runs.
    Object.defineProperty(this, 'chargeFrameStateGas', {
      value: (_: bigint, remaining: bigint) => ({ remaining, spilled: 0n }),
    })
    this.journal = asLibJournal(new LibJournal(machine.accessJournal, adapter))
    Object.defineProperty(this, 'transientStorage', { value: asLibTransient(new LibTransient(machine.transient)) })
    // The library's emitter awaits a list of listeners; replace it by one direct call.
    Object.defineProperty(this, '_emit', { value: (topic: string, data: unknown) => this.#emit(topic, data) })
  }

  /** Call it before an outer message. */
  prepare({ refund, gasLimit, reservoir }: OuterMessage): void {
    const { table, tracer, contracts } = this.#machine
    this.#initialRefund = refund
    this.#work = workLimit(table, gasLimit)
    this.stateGasReservoir = reservoir
    this.executionStateGasUsed = 0n
    this.createdAccountStateGas.clear()
    this.#useTable(table, tracer)
    this.#useContracts(contracts)
  }

  /** State gas after an outer message; undefined: it failed, or the fork has none. */
  stateGasAfter({ execResult }: EVMResult): StateGasLevels | undefined {
    if (!this.#machine.table.rules.amsterdam || execResult.exceptionError !== undefined) return undefined
    const { stateGasReservoir: reservoir, executionStateGasUsed: used } = this
    return { reservoir, used, spilled: execResult.stateGasSpilled ?? 0n }
  }

  #useTable(table: OpcodeTable, tracer: MessageTracer | undefined): void {
    const library = libraryTable(table, this.common)
    const { opcodes, handlers, dynamicGasHandlers } = library.context
    this._opcodes = opcodes
    this._handlers = handlers
    this._dynamicGasHandlers = dynamicGasHandlers
    this._opcodeMap = tracer === undefined ? library.map : tracedTable(library, tracer)
  }

  /** Native contracts are registered as precompiles, so that they are found in the same places. */
  #useContracts({ precompiles, natives }: BuiltinContracts): void {
    this._precompiles.clear()
    for (const [address, precompile] of precompiles) {
      this._precompiles.set(address.slice(2), ({ data, gasLimit }: PrecompileInput) =>
        // The input is a view of the caller's memory, which changes later: copy it.
        andThen(this.#machine.runPrecompile(precompile, data.slice(), gasLimit), (done) => toExecResult(done)),
      )
    }
    for (const address of natives.keys()) this._precompiles.set(address.slice(2), unreachable)
  }

  // --- for marked opcodes (`LibraryHost`)

  get host(): Host {
    return this.#machine
  }

  get view(): StateView {
    return this.#machine.view
  }

  get initialRefund(): bigint {
    return this.#initialRefund
  }

  get callKind(): Exclude<CallKind, 'CREATE' | 'CREATE2'> {
    return this.#machine.callKind
  }

  set callKind(kind: Exclude<CallKind, 'CREATE' | 'CREATE2'>) {
    this.#machine.callKind = kind
  }

  get messageCount(): number {
    return this.#machine.messageCount
  }

  get tracer(): MessageTracer | undefined {
    return this.#machine.tracer
  }

  pause(): Promise<void> | undefined {
    return this.#machine.pauseAtJump()
  }

  spendWork(work: bigint): boolean {
    if (work > this.#work) return false
    this.#work -= work
    this.#machine.unpaidWork += work
    return true
  }

  onSelfdestruct(state: RunState, beneficiary: bigint): void {
    const { view, tracer } = this.#machine
    const from = addressOf(state.interpreter.getAddress())
    const to = addressOfWord(beneficiary)
    // Code of another account may run for an externally owned account (EIP-7702).
    if (from !== to && this.#machine.lockedBalance(from) > 0n)
      throw new EVMError(EVMError.errorMessages.INSUFFICIENT_BALANCE)
    tracer?.selfdestruct?.(from, to, view.balance(from))
    this.#reportTransfer(from, to, view.balance(from))
  }

  /** Reports the log of a transfer, which the library adds without an opcode (EIP-7708). */
  #reportTransfer(from: Address, to: Address, value: bigint): void {
    const { table, tracer } = this.#machine
    if (tracer?.log !== undefined) logTransfer(table.rules, [], tracer, { from, to, value })
  }

  // --- overrides

  /** A call that would spend a locked balance fails like one without enough balance: no message begins. */
  override runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const { message } = options
    if (message === undefined || !this.#overspends(message)) return super.runCall(options)
    const exceptionError = libErrorOf(failureOf('insufficient balance'))
    return Promise.resolve({ execResult: { returnValue: new Uint8Array(0), executionGasUsed: 0n, exceptionError } })
  }

  #overspends({ caller, to, value, delegatecall }: LibMessage): boolean {
    const kind = delegatecall ? 'DELEGATECALL' : 'CALL'
    return spendsLockedBalance(this.#machine, kind, addressOf(caller), to && addressOf(to), value)
  }

  /** Our table is set before each outer message; the library asks for a table earlier. */
  override getActiveOpcodes(): ReturnType<EVM['getActiveOpcodes']> {
    return this._opcodes ?? new Map()
  }

  protected override async _loadCode(message: LibMessage): Promise<void> {
    if (message.code) return super._loadCode(message)
    const address = addressOf(message.codeAddress)
    const native = this.#machine.nativeAt(address)
    if (native !== undefined) return this.#enterNative(native, message)
    await super._loadCode(message)
    if (!isLoneInvalid(message.code)) return
    const delegate = delegationOf(this.view.code(address))
    const found = this.#nativeAt(delegate ?? address)
    if (found === undefined) return
    // An account cannot delegate to a native contract, as it cannot to a precompile (EIP-7702).
    if (delegate !== undefined) message.code = EMPTY_BYTES
    else this.#enterNative(found, message)
  }

  #nativeAt(address: Address): NativeContract | undefined {
    return this.#machine.nativeAt(address) ?? this.#machine.findNative(address)
  }

  #enterNative(native: NativeContract, message: LibMessage): void {
    message.isCompiled = true
    message.code = ({ data }: PrecompileInput) => {
      const substate = substateOf(message)
      const own = fromLibMessage(message, this.#kindOf(message), data.slice())
      return andThen(this.#machine.runNative(native, own, substate), (done) => {
        if (done.failure === undefined) writeSubstate(message, substate)
        return toExecResult(done, message)
      })
    }
  }

  /** A refused call leaves its kind set, so a transaction's own message is a CALL regardless. */
  #kindOf({ to, salt, depth }: LibMessage): CallKind {
    if (to === undefined) return salt === undefined ? 'CREATE' : 'CREATE2'
    return depth === 0 ? 'CALL' : this.#machine.callKind
  }

  #emit(topic: string, data: unknown): Promise<void> {
    const machine = this.#machine
    if (topic === 'beforeMessage') {
      const message = data as LibMessage
      const kind = this.#kindOf(message)
      machine.messageBegan(() => entered(message, kind, machine.tracer))
      const { caller, to, value } = message
      if (to === undefined) this.#creation = message
      else if (kind === 'CALL') this.#reportTransfer(addressOf(caller), addressOf(to), value)
      // The message may have been a slow precompile, so check the clock after each.
      return machine.pauseIfDue() ?? SETTLED
    }
    if (topic === 'newContract' && this.#creation !== undefined) {
      const { caller, value } = this.#creation
      this.#reportTransfer(addressOf(caller), addressOf((data as { address: LibMessage['caller'] }).address), value)
    }
    if (topic === 'afterMessage') {
      const result = data as EVMResult
      const { runState, gasRefund = 0n } = result.execResult
      const tracesSteps = machine.tracer?.step !== undefined && runState !== undefined
      // `runState` of the library's result has the frame's initial refund.
      const frame = tracesSteps ? new LibraryFrame({ ...runState, gasRefund }, this.#initialRefund) : undefined
      const stop = frame && impliedStop(result.execResult, frame, machine.table)
      if (stop !== undefined) machine.tracer?.step?.(stop)
      if (machine.tracer?.exit !== undefined) machine.messageEnded(fromLibResult(result), frame)
    }
    return SETTLED
  }
}

const SETTLED = Promise.resolve()

const isLoneInvalid = (code: unknown): boolean => code instanceof Uint8Array && code.length === 1 && code[0] === 0xfe

const unreachable = (): never => {
  throw new Error('a native contract is entered by _loadCode only')
}

/** The enter event of a library message. */
function entered(message: LibMessage, type: CallKind, tracer: MessageTracer | undefined): EnterEvent {
  const { caller, to, value, gasLimit, data, depth } = message
  const keepsInput = depth === 0 || tracer?.keepsInput?.(data.length) !== false
  return {
    type,
    from: addressOf(type === 'DELEGATECALL' && to !== undefined ? to : caller),
    to: to === undefined ? null : addressOf(message.codeAddress),
    value,
    gas: gasLimit,
    // The input of an inner message is a view of the caller's memory, which changes later: copy it.
    input: keepsInput ? (depth > 0 ? data.slice() : data) : EMPTY_BYTES,
    depth,
  }
}
