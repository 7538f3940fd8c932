// A fork as the engine needs it: the table of its opcodes in the engine's form, and the prices that the host works out.
import type { Common } from '@ethereumjs/common'
import { STACK_LIMIT } from '../gas-rules.ts'
import { bookedElsewhere, forkTable, type OpcodeTable, type Operation, stackBounds } from '../opcode-table.ts'
import { opcodeOf } from '../opcodes.ts'
import {
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
} from './layout.ts'

export type Rules = {
  readonly table: OpcodeTable
  /** Opcodes at which the interpreter stops, because a proposal's functions work out their price or memory. */
  readonly custom: ReadonlySet<number>
  /** Those of the fork when no proposal is active. */
  readonly own: { readonly table: OpcodeTable; readonly opcodes: Uint8Array }
  /** As it lies at OPCODES. */
  readonly opcodes: Uint8Array
  /** As they lie at PARAMETERS. */
  readonly parameters: BigUint64Array
  readonly homestead: boolean
  /** EIP-150 */
  readonly keepsGas: boolean
  /** EIP-161 */
  readonly clears: boolean
  /** EIP-2929 */
  readonly warms: boolean
  readonly transient: boolean
  /** EIP-6780 */
  readonly destroysOnlyNew: boolean
  /** EIP-7702 */
  readonly delegates: boolean
  /** EIP-3541 */
  readonly refusesEf: boolean
  /** EIP-4399 */
  readonly random: boolean
  readonly sstore: 'by value' | 'net' | 'net with stipend'
  readonly maxCodeSize: number
  readonly maxInitCodeSize: number
  readonly gas: Gas
}

type Gas = ReturnType<typeof prices>

/** Numbers: the engine is given no more gas than they hold exactly. */
function prices(common: Common) {
  const of = (name: string): number => {
    try {
      return Number(common.param(name))
    } catch {
      // A price of forks to come: nobody asks for it.
      return 0
    }
  }
  return {
    cold: of('coldaccountaccessGas'),
    coldSlot: of('coldsloadGas'),
    warm: of('warmstoragereadGas'),
    value: of('callValueTransferGas'),
    stipend: of('callStipendGas'),
    newAccount: of('callNewAccountGas'),
    codeByte: of('createDataGas'),
    destroyRefund: of('selfdestructRefundGas'),
    set: of('sstoreSetGas'),
    reset: of('sstoreResetGas'),
    clearRefund: of('sstoreRefundGas'),
    net: {
      sentry: of('sstoreSentryEIP2200Gas'),
      noop: of('sstoreNoopEIP2200Gas'),
      init: of('sstoreInitEIP2200Gas'),
      clean: of('sstoreCleanEIP2200Gas'),
      dirty: of('sstoreDirtyEIP2200Gas'),
      clearRefund: of('sstoreClearRefundEIP2200Gas'),
      initRefund: of('sstoreInitRefundEIP2200Gas'),
      cleanRefund: of('sstoreCleanRefundEIP2200Gas'),
    },
    early: {
      noop: of('netSstoreNoopGas'),
      init: of('netSstoreInitGas'),
      clean: of('netSstoreCleanGas'),
      dirty: of('netSstoreDirtyGas'),
      clearRefund: of('netSstoreClearRefundGas'),
      initRefund: of('netSstoreResetClearRefundGas'),
      cleanRefund: of('netSstoreResetRefundGas'),
    },
  }
}

const known = new WeakMap<OpcodeTable, Rules>()

/** The rules of a table. No behaviour in it may have been replaced. */
export function rulesOf(table: OpcodeTable, common: Common): Rules {
  const rules = known.get(table) ?? makeRules(table, common)
  known.set(table, rules)
  return rules
}

