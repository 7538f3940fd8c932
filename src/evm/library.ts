// Our one subclass of the library's EVM, for what our engine does not run: it is made when a machine first needs it. Its
// seams: `_loadCode` gives native contracts the whole message, `runCall` refuses to spend what an account must keep,
// `getActiveOpcodes` takes our opcode table, and messages tell the machine that they begin and end.
import type { Common } from '@ethereumjs/common'
import { EVM, EVMError, type EVMResult, type EVMRunCallOpts, type Message, type PrecompileInput } from '@ethereumjs/evm'
import type { Address } from '../lib/hex.ts'
import type { Contracts } from './contracts.ts'
import { bls12381 } from './crypto/bls12-381.ts'
import { bn254 } from './crypto/bn254.ts'
import { asLibJournal, asLibTransient, LibJournal, LibTransient } from './lib-journal.ts'
import type { Machine } from './machine.ts'
import {
  chainOf,
  insufficientBalance,
  isLoneInvalid,
  type OuterMessage,
  toLibBlock,
  unreachable,
} from './machine-parts.ts'
import type { NativeContract } from './native-call.ts'
import { addressOf, StateAdapter, toLibAddress } from './state-adapter.ts'
import type { OpcodeHost, OpcodeTable, RunState } from './tables.ts'
import type { CallType, Entered, MessageTracer } from './tracer.ts'
import { impliedStop, watched } from './watch.ts'

export class Library extends EVM implements OpcodeHost {
  readonly #machine: Machine

  constructor(machine: Machine, common: Common) {
    const adapter = new StateAdapter(machine.view)
    const blockchain = chainOf((number) => machine.blockHash(number))
    super({ common, stateManager: adapter, blockchain, bn254, bls: bls12381 })
    this.#machine = machine
    this.journal = asLibJournal(new LibJournal(machine.warmth, adapter))
    Object.defineProperty(this, 'transientStorage', { value: asLibTransient(new LibTransient(machine.transient)) })
    // The library's emitter awaits a list of listeners; one direct call is what is needed.
    Object.defineProperty(this, '_emit', { value: (topic: string, data: unknown) => this.#emit(topic, data) })
  }

  // --- what the machine tells it

  useTable(table: OpcodeTable, tracer: MessageTracer | undefined): void {
    const { opcodes, handlers, dynamicGasHandlers } = table.context
    this._opcodes = opcodes
    this._handlers = handlers
    this._dynamicGasHandlers = dynamicGasHandlers
    this._opcodeMap = tracer === undefined ? table.map : watched(table, tracer)
  }

  /** Native contracts stand among the precompiles, so that they are found wherever those are. */
  useContracts({ precompiles, natives }: Contracts): void {
    this._precompiles.clear()
    for (const [address, code] of precompiles) this._precompiles.set(address.slice(2), code)
    for (const address of natives.keys()) this._precompiles.set(address.slice(2), unreachable)
  }

  /** For whom the transaction's own message was sent, as the library counts it. */
  get origin(): Address | undefined {
    return this._tx && addressOf(this._tx.origin)
  }

  // --- what marked opcodes tell (`OpcodeHost`)

  get callType(): CallType {
    return this.#machine.callType
  }

  set callType(type: CallType) {
    this.#machine.callType = type
  }

  get messages(): number {
    return this.#machine.messages
  }

  get tracer(): MessageTracer | undefined {
    return this.#machine.tracer
  }

  pause(): Promise<void> | undefined {
    return this.#machine.pause()
  }

  onSelfdestruct(state: RunState, beneficiary: bigint): void {
    const { view, tracer } = this.#machine
    const from = addressOf(state.interpreter.getAddress())
    const to = `0x${(beneficiary & ((1n << 160n) - 1n)).toString(16).padStart(40, '0')}` as Address
    // Code of another may run for an account that has a key (EIP-7702).
    if (from !== to && this.#machine.held(from) > 0n) throw new EVMError(EVMError.errorMessages.INSUFFICIENT_BALANCE)
    tracer?.selfdestruct?.(from, to, view.balance(from))
  }

  // --- seams

  /** A call that would spend what its account must keep is refused as one without the balance is: no message begins. */
  override runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const { message } = options
    const isRefused = message !== undefined && this.#machine.overspends(message)
    return isRefused ? Promise.resolve({ execResult: insufficientBalance() }) : super.runCall(options)
  }

  /** Our table is set when the machine has made this; the library asks for one before that. */
  override getActiveOpcodes(): OpcodeTable['context']['opcodes'] {
    return this._opcodes ?? new Map()
  }

  override runPrecompile(...[code, data, gasLimit]: Parameters<EVM['runPrecompile']>) {
    // The input lies in its caller's memory, which goes on changing; the output may be the very input (identity).
    return this.#machine.runPrecompile(code, data.slice(), gasLimit)
  }

  protected override async _loadCode(message: Message): Promise<void> {
    if (message.code) return super._loadCode(message)
    const address = addressOf(message.codeAddress)
    const native = this.#machine.nativeAt(address)
    if (native !== undefined) return this.#enterNative(native, message)
    await super._loadCode(message)
    if (!isLoneInvalid(message.code)) return
    const found = this.#machine.findNative(address)
    if (found !== undefined) this.#enterNative(found, message)
  }

  #enterNative(native: NativeContract, message: Message): void {
    message.code = (input: PrecompileInput) => this.#machine.runNative(native, message, input)
    message.isCompiled = true
  }

  #emit(topic: string, data: unknown): Promise<void> {
    const machine = this.#machine
    if (topic === 'beforeMessage') {
      machine.began(() => entered(data as Message, machine.callType))
      // A message may have been a precompile's long work: the clock is looked at for each.
      return machine.turn() ?? SETTLED
    }
    if (topic === 'afterMessage') {
      const result = data as EVMResult
      const stop = machine.tracer?.step && impliedStop(result.execResult)
      if (stop !== undefined) machine.tracer?.step?.(stop)
      machine.ended(result)
    }
    return SETTLED
  }
}

const SETTLED = Promise.resolve()

/** A message of the library's in our words. A refused call leaves its type behind; a transaction's own is a CALL. */
function entered(message: Message, callType: CallType): Entered {
  const { caller, to, salt, value, gasLimit, data, depth } = message
  const type = to === undefined ? (salt === undefined ? 'CREATE' : 'CREATE2') : depth === 0 ? 'CALL' : callType
  return {
    type,
    from: addressOf(type === 'DELEGATECALL' && to !== undefined ? to : caller),
    to: to === undefined ? null : addressOf(message.codeAddress),
    value,
    gas: gasLimit,
    // That of an inner message lies in its caller's memory, which goes on changing.
    input: depth > 0 ? data.slice() : data,
    depth,
  }
}

/** A message from outside, in the library's words. */
export function toLibCall({ from, to, value, data, gasLimit, gasPrice, block, ...rest }: OuterMessage): EVMRunCallOpts {
  return {
    ...(block !== undefined && { block: toLibBlock(block) }),
    ...{ gasPrice, caller: toLibAddress(from), gasLimit, value, data, isStatic: rest.isStatic },
    ...(to !== null && { to: toLibAddress(to) }),
    blobVersionedHashes: [...rest.blobVersionedHashes],
    skipNonceIncrement: true,
  }
}
