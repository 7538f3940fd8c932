// The library's opcode table with tracing: the same operations, each reporting before it runs. Blocks without a tracer do not
// use it. Two levels: only calls and logs, or every opcode with its cost.
import { EVMError, type ExecResult } from '@ethereumjs/evm'
import { EMPTY_BYTES } from '../../lib/hex.ts'
import { failureOf } from '../failure.ts'
import { CALL_STIPEND, MAX_DEPTH } from '../gas/gas-rules.ts'
import { type CallKind, isCreation } from '../message.ts'
import { bookedElsewhere, type OpcodeTable } from '../opcode-table.ts'
import { opcodeOf } from '../opcodes.ts'
import type { CallFrame, FrameState, MessageTracer, Step } from '../tracer.ts'
import { addressOfWord, codeOfLibrary, fromLibLog, Halt } from './convert.ts'
import { copiedFrame, LibraryFrame } from './library-frame.ts'
import { type LibraryTable, machineOf } from './library-table.ts'
import type { LibraryOpcode, RunState } from './library-types.ts'
import { addressOf } from './state-adapter.ts'

type OpcodeMap = LibraryTable['map']
type TracedTables = { events?: OpcodeMap; steps?: OpcodeMap }

const tracedTables = new WeakMap<LibraryTable, TracedTables>()

/** The table with the reports that the tracer has callbacks for. */
export function tracedTable(library: LibraryTable, { step, log, refuse }: MessageTracer): OpcodeMap {
  if (step === undefined && log === undefined && refuse === undefined) return library.map
  const known = tracedTables.get(library) ?? {}
  tracedTables.set(library, known)
  known.events ??= withEvents(library)
  if (step === undefined) return known.events
  known.steps ??= known.events.map((entry, code) => stepping(entry, code, library))
  return known.steps
}

// --- calls and logs

const CALLS: ReadonlyMap<number, CallKind> = new Map([
  [0xf0, 'CREATE'],
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xfa, 'STATICCALL'],
])
const isLog = (code: number): boolean => code >= 0xa0 && code <= 0xa4

function withEvents({ map, table }: LibraryTable): OpcodeMap {
  return map.map((entry, code) => {
    const type = CALLS.get(code)
    // A proposal's function cannot call, and reports its logs itself.
    if (entry.opcodeInfo.isInvalid || table.operations[code]?.execute !== undefined) return entry
    // A creation that cannot begin is no frame in go-ethereum from Amsterdam on.
    if (type !== undefined && isCreation(type) && table.rules.amsterdam) return entry
    if (type !== undefined) return calling(entry, type, hasStipend(table, code))
    return isLog(code) ? logging(entry) : entry
  })
}

/** Whether a call with value gets a stipend: see `changed-operation.ts`. */
const hasStipend = ({ operations, boundsWork }: OpcodeTable, code: number): boolean =>
  !boundsWork || operations[code]?.dynamicGas === 'own'

/** A call that began no message, and did not itself fail, was refused. */
function calling(entry: LibraryOpcode, type: CallKind, addsStipend: boolean): LibraryOpcode {
  return {
    ...entry,
    async opHandler(state, common) {
      const machine = machineOf(state)
      const { messageCount } = machine
      const refused = calledFrame(state, type, addsStipend)
      await entry.opHandler(state, common)
      if (machine.messageCount === messageCount) machine.tracer?.refuse?.(refused())
    },
  }
}

/** The frame of a refused call; its input is read only on demand. */
function calledFrame(state: RunState, type: CallKind, addsStipend: boolean): () => CallFrame {
  const { env } = state
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  const hasValue = type === 'CALL' || type === 'CALLCODE'
  const items = state.stack.getStack().reverse()
  const item = (index: number): bigint => items[index] ?? 0n
  const value = isCreation ? item(0) : hasValue ? item(2) : type === 'DELEGATECALL' ? env.callValue : 0n
  const stipend = addsStipend && hasValue && value > 0n ? BigInt(CALL_STIPEND) : 0n
  const gas = (state.messageGasLimit ?? 0n) + stipend
  const inputAt = isCreation ? 1 : hasValue ? 3 : 2
  const input = (): Uint8Array => {
    const offset = Number(item(inputAt))
    const length = Number(item(inputAt + 1))
    return length === 0 || machineOf(state).tracer?.keepsInput?.(length) === false
      ? EMPTY_BYTES
      : state.memory.read(offset, length)
  }
  return () => ({
    type,
    from: addressOf(env.address),
    to: isCreation ? null : addressOfWord(item(1)),
    value,
    gas,
    gasUsed: 0n,
    input: input(),
    output: EMPTY_BYTES,
    error: refusal(state, type, value),
    calls: [],
  })
}

function refusal({ env }: RunState, type: CallKind, value: bigint): string {
  if (env.depth >= MAX_DEPTH) return failureOf('call depth').message
  if (type !== 'DELEGATECALL' && env.contract.balance < value) return failureOf('insufficient balance').message
  // A part of the balance may be locked.
  return failureOf(type === 'CALL' || type === 'CALLCODE' ? 'insufficient balance' : 'nonce overflow').message
}

