// Gas and refunds of SSTORE in each fork (Yellow Paper, appendix G; EIP-1283, EIP-2200, EIP-2929, EIP-3529, EIP-8038): the numbers.
// `storeCost` applies them here, `wasm/assembly/sstore-gas.ts` for the engine's own SSTORE.
import type { ForkRules } from '../../spec/fork-rules.ts'
import { CALL_STIPEND, WARM_ACCESS } from './gas-rules.ts'

/** Prices and refunds of SSTORE, which compares the new, the current and the original value of the slot. */
export type StoreGas = {
  /** Whether the original value counts (EIP-1283, EIP-2200). */
  readonly isNet: boolean
  /** SSTORE fails with this much gas left or less: the stipend of a call must not pay for it (EIP-2200). */
  readonly sentry: number
  /** Writing the current value again. */
  readonly noop: number
  /** First change of a zero, first change of another value, each later change. */
  readonly init: number
  readonly clean: number
  readonly dirty: number
  /** Refunds for clearing, for restoring a zero, and for restoring another value. */
  readonly clearRefund: number
  readonly initRefund: number
  readonly cleanRefund: number
}

/** First access to a slot in a transaction (EIP-2929). */
export const COLD_SLOT = 2_100
const SET = 20_000
const RESET = 5_000
const CLEAR_REFUND = 15_000

export function storeGas(rules: ForkRules): StoreGas {
  if (rules.amsterdamOpcodes) return AMSTERDAM
  // EIP-2929
  if (rules.berlin) {
    // EIP-3529 refunds what a clean reset and an entry of the access list cost: 2,900 + 1,900.
    const clearRefund = rules.london ? 4_800 : CLEAR_REFUND
    return netStore(WARM_ACCESS, CALL_STIPEND, RESET - COLD_SLOT, clearRefund)
  }
  // EIP-2200 uses the price of EIP-1884's SLOAD, EIP-1283 the price of EIP-150's.
  if (rules.istanbul) return netStore(800, CALL_STIPEND, RESET, CLEAR_REFUND)
  if (rules.constantinople && !rules.petersburg) return netStore(200, 0, RESET, CLEAR_REFUND)
  return {
    isNet: false,
    sentry: 0,
    noop: RESET,
    init: SET,
    clean: RESET,
    dirty: RESET,
    clearRefund: CLEAR_REFUND,
    initRefund: 0,
    cleanRefund: 0,
  }
}

/** EIP-8038: an access, and the first change of a slot in the transaction. What a new slot adds is state gas. */
const STORAGE_WRITE = 10_000
const AMSTERDAM: StoreGas = {
  isNet: true,
  sentry: CALL_STIPEND,
  noop: WARM_ACCESS,
  init: WARM_ACCESS + STORAGE_WRITE,
  clean: WARM_ACCESS + STORAGE_WRITE,
  dirty: WARM_ACCESS,
  clearRefund: 11_616,
  initRefund: STORAGE_WRITE,
  cleanRefund: STORAGE_WRITE,
}

/** Net gas metering. `load`: a warm SLOAD's price; `clean`: the first change of a slot that is not zero. */
const netStore = (load: number, sentry: number, clean: number, clearRefund: number): StoreGas => ({
  isNet: true,
  sentry,
  noop: load,
  init: SET,
  clean,
  dirty: load,
  clearRefund,
  initRefund: SET - load,
  cleanRefund: clean - load,
})

/**
 * The gas of storing `value`, without the gas of a cold slot, the change of the refund counter, which may be negative, and the slots by
 * which the state grows (EIP-8037).
 * `original`: the value at the beginning of the transaction, or `current` if the fork does not use it.
 */
export function storeCost(
  store: StoreGas,
  original: bigint,
  current: bigint,
  value: bigint,
): { readonly gas: number; readonly refund: number; readonly slots: -1 | 0 | 1 } {
  if (current === value) return { gas: store.noop, refund: 0, slots: 0 }
  const gas = original !== current ? store.dirty : original === 0n ? store.init : store.clean
  let refund = 0
  if (original !== 0n && value === 0n) refund = store.clearRefund
  else if (original !== 0n && current === 0n) refund = -store.clearRefund
  if (original === value) refund += original === 0n ? store.initRefund : store.cleanRefund
  const slots = original !== 0n ? 0 : current === 0n ? 1 : value === 0n ? -1 : 0
  return { gas, refund, slots }
}
