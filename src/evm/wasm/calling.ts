// The opcodes that begin messages, and the one that ends an account: what they cost beside what the interpreter has
// charged, and when they are refused.
import { EVMError } from '@ethereumjs/evm'
import { type Address, EMPTY_BYTES } from '../../lib/hex.ts'
import { createdAddress, saltedAddress } from '../../primitives/created-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import type { Frame } from '../tracer.ts'
import { begin } from './beginning.ts'
import { isEmpty } from './host.ts'
import { F_TOP, WORDS } from './layout.ts'
import { type Call, type CallKind, type End, isCreation, type Open } from './message.ts'
import { answer, type Begun, leaveFrame, type Running } from './running.ts'

const { errorMessages } = EVMError
const MAX_DEPTH = 1024
const MAX_NONCE = (1n << 64n) - 1n
const POOR = 'insufficient balance for transfer'
const TOO_DEEP = 'max call depth exceeded'
const NO_NONCE = 'nonce uint64 overflow'

export function call(run: Running, open: Open, kind: CallKind): Begun {
  const engine = run.engine
  const { view, warmth, tracer } = run.around
  const { gas: price, warms, keepsGas } = run.rules
  const { frame, call: around } = open
  const top = engine.field(frame, F_TOP)
  const codeAddress = engine.address()
  const carries = kind === 'CALL' || kind === 'CALLCODE'
  const hasValue = carries && !engine.isZero(top - 96)
  let cost = 0
  if (warms) {
    const isWarm = warmth.isWarm(codeAddress)
    cost += isWarm ? price.warm : price.cold
    if (!isWarm) warmth.warm(codeAddress)
  }
  if (hasValue) cost += price.value
  if (kind === 'CALL' && (hasValue || !run.rules.clears) && isNew(run, codeAddress)) cost += price.newAccount
  cost += delegationPrice(run, codeAddress)
  const left = engine.gas(frame) - cost
  const asked = engine.small(top - 32)
  const most = keepsGas ? left - Math.floor(left / 64) : left
  if (left < 0 || (!keepsGas && asked > left)) return leaveFrame(run, open, errorMessages.OUT_OF_GAS)
  const stipend = hasValue ? price.stipend : 0
  const gas = Math.min(asked, most) + stipend
  engine.setGas(frame, left + stipend)

  const ranges = carries ? top - 128 : top - 96
  const dataLength = engine.small(ranges - 32)
  const self = around.to
  const isDelegate = kind === 'DELEGATECALL'
  const call: Call = {
    kind,
    caller: isDelegate ? around.caller : self,
    to: kind === 'CALL' || kind === 'STATICCALL' ? codeAddress : self,
    codeAddress,
    value: isDelegate ? around.value : hasValue ? engine.word(top - 96) : 0n,
    gas,
    data: dataLength === 0 ? 0 : run.engine.memory(frame) + engine.small(ranges),
    dataLength,
    depth: around.depth + 1,
    isStatic: around.isStatic || kind === 'STATICCALL',
    salt: undefined,
    word: top - 64,
  }
  engine.setReturn(0, 0)
  const isPoor = hasValue && view.balance(self) < call.value
  if (around.depth >= MAX_DEPTH || isPoor || overspends(run, call)) {
    tracer?.refuse?.(refusedFrame(run, call, around.depth >= MAX_DEPTH ? TOO_DEEP : POOR))
    answer(run, open, kind, 0)
    return undefined
  }
  engine.suspend(frame)
  return begin(run, call)
}

