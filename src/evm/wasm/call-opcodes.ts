// The call and create opcodes and SELFDESTRUCT: the gas that they cost in addition to the interpreter's charge, and the
// conditions under which they fail.
import { type Address, EMPTY_BYTES } from '../../lib/hex.ts'
import { create2Address, createAddress } from '../../primitives/create-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import { type FailureCode, failureOf } from '../failure.ts'
import { maxMessageGas } from '../gas/call-gas.ts'
import { CALL_STIPEND, MAX_DEPTH } from '../gas/gas-rules.ts'
import { type CallKind, isCreation } from '../message.ts'
import type { CallFrame } from '../tracer.ts'
import { spendsLockedBalance } from '../value-transfer.ts'
import { beginMessage, tracedInput } from './frame-enter.ts'
import type { ActiveFrame, FrameResult, WasmMessage } from './frames.ts'
import { type Execution, leaveFrame, pushCallResult, type RunProgress } from './frames.ts'
import { F_TOP, WORDS } from './layout.ts'
import { isEmpty } from './state-host.ts'

const MAX_NONCE = (1n << 64n) - 1n

/** Traces the step of a call or creation once its cost is known; `handedOn` is the gas that the new message gets. */
const traceStep = (run: Execution, active: ActiveFrame, handedOn = 0, failure?: FailureCode, total?: number): void =>
  active.traced?.traceHostStep(run, handedOn, failure, total)

/** Gas of a call in addition to the interpreter's charge (EIP-150, EIP-158, EIP-2929, EIP-7702). Marks accounts as warm. */
function callGas(run: Execution, kind: CallKind, codeAddress: Address, hasValue: boolean): number {
  const { gas: price, forks } = run.rules
  const { accessJournal: warmth } = run.host
  let cost = 0
  if (forks.berlin) {
    const isWarm = warmth.isWarm(codeAddress)
    cost += isWarm ? price.warm : price.cold
    if (!isWarm) warmth.warm(codeAddress)
  }
  if (hasValue) cost += price.value
  if (kind === 'CALL' && (hasValue || !forks.spuriousDragon) && createsAccount(run, codeAddress))
    cost += price.newAccount
  return cost + delegationGas(run, codeAddress)
}

/** `isPaid`: the price set by an opcode proposal was charged already, instead of the fork's price. */
export function call(run: Execution, active: ActiveFrame, kind: CallKind, isPaid = false): RunProgress {
  const engine = run.engine
  const { view, tracer } = run.host
  const keepsGas = run.rules.forks.tangerineWhistle
  const { frame, message } = active
  const top = engine.field(frame, F_TOP)
  const codeAddress = engine.address()
  const carries = kind === 'CALL' || kind === 'CALLCODE'
  const hasValue = carries && !engine.isZero(top - 96)
  const cost = isPaid ? 0 : callGas(run, kind, codeAddress, hasValue)
  const left = engine.gas(frame) - cost
  const requested = engine.small(top - 32)
  const most = keepsGas ? maxMessageGas(left) : left
  if (left < 0 || (!keepsGas && requested > left)) {
    traceStep(run, active, 0, 'out of gas')
    return leaveFrame(run, active, 'out of gas')
  }
  const stipend = hasValue && !isPaid ? CALL_STIPEND : 0
  const handedOn = Math.min(requested, most)
  engine.setGas(frame, left)
  traceStep(run, active, handedOn)
  engine.setGas(frame, left + stipend)

  const ranges = carries ? top - 128 : top - 96
  const dataLength = engine.small(ranges - 32)
  const self = message.to
  const isDelegate = kind === 'DELEGATECALL'
  const call: WasmMessage = {
    kind,
    caller: isDelegate ? message.caller : self,
    to: kind === 'CALL' || kind === 'STATICCALL' ? codeAddress : self,
    codeAddress,
    value: isDelegate ? message.value : hasValue ? engine.word(top - 96) : 0n,
    gas: handedOn + stipend,
    data: dataLength === 0 ? 0 : run.engine.memory(frame) + engine.small(ranges),
    dataLength,
    depth: message.depth + 1,
    isStatic: message.isStatic || kind === 'STATICCALL',
    salt: undefined,
    // The engine remembers the account as a warm one by this word; a call at a price of its own has not made it warm.
    word: isPaid ? 0 : top - 64,
  }
  engine.setReturn(0, 0)
  const isTooDeep = message.depth >= MAX_DEPTH
  const isPoor = hasValue && view.balance(self) < call.value
  if (isTooDeep || isPoor || spendsLockedBalance(run.host, kind, call.caller, call.to, call.value)) {
    tracer?.refuse?.(refusedFrame(run, call, isTooDeep ? 'call depth' : 'insufficient balance'))
    pushCallResult(run, active, kind, 0)
    return undefined
  }
  engine.suspendFrame(frame)
  return beginMessage(run, call)
}

