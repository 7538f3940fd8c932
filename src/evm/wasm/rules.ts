// A fork as the engine needs it: the table of its opcodes and its numbers in the engine's form, and the prices that the host
// works out.
import type { Common } from '@ethereumjs/common'
import { opcodeOf } from '../opcodes.ts'
import type { OpcodeTable } from '../tables.ts'
import {
  GAS_COLD_SLOT,
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
  STORE_IS_NET,
} from './layout.ts'

export type Rules = {
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
    warm: of('warmstoragereadGas'),
    value: of('callValueTransferGas'),
    stipend: of('callStipendGas'),
    newAccount: of('callNewAccountGas'),
    codeByte: of('createDataGas'),
    destroyRefund: of('selfdestructRefundGas'),
  }
}

/** SSTORE's numbers in the fork: by value, EIP-1283 (Constantinople only), or EIP-2200 with EIP-2929 and EIP-3529. */
function storePrices(common: Common) {
  const of = (name: string): bigint => common.param(name)
  if (common.gteHardfork('istanbul')) {
    const net = {
      ...{ isNet: 1n, sentry: of('sstoreSentryEIP2200Gas'), noop: of('sstoreNoopEIP2200Gas') },
      ...{ init: of('sstoreInitEIP2200Gas'), clean: of('sstoreCleanEIP2200Gas'), dirty: of('sstoreDirtyEIP2200Gas') },
      ...{ clearRefund: of('sstoreClearRefundEIP2200Gas'), initRefund: of('sstoreInitRefundEIP2200Gas') },
      cleanRefund: of('sstoreCleanRefundEIP2200Gas'),
    }
    if (!common.isActivatedEIP(2929)) return net
    const warm = of('warmstoragereadGas')
    // EIP-2929 names these three anew; the slot is warm when they are charged.
    const cleanRefund = of('sstoreResetGas') - of('coldsloadGas') - warm
    return { ...net, noop: warm, initRefund: net.init - warm, cleanRefund }
  }
  if (common.hardfork() === 'constantinople')
    return {
      ...{ isNet: 1n, sentry: 0n, noop: of('netSstoreNoopGas'), init: of('netSstoreInitGas') },
      ...{ clean: of('netSstoreCleanGas'), dirty: of('netSstoreDirtyGas') },
      ...{ clearRefund: of('netSstoreClearRefundGas'), initRefund: of('netSstoreResetClearRefundGas') },
      cleanRefund: of('netSstoreResetRefundGas'),
    }
  const reset = of('sstoreResetGas')
  return {
    ...{ isNet: 0n, sentry: 0n, noop: reset, init: of('sstoreSetGas'), clean: reset, dirty: reset },
    ...{ clearRefund: of('sstoreRefundGas'), initRefund: 0n, cleanRefund: 0n },
  }
}

const known = new WeakMap<OpcodeTable, Rules>()

/** The rules of a table that no proposal has changed. */
export function rulesOf(table: OpcodeTable, common: Common): Rules {
  const rules = known.get(table) ?? makeRules(table, common)
  known.set(table, rules)
  return rules
}

function makeRules(table: OpcodeTable, common: Common): Rules {
  const parameters = new BigUint64Array(PARAMETER_COUNT)
  parameters[GAS_EXP_BYTE / 8] = common.param('expByteGas')
  parameters[GAS_INIT_CODE_WORD / 8] = common.isActivatedEIP(3860) ? common.param('initCodeWordGas') : 0n
  parameters[GAS_WARM / 8] = common.isActivatedEIP(2929) ? common.param('warmstoragereadGas') : 0n
  parameters[GAS_COLD_SLOT / 8] = common.isActivatedEIP(2929) ? common.param('coldsloadGas') : 0n
  const store = storePrices(common)
  parameters[STORE_IS_NET / 8] = store.isNet
  parameters[GAS_STORE_SENTRY / 8] = store.sentry
  parameters[GAS_STORE_NOOP / 8] = store.noop
  parameters[GAS_STORE_INIT / 8] = store.init
  parameters[GAS_STORE_CLEAN / 8] = store.clean
  parameters[GAS_STORE_DIRTY / 8] = store.dirty
  parameters[REFUND_CLEAR / 8] = store.clearRefund
  parameters[REFUND_INIT / 8] = store.initRefund
  parameters[REFUND_CLEAN / 8] = store.cleanRefund
  return {
    opcodes: opcodeBytes(table),
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
    maxCodeSize: common.gteHardfork('spuriousDragon') ? Number(common.param('maxCodeSize')) : Infinity,
    maxInitCodeSize: common.isActivatedEIP(3860) ? Number(common.param('maxInitCodeSize')) : Infinity,
    gas: prices(common),
  }
}

const STACK_LIMIT = 1024
const WORD = 32
/** More than any stack: the number means nothing. */
const NEVER = 65_535

function opcodeBytes({ map }: OpcodeTable): Uint8Array {
  const bytes = new Uint8Array(256 * 8)
  const view = new DataView(bytes.buffer)
  for (let code = 0; code < 256; code++) {
    const entry = map[code]
    const { pops, pushes } = opcodeOf(code)
    const isLog = code >= 0xa0 && code <= 0xa4
    if (entry === undefined || entry.opcodeInfo.isInvalid) {
      view.setUint16(code * 8 + 4, NEVER, true)
      continue
    }
    view.setUint32(code * 8, Number(entry.opcodeInfo.feeBigInt), true)
    // A log misses its topics only when it has been paid.
    view.setUint16(code * 8 + 4, (isLog ? 2 : pops) * WORD, true)
    view.setUint16(code * 8 + 6, (STACK_LIMIT + pops - pushes) * WORD, true)
  }
  return bytes
}
