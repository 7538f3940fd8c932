// Opcodes for which a proposal has functions for their price, memory or behaviour. The interpreter stops at them as at
// undefined opcodes; here they are checked and charged in go-ethereum's order (stack, constant gas, memory size, dynamic gas,
// memory expansion). Then the proposal's function runs, or the engine runs the opcode as in the fork.
import { ChainError, ReadFailure } from '../../lib/errors.ts'
import { type FailureCode, failureOf } from '../failure.ts'
import { expansionGas, type MemorySize, ownMemorySize, roundToWords } from '../gas/memory-gas.ts'
import { unpaidWork } from '../gas/unpaid-work.ts'
import type { Execute } from '../opcode-frame.ts'
import { afterLimit, hasDynamicGas, immediateBytesIn, type Operation, stackFaultOf } from '../opcode-table.ts'
import { bigintFrom, messageOf } from '../proposal-functions.ts'
import { runOpcode } from '../run-opcode.ts'
import { call, selfDestruct } from './call-opcodes.ts'
import type { ActiveFrame } from './frames.ts'
import { CALL_KINDS, type Execution, leaveFrame, type RunProgress, stackSize } from './frames.ts'
import { F_MEMORY_SIZE, F_OPCODE, F_PC, F_TOP, OPCODES, OUT_OF_GAS, PAUSED } from './layout.ts'
import { OpcodeState } from './opcode-state.ts'

type React = (run: Execution, active: ActiveFrame, reason: number) => RunProgress

/** Gas for running an opcode whose price was already charged: more than any opcode costs. */
const PAID = 2 ** 45
const SELFDESTRUCT = 0xff

/** The changed operation of the last opcode; undefined if no proposal changed it. */
export function changedOperation(
  { engine, rules: { table } }: Execution,
  { frame }: ActiveFrame,
): Operation | undefined {
  if (table.changed.size === 0) return undefined
  const opcode = engine.field(frame, F_OPCODE)
  return table.changed.has(opcode) ? table.operations[opcode] : undefined
}

/** The text of a stack underflow or overflow by a changed opcode; undefined if there is none. */
export const stackWords = ({ engine }: Execution, { frame }: ActiveFrame, operation: Operation): string | undefined =>
  stackFaultOf(operation, stackSize(engine, frame))

/** Charges and runs an opcode at which the interpreter stopped because a proposal has functions for it. */
export function runChanged(run: Execution, active: ActiveFrame, operation: Operation, react: React): RunProgress {
  const { engine } = run
  const { frame, traced } = active
  const gas = engine.gas(frame)
  const words = stackWords(run, active, operation)
  if (words !== undefined) {
    const failure = stackSize(engine, frame) < operation.minStack ? 'stack underflow' : 'stack overflow'
    traced?.traceFailedStep(run, failure)
    return leaveFrame(run, active, failure, words)
  }
  const price = priceOf(run, active, operation, gas)
  if ('failure' in price) {
    traced?.traceFailedStep(run, price.failure, price.total)
    return leaveFrame(run, active, price.failure, price.words)
  }
  if (operation.execute !== undefined) return runFunction(run, active, operation, operation.execute, price)
  const reason = price.isOwn ? runAtOwnPrice(run, active, operation, gas) : runPaid(run, active, operation, price)
  if (price.isOwn && !pay(run, active, price.size)) {
    traced?.traceFailedStep(run, 'out of gas')
    // The opcode has run: what it wrote has to be in the view that the end of the frame reverts.
    engine.flushStores()
    return leaveFrame(run, active, 'out of gas')
  }
  const kind = CALL_KINDS.get(reason)
  if (kind !== undefined) return call(run, active, kind, !price.isOwn)
  if (reason === SELFDESTRUCT) return selfDestruct(run, active, !price.isOwn)
  if (reason === OUT_OF_GAS) traced?.traceFailedStep(run, 'out of gas')
  else if (reason !== 0xf0 && reason !== 0xf5) traced?.traceStep(run)
  return reason === PAUSED ? undefined : react(run, active, reason)
}

type Price = { readonly failure: FailureCode; readonly words?: string; readonly total?: bigint } | Paid
/**
 * `left`: the gas left. With the fork's own dynamic gas, which running the opcode charges, only the constant gas is subtracted.
 */
type Paid = { readonly isOwn: boolean; readonly left: number; readonly size: bigint | undefined }

function priceOf(run: Execution, active: ActiveFrame, operation: Operation, gas: number): Price {
  const { name, constantGas, dynamicGas } = operation
  const left = BigInt(gas) - constantGas
  if (left < 0n) return { failure: 'out of gas', total: constantGas }
  const memorySize = memorySizeOf(operation)
  const own = run.rules.own.table.operations[operation.code]
  const state = new OpcodeState(run, active, left)
  try {
    const size = memorySize === undefined ? undefined : roundToWords(bigintFrom(memorySize(state)))
    if (memorySize !== undefined && size === undefined) return { failure: 'out of gas' }
    if (dynamicGas === 'own') {
      if (!spendWork(run, unpaidWork(operation, own))) return { failure: 'out of gas' }
      return { isOwn: true, left: Number(left), size }
    }
    const dynamic = dynamicGas === null ? 0n : bigintFrom(dynamicGas(state, size ?? 0n))
    if (dynamic < 0n) return { failure: 'proposal', words: `dynamic gas of ${name} is ${dynamic}` }
    if (dynamic > left) return { failure: 'out of gas', total: constantGas + dynamic }
    const charge = { gas: constantGas + dynamic, size: size ?? 0n, state }
    if (!spendWork(run, unpaidWork(operation, own, charge))) return { failure: 'out of gas' }
    return { isOwn: false, left: Number(left - dynamic), size }
  } catch (error) {
    if (error instanceof ChainError || error instanceof ReadFailure) throw error
    return { failure: 'proposal', words: messageOf(error, failureOf('proposal').message) }
  }
}

