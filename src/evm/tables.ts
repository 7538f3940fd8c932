// The opcode table as the machine runs it: the library's, with the few marks the machine needs (which call opcode
// ran, where a loop may pause). Built once per fork and proposal list, shared by all machines, never changed.
import type { Common } from '@ethereumjs/common'
import { getOpcodesForHF } from '@ethereumjs/evm'
import { legacyCreate } from './legacy-create.ts'
import type { Opcode } from './opcodes.ts'
import type { CallType, MessageTracer } from './tracer.ts'

type Context = ReturnType<typeof getOpcodesForHF>
type LibEntry = Context['opcodeMap'][number]
/** `changed`: what proposals made of it. */
export type Entry = LibEntry & { readonly changed?: Changed }
export type RunState = Parameters<LibEntry['opHandler']>[0]

/** An operation that proposals changed, for those who watch it run. */
export type Changed = {
  readonly opcode: Opcode
  readonly constantGas: bigint
  /** It no longer does what the fork's opcode of this name did. */
  readonly isReplaced: boolean
}

/** What the marks tell: the machine. */
export interface OpcodeHost {
  callType: CallType
  /** How many messages have begun. */
  readonly messages: number
  readonly tracer: MessageTracer | undefined
  onSelfdestruct(state: RunState, beneficiary: bigint): void
  /** Undefined: go on. Else go on when it settles. */
  pause(): Promise<void> | undefined
}

export type OpcodeTable = {
  readonly context: Context
  readonly map: Entry[]
  /** Some proposal has changed it. */
  readonly isChanged: boolean
}

const CALL_OPCODES = new Map([
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xfa, 'STATICCALL'],
] as const)
const EXP = 0x0a
const CREATE2 = 0xf5
const CREATES = [0xf0, CREATE2]
const SELFDESTRUCT = 0xff
const JUMPS = [0x56, 0x57]

// The interpreter knows its EVM, which here is always our machine.
export const machineOf = (state: RunState): OpcodeHost => state.interpreter._evm as unknown as OpcodeHost

/** The table of a fork. `change` applies improvement proposals to a copy of the library's entries. */
export function buildTable(common: Common, change: (map: Entry[]) => void): OpcodeTable {
  const context = getOpcodesForHF(common)
  const map: Entry[] = context.opcodeMap.map(withOwnCode)
  const exp = map[EXP]
  if (exp !== undefined) map[EXP] = { ...exp, opHandler: raise }
  for (const code of CREATES) {
    const entry = map[code]
    if (entry !== undefined) map[code] = { ...entry, opHandler: legacyCreate(entry, code === CREATE2) }
  }
  for (const [code, type] of CALL_OPCODES) {
    mark(map, code, (state) => {
      machineOf(state).callType = type
    })
  }
  mark(map, SELFDESTRUCT, (state) => {
    if (state.interpreter.isStatic()) return
    const [beneficiary] = state.stack.peek(1)
    machineOf(state).onSelfdestruct(state, beneficiary ?? 0n)
  })
  // What a proposal replaced has lost its mark: it may do something else now.
  change(map)
  const isChanged = map.some(({ changed }) => changed !== undefined)
  for (const code of JUMPS) pausable(map, code)
  for (const [code, { changed }] of map.entries()) if (changed?.isReplaced) pausable(map, code)
  return { context, map, isChanged }
}

/** The library has one entry for all numbers that mean nothing; a failure is to name the one that was there. */
function withOwnCode(entry: Entry, code: number): Entry {
  if (entry.opcodeInfo.code === code) return entry
  const { opcodeInfo } = entry
  return { ...entry, opcodeInfo: Object.assign(Object.create(Object.getPrototypeOf(opcodeInfo)), opcodeInfo, { code }) }
}

/** EXP, squaring from the highest bit and cutting to 256 bits: a third of the time of the library's, which divides. */
function raise({ stack }: RunState): void {
  const [base = 0n, exponent = 0n] = stack.popN(2)
  let power = 1n
  for (const bit of exponent.toString(2)) {
    power = BigInt.asUintN(256, power * power)
    if (bit === '1') power = BigInt.asUintN(256, power * base)
  }
  stack.push(power)
}

/** Runs a note before the operation. */
function mark(map: Entry[], code: number, note: (state: RunState) => void): void {
  const entry = map[code]
  if (entry === undefined || entry.opcodeInfo.isInvalid) return
  const run = entry.opHandler
  map[code] = {
    ...entry,
    opHandler: (state, common) => {
      note(state)
      return run(state, common)
    },
  }
}

/** No loop is without a jump, or an opcode that was made for it: there a long run lets other work have the thread, and stops when its time is up. */
function pausable(map: Entry[], code: number): void {
  const entry = map[code]
  if (entry === undefined) return
  const run = entry.opHandler
  const opcodeInfo = Object.assign(Object.create(Object.getPrototypeOf(entry.opcodeInfo)), entry.opcodeInfo, {
    isAsync: true,
  })
  map[code] = {
    ...entry,
    opcodeInfo,
    opHandler: (state, common) => {
      const pause = machineOf(state).pause()
      return pause === undefined ? run(state, common) : pause.then(() => run(state, common))
    },
  }
}
