// The call and create opcodes and SELFDESTRUCT: the gas that they cost in addition to the interpreter's charge, and the
// conditions under which they fail.
import { type Address, EMPTY_BYTES } from '../../lib/hex.ts'
import { create2Address, createAddress } from '../../primitives/create-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH, isEmpty } from '../../state/accounts.ts'
import { type FailureCode, failureOf } from '../failure.ts'
import { maxMessageGas } from '../gas/call-gas.ts'
import { CALL_STIPEND, MAX_DEPTH } from '../gas/gas-rules.ts'
import { type CallKind, isCreation } from '../message.ts'
import type { CallFrame } from '../tracer.ts'
import { logTransfer, spendsLockedBalance } from '../value-transfer.ts'
import { beginMessage, tracedInput } from './frame-enter.ts'
import type { ActiveFrame, FrameResult, WasmMessage } from './frames.ts'
import { type Execution, leaveFrame, pushCallResult, type RunProgress } from './frames.ts'
import { F_TOP, WORDS } from './layout.ts'

const MAX_NONCE = (1n << 64n) - 1n

/** Traces the step of a call or creation once its cost is known; `handedOn` is the gas that the new message gets. */
const traceStep = (run: Execution, active: ActiveFrame, handedOn = 0, failure?: FailureCode, total?: number): void =>
  active.traced?.traceHostStep(run, handedOn, failure, total)

/**
 * Gas of a call in addition to the interpreter's charge (EIP-150, EIP-158, EIP-2929, EIP-7702). Marks accounts as warm. `gas`: what
 * there is; an account is read once its access is paid.
 */
function callGas(run: Execution, kind: CallKind, codeAddress: Address, hasValue: boolean, gas: number): number {
  const { gas: price, forks } = run.rules
  const { accessJournal: warmth, stateAccesses } = run.host
  let cost = 0
  if (forks.berlin) {
    const isWarm = warmth.isWarm(codeAddress)
    cost += isWarm ? price.warm : price.cold
    if (!isWarm) warmth.warm(codeAddress)
  }
  if (hasValue) cost += price.value
  if (cost <= gas) stateAccesses?.account(codeAddress)
  if (kind === 'CALL' && (hasValue || !forks.spuriousDragon) && createsAccount(run, codeAddress))
    cost += price.newAccount
  const delegate = delegateOf(run, codeAddress)
  if (delegate === undefined) return cost
  const isWarm = warmth.isWarm(delegate)
  cost += isWarm ? price.warm : price.cold
  if (!isWarm) warmth.warm(delegate)
  if (cost <= gas) stateAccesses?.account(delegate)
  return cost
}

/** State gas of the account that a CALL with value creates (EIP-8037). */
function accountGas(run: Execution, kind: CallKind, to: Address, hasValue: boolean): number {
  const cost = run.rules.gas.state.account
  return cost > 0 && hasValue && kind === 'CALL' && isEmpty(run.host.view.account(to)) ? cost : 0
}

/** `isPaid`: the price set by an opcode proposal was charged already, instead of the fork's price. */
export function call(run: Execution, active: ActiveFrame, kind: CallKind, isPaid = false): RunProgress {
  const engine = run.engine
  const { view, tracer } = run.host
  const { forks } = run.rules
  const keepsGas = forks.tangerineWhistle
  const { frame, message } = active
  const top = engine.field(frame, F_TOP)
  const codeAddress = engine.address()
  const carries = kind === 'CALL' || kind === 'CALLCODE'
  const hasValue = carries && !engine.isZero(top - 96)
  const cost = isPaid ? 0 : callGas(run, kind, codeAddress, hasValue, engine.gas(frame))
  let left = engine.gas(frame) - cost
  const stateGas = isPaid || left < 0 ? 0 : accountGas(run, kind, codeAddress, hasValue)
  if (stateGas > 0) left = engine.chargeState(left, stateGas)
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
    accountGas: forks.amsterdam ? stateGas : 0,
  }
  engine.setReturn(0, 0)
  const isTooDeep = message.depth >= MAX_DEPTH
  const isPoor = hasValue && view.balance(self) < call.value
  if (isTooDeep || isPoor || spendsLockedBalance(run.host, kind, call.caller, call.to, call.value)) {
    tracer?.refuse?.(refusedFrame(run, call, isTooDeep ? 'call depth' : 'insufficient balance'))
    if (call.accountGas > 0) engine.refundState(frame, call.accountGas)
    pushCallResult(run, active, kind, 0)
    return undefined
  }
  engine.suspendFrame(frame)
  return beginMessage(run, call)
}

