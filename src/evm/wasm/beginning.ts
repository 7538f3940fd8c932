// How a message begins: its checkpoint, the value that it moves, and what runs: a frame, a precompile, a native contract,
// or nothing.

import type { Address } from '../../lib/hex.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { createAddress } from '../../primitives/create-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import type { WorkDone } from '../host.ts'
import { isCreation } from '../message.ts'
import type { NativeContract } from '../native-call.ts'
import type { Entered } from '../tracer.ts'
import { faultOfTransfer, MAX_BALANCE, transferValue } from '../value-transfer.ts'
import type { Incoming } from './execution.ts'
import type { Loaded } from './frames.ts'
import { type Call, type End, ended, messageOf, type Open } from './message.ts'
import type { Begun, Running } from './running.ts'

const LONE_INVALID = 0xfe
/** How many messages may begin before the clock is looked at. */
const MESSAGES_PER_LOOK = 64

/** The message from outside as a call; its input goes to the engine's memory. */
export function firstCall(run: Running, message: Incoming): Call {
  const { kind, caller, value, gas, data, depth, isStatic } = message
  const to = message.to ?? createAddress(caller, run.around.view.nonce(caller) - 1n)
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
  }
}

export function begin(run: Running, call: Call, input?: Uint8Array): Begun {
  const { around, engine } = run
  const { warmth } = around
  around.began(() => entered(run, call, input))
  if (isCreation(call.kind) && run.rules.warms) warmth.warm(call.to)
  warmth.open()
  if (run.rules.transient) around.transient.checkpoint()
  const open: Open = { call, mark: run.substate.mark(), base: engine.top, frame: 0, shown: undefined }
  run.open.push(open)
  const pause = ++run.begun % MESSAGES_PER_LOOK === 0 ? around.turn() : undefined
  if (pause === undefined) return enter(run, open)
  return pause.then(() => enter(run, open))
}

/** `input`: of a message from outside or from a native contract; what code sends lies in the engine's memory. */
function entered({ engine }: Running, call: Call, input: Uint8Array | undefined): Entered {
  const { kind } = call
  return {
    type: kind,
    from: kind === 'DELEGATECALL' ? call.to : call.caller,
    to: isCreation(kind) ? null : call.codeAddress,
    value: call.value,
    gas: BigInt(call.gas),
    input: input ?? engine.slice(call.data, call.dataLength),
    depth: call.depth,
  }
}

function enter(run: Running, open: Open): Begun {
  return isCreation(open.call.kind) ? enterCreation(run, open) : enterCall(run, open)
}

function enterCall(run: Running, open: Open): Begun {
  const { call } = open
  const { view } = run.around
  const { kind, caller, to, codeAddress, value } = call
  if (kind !== 'DELEGATECALL') {
    const fault = faultOfTransfer(view, caller, to, value)
    if (fault !== undefined) return ended(fault)
    transferValue(run.around, caller, to, value)
  }
  const native = run.around.nativeAt(codeAddress)
  if (native !== undefined) return runNative(run, call, native)
  const precompile = run.around.precompileAt(codeAddress)
  if (precompile !== undefined) {
    const input = run.engine.slice(call.data, call.dataLength)
    return work(run, () => run.around.runPrecompile(precompile, input, BigInt(call.gas)))
  }
  let account = view.account(codeAddress)
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return ended()
  let code = view.code(codeAddress)
  const delegate = run.rules.delegates ? delegationOf(code) : undefined
  if (delegate !== undefined) {
    if (call.depth === 0) run.around.warmth.addAlwaysWarm(delegate)
    account = view.account(delegate)
    if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return ended()
    code = view.code(delegate)
  }
  if (code.length === 1 && code[0] === LONE_INVALID) {
    if (delegate !== undefined && isNative(run, delegate)) return ended()
    const found = run.around.findNative(codeAddress)
    if (found !== undefined) return runNative(run, call, found)
  }
  const loaded = run.engine.load(account.codeHash, code)
  if (delegate === undefined && call.word !== 0) run.engine.remember(call.word, loaded, run.engine.account(codeAddress))
  openFrame(run, open, loaded)
  return undefined
}

/** As a precompile, a native contract lends no code to accounts that delegate to it (EIP-7702). */
const isNative = ({ around }: Running, address: Address): boolean =>
  (around.nativeAt(address) ?? around.findNative(address)) !== undefined

function enterCreation(run: Running, open: Open): Begun {
  const { call } = open
  const { view, warmth } = run.around
  const { caller, to, value, dataLength } = call
  const balanceOfCreator = view.balance(caller)
  if (balanceOfCreator < value) throw new Error('a creation begins whose creator cannot pay for it')
  if (value > 0n) view.setBalance(caller, balanceOfCreator - value)
  warmth.touch(caller)
  if (dataLength > run.rules.gas.maxInitCodeSize) return ended('initcode size', call.gas)
  if (run.rules.destroysOnlyNew) run.substate.create(to)
  const there = view.account(to)
  const isTaken = there !== undefined && (there.nonce > 0n || there.codeHash !== EMPTY_CODE_HASH)
  // EIP-7610: storage may be there without an account's own fields.
  if (isTaken || view.hasStorage(to)) return ended('address collision', call.gas)
  warmth.touch(to)
  view.clearStorage(to)
  const balance = (there?.balance ?? 0n) + value
  if (balance > MAX_BALANCE) return ended('value overflow')
  view.setAccount(to, { nonce: run.rules.clears ? 1n : 0n, balance, codeHash: EMPTY_CODE_HASH })
  if (dataLength === 0) return ended()
  openFrame(run, open, run.engine.placeRange(call.data, dataLength))
  return undefined
}

function openFrame(run: Running, open: Open, code: Loaded): void {
  const { call } = open
  const creates = isCreation(call.kind)
  const frame = run.engine.open({
    code,
    data: creates ? 0 : call.data,
    dataLength: creates ? 0 : call.dataLength,
    gas: call.gas,
    isStatic: call.isStatic,
    depth: call.depth,
    account: run.engine.account(call.to),
  })
  run.engine.setAccounts(frame, call.to, call.caller, call.value)
  run.engine.setReturn(0, 0)
  open.frame = frame
  run.host.enter(call.to)
}

function runNative(run: Running, call: Call, native: NativeContract): End | Promise<End> {
  const message = messageOf(call, run.engine.slice(call.data, call.dataLength))
  const end = work(run, () => run.around.runNative(native, message, run.substate))
  // Native contracts write past the interpreter, and contracts that they call may have destroyed and created.
  const forget = (settled: End): End => {
    run.engine.forget()
    return settled
  }
  return end instanceof Promise ? end.then(forget) : forget(end)
}

function work(run: Running, begin: () => MaybePromise<WorkDone>): End | Promise<End> {
  // The work may be long: the clock is looked at for each.
  const pause = run.around.turn()
  const work = pause === undefined ? begin() : pause.then(begin)
  const settle = (result: WorkDone): End => {
    const end = ended(result.failure?.code, Number(result.gasUsed))
    end.bytes = result.output
    end.length = result.output.length
    end.work = result
    if (result.failure === undefined) for (const log of result.logs) run.substate.logs.push(log)
    return end
  }
  return work instanceof Promise ? work.then(settle) : settle(work)
}
