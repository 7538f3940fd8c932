// An operation changed by proposals, as a custom opcode of the library. The order of the steps is go-ethereum's: stack, constant
// gas, memory size, dynamic gas, memory expansion, execution.
import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import { ChainError, ReadFailure } from '../../lib/errors.ts'
import { failureOf } from '../failure.ts'
import { maxMessageGasBig } from '../gas/call-gas.ts'
import { forkGas } from '../gas/fork-gas.ts'
import { expansionGas, type MemorySize, ownMemorySize, type PriceState, roundToWords } from '../gas/memory-gas.ts'
import { unpaidWork } from '../gas/unpaid-work.ts'
import type { Host } from '../host.ts'
import type { Execute } from '../opcode-frame.ts'
import { afterLimit, immediateBytesIn, type OpcodeTable, type Operation, stackFaultOf } from '../opcode-table.ts'
import { bigintFrom, messageOf } from '../proposal-functions.ts'
import { type FrameRules, runOpcode } from '../run-opcode.ts'
import { Halt } from './convert.ts'
import { growMemory, LibraryOpcodeState } from './library-frame.ts'
import type { CustomOpcode, LibraryOpcode, RunState } from './library-types.ts'

const { OUT_OF_GAS, STATIC_STATE_CHANGE } = EVMError.errorMessages
const CREATIONS = new Set(['CREATE', 'CREATE2'])
const PASSES_GAS = new Set([...CREATIONS, 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/**
 * The memory size of an operation between its gas and its execution. By frame, because frames of several machines interleave.
 */
const paidMemorySize = new WeakMap<RunState, bigint>()

/** The machine, as seen by changed operations. */
export interface ProposalHost {
  readonly host: Host
  /** Counts unpaid work; false if it exceeds the transaction's limit. */
  spendWork(work: bigint): boolean
}

/** The fork without proposals. */
type UnchangedFork = { readonly own: OpcodeTable; readonly rules: FrameRules }

/** What frames under a fork need. */
export const unchangedFork = (own: OpcodeTable): UnchangedFork => ({
  own,
  rules: { gas: forkGas(own.rules), forks: own.rules },
})

/**
 * `entry`: the fork's own. Without `boundsWork`, an opcode whose gas a proposal sets lacks the checks of `withoutForkGas` and keeps
 * its stipend: stored blocks depend on that.
 */
export function changedOpcode(
  entry: LibraryOpcode,
  plan: Operation,
  fork: UnchangedFork,
  hostOf: (state: RunState) => ProposalHost,
  boundsWork: boolean,
): CustomOpcode {
  const { code, name, constantGas, execute } = plan
  const memorySize = memorySizeOf(plan)
  // undefined for a new opcode.
  const own = fork.own.operations[code]
  const frameOf = (state: RunState, passed: 0 | 1 = 0) =>
    new LibraryOpcodeState(state, fork, hostOf(state).host, passed)
  const baseline = own?.constantGas ?? 0n
  const runOwn = boundsWork && plan.dynamicGas !== 'own' ? withoutForkGas(entry) : entry.opHandler
  const spend = (state: RunState, work: bigint): void => {
    if (!hostOf(state).spendWork(work)) throw new EVMError(OUT_OF_GAS)
  }
  return {
    opcode: code,
    opcodeName: name,
    baseFee: Number(constantGas),
    gasFunction(state, _, common) {
      const words = stackFaultOf(plan, state.stack.length)
      if (words !== undefined)
        throw new Halt(failureOf(state.stack.length < plan.minStack ? 'stack underflow' : 'stack overflow', words))
      if (state.gasLeft < constantGas) throw new EVMError(OUT_OF_GAS)
      const size = memorySize === undefined ? undefined : sizeInWords(frameOf(state), memorySize)
      if (size !== undefined) paidMemorySize.set(state, size)
      const total = (dynamic: bigint) => sum(state, plan, dynamic)
      if (plan.dynamicGas !== 'own') {
        const gas = total(proposalGas(state, frameOf(state), plan, size ?? 0n))
        const charge = { gas, size: size ?? 0n, state: frameOf(state) }
        if (gas <= state.gasLeft) spend(state, unpaidWork(plan, own, charge))
        return gas
      }
      spend(state, unpaidWork(plan, own))
      // The interpreter awaits both kinds of handlers.
      const charging = forkGasOf(entry, state, common, constantGas - baseline)
      const withMemory = (gas: bigint) => total(gas - baseline + (size === undefined ? 0n : expansionGas(state, size)))
      return (charging instanceof Promise ? charging.then(withMemory) : withMemory(charging)) as bigint
    },
    logicFunction(state, common) {
      if (memorySize !== undefined) growMemory(state, paidMemorySize.get(state) ?? 0n)
      return execute === undefined ? runOwn(state, common) : runFunction(state, execute, plan, frameOf(state, 1))
    },
  }
}

/** SSTORE, LOG, CREATE, CREATE2 and SELFDESTRUCT. */
const CHANGES = new Set([0x55, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf5, 0xff])
const CALL = 0xf1
const CALLCODE = 0xf2
const RETURNDATACOPY = 0x3e

/**
 * The fork's opcode if the proposal sets its gas, so that the library's gas function does not run. As in our engine, its checks
 * (writes in a static frame, return data out of bounds) still fail, and a call gets no stipend beyond the gas that the proposal
 * charges for.
 */
function withoutForkGas({ opcodeInfo: { code }, opHandler }: LibraryOpcode): LibraryOpcode['opHandler'] {
  return (state, common) => {
    const { interpreter, stack } = state
    if (interpreter.isStatic() && (CHANGES.has(code) || (code === CALL && stack.peek(3)[2] !== 0n)))
      throw new EVMError(STATIC_STATE_CHANGE)
    if (code === RETURNDATACOPY) {
      const [, offset = 0n, length = 0n] = stack.peek(3)
      if (offset + length > interpreter.getReturnDataSize()) throw new EVMError(OUT_OF_GAS)
    }
    return opHandler(state, code === CALL || code === CALLCODE ? withoutStipend(common) : common)
  }
}

const withoutStipend = (common: Common): Common =>
  Object.assign(Object.create(common), {
    param: (name: string) => (name === 'callStipendGas' ? 0n : common.param(name)),
  })

/** The memory size that the entry must compute; undefined if the library's gas function does it. */
function memorySizeOf({ name, memorySize, dynamicGas }: Operation): MemorySize | undefined {
  if (memorySize === null) return undefined
  return memorySize ?? (dynamicGas === 'own' ? undefined : ownMemorySize(name))
}

function sizeInWords(frame: PriceState, memorySize: MemorySize): bigint {
  const size = roundToWords(guarded(() => bigintFrom(memorySize(frame))))
  if (size === undefined) throw new EVMError(OUT_OF_GAS)
  return size
}

/** Constant gas plus dynamic gas. */
function sum(state: RunState, { name, constantGas, dynamicGas, execute }: Operation, dynamic: bigint): bigint {
  if (dynamic < 0n) throw halt(`dynamic gas of ${name} is ${dynamic}`)
  const total = constantGas + dynamic
  if (PASSES_GAS.has(name) && dynamicGas !== 'own' && execute === undefined) setMessageGas(state, name, total)
  return total
}

/** EIP-150: a call passes on at most all but one 64th of the gas left after the price of the operation. */
function setMessageGas(state: RunState, name: string, total: bigint): void {
  if (state.messageGasLimit !== undefined || total > state.gasLeft) return
  const left = state.gasLeft - total
  const most = maxMessageGasBig(left)
  const [wanted = 0n] = CREATIONS.has(name) ? [most] : state.stack.peek(1)
  state.messageGasLimit = wanted < most ? wanted : most
}

/** Gas by the proposal's function, which sees the gas left after the constant part. */
function proposalGas(state: RunState, frame: PriceState, { constantGas, dynamicGas }: Operation, size: bigint): bigint {
  delete state.messageGasLimit
  if (typeof dynamicGas !== 'function') return 0n
  state.gasLeft -= constantGas
  try {
    return guarded(() => bigintFrom(dynamicGas(frame, size)))
  } finally {
    state.gasLeft += constantGas
  }
}

/**
 * Gas by the library's function for the fork, including the constant part. The amount that the proposal added to the constant
 * part is taken from the gas left first, so SSTORE's reserve and EIP-150's 64th are computed from what remains.
 */
function forkGasOf(entry: LibraryOpcode, state: RunState, common: Common, added: bigint): bigint | Promise<bigint> {
  const { feeBigInt, dynamicGas } = entry.opcodeInfo
  const charge = dynamicGas ? entry.gasHandler : undefined
  if (charge === undefined) return feeBigInt
  const restore = () => {
    state.gasLeft += added
  }
  state.gasLeft -= added
  try {
    const charging: bigint | Promise<bigint> = charge(state, feeBigInt, common)
    if (charging instanceof Promise) return charging.finally(restore)
    restore()
    return charging
  } catch (error) {
    restore()
    throw error
  }
}

/** Runs a proposal's gas or memory function. What it throws fails the frame; errors of the node are rethrown. */
function guarded<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof EVMError || error instanceof ChainError || error instanceof ReadFailure) throw error
    throw halt(messageOf(error, failureOf('proposal').message))
  }
}

/** Runs a proposal's function instead of the opcode: see `run-opcode.ts`. */
function runFunction(state: RunState, execute: Execute, plan: Operation, frame: LibraryOpcodeState): void {
  const { end, gasLeft, charged, taken, pushed } = runOpcode(execute, frame, afterLimit(plan))
  state.gasLeft = gasLeft
  if (end === undefined) {
    if (taken > 0) state.stack.popN(taken)
    for (const word of pushed) state.stack.push(word)
    state.programCounter += immediateBytesIn(frame.rules.forks, plan.code)
  } else if (end.failure === undefined) {
    state.programCounter = frame.programCounter
    state.interpreter.finish(end.output)
  } else if (end.failure === 'revert') state.interpreter.revert(end.output)
  else throw new Halt(failureOf(end.failure, end.words), charged)
}

const halt = (words: string): Halt => new Halt(failureOf('proposal', words))