/** Counts unpaid work; false if it exceeds the transaction's limit. */
function spendWork({ engine }: Execution, work: bigint): boolean {
  if (work > engine.work) return false
  engine.work -= work
  return true
}

/** The memory size to compute here; undefined if the opcode with the fork's own gas does it. */
function memorySizeOf({ name, memorySize, dynamicGas }: Operation): MemorySize | undefined {
  if (memorySize === null) return undefined
  return memorySize ?? (dynamicGas === 'own' ? undefined : ownMemorySize(name))
}

/** Runs the opcode with the fork's own gas, after charging the amount that the proposal added to the constant gas. */
function runAtOwnPrice(run: Execution, active: ActiveFrame, { code, constantGas }: Operation, gas: number): number {
  const own = run.rules.own
  const added = constantGas - (own.table.operations[code]?.constantGas ?? 0n)
  run.engine.setGas(active.frame, gas - Number(added))
  return runOwn(run, code, own.opcodes.subarray(code * 8, code * 8 + 8))
}

/** Charges and expands memory to the size that the proposal requires in addition to the opcode's own. */
function pay({ engine }: Execution, { frame }: ActiveFrame, size: bigint | undefined): boolean {
  if (size === undefined) return true
  const left = engine.gas(frame) - Number(expansionGas(memoryWords(engine.field(frame, F_MEMORY_SIZE)), size))
  if (left < 0) return false
  engine.growMemory(frame, size)
  engine.setGas(frame, left)
  return true
}

/** Runs an opcode at the proposal's price, already charged: it makes nothing warm, refunds nothing and uses no state gas. */
function runPaid(
  run: Execution,
  active: ActiveFrame,
  { code, name }: Operation,
  price: { left: number; size: bigint | undefined },
) {
  const { engine, opcodeHost: host, substate } = run
  const { frame } = active
  if (price.size !== undefined) engine.growMemory(frame, price.size)
  engine.setGas(frame, hasDynamicGas(name) ? PAID : price.left)
  const entry = run.rules.own.opcodes.slice(code * 8, code * 8 + 8)
  entry.fill(0, 0, 4)
  engine.flushStores()
  // The host has to be asked, because it makes nothing warm now.
  run.host.accessJournal.takeSlots()
  engine.invalidateCache()
  const { refund } = substate
  const { stateGas } = engine
  host.isPrepaid = true
  const reason = runOwn(run, code, entry)
  engine.flushStores()
  host.isPrepaid = false
  substate.refund = refund
  engine.stateGas = stateGas
  engine.invalidateCache()
  engine.setGas(frame, price.left)
  return reason
}

/**
 * Runs the proposal's function on the frame, whose price is charged. A traced step shows everything the function was charged.
 * Execution continues after the opcode and its immediate bytes, because code is divided into opcodes as in
 * the fork.
 */
function runFunction(
  run: Execution,
  active: ActiveFrame,
  operation: Operation,
  execute: Execute,
  { left, size }: Paid,
): RunProgress {
  const { engine } = run
  const { frame, traced } = active
  if (size !== undefined) engine.growMemory(frame, size)
  // The function reads the state itself.
  engine.flushStores()
  const before = engine.gas(frame)
  const outcome = runOpcode(execute, new OpcodeState(run, active, BigInt(left)), afterLimit(operation))
  const { end, pushed, taken } = outcome
  const isOutOfGas = end?.failure === 'out of gas'
  const cost = BigInt(before - left) + outcome.charged
  traced?.traceStep(run, cost, isOutOfGas ? failureOf(end.failure).message : undefined)
  engine.setGas(frame, Number(outcome.gasLeft))
  if (end !== undefined) {
    const { output } = end
    return { ...leaveFrame(run, active, end.failure, end.words), bytes: output, length: output.length }
  }
  const bottom = engine.field(frame, F_TOP) - 32 * taken
  for (const [index, word] of pushed.entries()) engine.setWord(bottom + 32 * index, word)
  engine.setField(frame, F_TOP, bottom + 32 * pushed.length)
  engine.setField(frame, F_PC, engine.field(frame, F_PC) + 1 + immediateBytesIn(run.rules.forks, operation.code))
  return undefined
}

/** Runs one opcode with another entry in the opcode table. */
function runOwn({ engine, rules }: Execution, code: number, entry: Uint8Array): number {
  const at = OPCODES + code * 8
  engine.bytes.set(entry, at)
  const reason = engine.step()
  engine.bytes.set(rules.opcodes.subarray(code * 8, code * 8 + 8), at)
  return reason
}

const memoryWords = (bytes: number) => ({ memoryWordCount: BigInt(bytes / 32) })
