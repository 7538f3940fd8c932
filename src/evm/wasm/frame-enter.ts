// The start of a message: checkpoints, value transfer, and then one of: a frame for code, a precompile, a native contract, or an
// account without code.

import { type Address, EMPTY_BYTES } from '../../lib/hex.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { createAddress } from '../../primitives/create-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import { NO_STATE_GAS_USED } from '../gas/state-gas.ts'
import type { NativeOutcome } from '../host.ts'
import { isCreation } from '../message.ts'
import type { NativeContract } from '../native-call.ts'
import type { EnterEvent } from '../tracer.ts'
import { logTransfer, MAX_BALANCE, transferFailure, transferValue } from '../value-transfer.ts'
import type { LoadedCode } from './frame-header.ts'
import type { Execution, IncomingMessage, RunProgress } from './frames.ts'
import { type ActiveFrame, type FrameResult, frameResult, toMessage, type WasmMessage } from './frames.ts'
import { takeSteps } from './step-log.ts'

const LONE_INVALID = 0xfe
/** Messages that begin between two checks of the clock. */
const MESSAGES_PER_LOOK = 64

/** Copies the input of an incoming message to the engine's memory. */
export function placeMessage(run: Execution, message: IncomingMessage): WasmMessage {
  const { kind, caller, value, gas, data, depth, isStatic } = message
  const to = message.to ?? createAddress(caller, run.host.view.nonce(caller) - 1n)
  return {
    kind,
    caller,
    to,
    codeAddress: to,
    value,
    gas,
    data: run.engine.input(data),
    dataLength: data.length,
    depth,
    isStatic,
    salt: undefined,
    word: 0,
    accountGas: 0,
  }
}

export function beginMessage(run: Execution, call: WasmMessage, input?: Uint8Array): RunProgress {
  const { host, engine } = run
  const { accessJournal: warmth } = host
  takeSteps(run)
  host.messageBegan(() => enterEvent(run, call, input))
  if (isCreation(call.kind) && run.rules.forks.berlin) warmth.warm(call.to)
  warmth.checkpoint()
  if (run.rules.forks.cancun) host.transient.checkpoint()
  const active: ActiveFrame = {
    message: call,
    mark: run.substate.mark(),
    stateGas: run.rules.gas.state.account === 0 ? NO_STATE_GAS_USED : engine.stateGas,
    memoryTop: engine.top,
    frame: 0,
    traced: undefined,
  }
  run.frames.push(active)
  const pause = ++run.messageCount % MESSAGES_PER_LOOK === 0 ? host.pauseIfDue() : undefined
  if (pause === undefined) return enter(run, active)
  return pause.then(() => enter(run, active))
}

/** `input`: of an incoming message; the input of other messages is in the engine's memory. */
function enterEvent(run: Execution, call: WasmMessage, input: Uint8Array | undefined): EnterEvent {
  const { kind } = call
  return {
    type: kind,
    from: kind === 'DELEGATECALL' ? call.to : call.caller,
    to: isCreation(kind) ? null : call.codeAddress,
    value: call.value,
    gas: BigInt(call.gas),
    input: input ?? tracedInput(run, call),
    depth: call.depth,
  }
}

/** A copy of a message's input, if the tracer keeps it. */
export const tracedInput = ({ host, engine }: Execution, { data, dataLength }: WasmMessage): Uint8Array =>
  dataLength === 0 || host.tracer?.keepsInput?.(dataLength) === false ? EMPTY_BYTES : engine.slice(data, dataLength)

function enter(run: Execution, active: ActiveFrame): RunProgress {
  return isCreation(active.message.kind) ? enterCreation(run, active) : enterCall(run, active)
}

function enterCall(run: Execution, active: ActiveFrame): RunProgress {
  const { message: call } = active
  const { view } = run.host
  const { kind, caller, to, codeAddress, value } = call
  if (kind !== 'DELEGATECALL') {
    const fault = transferFailure(view, caller, to, value)
    if (fault !== undefined) return frameResult(fault)
    transferValue(run.host, caller, to, value)
    logTransfer(run.rules.forks, run.substate.logs, run.host.tracer, { from: caller, to, value })
  }
  const native = run.host.nativeAt(codeAddress)
  if (native !== undefined) return runNative(run, call, native)
  const precompile = run.host.precompileAt(codeAddress)
  if (precompile !== undefined) {
    const input = run.engine.slice(call.data, call.dataLength)
    return runBuiltin(run, () => run.host.runPrecompile(precompile, input, BigInt(call.gas)))
  }
  let account = view.account(codeAddress)
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return frameResult()
  let code = view.code(codeAddress)
  const delegate = run.rules.forks.prague ? delegationOf(code) : undefined
  if (delegate !== undefined) {
    if (call.depth === 0) run.host.accessJournal.addAlwaysWarm(delegate)
    account = view.account(delegate)
    if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return frameResult()
    code = view.code(delegate)
  }
  if (code.length === 1 && code[0] === LONE_INVALID) {
    if (delegate !== undefined && isNative(run, delegate)) return frameResult()
    const found = run.host.findNative(codeAddress)
    if (found !== undefined) return runNative(run, call, found)
  }
  const loaded = run.engine.load(account.codeHash, code)
  if (delegate === undefined && call.word !== 0)
    run.engine.cacheAccount(call.word, loaded, run.engine.slots.accountNumber(codeAddress))
  openFrame(run, active, loaded)
  return undefined
}