export function create(run: Execution, active: ActiveFrame, isSalted: boolean): RunProgress {
  const engine = run.engine
  const { view, tracer, stateAccesses } = run.host
  const { forks, gas: price } = run.rules
  const { frame, message } = active
  const kind = isSalted ? 'CREATE2' : 'CREATE'
  const top = engine.field(frame, F_TOP)
  const dataLength = engine.small(top - 96)
  const salt = isSalted ? engine.slice(WORDS, 32) : undefined
  if (dataLength > price.maxInitCodeSize) {
    traceStep(run, active, 0, 'initcode size')
    return leaveFrame(run, active, 'initcode size')
  }
  traceStep(run, active)
  engine.setReturn(0, 0)
  const value = engine.word(top - 32)
  const caller = message.to
  const data = dataLength === 0 ? 0 : run.engine.memory(frame) + engine.small(top - 64)
  const call: WasmMessage = {
    kind,
    caller,
    to: caller,
    codeAddress: caller,
    value,
    gas: 0,
    data,
    dataLength,
    depth: message.depth + 1,
    isStatic: false,
    salt,
    word: 0,
    accountGas: 0,
  }
  const handedOn = (): number => {
    const left = engine.gas(frame)
    return forks.tangerineWhistle ? maxMessageGas(left) : left
  }
  const refuse = (failure: FailureCode): RunProgress => {
    // As in go-ethereum no message begins here from Amsterdam on.
    if (!forks.amsterdam) tracer?.refuse?.(refusedFrame(run, { ...call, gas: handedOn() }, failure))
    pushCallResult(run, active, kind, 0)
    return undefined
  }
  if (message.depth >= MAX_DEPTH) return refuse('call depth')
  if (view.balance(caller) < value) return refuse('insufficient balance')
  const nonce = view.nonce(caller)
  if (nonce >= MAX_NONCE) return refuse('nonce overflow')
  const to =
    salt === undefined ? createAddress(caller, nonce) : create2Address(caller, salt, engine.slice(data, dataLength))
  stateAccesses?.account(to)
  const accountGas = forks.amsterdam && isEmpty(view.account(to)) ? price.state.account : 0
  if (accountGas > 0) {
    const left = engine.chargeState(engine.gas(frame), accountGas)
    if (left < 0) return leaveFrame(run, active, 'out of gas')
    engine.setGas(frame, left)
  }
  view.setNonce(caller, nonce + 1n)
  run.host.accessJournal.touch(caller)
  if (spendsLockedBalance(run.host, kind, caller, undefined, value)) {
    if (accountGas > 0) engine.refundState(frame, accountGas)
    return refuse('nonce overflow')
  }
  engine.suspendFrame(frame)
  return beginMessage(run, { ...call, to, codeAddress: to, gas: handedOn(), accountGas })
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
  const isNew = balance > 0n && isEmpty(view.account(beneficiary))
  const cost = isPaid ? 0 : selfDestructGas(run, beneficiary, isNew, engine.gas(frame))
  let left = engine.gas(frame) - cost
  if (isNew && left >= 0 && !isPaid && price.state.account > 0) left = engine.chargeState(left, price.state.account)
  if (left < 0) {
    traceStep(run, active, 0, 'out of gas', cost)
    return leaveFrame(run, active, 'out of gas')
  }
  engine.setGas(frame, left)
  traceStep(run, active)
  if (beneficiary !== self && run.host.lockedBalance(self) > 0n) return leaveFrame(run, active, 'insufficient balance')
  logTransfer(forks, run.substate.logs, tracer, { from: self, to: beneficiary, value: balance })
  tracer?.selfdestruct?.(self, beneficiary, balance)
  if (!run.substate.destroyed.has(self)) run.substate.refund += price.destroyRefund
  run.substate.destroy(self, beneficiary)
  if (beneficiary !== self) {
    view.addBalance(beneficiary, balance)
    warmth.touch(beneficiary)
  }
  // A beneficiary of itself keeps the balance: since EIP-6780 unless the transaction created it, since EIP-8246 in any case.
  const burns = !forks.cancun || (run.substate.created.has(self) && !forks.amsterdam)
  if (burns || beneficiary !== self) view.setBalance(self, 0n)
  return leaveFrame(run, active)
}

/**
 * Gas of SELFDESTRUCT in addition to its constant gas (EIP-150, EIP-161, EIP-2929). Marks the beneficiary as warm. `isNew`: it is an
 * empty account that gets coins. `gas`: what there is; the beneficiary is read once its access is paid.
 */
function selfDestructGas(run: Execution, beneficiary: Address, isNew: boolean, gas: number): number {
  const { view, accessJournal: warmth, stateAccesses } = run.host
  const { gas: price, forks } = run.rules
  let cost = 0
  if (forks.berlin && !warmth.isWarm(beneficiary)) {
    cost += price.cold
    warmth.warm(beneficiary)
  }
  if (cost <= gas) stateAccesses?.account(beneficiary)
  if (forks.spuriousDragon) {
    if (isNew) cost += price.newHeir
  } else if (forks.tangerineWhistle && view.account(beneficiary) === undefined) cost += price.newHeir
  return cost
}

/** Whether a call to this address creates a new account, which has to be paid for. */
function createsAccount(run: Execution, address: Address): boolean {
  const account = run.host.view.account(address)
  return run.rules.forks.spuriousDragon ? isEmpty(account) : account === undefined
}

/** The account that the code is delegated to (EIP-7702). */
function delegateOf(run: Execution, address: Address): Address | undefined {
  if (!run.rules.forks.prague) return undefined
  const { view } = run.host
  const account = view.account(address)
  return account === undefined || account.codeHash === EMPTY_CODE_HASH ? undefined : delegationOf(view.code(address))
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