export function create(run: Running, open: Open, isSalted: boolean): Begun {
  const engine = run.engine
  const { view, tracer } = run.around
  const { frame, call: around } = open
  const kind = isSalted ? 'CREATE2' : 'CREATE'
  const top = engine.field(frame, F_TOP)
  const dataLength = engine.small(top - 96)
  const salt = isSalted ? engine.slice(WORDS, 32) : undefined
  if (dataLength > run.rules.maxInitCodeSize) return leaveFrame(run, open, errorMessages.INITCODE_SIZE_VIOLATION)
  engine.setReturn(0, 0)
  const left = engine.gas(frame)
  const gas = run.rules.keepsGas ? left - Math.floor(left / 64) : left
  const value = engine.word(top - 32)
  const caller = around.to
  const data = dataLength === 0 ? 0 : run.engine.memory(frame) + engine.small(top - 64)
  const call: Call = {
    ...{ kind, caller, to: caller, codeAddress: caller, value, gas, data, dataLength },
    ...{ depth: around.depth + 1, isStatic: false, salt, word: 0 },
  }
  const refuse = (error: string): Begun => {
    tracer?.refuse?.(refusedFrame(run, call, error))
    answer(run, open, kind, 0)
    return undefined
  }
  if (around.depth >= MAX_DEPTH) return refuse(TOO_DEEP)
  if (view.balance(caller) < value) return refuse(POOR)
  const nonce = view.nonce(caller)
  if (nonce >= MAX_NONCE) return refuse(NO_NONCE)
  view.setNonce(caller, nonce + 1n)
  run.around.warmth.touch(caller)
  if (overspends(run, call)) return refuse(NO_NONCE)
  const to =
    salt === undefined ? createdAddress(caller, nonce) : saltedAddress(caller, salt, engine.slice(data, dataLength))
  engine.suspend(frame)
  return begin(run, { ...call, to, codeAddress: to })
}

export function destroy(run: Running, open: Open): End {
  const engine = run.engine
  const { view, warmth, tracer } = run.around
  const { gas: price, warms, clears, keepsGas, destroysOnlyNew } = run.rules
  const { frame, call } = open
  const self = call.to
  const heir = engine.address()
  const balance = view.balance(self)
  let cost = 0
  if (clears) {
    if (balance > 0n && isEmpty(view.account(heir))) cost += price.newAccount
  } else if (keepsGas && view.account(heir) === undefined) cost += price.newAccount
  if (warms && !warmth.isWarm(heir)) {
    cost += price.cold
    warmth.warm(heir)
  }
  const left = engine.gas(frame) - cost
  if (left < 0) return leaveFrame(run, open, errorMessages.OUT_OF_GAS)
  engine.setGas(frame, left)
  if (heir !== self && run.around.held(self) > 0n) return leaveFrame(run, open, errorMessages.INSUFFICIENT_BALANCE)
  tracer?.selfdestruct?.(self, heir, balance)
  if (!run.ledger.destroyed.has(self)) run.ledger.refund += price.destroyRefund
  run.ledger.destroy(self, heir)
  if (heir !== self) {
    view.addBalance(heir, balance)
    warmth.touch(heir)
  }
  // Since EIP-6780 an older contract that names itself keeps what it has.
  if (!destroysOnlyNew || run.ledger.created.has(self) || heir !== self) view.setBalance(self, 0n)
  return leaveFrame(run, open)
}

/** Whether a call that goes there has to pay for a new account. */
function isNew(run: Running, address: Address): boolean {
  const account = run.around.view.account(address)
  return run.rules.clears ? isEmpty(account) : account === undefined
}

/** EIP-7702: the account whose code runs instead is touched as well. */
function delegationPrice(run: Running, address: Address): number {
  if (!run.rules.delegates) return 0
  const { view, warmth } = run.around
  const { gas } = run.rules
  const account = view.account(address)
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return 0
  const delegate = delegationOf(view.code(address))
  if (delegate === undefined) return 0
  if (warmth.isWarm(delegate)) return gas.warm
  warmth.warm(delegate)
  return gas.cold
}

function overspends(run: Running, { kind, caller, to, value }: Call): boolean {
  if (value === 0n || kind === 'DELEGATECALL' || (to === caller && !(kind === 'CREATE' || kind === 'CREATE2')))
    return false
  const held = run.around.held(caller)
  return held > 0n && run.around.view.balance(caller) - value < held
}

function refusedFrame(run: Running, call: Call, error: string): Frame {
  const { kind, caller, to, codeAddress, value, gas } = call
  return {
    type: kind,
    from: kind === 'DELEGATECALL' ? to : caller,
    to: isCreation(call) ? null : codeAddress,
    value,
    gas: BigInt(gas),
    gasUsed: 0n,
    input: call.dataLength === 0 ? EMPTY_BYTES : run.engine.slice(call.data, call.dataLength),
    output: EMPTY_BYTES,
    error,
    calls: [],
  }
}