function logging(entry: LibraryOpcode): LibraryOpcode {
  const emitStep = (state: RunState): void => {
    const last = state.interpreter._result.logs.at(-1)
    if (last === undefined) return
    machineOf(state).tracer?.log?.(fromLibLog(last))
  }
  return {
    ...entry,
    opHandler(state, common) {
      const running = entry.opHandler(state, common)
      return running instanceof Promise ? running.then(() => emitStep(state)) : emitStep(state)
    },
  }
}

// --- every opcode

const ENDS = new Set([0x00, 0xf3, 0xfd, 0xfe, 0xff])

/** Code that runs past its end stops. geth reports a STOP for that, the library nothing. */
export function impliedStop(
  { exceptionError, runState }: ExecResult,
  frame: FrameState,
  { operations }: OpcodeTable,
): Step | undefined {
  if (runState === undefined || exceptionError !== undefined) return undefined
  const { opCode, programCounter, code } = runState
  // A proposal's function that ends the frame leaves the program counter at its opcode.
  const isReplaced = operations[opCode]?.execute !== undefined
  if (isReplaced ? programCounter < code.length : ENDS.has(opCode)) return undefined
  const memorySize = Number(runState.memoryWordCount) * 32
  return { frame, opcode: opcodeOf(0x00), cost: 0n, memorySize, error: undefined }
}

/** Reports the opcode once its gas is known, before its memory expands and before it runs. */
function stepping(entry: LibraryOpcode, code: number, { table }: LibraryTable): LibraryOpcode {
  const { opcodeInfo, gasHandler } = entry
  const changed = table.changed.has(code) ? table.operations[code] : undefined
  const own = opcodeOf(code)
  const opcode =
    changed === undefined ? own : { ...own, name: changed.name, ...(changed.effect ?? { pops: 0, pushes: 0 }) }
  const charge = opcodeInfo.dynamicGas ? gasHandler : undefined
  const hands = CALLS.has(code) && opcode.name !== 'CREATE' && opcode.name !== 'CREATE2'
  const name = opcodeInfo.fullName
  return {
    opHandler: changed?.execute === undefined ? entry.opHandler : reporting(entry),
    opcodeInfo: Object.assign(Object.create(Object.getPrototypeOf(opcodeInfo)), opcodeInfo, { dynamicGas: true }),
    gasHandler(state, base, common) {
      const memorySize = Number(state.memoryWordCount) * 32
      const emitStep = (cost: bigint, error?: string): void =>
        machineOf(state).tracer?.step?.({
          frame: new LibraryFrame(state, machineOf(state).initialRefund),
          opcode,
          cost,
          memorySize,
          error,
        })
      if (opcodeInfo.isInvalid) {
        emitStep(0n)
        return base
      }
      const constant = () =>
        changed?.constantGas ?? base + (charge === undefined ? 0n : bookedElsewhere(name, table.rules))
      const priced = (total: bigint): bigint => {
        if (total <= state.gasLeft && changed?.execute !== undefined) {
          const frame = copiedFrame(state, machineOf(state).initialRefund)
          waiting.set(state, { frame, opcode, cost: total, memorySize, error: undefined })
        } else if (total <= state.gasLeft) emitStep(hands ? total + (state.messageGasLimit ?? 0n) : total)
        else emitStep(state.gasLeft < constant() ? constant() : total, 'out of gas')
        return total
      }
      const refused = (error: unknown): never => {
        if (error instanceof EVMError) emitStep(constant(), wordsOf(error))
        throw error
      }
      if (charge === undefined) return priced(base)
      try {
        const charging = charge(state, base, common)
        return (charging instanceof Promise ? charging.then(priced, refused) : priced(charging)) as bigint
      } catch (error) {
        return refused(error)
      }
    },
  }
}

/** Steps of proposals' functions. They are reported after the function has run, when all its charges are known. */
const waiting = new WeakMap<RunState, Step>()

/** Runs a proposal's function and reports its step. */
function reporting({ opHandler }: LibraryOpcode): LibraryOpcode['opHandler'] {
  return (state, common) => {
    const step = waiting.get(state)
    const before = state.gasLeft
    const emitStep = (error?: unknown): void => {
      const wanted = error instanceof Halt ? error.wanted : undefined
      const cost = (step?.cost ?? 0n) + (wanted ?? before - state.gasLeft)
      const isUnpaid = error instanceof Halt && error.failure.code === 'out of gas'
      if (step !== undefined)
        machineOf(state).tracer?.step?.({ ...step, cost, error: isUnpaid ? error.failure.message : undefined })
    }
    try {
      opHandler(state, common)
    } catch (error) {
      emitStep(error)
      throw error
    }
    emitStep()
  }
}

const wordsOf = (halted: EVMError): string => {
  if (halted instanceof Halt) return halted.failure.message
  const { error } = halted
  const code = codeOfLibrary(error)
  return code === undefined ? error : failureOf(code).message
}
