// An operation that proposals changed, as an entry that the interpreter runs. The steps and their order are geth's:
// stack, constant gas, size of memory, dynamic gas, growing the memory, running.
import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import { ChainError } from '../lib/errors.ts'
import { expansionGas, growMemory, type MemorySize, ownMemorySize, wholeWords } from './memory-size.ts'
import type { Entry, RunState } from './tables.ts'

export type Execute = (state: RunState) => void | Promise<void>
/** `memorySize` is what the operation touches, in whole words, in bytes. */
export type DynamicGas = (state: RunState, memorySize: bigint) => bigint
/** How many items running takes from the stack and leaves there, when it is always the same. */
export type StackEffect = { readonly pops: number; readonly pushes: number }
/** The most items there may be after the operation, or before it. */
export type StackLimit = { readonly items: number; readonly at: 'after' | 'entry' }

/** All that is decided about an operation. */
export type Plan = {
  readonly code: number
  readonly name: string
  readonly constantGas: bigint
  readonly minStack: number
  readonly stackLimit: StackLimit
  /** undefined: running may leave any number of items. */
  readonly effect: StackEffect | undefined
  /** undefined: as in the fork. */
  readonly execute: Execute | undefined
  /** `own`: as in the fork; null: none. */
  readonly dynamicGas: DynamicGas | 'own' | null
  /** undefined: as in the fork. */
  readonly memorySize: MemorySize | null | undefined
}

