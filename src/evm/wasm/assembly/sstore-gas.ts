// The price and the refund of SSTORE in every fork (EIP-1283, EIP-2200, EIP-2929, EIP-3529; Yellow Paper, appendix G). The
// numbers are PARAMETERS, which `gas/sstore-gas.ts` chooses by fork; all forks share the code.
import {
  GAS_STORE_CLEAN,
  GAS_STORE_DIRTY,
  GAS_STORE_INIT,
  GAS_STORE_NOOP,
  MISSING_REFUND,
  PARAMETERS,
  REFUND,
  REFUND_CLEAN,
  REFUND_CLEAR,
  REFUND_INIT,
  S_ORIGINAL,
  S_VALUE,
  STORE_IS_NET,
} from '../layout'
import { lacking } from './gas'
import { writeSlot } from './state-cache'
import { isSame, isZero } from './word'

/** A number of gas that differs by fork: see `GAS_*` and `REFUND_*` in the layout. */
// @inline
export function parameter(offset: i32): i64 {
  return load<i64>(usize(PARAMETERS) + usize(offset))
}

/**
 * Writes a big-endian word to a remembered slot, pays for it, and counts the refund; what is left of the gas, or a reason below
 * zero. EIP-2200, with EIP-2929 and EIP-3529 in the numbers; EIP-1283 is the same with others. Before these, and in
 * Petersburg, the price follows from the current and the new value (Yellow Paper, appendix G): that is the same rule if the
 * current value counts as the one in the beginning.
 */
// @inline
export function storeWord(slot: usize, value: usize, gas: i64): i64 {
  const current = slot + S_VALUE
  if (isSame(current, value)) {
    gas -= parameter(GAS_STORE_NOOP)
    if (gas >= 0) return gas
    store<i64>(MISSING_REFUND, 0)
    return lacking(gas)
  }
  const original = parameter(STORE_IS_NET) !== 0 ? slot + S_ORIGINAL : current
  const first = isZero(original) ? GAS_STORE_INIT : GAS_STORE_CLEAN
  gas -= parameter(isSame(original, current) ? first : GAS_STORE_DIRTY)
  const refund = refundOf(original, current, value)
  if (gas < 0) {
    store<i64>(MISSING_REFUND, refund)
    return lacking(gas)
  }
  if (refund !== 0) store<i64>(REFUND, load<i64>(REFUND) + refund)
  writeSlot(slot, value)
  return gas
}

/**
 * By how much the refund grows, for a new value that differs from the current one. The sum of a transaction never sinks below
 * zero: what is taken back here was added when this slot became zero, earlier in the transaction, and in a frame that has
 * not failed, or else the slot would not be zero now.
 */
// @inline
function refundOf(original: usize, current: usize, value: usize): i64 {
  let refund: i64 = 0
  if (!isZero(original)) {
    if (isZero(value)) refund = parameter(REFUND_CLEAR)
    else if (isZero(current)) refund = -parameter(REFUND_CLEAR)
  }
  return isSame(original, value) ? refund + parameter(isZero(original) ? REFUND_INIT : REFUND_CLEAN) : refund
}
