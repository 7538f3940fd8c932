// A table of opcodes under a fork in the engine's form: the bytes in the engine's memory, and the switches and prices for the
// host.
import type { ForkRules } from '../../spec/fork-rules.ts'
import { type ForkGas, forkGas } from '../gas/fork-gas.ts'
import { STACK_LIMIT } from '../gas/gas-rules.ts'
import { unpaidWork } from '../gas/unpaid-work.ts'
import { bookedElsewhere, forkTable, type OpcodeTable, type Operation, stackBounds } from '../opcode-table.ts'
import { opcodeOf } from '../opcodes.ts'
import {
  GAS_CODE_READ,
  GAS_COLD_SLOT,
  GAS_COLD_STORE,
  GAS_EXP_BYTE,
  GAS_INIT_CODE_WORD,
  GAS_STORE_CLEAN,
  GAS_STORE_DIRTY,
  GAS_STORE_INIT,
  GAS_STORE_NOOP,
  GAS_STORE_SENTRY,
  GAS_WARM,
  PARAMETER_COUNT,
  REFUND_CLEAN,
  REFUND_CLEAR,
  REFUND_INIT,
  STATE_GAS_SLOT,
  STORE_IS_NET,
} from './layout.ts'

export type EngineRules = {
  readonly table: OpcodeTable
  /** The bytes at OPCODES. */
  readonly opcodes: Uint8Array
  /**
   * As `opcodes`, for the compiler: opcodes below the fork's own price are left to the interpreter, because compiled code does
   * not count unpaid work.
   */
  readonly compiled: Uint8Array
  /** The bytes at UNPAID. */
  readonly unpaid: Uint16Array
  /** Whether the interpreter must not fuse opcodes: see `PLAIN`. */
  readonly isPlain: boolean
  /** The rules of the fork without proposals. */
  readonly own: { readonly table: OpcodeTable; readonly opcodes: Uint8Array }
  /** The bytes at PARAMETERS. */
  readonly parameters: BigUint64Array
  /** The switches of the table's fork. */
  readonly forks: ForkRules
  readonly gas: ForkGas
}

const known = new WeakMap<OpcodeTable, EngineRules>()

/** The rules of a table. */
export function rulesOf(table: OpcodeTable): EngineRules {
  const rules = known.get(table) ?? makeRules(table)
  known.set(table, rules)
  return rules
}

function makeRules(table: OpcodeTable): EngineRules {
  const { rules } = table
  const gas = forkGas(rules)
  const { opcodes, custom } = opcodeBytes(table)
  const own = table.changed.size === 0 ? table : forkTable(rules)
  const unpaid = unpaidOf(table, own, custom)
  return {
    table,
    opcodes,
    compiled: withoutUnpaid(opcodes, unpaid),
    unpaid,
    isPlain: [...table.changed].some((code) => FUSED.has(code) || unpaid[code] !== 0),
    own: { table: own, opcodes: own === table ? opcodes : opcodeBytes(own).opcodes },
    parameters: parametersOf(gas, rules.berlin),
    forks: rules,
    gas,
  }
}

function parametersOf(gas: ForkGas, warms: boolean): BigUint64Array {
  const { expByte, initCodeWord, warm, coldSlot, store } = gas
  const parameters = new BigUint64Array(PARAMETER_COUNT)
  const set = (at: number, value: number): void => {
    parameters[at / 8] = BigInt(value)
  }
  set(GAS_EXP_BYTE, expByte)
  set(GAS_INIT_CODE_WORD, initCodeWord)
  set(GAS_WARM, warms ? warm : 0)
  set(GAS_COLD_SLOT, coldSlot)
  set(STORE_IS_NET, store.isNet ? 1 : 0)
  set(GAS_STORE_SENTRY, store.sentry)
  set(GAS_STORE_NOOP, store.noop)
  set(GAS_STORE_INIT, store.init)
  set(GAS_STORE_CLEAN, store.clean)
  set(GAS_STORE_DIRTY, store.dirty)
  set(REFUND_CLEAR, store.clearRefund)
  set(REFUND_INIT, store.initRefund)
  set(REFUND_CLEAN, store.cleanRefund)
  set(GAS_COLD_STORE, gas.coldStore)
  set(GAS_CODE_READ, gas.codeRead)
  set(STATE_GAS_SLOT, gas.state.slot)
  return parameters
}

const WORD = 32
/** A required stack height above any stack: not an opcode. */
const NEVER = 65_535
/** The greatest stack height next to NEVER: the host runs the opcode, and code continues after it. */
const RUN_BY_HOST = 1
const MOST_CONSTANT = 0xffff_ffffn

/** Unpaid work of opcodes that the interpreter runs itself: the part of the fork's constant gas that is not charged. */
function unpaidOf(table: OpcodeTable, forks: OpcodeTable, custom: ReadonlySet<number>): Uint16Array {
  const unpaid = new Uint16Array(256)
  for (const code of table.changed) {
    const [operation, own] = [table.operations[code], forks.operations[code]]
    if (operation !== undefined && !custom.has(code)) unpaid[code] = Number(unpaidWork(operation, own))
  }
  return unpaid
}

/** ADD, POP, JUMP, JUMPI and JUMPDEST: the interpreter fuses them with the previous opcode, at the fork's price. */
const FUSED = new Set([0x01, 0x50, 0x56, 0x57, 0x5b])

function withoutUnpaid(opcodes: Uint8Array, unpaid: Uint16Array): Uint8Array {
  if (unpaid.every((work) => work === 0)) return opcodes
  const compiled = opcodes.slice()
  const view = new DataView(compiled.buffer)
  for (const [code, work] of unpaid.entries()) if (work > 0) view.setUint16(code * 8 + 4, NEVER, true)
  return compiled
}

/** The bytes at OPCODES, and the opcodes that cannot be encoded in them. */
function opcodeBytes(table: OpcodeTable): { opcodes: Uint8Array; custom: Set<number> } {
  const opcodes = new Uint8Array(256 * 8)
  const view = new DataView(opcodes.buffer)
  const custom = new Set<number>()
  for (const [code, operation] of table.operations.entries()) {
    const entry = operation && entryOf(operation, table.rules)
    if (entry === undefined) {
      view.setUint16(code * 8 + 4, NEVER, true)
      if (operation === undefined) continue
      custom.add(code)
      view.setUint16(code * 8 + 6, RUN_BY_HOST, true)
      continue
    }
    view.setUint32(code * 8, entry.gas, true)
    view.setUint16(code * 8 + 4, entry.least * WORD, true)
    view.setUint16(code * 8 + 6, entry.most * WORD, true)
  }
  return { opcodes, custom }
}

/** The gas and stack bounds that the interpreter checks before an opcode; undefined if numbers cannot express them. */
function entryOf(operation: Operation, rules: ForkRules) {
  const { code, name, constantGas, dynamicGas, memorySize, execute } = operation
  const { pops, pushes } = opcodeOf(code)
  const gas = constantGas - bookedElsewhere(name, rules)
  const bounds = stackBounds(operation)
  const most = Math.min(bounds.most, STACK_LIMIT + pops - pushes)
  if (
    execute !== undefined ||
    dynamicGas !== 'own' ||
    memorySize !== undefined ||
    gas < 0n ||
    gas > MOST_CONSTANT ||
    most < 0
  )
    return undefined
  return { gas: Number(gas), least: Math.max(bounds.least, pops), most }
}