/** A delegation to a native contract runs no code, as with a delegation to a precompile (EIP-7702). */
const isNative = ({ host }: Execution, address: Address): boolean =>
  (host.nativeAt(address) ?? host.findNative(address)) !== undefined

function enterCreation(run: Execution, active: ActiveFrame): RunProgress {
  const { message: call } = active
  const { view, accessJournal: warmth } = run.host
  const { caller, to, value, dataLength } = call
  const balanceOfCreator = view.balance(caller)
  if (balanceOfCreator < value) throw new Error('a creation begins whose creator cannot pay for it')
  if (value > 0n) view.setBalance(caller, balanceOfCreator - value)
  warmth.touch(caller)
  if (dataLength > run.rules.gas.maxInitCodeSize) return frameResult('initcode size', call.gas)
  // SELFDESTRUCT deletes only what the transaction has created (EIP-6780).
  if (run.rules.forks.cancun) run.substate.create(to)
  const there = view.account(to)
  const isTaken = there !== undefined && (there.nonce > 0n || there.codeHash !== EMPTY_CODE_HASH)
  // EIP-7610: an account without nonce and code may have storage.
  if (isTaken || view.hasStorage(to)) return frameResult('address collision', call.gas)
  warmth.touch(to)
  view.clearStorage(to)
  const balance = (there?.balance ?? 0n) + value
  if (balance > MAX_BALANCE) return frameResult('value overflow')
  view.setAccount(to, { nonce: run.rules.forks.spuriousDragon ? 1n : 0n, balance, codeHash: EMPTY_CODE_HASH })
  logTransfer(run.rules.forks, run.substate.logs, run.host.tracer, { from: caller, to, value })
  if (dataLength === 0) return frameResult()
  openFrame(run, active, run.engine.placeRange(call.data, dataLength))
  return undefined
}

function openFrame(run: Execution, active: ActiveFrame, code: LoadedCode): void {
  const { message: call } = active
  const creates = isCreation(call.kind)
  const { accessJournal } = run.host
  // An access of a slot makes its account warm too, which matters where a call at a proposal's price has not.
  if (!accessJournal.isWarm(call.to)) accessJournal.takeSlots()
  const frame = run.engine.openFrame({
    code,
    data: creates ? 0 : call.data,
    dataLength: creates ? 0 : call.dataLength,
    gas: call.gas,
    isStatic: call.isStatic,
    depth: call.depth,
    account: run.engine.slots.accountNumber(call.to),
  })
  run.engine.setAccounts(frame, call.to, call.caller, call.value)
  run.engine.setReturn(0, 0)
  active.frame = frame
  run.opcodeHost.enter(call.to)
}

function runNative(run: Execution, call: WasmMessage, native: NativeContract): FrameResult | Promise<FrameResult> {
  const message = toMessage(call, run.engine.slice(call.data, call.dataLength))
  const end = runBuiltin(run, () => run.host.runNative(native, message, run.substate))
  // A native contract writes to the view directly, and the contracts that it calls may be created or destroyed.
  const forget = (settled: FrameResult): FrameResult => {
    run.engine.invalidateCache()
    return settled
  }
  return end instanceof Promise ? end.then(forget) : forget(end)
}

function runBuiltin(run: Execution, begin: () => MaybePromise<NativeOutcome>): FrameResult | Promise<FrameResult> {
  // One precompile may take long, so the clock is checked before each.
  const pause = run.host.pauseIfDue()
  const work = pause === undefined ? begin() : pause.then(begin)
  const settle = (result: NativeOutcome): FrameResult => {
    const end = frameResult(result.failure?.code, Number(result.gasUsed))
    end.bytes = result.output
    end.length = result.output.length
    end.native = result
    if (result.failure === undefined) for (const log of result.logs) run.substate.logs.push(log)
    return end
  }
  return work instanceof Promise ? work.then(settle) : settle(work)
}