export function create(run: Execution, active: ActiveFrame, isSalted: boolean): RunProgress {
  const engine = run.engine
  const { view, tracer } = run.host
  const { frame, message } = active
  const kind = isSalted ? 'CREATE2' : 'CREATE'
  const top = engine.field(frame, F_TOP)
  const dataLength = engine.small(top - 96)
  const salt = isSalted ? engine.slice(WORDS, 32) : undefined
  if (dataLength > run.rules.gas.maxInitCodeSize) {
    traceStep(run, active, 0, 'initcode size')
    return leaveFrame(run, active, 'initcode size')
  }
  traceStep(run, active)
  engine.setReturn(0, 0)
  const left = engine.gas(frame)
  const gas = run.rules.forks.tangerineWhistle ? maxMessageGas(left) : left
  const value = engine.word(top - 32)
  const caller = message.to
  const data = dataLength === 0 ? 0 : run.engine.memory(frame) + engine.small(top - 64)
  const call: WasmMessage = {
    kind,
    caller,
    to: caller,
    codeAddress: caller,
    value,
    gas,
    data,
    dataLength,
    depth: message.depth + 1,
    isStatic: false,
    salt,
    word: 0,
  }
  const refuse = (failure: FailureCode): RunProgress => {
    tracer?.refuse?.(refusedFrame(run, call, failure))
    pushCallResult(run, active, kind, 0)
    return undefined
  }
  if (message.depth >= MAX_DEPTH) return refuse('call depth')
  if (view.balance(caller) < value) return refuse('insufficient balance')
  const nonce = view.nonce(caller)
  if (nonce >= MAX_NONCE) return refuse('nonce overflow')
  view.setNonce(caller, nonce + 1n)
  run.host.accessJournal.touch(caller)
  if (spendsLockedBalance(run.host, kind, caller, undefined, value)) return refuse('nonce overflow')
  const to =
    salt === undefined ? createAddress(caller, nonce) : create2Address(caller, salt, engine.slice(data, dataLength))
  engine.suspendFrame(frame)
  return beginMessage(run, { ...call, to, codeAddress: to })
}

/** `isPaid`: the price set by an opcode proposal was charged already, instead of the fork's price. */
export function selfDestruct(run: Execution, active: ActiveFrame, isPaid = false): FrameResult {
  const engine = run.engine
  const { view, accessJournal: warmth, tracer } = run.host
  const { gas: price, forks } = run.rules
  const { frame, message: call } = active
  const self = call.to
  const beneficiary = engine.address()
  const balance = view.balance(self)
  const cost = isPaid ? 0 : selfDestructGas(run, beneficiary, balance)
  const left = engine.gas(frame) - cost
  if (left < 0) {
    traceStep(run, active, 0, 'out of gas', cost)
    return leaveFrame(run, active, 'out of gas')
  }
  engine.setGas(frame, left)
  traceStep(run, active)
  if (beneficiary !== self && run.host.lockedBalance(self) > 0n) return leaveFrame(run, active, 'insufficient balance')
  tracer?.selfdestruct?.(self, beneficiary, balance)
  if (!run.substate.destroyed.has(self)) run.substate.refund += price.destroyRefund
  run.substate.destroy(self, beneficiary)
  if (beneficiary !== self) {
    view.addBalance(beneficiary, balance)
    warmth.touch(beneficiary)
  }
  // Since EIP-6780 a contract not created in this transaction keeps its balance if it is its own beneficiary.
  if (!forks.cancun || run.substate.created.has(self) || beneficiary !== self) view.setBalance(self, 0n)
  return leaveFrame(run, active)
}

/** Gas of SELFDESTRUCT in addition to its constant gas (EIP-150, EIP-161, EIP-2929). Marks the beneficiary as warm. */
function selfDestructGas(run: Execution, beneficiary: Address, balance: bigint): number {
  const { view, accessJournal: warmth } = run.host
  const { gas: price, forks } = run.rules
  let cost = 0
  if (forks.spuriousDragon) {
    if (balance > 0n && isEmpty(view.account(beneficiary))) cost += price.newAccount
  } else if (forks.tangerineWhistle && view.account(beneficiary) === undefined) cost += price.newAccount
  if (forks.berlin && !warmth.isWarm(beneficiary)) {
    cost += price.cold
    warmth.warm(beneficiary)
  }
  return cost
}

/** Whether a call to this address creates a new account, which has to be paid for. */
function createsAccount(run: Execution, address: Address): boolean {
  const account = run.host.view.account(address)
  return run.rules.forks.spuriousDragon ? isEmpty(account) : account === undefined
}

/** Gas of accessing the account that the code is delegated to (EIP-7702). */
function delegationGas(run: Execution, address: Address): number {
  const { gas, forks } = run.rules
  if (!forks.prague) return 0
  const { view, accessJournal: warmth } = run.host
  const account = view.account(address)
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return 0
  const delegate = delegationOf(view.code(address))
  if (delegate === undefined) return 0
  if (warmth.isWarm(delegate)) return gas.warm
  warmth.warm(delegate)
  return gas.cold
}

function refusedFrame(run: Execution, call: WasmMessage, failure: FailureCode): CallFrame {
  const { kind, caller, to, codeAddress, value, gas } = call
  return {
    type: kind,
    from: kind === 'DELEGATECALL' ? to : caller,
    to: isCreation(kind) ? null : codeAddress,
    value,
    gas: BigInt(gas),
    gasUsed: 0n,
    input: tracedInput(run, call),
    output: EMPTY_BYTES,
    error: failureOf(failure).message,
    calls: [],
  }
}