const { OUT_OF_GAS, STACK_OVERFLOW } = EVMError.errorMessages
const CREATIONS = new Set(['CREATE', 'CREATE2'])
const HANDS_GAS_ON = new Set([...CREATIONS, 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** Memory that an operation whose gas is charged is about to touch. Frames of several machines take turns. */
const touched = new WeakMap<RunState, bigint>()

/** `baseline` is geth's constant gas of the fork's own entry. */
export function changedEntry(entry: Entry, plan: Plan, baseline: bigint): Entry {
  const { code, name, constantGas, effect, execute } = plan
  const memorySize = memorySizeOf(plan)
  const fault = stackCheck(plan)
  const { items: limit, at } = plan.stackLimit
  const checksAfter = effect === undefined && at === 'after'
  return {
    changed: {
      opcode: { name, pops: effect?.pops ?? 0, pushes: effect?.pushes ?? 0 },
      constantGas,
      isReplaced: execute !== undefined,
    },
    opcodeInfo: Object.assign(Object.create(Object.getPrototypeOf(entry.opcodeInfo)), entry.opcodeInfo, {
      ...{ code, name, fullName: name, isInvalid: false, dynamicGas: true },
      ...{ fee: Number(constantGas), feeBigInt: constantGas },
      isAsync: entry.opcodeInfo.isAsync || execute !== undefined,
    }),
    gasHandler(state, _, common) {
      const words = fault(state.stack.length)
      if (words !== undefined) throw halt(words)
      if (state.gasLeft < constantGas) throw new EVMError(OUT_OF_GAS)
      const size = memorySize === undefined ? undefined : sizeInWords(state, memorySize)
      if (size !== undefined) touched.set(state, size)
      const total = (dynamic: bigint) => sum(state, plan, dynamic)
      if (plan.dynamicGas !== 'own') return total(ownersGas(state, plan, plan.dynamicGas, size ?? 0n))
      // The interpreter awaits either kind of handler.
      const own = forksGas(entry, state, common, constantGas - baseline)
      const withMemory = (gas: bigint) => total(gas - baseline + (size === undefined ? 0n : expansionGas(state, size)))
      return (own instanceof Promise ? own.then(withMemory) : withMemory(own)) as bigint
    },
    opHandler(state, common) {
      if (memorySize !== undefined) growMemory(state, touched.get(state) ?? 0n)
      const check = () => {
        if (checksAfter && state.stack.length > limit) throw new EVMError(STACK_OVERFLOW)
      }
      const running = execute === undefined ? entry.opHandler(state, common) : guarded(() => execute(state))
      return running instanceof Promise ? running.then(check) : check()
    },
  }
}

/** The size that the entry has to look at: the library's gas function looks at its own. */
function memorySizeOf({ name, memorySize, dynamicGas }: Plan): MemorySize | undefined {
  if (memorySize === null) return undefined
  return memorySize ?? (dynamicGas === 'own' ? undefined : ownMemorySize(name))
}

/** geth's words for what the stack lacks before the operation runs. */
function stackCheck({ minStack, stackLimit, effect }: Plan): (items: number) => string | undefined {
  const { pops, pushes } = effect ?? { pops: 0, pushes: 0 }
  const after = effect === undefined ? Number.POSITIVE_INFINITY : stackLimit.items + pops - pushes
  const limit = stackLimit.at === 'entry' ? stackLimit.items : after
  return (items) => {
    if (items < minStack) return `stack underflow (${items} <=> ${minStack})`
    return items > limit ? `stack limit reached ${items} (${limit})` : undefined
  }
}

function sizeInWords(state: RunState, memorySize: MemorySize): bigint {
  const size = wholeWords(guarded(() => memorySize(state)))
  if (size === undefined) throw new EVMError(OUT_OF_GAS)
  return size
}

/** Constant and dynamic gas together. */
function sum(state: RunState, { name, constantGas, dynamicGas, execute }: Plan, dynamic: bigint): bigint {
  if (dynamic < 0n) throw halt(`dynamic gas of ${name} is ${dynamic}`)
  const total = constantGas + dynamic
  if (HANDS_GAS_ON.has(name) && dynamicGas !== 'own' && execute === undefined) handOn(state, name, total)
  return total
}

/** EIP-150: what a call hands on is at most all but a 64th of what is left once the operation is paid. */
function handOn(state: RunState, name: string, total: bigint): void {
  if (state.messageGasLimit !== undefined || total > state.gasLeft) return
  const left = state.gasLeft - total
  const most = left - left / 64n
  const [wanted = 0n] = CREATIONS.has(name) ? [most] : state.stack.peek(1)
  state.messageGasLimit = wanted < most ? wanted : most
}

/** Gas by the proposal's function, which sees what is left after the constant part. */
function ownersGas(state: RunState, { constantGas }: Plan, dynamicGas: DynamicGas | null, size: bigint): bigint {
  delete state.messageGasLimit
  if (dynamicGas === null) return 0n
  state.gasLeft -= constantGas
  try {
    return guarded(() => dynamicGas(state, size))
  } finally {
    state.gasLeft += constantGas
  }
}

/**
 * Gas by the library's function, as the fork has it, constant part included. What the proposal added to the constant
 * part is gone by then: SSTORE's reserve and the 64th that a call keeps are reckoned without it.
 */
function forksGas(entry: Entry, state: RunState, common: Common, added: bigint): bigint | Promise<bigint> {
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

/** Runs a function of a proposal. Whatever it throws ends the frame; what concerns the node goes on. */
function guarded<T>(run: () => T): T {
  try {
    const result = run()
    return result instanceof Promise ? (result.catch(rethrow) as T) : result
  } catch (error) {
    return rethrow(error)
  }
}

function rethrow(error: unknown): never {
  if (error instanceof EVMError || error instanceof ChainError) throw error
  throw halt(error instanceof Error ? error.message : String(error))
}

/** An exceptional halt in words of ours; the library's type knows its own only. */
const halt = (words: string): EVMError => new EVMError(words as EVMError['error'])

/** What geth counts as constant gas and the library does not; negative the other way round. */
export function bookedElsewhere(name: string, common: Common): bigint {
  if (WARM_ACCESS.has(name) && common.isActivatedEIP(2929)) return 100n
  if (/^LOG[0-4]$/.test(name)) return -375n
  return name === 'EXP' ? -10n : 0n
}

const WARM_ACCESS = new Set([
  ...['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'],
  ...['BALANCE', 'EXTCODESIZE', 'EXTCODECOPY', 'EXTCODEHASH'],
])
