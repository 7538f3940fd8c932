// An operation that proposals changed, as an entry that the library's interpreter runs. The steps and their order are
// go-ethereum's: stack, constant gas, size of memory, dynamic gas, growing the memory, running.
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import { ChainError, ReadFailure } from '../../lib/errors.ts'
import { failureOf } from '../failure.ts'
import { maxMessageGasBig } from '../gas/call-gas.ts'
import { STACK_LIMIT } from '../gas/gas-rules.ts'
import { expansionGas, type MemorySize, memoryGas, ownMemorySize, roundToWords } from '../gas/memory-gas.ts'
import { unpaidWork } from '../gas/unpaid-work.ts'
import { type DynamicGas, type Execute, type Operation, stackFaultOf } from '../opcode-table.ts'
import { bigintFrom, messageOf } from '../proposal-functions.ts'
import { priceState } from './library-frame.ts'
import type { LibraryOpcode, RunState } from './library-types.ts'

const { OUT_OF_GAS, STACK_OVERFLOW, STATIC_STATE_CHANGE } = EVMError.errorMessages
const CREATIONS = new Set(['CREATE', 'CREATE2'])
const HANDS_GAS_ON = new Set([...CREATIONS, 'CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** Memory that an operation whose gas is charged is about to touch. Frames of several machines take turns. */
const touched = new WeakMap<RunState, bigint>()

/** The machine as changed operations call it. */
export interface ProposalHost {
  /** How many messages have begun and not ended. */
  readonly openMessages: number
  /** Counts unpaid work; false where that is more than the transaction may leave. */
  spendWork(work: bigint): boolean
  /** Undefined: go on. Else go on when it settles. */
  pause(): Promise<void> | undefined
}

/**
 * `own` is the fork's operation; undefined for a new opcode. Where a chain does not bound work, what the library lets pass
 * stays as the chain's blocks have it.
 */
export function changedEntry(
  entry: LibraryOpcode,
  plan: Operation,
  own: Operation | undefined,
  hostOf: (state: RunState) => ProposalHost,
  boundsWork: boolean,
): LibraryOpcode {
  const { code, name, constantGas, effect, execute } = plan
  const memorySize = memorySizeOf(plan)
  const { items: limit, at } = plan.stackLimit
  const checksAfter = effect === undefined && at === 'after'
  const baseline = own?.constantGas ?? 0n
  const runOwn = boundsWork && plan.dynamicGas !== 'own' ? atForeignPrice(entry) : entry.opHandler
  const spend = (state: RunState, work: bigint): void => {
    if (!hostOf(state).spendWork(work)) throw new EVMError(OUT_OF_GAS)
  }
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
      if (plan.dynamicGas !== 'own') {
        const gas = total(ownersGas(state, plan, plan.dynamicGas, size ?? 0n))
        const charge = { gas, size: size ?? 0n, state: priceState(state) }
        if (gas <= state.gasLeft) spend(state, unpaidWork(plan, own, charge))
        return gas
      }
      spend(state, unpaidWork(plan, own))
      // The interpreter awaits either kind of handler.
      const charging = forksGas(entry, state, common, constantGas - baseline)
      const withMemory = (gas: bigint) => total(gas - baseline + (size === undefined ? 0n : expansionGas(state, size)))
      return (charging instanceof Promise ? charging.then(withMemory) : withMemory(charging)) as bigint
    },
    opHandler(state, common) {
      if (memorySize !== undefined) growMemory(state, touched.get(state) ?? 0n)
      const check = () => {
        if (checksAfter && state.stack.length > limit) throw new EVMError(STACK_OVERFLOW)
      }
      const running =
        execute === undefined ? runOwn(state, common) : runReplaced(state, execute, hostOf(state), boundsWork)
      return running instanceof Promise ? running.then(check) : check()
    },
  }
}

/** SSTORE, LOG, CREATE, CREATE2 and SELFDESTRUCT. */
const CHANGES = new Set([0x55, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf5, 0xff])
const CALL = 0xf1
const CALLCODE = 0xf2
const RETURNDATACOPY = 0x3e

/**
 * The fork's behaviour where the library's gas function does not run, as in our engine: what that function finds (changes in a
 * static frame, return data out of bounds) fails, and a call adds no gas to what the proposal charges for its value.
 */
function atForeignPrice({ opcodeInfo: { code }, opHandler }: LibraryOpcode): LibraryOpcode['opHandler'] {
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

/** The size that the entry has to look at: the library's gas function looks at its own. */
function memorySizeOf({ name, memorySize, dynamicGas }: Operation): MemorySize | undefined {
  if (memorySize === null) return undefined
  return memorySize ?? (dynamicGas === 'own' ? undefined : ownMemorySize(name))
}

function sizeInWords(state: RunState, memorySize: MemorySize): bigint {
  const size = roundToWords(guarded(() => bigintFrom(memorySize(priceState(state)))))
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
    return guarded(() => bigintFrom(dynamicGas(priceState(state), size)))
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
  throw halt(messageOf(error, failureOf('proposal').message))
}

/** Replaced behaviour. Whatever it leaves behind that no opcode could ends the frame, if it is checked. */
function runReplaced(state: RunState, execute: Execute, host: ProposalHost, isChecked: boolean): void | Promise<void> {
  const { gasLeft } = state
  const check = (): void => {
    if (!isChecked) return
    if (typeof state.gasLeft !== 'bigint' || state.gasLeft > gasLeft) throw halt('gas was given back')
    if (state.stack.length > STACK_LIMIT) throw new EVMError(STACK_OVERFLOW)
    if (!state.stack.getStack().every(isWord)) throw halt('an item of the stack is no word')
  }
  const running = guarded(() => execute(state))
  return running instanceof Promise ? settled(running, host).then(check) : check()
}

const isWord = (item: unknown): boolean => typeof item === 'bigint' && BigInt.asUintN(256, item) === item

/** Milliseconds that a promise may be pending while no message runs for it. */
const LONGEST_SILENCE = 1_000
/** Turns of the event loop that follow, in which it may still settle: the time alone depends on how busy the machine is. */
const SILENT_TURNS = 1_000

/** What `execute` awaits is work of the interpreter. A promise that nothing works on would stop the chain: it ends the frame. */
async function settled(running: Promise<void>, host: ProposalHost): Promise<void> {
  const before = host.openMessages
  const ended = running.then(() => true)
  for (;;) {
    const silence = new AbortController()
    const isEnded = await Promise.race([ended, setTimeout(LONGEST_SILENCE, false, silence)]).finally(() =>
      silence.abort(),
    )
    if (isEnded) return
    await host.pause()
    // A machine that stood still has work to make up for, which goes on in turns of the event loop.
    for (let turn = 0; turn < SILENT_TURNS; turn++) {
      if (await Promise.race([ended, setImmediate(false)])) return
    }
    if (host.openMessages === before) throw halt('the promise of execute does not settle')
  }
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
