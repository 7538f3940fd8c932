// An opcode table for the library's interpreter: its own entries with the few marks that the machine needs (which call opcode
// ran, where a loop may pause), and those that proposals changed, as its custom opcodes. Built once per table and immutable.
import type { Common } from '@ethereumjs/common'
import { getOpcodesForHF } from '@ethereumjs/evm'
import type { StateView } from '../../state/types.ts'
import { failureOf } from '../failure.ts'
import { MAX_DEPTH } from '../gas/gas-rules.ts'
import type { CallKind } from '../message.ts'
import { forkTable, type OpcodeTable } from '../opcode-table.ts'
import { opcodeOf, stackFault } from '../opcodes.ts'
import type { MessageTracer } from '../tracer.ts'
import { changedOpcode, type ProposalHost, unchangedFork } from './changed-operation.ts'
import { Halt } from './convert.ts'
import { codeReaders, legacyCreate } from './legacy-code.ts'
import type { CustomOpcode, LibraryOpcode, LibraryOpcodes, RunState } from './library-types.ts'

/** The machine, as seen by marked opcodes. */
export interface LibraryHost extends ProposalHost {
  readonly view: StateView
  callKind: Exclude<CallKind, 'CREATE' | 'CREATE2'>
  /** Number of messages begun. */
  readonly messageCount: number
  /** undefined: continue at once; else continue when it settles. */
  pause(): Promise<void> | undefined
  readonly tracer: MessageTracer | undefined
  /** Refund of the transaction before its code runs (EIP-7702). The library does not include it in its counter. */
  readonly initialRefund: bigint
  onSelfdestruct(state: RunState, beneficiary: bigint): void
}

