// An operation that proposals changed, as an entry that the library's interpreter runs. The steps and their order are
// go-ethereum's: stack, constant gas, size of memory, dynamic gas, growing the memory, running.
import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import { ChainError, ReadFailure } from '../../lib/errors.ts'
import { maxMessageGasBig } from '../gas/call-gas.ts'
import { expansionGas, type MemorySize, memoryGas, ownMemorySize, roundToWords } from '../gas/memory-gas.ts'
import { type DynamicGas, type Operation, stackFaultOf } from '../opcode-table.ts'
import { priceState } from './library-frame.ts'
import type { LibraryOpcode, RunState } from './library-types.ts'

const { OUT_OF_GAS, STACK_OVERFLOW } = EVMError.errorMessages
const CREATIONS = new Set(['CREATE', 'CREATE2'])
const HANDS_GAS_ON = new Set([...CREATIONS, 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** Memory that an operation whose gas is charged is about to touch. Frames of several machines take turns. */
const touched = new WeakMap<RunState, bigint>()

/** `baseline` is go-ethereum's constant gas of the fork's own entry. */
export function changedEntry(entry: LibraryOpcode, plan: Operation, baseline: bigint): LibraryOpcode {
  const { code, name, constantGas, effect, execute } = plan
  const memorySize = memorySizeOf(plan)
  const { items: limit, at } = plan.stackLimit
  const checksAfter = effect === undefined && at === 'after'
  return {
    opcodeInfo: Object.assign(Object.create(Object.getPrototypeOf(entry.opcodeInfo)), entry.opcodeInfo, {
      code,
      name,
      fullName: name,
      isInvalid: false,
      dynamicGas: true,
      fee: Number(constantGas),
      feeBigInt: constantGas,
      isAsync: entry.opcodeInfo.isAsync || execute !== undefined,
    }),
    gasHandler(state, _, common) {
      const words = stackFaultOf(plan, state.stack.length)
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
function memorySizeOf({ name, memorySize, dynamicGas }: Operation): MemorySize | undefined {
  if (memorySize === null) return undefined
  return memorySize ?? (dynamicGas === 'own' ? undefined : ownMemorySize(name))
}

function sizeInWords(state: RunState, memorySize: MemorySize): bigint {
  const size = roundToWords(guarded(() => memorySize(priceState(state))))
  if (size === undefined) throw new EVMError(OUT_OF_GAS)
  return size
}

/** Constant and dynamic gas together. */
function sum(state: RunState, { name, constantGas, dynamicGas, execute }: Operation, dynamic: bigint): bigint {
  if (dynamic < 0n) throw halt(`dynamic gas of ${name} is ${dynamic}`)
  const total = constantGas + dynamic
  if (HANDS_GAS_ON.has(name) && dynamicGas !== 'own' && execute === undefined) handOn(state, name, total)
  return total
}

/** EIP-150: what a call hands on is at most all but a 64th of what is left once the operation is paid. */
function handOn(state: RunState, name: string, total: bigint): void {
  if (state.messageGasLimit !== undefined || total > state.gasLeft) return
  const left = state.gasLeft - total
  const most = maxMessageGasBig(left)
  const [wanted = 0n] = CREATIONS.has(name) ? [most] : state.stack.peek(1)
  state.messageGasLimit = wanted < most ? wanted : most
}

/** Gas by the proposal's function, which sees what is left after the constant part. */
function ownersGas(state: RunState, { constantGas }: Operation, dynamicGas: DynamicGas | null, size: bigint): bigint {
  delete state.messageGasLimit
  if (dynamicGas === null) return 0n
  state.gasLeft -= constantGas
  try {
    return guarded(() => dynamicGas(priceState(state), size))
  } finally {
    state.gasLeft += constantGas
  }
}

/**
 * Gas by the library's function, as the fork has it, constant part included. What the proposal added to the constant
 * part is gone by then: SSTORE's reserve and the 64th that a call keeps are reckoned without it.
 */
function forksGas(entry: LibraryOpcode, state: RunState, common: Common, added: bigint): bigint | Promise<bigint> {
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
  if (error instanceof EVMError || error instanceof ChainError || error instanceof ReadFailure) throw error
  throw halt(error instanceof Error ? error.message : String(error))
}

/** An exceptional halt in words of ours; the library's type knows its own only. */
const halt = (words: string): EVMError => new EVMError(words as EVMError['error'])

/** Grows the memory, for gas that was charged. */
function growMemory(state: RunState, bytes: bigint): void {
  const { words, cost } = memoryGas(bytes)
  if (words <= state.memoryWordCount) return
  state.memory.extend(0, Number(bytes))
  state.memoryWordCount = words
  state.highestMemCost = cost
}