function makeRules(table: OpcodeTable, common: Common): Rules {
  if (table.isReplaced) throw new Error('replaced behaviour runs in the library only')
  const parameters = new BigUint64Array(PARAMETER_COUNT)
  parameters[GAS_EXP_BYTE / 8] = common.param('expByteGas')
  parameters[GAS_INIT_CODE_WORD / 8] = common.isActivatedEIP(3860) ? common.param('initCodeWordGas') : 0n
  parameters[GAS_WARM / 8] = common.isActivatedEIP(2929) ? common.param('warmstoragereadGas') : 0n
  const isNet = common.hardfork() === 'constantinople'
  const gas = prices(common)
  const sstore = isNet ? 'net' : common.gteHardfork('istanbul') ? 'net with stipend' : 'by value'
  if (sstore === 'net with stipend') {
    const { noop, initRefund, cleanRefund } = warmStores(gas, common.isActivatedEIP(2929))
    parameters[GAS_STORE_SENTRY / 8] = BigInt(gas.net.sentry)
    parameters[GAS_STORE_NOOP / 8] = BigInt(noop)
    parameters[GAS_STORE_INIT / 8] = BigInt(gas.net.init)
    parameters[GAS_STORE_CLEAN / 8] = BigInt(gas.net.clean)
    parameters[GAS_STORE_DIRTY / 8] = BigInt(gas.net.dirty)
    parameters[REFUND_CLEAR / 8] = BigInt(gas.net.clearRefund)
    parameters[REFUND_INIT / 8] = BigInt(initRefund)
    parameters[REFUND_CLEAN / 8] = BigInt(cleanRefund)
  }
  const { opcodes, custom } = opcodeBytes(table, common)
  const forks = table.changed.size === 0 ? table : forkTable(common)
  return {
    table,
    opcodes,
    custom,
    own: { table: forks, opcodes: forks === table ? opcodes : opcodeBytes(forks, common).opcodes },
    parameters,
    homestead: common.gteHardfork('homestead'),
    keepsGas: common.gteHardfork('tangerineWhistle'),
    clears: common.gteHardfork('spuriousDragon'),
    warms: common.isActivatedEIP(2929),
    transient: common.isActivatedEIP(1153),
    destroysOnlyNew: common.isActivatedEIP(6780),
    delegates: common.isActivatedEIP(7702),
    refusesEf: common.isActivatedEIP(3541),
    random: common.isActivatedEIP(4399),
    sstore,
    maxCodeSize: common.gteHardfork('spuriousDragon') ? Number(common.param('maxCodeSize')) : Infinity,
    maxInitCodeSize: common.isActivatedEIP(3860) ? Number(common.param('maxInitCodeSize')) : Infinity,
    gas,
  }
}

/** What EIP-2929 makes of EIP-2200's prices when the slot is warm. */
export function warmStores({ net, warm, reset, coldSlot }: Gas, isWarm: boolean) {
  if (!isWarm) return net
  return { noop: warm, initRefund: net.init - warm, cleanRefund: reset - coldSlot - warm }
}

const WORD = 32
/** More than any stack: the number means nothing. */
const NEVER = 65_535
const MOST_CONSTANT = 0xffff_ffffn

/** The table as it lies at OPCODES, and the opcodes that cannot be written so. */
function opcodeBytes(table: OpcodeTable, common: Common): { opcodes: Uint8Array; custom: Set<number> } {
  const opcodes = new Uint8Array(256 * 8)
  const view = new DataView(opcodes.buffer)
  const custom = new Set<number>()
  for (const [code, operation] of table.operations.entries()) {
    const entry = operation && entryOf(operation, common)
    if (entry === undefined) {
      if (operation !== undefined) custom.add(code)
      view.setUint16(code * 8 + 4, NEVER, true)
      continue
    }
    view.setUint32(code * 8, entry.gas, true)
    view.setUint16(code * 8 + 4, entry.least * WORD, true)
    view.setUint16(code * 8 + 6, entry.most * WORD, true)
  }
  return { opcodes, custom }
}

/** What the interpreter charges and checks before an opcode; undefined: it cannot be said in numbers. */
function entryOf(operation: Operation, common: Common) {
  const { code, name, constantGas, dynamicGas, memorySize } = operation
  const { pops, pushes } = opcodeOf(code)
  const gas = constantGas - bookedElsewhere(name, common)
  const bounds = stackBounds(operation)
  const most = Math.min(bounds.most, STACK_LIMIT + pops - pushes)
  if (dynamicGas !== 'own' || memorySize !== undefined || gas < 0n || gas > MOST_CONSTANT || most < 0) return undefined
  // A log misses its topics only when it has been paid.
  const isLog = code >= 0xa0 && code <= 0xa4
  const isChanged = operation.minStack !== pops
  return { gas: Number(gas), least: isLog && !isChanged ? 2 : Math.max(bounds.least, pops), most }
}
