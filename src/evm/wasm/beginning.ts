// How a message begins: its checkpoint, the value that it moves, and what runs: a frame, a precompile, a native contract,
// or nothing.
import { EVMError, type Message } from '@ethereumjs/evm'
import { createdAddress } from '../../primitives/created-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import { logsOf } from '../logs.ts'
import type { NativeContract } from '../native-call.ts'
import type { Entered } from '../tracer.ts'
import type { Loaded } from './frames.ts'
import type { Incoming } from './incoming.ts'
import { type Call, type End, ended, isCreation, type Open, toLibMessage } from './message.ts'
import { faultOfMoving, MAX_BALANCE, moveValue } from './moving.ts'
import type { Begun, Running } from './running.ts'
import type { Work } from './surroundings.ts'

const { errorMessages } = EVMError
const LONE_INVALID = 0xfe
/** How many messages may begin before the clock is looked at. */
const MESSAGES_PER_LOOK = 64

/** The message from outside as a call; its input goes to the engine's memory. */
export function firstCall(run: Running, message: Incoming): Call {
  const { caller, value, gas, data, depth, isStatic, salt, isDelegate } = message
  const to = message.to ?? createdAddress(caller, run.around.view.nonce(caller) - 1n)
  return {
    kind: message.to === undefined ? 'CREATE' : isDelegate ? 'DELEGATECALL' : 'CALL',
    caller,
    to,
    codeAddress: message.codeAddress ?? to,
    value,
    gas,
    data: run.engine.input(data),
    dataLength: data.length,
    depth,
    isStatic,
    salt,
    word: 0,
  }
}

export function begin(run: Running, call: Call, input?: Uint8Array): Begun {
  const { around, engine } = { around: run.around, engine: run.engine }
  const { warmth } = around
  around.began(() => entered(run, call, input))
  if (isCreation(call) && run.rules.warms) warmth.warm(call.to)
  warmth.open()
  if (run.rules.transient) around.transient.checkpoint()
  const open: Open = { call, mark: run.ledger.mark(), base: engine.top, frame: 0 }
  run.open.push(open)
  const pause = ++run.begun % MESSAGES_PER_LOOK === 0 ? around.turn() : undefined
  if (pause === undefined) return enter(run, open)
  return pause.then(() => enter(run, open))
}

/** `input`: of a message from outside or from a native contract; what code sends lies in the engine's memory. */
function entered({ engine, around }: Running, call: Call, input: Uint8Array | undefined): Entered {
  const isNatives = input !== undefined && call.depth > 0 && !isCreation(call)
  const type = isNatives ? around.callType : call.kind
  return {
    type,
    from: type === 'DELEGATECALL' ? call.to : call.caller,
    to: isCreation(call) ? null : call.codeAddress,
    value: call.value,
    gas: BigInt(call.gas),
    input: input ?? engine.slice(call.data, call.dataLength),
    depth: call.depth,
  }
}

function enter(run: Running, open: Open): Begun {
  return isCreation(open.call) ? enterCreation(run, open) : enterCall(run, open)
}

function messageOf(run: Running, call: Call, input: Uint8Array): Message {
  return toLibMessage(call, input, run.ledger, run.blobHashes, run.rules.destroysOnlyNew)
}

function enterCall(run: Running, open: Open): Begun {
  const { call } = open
  const { view } = run.around
  const { kind, caller, to, codeAddress, value } = call
  if (kind !== 'DELEGATECALL') {
    const fault = faultOfMoving(view, caller, to, value)
    if (fault !== undefined) return ended(fault)
    moveValue(run.around, caller, to, value)
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
    const found = run.around.findNative(codeAddress)
    if (found !== undefined) return runNative(run, call, found)
  }
  const loaded = run.engine.load(account.codeHash, code)
  if (delegate === undefined && call.word !== 0) run.engine.remember(call.word, loaded, run.engine.account(codeAddress))
  openFrame(run, open, loaded)
  return undefined
}

function enterCreation(run: Running, open: Open): Begun {
  const { call } = open
  const { view, warmth } = run.around
  const { caller, to, value, dataLength } = call
  const purse = view.balance(caller)
  if (purse < value) throw new Error('a creation begins whose creator cannot pay for it')
  if (value > 0n) view.setBalance(caller, purse - value)
  warmth.touch(caller)
  if (dataLength > run.rules.maxInitCodeSize) return ended(errorMessages.INITCODE_SIZE_VIOLATION, call.gas)
  if (run.rules.destroysOnlyNew) run.ledger.create(to)
  const there = view.account(to)
  const isTaken = there !== undefined && (there.nonce > 0n || there.codeHash !== EMPTY_CODE_HASH)
  // EIP-7610: storage may be there without an account's own fields.
  if (isTaken || view.hasStorage(to)) return ended(errorMessages.CREATE_COLLISION, call.gas)
  warmth.touch(to)
  view.clearStorage(to)
  const balance = (there?.balance ?? 0n) + value
  if (balance > MAX_BALANCE) return ended(errorMessages.VALUE_OVERFLOW)
  view.setAccount(to, { nonce: run.rules.clears ? 1n : 0n, balance, codeHash: EMPTY_CODE_HASH })
  if (dataLength === 0) return ended()
  openFrame(run, open, run.engine.placeRange(call.data, dataLength))
  return undefined
}

function openFrame(run: Running, open: Open, code: Loaded): void {
  const { call } = open
  const creates = isCreation(call)
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
  const input = run.engine.slice(call.data, call.dataLength)
  const message = messageOf(run, call, input)
  return work(
    run,
    () => run.around.runNative(native, message),
    () => {
      // Contracts that it called may have destroyed and created.
      run.ledger.refund = Number(message.gasRefund)
      for (const [address, heir] of message.selfdestruct ?? []) run.ledger.destroy(address, heir)
      for (const address of message.createdAddresses ?? []) run.ledger.create(address)
    },
  )
}

function work(run: Running, begin: () => Work, then?: () => void): End | Promise<End> {
  // The work may be long: the clock is looked at for each.
  const pause = run.around.turn()
  const work = pause === undefined ? begin() : pause.then(begin)
  const settle = (result: Awaited<typeof work>): End => {
    const end = ended(result.exceptionError?.error, Number(result.executionGasUsed))
    end.bytes = result.returnValue
    end.length = result.returnValue.length
    end.work = result
    // Native contracts write past the interpreter.
    if (then !== undefined) run.engine.forget()
    if (end.error === undefined) {
      then?.()
      for (const log of logsOf(result)) run.ledger.logs.push(log)
    }
    return end
  }
  return work instanceof Promise ? work.then(settle) : settle(work)
}