export type LibraryTable = {
  readonly context: LibraryOpcodes
  readonly map: LibraryOpcode[]
  readonly table: OpcodeTable
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

// The interpreter's EVM is always our machine.
export const machineOf = (state: RunState): LibraryHost => state.interpreter._evm as unknown as LibraryHost

const known = new WeakMap<OpcodeTable, LibraryTable>()

/** The library's form of a table. */
export function libraryTable(table: OpcodeTable, common: Common): LibraryTable {
  const made = known.get(table) ?? makeTable(table, common)
  known.set(table, made)
  return made
}

function makeTable(table: OpcodeTable, common: Common): LibraryTable {
  const own = ownEntries(common)
  const context = getOpcodesForHF(common, customOpcodes(own, table))
  const map = own.map((entry, code) => {
    const custom = context.opcodeMap[code]
    return custom !== undefined && table.changed.has(code) ? asDefined(custom) : entry
  })
  for (const code of JUMPS) pausable(map, code)
  return { context, map, table }
}

/** The fork's entries with the marks that the machine needs. */
function ownEntries(common: Common): LibraryOpcode[] {
  const map = getOpcodesForHF(common).opcodeMap.map(withOwnCode)
  const exp = map[EXP]
  if (exp !== undefined) map[EXP] = { ...exp, opHandler: raise }
  const most = common.isActivatedEIP(3860) ? common.param('maxInitCodeSize') : 2n ** 64n
  for (const code of CREATES) {
    const entry = map[code]
    if (entry === undefined) continue
    map[code] = { ...entry, opHandler: legacyCreate(entry, code === CREATE2, most) }
    if (common.isActivatedEIP(8037)) map[code].gasHandler = checkedCreateGas(entry.gasHandler)
  }
  for (const [code, opHandler] of codeReaders((state) => machineOf(state).view)) {
    const entry = map[code]
    if (entry !== undefined && !entry.opcodeInfo.isInvalid) map[code] = { ...entry, opHandler }
  }
  for (const [code, kind] of CALL_OPCODES) {
    mark(map, code, (state) => {
      machineOf(state).callKind = kind
    })
  }
  mark(map, SELFDESTRUCT, (state) => {
    if (state.interpreter.isStatic()) return
    const [beneficiary] = state.stack.peek(1)
    machineOf(state).onSelfdestruct(state, beneficiary ?? 0n)
  })
  return map.map(stackFirst)
}

/** The entry with a check of the stack before its gas, as in go-ethereum. The library checks it when it takes each operand. */
function stackFirst(entry: LibraryOpcode, code: number): LibraryOpcode {
  const { opcodeInfo, gasHandler } = entry
  if (opcodeInfo.isInvalid) return entry
  const opcode = opcodeOf(code)
  const charge = opcodeInfo.dynamicGas ? gasHandler : undefined
  return {
    ...withInfo(entry, { dynamicGas: true }),
    gasHandler(state, base, common) {
      const items = state.stack.length
      const words = stackFault(opcode, items)
      if (words !== undefined)
        throw new Halt(failureOf(items < opcode.pops ? 'stack underflow' : 'stack overflow', words))
      return (charge === undefined ? base : charge(state, base, common)) as bigint
    },
  }
}

/**
 * The library charges the new account before it knows whether a creation can begin. By EIP-8037 nothing is charged if it cannot,
 * because of depth, balance or nonce.
 */
const checkedCreateGas =
  (own: LibraryOpcode['gasHandler']): LibraryOpcode['gasHandler'] =>
  async (state, gas, common) => {
    const { _env: frame, _evm: evm } = state.interpreter
    const [value = 0n] = state.stack.peek(1)
    const { balance, nonce } = frame.contract
    if (frame.depth < MAX_DEPTH && balance >= value && nonce < MAX_NONCE) return own(state, gas, common)
    const { stateGasReservoir, executionStateGasUsed } = evm
    evm.stateGasReservoir = ENDLESS
    const charged = await own(state, gas, common)
    Object.assign(evm, { stateGasReservoir, executionStateGasUsed })
    state.lastCreateNewAccountStateGas = 0n
    return charged
  }
const MAX_NONCE = (1n << 64n) - 1n
const ENDLESS = 1n << 64n

/** Operations that proposals changed. A proposal's function has no mark, because it cannot call. */
function customOpcodes(own: LibraryOpcode[], { operations, changed, rules, boundsWork }: OpcodeTable): CustomOpcode[] {
  if (changed.size === 0) return []
  const fork = unchangedFork(forkTable(rules))
  return [...changed].flatMap((code) => {
    const entry = own[code]
    const operation = operations[code]
    if (entry === undefined || operation === undefined) return []
    return [changedOpcode(entry, operation, fork, machineOf, boundsWork)]
  })
}

/** The library shares one entry among all undefined opcodes; failures must name the actual opcode. */
const withOwnCode = (entry: LibraryOpcode, code: number): LibraryOpcode =>
  entry.opcodeInfo.code === code ? entry : withInfo(entry, { code })

/** The library takes every opcode named INVALID for an undefined one. A proposal may change that opcode too. */
const asDefined = (entry: LibraryOpcode): LibraryOpcode =>
  entry.opcodeInfo.isInvalid ? withInfo(entry, { isInvalid: false }) : entry

/** The library's facts of an opcode are frozen: a copy with other ones. */
const withInfo = (entry: LibraryOpcode, facts: object): LibraryOpcode => ({
  ...entry,
  opcodeInfo: Object.assign(Object.create(Object.getPrototypeOf(entry.opcodeInfo)), entry.opcodeInfo, facts),
})

/** EXP by squaring from the highest bit, truncated to 256 bits: a third of the time of the library's, which divides. */
function raise({ stack }: RunState): void {
  const [base = 0n, exponent = 0n] = stack.popN(2)
  let power = 1n
  for (const bit of exponent.toString(2)) {
    power = BigInt.asUintN(256, power * power)
    if (bit === '1') power = BigInt.asUintN(256, power * base)
  }
  stack.push(power)
}

/** Calls `note` before the operation. */
function mark(map: LibraryOpcode[], code: number, note: (state: RunState) => void): void {
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

/** Every loop has a jump: there a long run yields the thread, and stops when its time is up. */
function pausable(map: LibraryOpcode[], code: number): void {
  const entry = map[code]
  if (entry === undefined) return
  const run = entry.opHandler
  map[code] = {
    ...withInfo(entry, { isAsync: true }),
    opHandler: (state, common) => {
      const pause = machineOf(state).pause()
      return pause === undefined ? run(state, common) : pause.then(() => run(state, common))
    },
  }
}
