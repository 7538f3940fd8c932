// Prices and limits that differ by fork, each with its EIP. Those that are equal in all forks are in `gas-rules.ts`.
import type { Common } from '@ethereumjs/common'
import { WARM_ACCESS } from './gas-rules.ts'

/** Numbers: the engine is given no more gas than they hold exactly. */
export type ForkGas = {
  /** First access to an account in a transaction, and each later one (EIP-2929). */
  readonly cold: number
  readonly warm: number
  /** Of a call that carries value, and of one that makes an account. */
  readonly value: number
  readonly newAccount: number
  /** Per byte of deployed code. */
  readonly codeByte: number
  readonly destroyRefund: number
  readonly expByte: number
  readonly initCodeWord: number
  /** Added to the warm price at the first access to a slot. */
  readonly coldSlot: number
  readonly maxCodeSize: number
  readonly maxInitCodeSize: number
  readonly store: StoreGas
}

/** SSTORE, by the words that are stored, there now, and there before the transaction. */
export type StoreGas = {
  /** Whether the word before the transaction counts (EIP-1283, EIP-2200). */
  readonly isNet: boolean
  /** Gas that has to be left (EIP-2200). */
  readonly sentry: number
  /** The same word again. */
  readonly noop: number
  /** First change of a zero, first change of another word, each later change. */
  readonly init: number
  readonly clean: number
  readonly dirty: number
  /** For clearing; for restoring a zero; for restoring another word. */
  readonly clearRefund: number
  readonly initRefund: number
  readonly cleanRefund: number
}

const COLD_ACCOUNT = 2_600
const COLD_SLOT = 2_100
const SET = 20_000
const RESET = 5_000

export function gasOf(common: Common): ForkGas {
  const isBerlin = common.isActivatedEIP(2929)
  const isLondon = common.isActivatedEIP(3529)
  const limitsCode = common.gteHardfork('spuriousDragon')
  const limitsInitCode = common.isActivatedEIP(3860)
  return {
    cold: COLD_ACCOUNT,
    warm: WARM_ACCESS,
    value: 9_000,
    newAccount: 25_000,
    codeByte: 200,
    destroyRefund: isLondon ? 0 : 24_000,
    // EIP-160
    expByte: limitsCode ? 50 : 10,
    initCodeWord: limitsInitCode ? 2 : 0,
    coldSlot: isBerlin ? COLD_SLOT : 0,
    // EIP-170 and EIP-3860
    maxCodeSize: limitsCode ? 24_576 : Infinity,
    maxInitCodeSize: limitsInitCode ? 49_152 : Infinity,
    store: storeGas(common),
  }
}

function storeGas(common: Common): StoreGas {
  if (common.isActivatedEIP(2929)) {
    const clean = RESET - COLD_SLOT
    return {
      ...{ isNet: true, sentry: 2_300, noop: WARM_ACCESS, init: SET, clean, dirty: WARM_ACCESS },
      // EIP-3529: what a clean reset and an entry of the access list cost, 2,900 + 1,900.
      clearRefund: common.isActivatedEIP(3529) ? 4_800 : 15_000,
      ...{ initRefund: SET - WARM_ACCESS, cleanRefund: clean - WARM_ACCESS },
    }
  }
  // EIP-2200 has the price of EIP-1884's SLOAD, EIP-1283 that of EIP-150's.
  if (common.gteHardfork('istanbul')) return netStore(800, 2_300)
  if (common.hardfork() === 'constantinople') return netStore(200, 0)
  return {
    ...{ isNet: false, sentry: 0, noop: RESET, init: SET, clean: RESET, dirty: RESET },
    ...{ clearRefund: 15_000, initRefund: 0, cleanRefund: 0 },
  }
}

const netStore = (load: number, sentry: number): StoreGas => ({
  ...{ isNet: true, sentry, noop: load, init: SET, clean: RESET, dirty: load },
  ...{ clearRefund: 15_000, initRefund: SET - load, cleanRefund: RESET - load },
})
